"""What a search needs beside relevance: its filters in numbers, and its further terms."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memopolis.sim.memory.night.consolidation import tables_of
from memopolis.sim.memory.retrieval.filters import ALWAYS, NEVER, Filters, anything
from memopolis.sim.memory.retrieval.profiles import TERMS, TEXT_TERMS, Profile
from memopolis.sim.memory.retrieval.request import Extra, Fading, Fit, TextTable
from memopolis.sim.memory.retrieval.scoring import in_ticks
from memopolis.sim.memory.retrieval.terms import fading_table, feelings, pace
from memopolis.sim.memory.retrieval.tfidf import logarithms
from memopolis.sim.memory.retrieval.wanted import Wanted
from memopolis.sim.memory.streams import encoding
from memopolis.sim.memory.streams.emotion import emotion_number

if TYPE_CHECKING:
    from memopolis.sim.memory.memory import Memory

NO_TOPIC = 255
"""Number that no topic has: a filter on a topic nobody ever used."""

_SIGNS = {"positive": 1, "negative": -1, "urgent": 0}


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """What a call asks for beside its words.

    Attributes:
        texts: Queries, none for a search without words.
        query: Which of them each agent asks, intp, shape (n,).
        feeling: Feeling that memories should be like, -1..1, one or one an agent.
        tags: Tags of the moment, as the call gives them.
    """

    texts: Sequence[str]
    query: NDArray[np.intp]
    feeling: ArrayLike | None = None
    tags: Any = None


def filters_of(
    memory: "Memory", wanted: Wanted, profile: Profile, agents: int, *, only_now: bool
) -> Filters | None:
    """Turn filters into numbers; None where everything may be found.

    Args:
        memory: Where to search.
        wanted: Filters of the call and the profile.
        profile: Its time to live and the tags it leaves out.
        agents: How many search.
        only_now: Whether only memories of this tick count.

    Raises:
        ParameterError: If a filter is out of range.
        UnknownNameError: If there is no such emotion word.
    """
    without = memory.tags.known(profile.without)
    if wanted.all and not only_now and not without and profile.time_to_live is None:
        return None
    filters = anything(agents)
    if wanted.place is not None:
        filters.place[:] = encoding.places(wanted.place)
    if wanted.only_actor is not None:
        filters.actor[:] = encoding.actors(wanted.only_actor)
    tags = memory.tags.known(wanted.tags)
    ticks = _ticks(memory, wanted, profile.time_to_live, only_now=only_now)
    return Filters(
        place=filters.place,
        actor=filters.actor,
        topic=_topic(memory, wanted.topic),
        kind=-1 if wanted.kind is None else encoding.kind(wanted.kind),
        emotion=-1 if wanted.emotion is None else emotion_number(wanted.emotion),
        # Tags that nobody used are on no memory.
        ticks=NEVER if wanted.tags is not None and not tags else ticks,
        tags=tags,
        urgent=memory.tags.known("urgent") if wanted.sign == "urgent" else 0,
        without=without,
        sign=0 if wanted.sign is None else _SIGNS[wanted.sign],
    )


def _topic(memory: "Memory", topic: str | None) -> int:
    return -1 if topic is None else memory.topic_numbers.get(topic, NO_TOPIC)


def _ticks(
    memory: "Memory", wanted: Wanted, time_to_live: float | None, *, only_now: bool
) -> tuple[int, int]:
    """First and last tick of creation that pass every filter on time."""
    first, last = wanted.ticks or ALWAYS
    if wanted.days is not None:
        begin, end = memory.ticks_of_days(*wanted.days)
        first, last = max(first, begin), min(last, end)
    if time_to_live is not None:
        oldest = math.floor(min(in_ticks(time_to_live, memory.ticks_per_day), 2.0**31))
        first = max(first, memory.now - oldest)
    if only_now:
        first, last = max(first, memory.now), min(last, memory.now)
    if first > last or first > ALWAYS[1] or last < ALWAYS[0]:
        return NEVER
    return max(first, ALWAYS[0]), min(last, ALWAYS[1])


def extra_of(memory: "Memory", profile: Profile, asked: Asked) -> Extra | None:
    """What the general pass reads; None where the fast pass does.

    Args:
        memory: Where to search.
        profile: How memories are scored.
        asked: What the call asks for.
    """
    if not profile.general:
        return None
    agents = len(asked.query)
    weight = dict(zip(TERMS, profile.weights, strict=True))
    if not asked.texts:
        weight.update(dict.fromkeys(TEXT_TERMS, 0.0))
    tags = _tags(memory, asked) if weight["context"] else None
    feeling = None
    if weight["feeling"] and asked.feeling is not None:
        feeling = feelings(asked.feeling, agents)
    if tags is None:
        weight["context"] = 0.0
    if feeling is None:
        weight["feeling"] = 0.0
    firm = tables_of(memory) if weight["consolidation"] or profile.adaptive else None
    fading = None
    if profile.adaptive:
        ticks = in_ticks(profile.half_life, memory.ticks_per_day)
        fading = Fading(pace(ticks), _fading_table(profile))
    return Extra(
        weights=tuple(weight.values()),
        normalise=profile.normalise == "min-max",
        product=profile.combine == "product",
        fit=_fit(memory, asked) if weight["tfidf"] else None,
        tags=tags,
        feeling=feeling,
        firm=firm,
        fading=fading,
        **{name: _table(memory, name, asked) for name in _TABLES if weight[name]},
    )


_TABLES = ("bm25", "dense", "keyword")


def _fading_table(profile: Profile) -> NDArray[np.float32]:
    return fading_table(floor=profile.floor, power=power_of(profile))


def power_of(profile: Profile) -> float:
    """What recency is raised to: its weight in a product, else 1."""
    return profile.recency if profile.combine == "product" else 1.0


def _table(memory: "Memory", name: str, asked: Asked) -> TextTable:
    from memopolis.sim.memory.text.text_terms import text_terms

    values, rows = getattr(text_terms(memory), name)(asked.texts)
    return TextTable(values, np.asarray(rows, np.int32)[asked.query])


def _fit(memory: "Memory", asked: Asked) -> Fit:
    from memopolis.sim.memory.text.text_terms import text_terms

    terms = text_terms(memory)
    words = terms.words()
    logs = logarithms(memory.streams.limit + 1)
    return Fit(words, terms.asked(asked.texts), asked.query.astype(np.int32), logs)


def _tags(memory: "Memory", asked: Asked) -> NDArray[np.uint16] | None:
    """Tags asked of each agent's memories; those of the moment where the call gives none."""
    agents = len(asked.query)
    if asked.tags is not None:
        return np.full(agents, memory.tags.known(asked.tags), np.uint16)
    if memory.extractor is None:
        return None
    from memopolis.sim.memory.text.context import asked_tags

    if not asked.texts:
        return np.full(agents, asked_tags(memory, [""])[0], np.uint16)
    return np.asarray(asked_tags(memory, asked.texts), np.uint16)[asked.query]
