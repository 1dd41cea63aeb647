"""What a search weighs beside recency, importance and relevance, as the passes read it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memopolis.sim.memory.night.consolidation import tables_of
from memopolis.sim.memory.retrieval.profiles import TERMS, TEXT_TERMS, Profile
from memopolis.sim.memory.retrieval.request import Extra, Fading, Fit, TextTable
from memopolis.sim.memory.retrieval.scoring import in_ticks
from memopolis.sim.memory.retrieval.terms import fading_table, feelings, pace
from memopolis.sim.memory.retrieval.tfidf import logarithms

if TYPE_CHECKING:
    from memopolis.sim.memory.memory import Memory

_TABLES = ("bm25", "dense", "keyword")


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
        fading = Fading(pace(ticks), fading_table(floor=profile.floor, power=power_of(profile)))
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
    from memopolis.sim.memory.text.context_tags import asked_tags

    if not asked.texts:
        return np.full(agents, asked_tags(memory, [""])[0], np.uint16)
    return np.asarray(asked_tags(memory, asked.texts), np.uint16)[asked.query]
