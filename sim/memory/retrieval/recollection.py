"""Results of a search: memories with their texts for one agent, arrays for several."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice, repeat
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.arrays import Array, Bools, Float32, Int32, Int64
from memopolis.sim.memory.interface import Memory
from memopolis.sim.memory.streams.encoding import EMOTION_WORDS, IMPORTANCE, KIND_WORDS
from memopolis.sim.memory.streams.layout import COLUMNS, THOUGHT
from memopolis.sim.memory.streams.stream import Places

_TEXT, _PLACE = (list(COLUMNS).index(name) for name in ("text", "place"))
type Fill = Callable[[str, int, int], str]
"""Fills {actor} and {place} of a text."""

EVIDENCE = 2  # maximum number of memories that replace the {evidence} of a thought
FORGOTTEN = "I no longer remember why."  # replaces {evidence} if no memory is left
# Replaces the {evidence} of a thought that is itself evidence.
EARLIER = "I thought of earlier days."


# What an agent said, after a short lead such as "Ann Hill said" or "I answered Ann Hill"
_SPEECH = re.compile(
    r"(?P<lead>[^:\"]{0,60}\b(?:told|answered|posted|reported|reports|wrote|said)\b[^:\"]{0,40}): "
    r"(?P<words>[^\"]+)",
    re.DOTALL,
)


class Recollection(NamedTuple):
    """One memory with its text; a tuple, since searches make many."""

    id: int  # its number among all memories of the agent
    time: int  # tick at which it was stored
    accessed: int  # tick of the last recall before this one
    text: str  # its text with {actor}, {place} and {evidence} filled in
    template: str  # its text as stored
    topic: str  # its topic
    actor: int  # unique_id of the agent that did or said it, or -1
    place: int  # index of the place, or -1
    importance: float  # 0..1
    valence: float  # -1 (bad) .. 1 (good)
    confidence: float  # 0..1
    kind: str  # "event" or "thought"
    emotion: str  # one of the 21 words, or ""
    thought: int  # id of the thought it led to, or -1
    accesses: int  # number of recalls, at most 255
    times: int  # number of occasions it stands for; its text says how many if there are several
    since: int  # tick of the first of them
    score: float  # score of the search, 0 without one
    day: int  # day since the start, from 0
    second: int  # second of that day
    location: str  # name of the place, or "unknown"
    terms: Mapping[str, float] = MappingProxyType({})  # terms of the score by name, if requested

    @property
    def source(self) -> str:
        """Where a search of status and stream found it: "stream"; an attribute has "status"."""
        return "stream"

    @property
    def name(self) -> str:
        """Name of an attribute; "" for a memory."""
        return ""

    def __str__(self) -> str:
        hours, rest = divmod(self.second, 3600)
        clock = f"{hours:02}:{rest // 60:02}:{rest % 60:02}"
        where = f"[day: {self.day}, time: {clock}, location: {self.location}]"
        return f"- [{self.topic}]: {self.text} {where}"


class Recollections(list[Recollection]):
    """A list of memories that prints as a mind reads it."""

    def __str__(self) -> str:
        return "\n".join(map(str, self)) or "Nothing"


class Best(NamedTuple):
    """The k best memories of n agents, best first; each of shape (n, k)."""

    ids: Int32  # -1 where there are fewer
    slots: Int64  # -1 where there are fewer
    scores: Float32  # 0 where there are fewer


@dataclass(frozen=True, slots=True, eq=False)
class Recalled:
    """Memories found for several agents, best first."""

    rows: Int64  # rows of the agents, shape (n,)
    ids: Int32  # ids of their memories, -1 where there are fewer, shape (n, k)
    scores: Float32  # their scores, 0 where there are fewer, shape (n, k)
    # Terms of the score by name, each of shape (n, k), if requested.
    terms: Mapping[str, Array] = field(default_factory=dict)
    # Where a search found them. No argument, since compiled loops read there unchecked.
    places: Places | None = field(default=None, init=False, repr=False)

    @classmethod
    def at(
        cls,
        rows: Int64,
        ids: Int32,
        scores: Float32,
        terms: Mapping[str, Array] | None = None,
        *,
        places: Places | None,
    ) -> "Recalled":
        """Return memories and the places where they are stored, which need not be looked up."""
        recalled = cls(rows, ids, scores, {} if terms is None else terms)
        object.__setattr__(recalled, "places", places)
        return recalled

    def places_of(self, rows: Int64) -> Places | None:
        """Return where the memories of these rows are stored, None for those of other rows."""
        return self.places if rows is self.rows or np.array_equal(rows, self.rows) else None

    def __len__(self) -> int:
        return len(self.rows)

    def _map(self, change: Callable[[Array, int], Array], rows: Int64) -> "Recalled":
        """Return results for some rows, with each array changed; 0 or -1 is that of no memory."""
        terms = {name: change(values, 0) for name, values in self.terms.items()}
        places = self.places and self.places.map(lambda slots: change(slots, -1))
        return Recalled.at(rows, change(self.ids, -1), change(self.scores, 0), terms, places=places)

    def where(self, mask: Bools) -> "Recalled":
        """Return the results of the agents for which the mask, shape (n,), is true."""
        some = np.flatnonzero(mask)  # which selects much faster than a mask
        return self._map(lambda values, _: values.take(some, axis=0), self.rows[some])

    def one(self, index: int) -> "Recalled":
        """Return the results of one agent."""
        some = slice(index, index + 1)
        return self._map(lambda values, _: values[some], self.rows[some])

    def spread(self, rows: Int64, mask: Bools) -> "Recalled":
        """Return results of more agents, with these where the mask, (agents,), is true."""
        at = np.flatnonzero(mask)

        def put(values: Array, fill: int) -> Array:
            whole = np.full((len(rows), values.shape[1]), fill, values.dtype)
            whole[at] = values
            return whole

        return self._map(put, rows)

    def replace(self, other: "Recalled", mask: Bools) -> "Recalled":
        """Return the results with others, of the same agents and shape, where the mask is true."""
        change = mask[:, None]
        ids = np.where(change, other.ids, self.ids)
        scores = np.where(change, other.scores, self.scores)
        terms = {
            name: np.where(change, other.terms[name], values)
            for name, values in self.terms.items()
            if name in other.terms
        }
        places = _combine(self.places, other.places, lambda old, new: np.where(change, new, old))
        return Recalled.at(self.rows, ids, scores, terms, places=places)

    def explained(self, terms: Mapping[str, Array]) -> "Recalled":
        """Return the results with these terms."""
        return Recalled.at(self.rows, self.ids, self.scores, terms, places=self.places)

    def without(self, mask: Bools) -> "Recalled":
        """Return the results with no memory where the mask, shape (n, k), is true."""
        ids = np.where(mask, np.int32(-1), self.ids)
        places = self.places and self.places.map(lambda slots: np.where(mask, -1, slots))
        return Recalled.at(self.rows, ids, self.scores, self.terms, places=places)

    def keep(self, mask: Bools, k: int | None = None) -> "Recalled":
        """Return the memories for which the mask, shape (n, k), is true, at most the best `k`."""
        order = np.argsort(~mask, axis=1, kind="stable")[:, :k]
        kept = np.take_along_axis(mask, order, axis=1)

        def take(values: Array, fill: int) -> Array:
            taken = np.take_along_axis(values, order, axis=1)
            return np.where(kept, taken, values.dtype.type(fill))

        return self._map(take, self.rows)

    def join(self, more: "Recalled") -> "Recalled":
        """Return these memories, followed by those of other results that are not among them."""
        is_new = (more.ids[:, :, None] != self.ids[:, None, :]).all(axis=2)
        ids = np.hstack([self.ids, np.where(is_new, more.ids, np.int32(-1))])
        scores = np.hstack([self.scores, np.where(is_new, more.scores, np.float32(0))])
        places = _combine(self.places, more.places, lambda own, new: np.hstack([own, new]))
        return Recalled.at(self.rows, ids, scores, places=places).keep(ids >= 0)

    @property
    def counts(self) -> NDArray[np.intp]:
        """Number of memories of each agent, shape (n,)."""
        return np.asarray((self.ids >= 0).sum(axis=1))


def _combine(
    first: Places | None, second: Places | None, function: Callable[[Int64, Int64], Int64]
) -> Places | None:
    """Combine the slots of two results, None if those of either are unknown or outdated."""
    if first is None or second is None or first.layout is not second.layout:
        return None
    return Places(first.layout, function(first.slots, second.slots))


def format_memories(
    memory: Memory,
    row: int,
    ids: Sequence[int] | Int32,
    scores: Sequence[float] | None = None,
    terms: Mapping[str, Sequence[float]] | None = None,
) -> Recollections:
    """Return memories of one agent with their texts, scores and terms; missing ones are skipped."""
    streams = memory.streams
    table, slots = streams.read(row, np.asarray(ids, np.int64))
    if not (exist := slots >= 0).all():
        kept = np.flatnonzero(exist).tolist()
        table, slots = table[kept], slots[kept]
        scores = None if scores is None else [scores[i] for i in kept]
        terms = {name: [each[i] for i in kept] for name, each in (terms or {}).items()}
    lines = table.tolist()
    occasions: Iterable[tuple[int, int] | None] = repeat(None)
    if streams.merges and len(slots):
        times, since = streams.occasions(slots)
        occasions = zip(times.tolist(), since.tolist(), strict=True)
    now, left = memory.fading
    oldest = left.shape[1] - 1
    texts = memory.texts.get_many([line[_TEXT] for line in lines])
    topics, offset, length = memory.topics, memory.day_offset, memory.ticks_per_day
    actors, places = _Names(memory.name_of), _Names(memory.place_name)
    places[-1] = "unknown"
    fill = partial(fill_template, name_of=actors.__getitem__, place_name=places.__getitem__)
    memories = Recollections()
    # One loop without calls for most memories: calls would take a third of a search.
    for i, (line, occasion) in enumerate(zip(lines, occasions, strict=False)):
        (
            _, accessed, importance, kind, number, actor, time, thought, place, _,
            accesses, valence, confidence, topic, emotion,
        ) = line  # fmt: skip
        template = text = texts[i]
        times_of, since_of = 1, time
        if "{" in template:
            text = fill(template, actor, place)
            if "{evidence}" in text:
                text = text.replace("{evidence}", _evidence(memory, row, number, fill))
        if occasion is not None and occasion[0] > 1:
            times_of, since_of = occasion
            text = describe_occasions(text, times_of, _first_day(memory, since_of))
        if valence:
            valence *= left.item(int(valence > 0), min(max(int(now) - time, 0), oldest)) / 127
        day, second = divmod(round((time + offset) / length * 86_400), 86_400)
        values = (
            number, time, accessed, text, template, topics[topic], actor, place,
            importance / IMPORTANCE, float(valence), confidence / 255, KIND_WORDS[kind & THOUGHT],
            EMOTION_WORDS[emotion], thought, accesses, times_of, since_of,
            0.0 if scores is None else scores[i], day, second, places[place],
            {name: float(each[i]) for name, each in terms.items()} if terms else {},
        )  # fmt: skip
        memories.append(tuple.__new__(Recollection, values))
    return memories


class _Names(dict[int, str]):
    """Names by number, which the memories of one result often share; each is looked up once."""

    def __init__(self, name_of: Callable[[int], str]) -> None:
        self._name_of = name_of

    def __missing__(self, number: int) -> str:
        return self.setdefault(number, self._name_of(number))


def _first_day(memory: Memory, tick: int) -> str:
    date = None if memory.date_of is None else memory.date_of(tick)
    return f"{date.day} {date:%B}" if date else f"day {memory.day_and_second(tick)[0]}"


def describe_occasions(text: str, times: int, since: str) -> str:
    """Return the text of a memory of several occasions, the first on the date `since`."""
    end = text[-1] if text.endswith((".", "!", "?")) else ""
    return f"{text.removesuffix(end)} ({times} times since {since}){end}"


def fill_template(
    template: str,
    actor: int,
    place: int,
    *,
    name_of: Callable[[int], str],
    place_name: Callable[[int], str],
) -> str:
    """Fill {actor} and {place} of a text by the names of a unique_id and a place, -1 for none."""
    # Not str.format: texts may contain other braces.
    if "{" not in template:
        return template
    text = template
    if "{actor}" in text:
        text = text.replace("{actor}", name_of(actor) if actor >= 0 else "someone")
    if "{place}" in text:
        text = text.replace("{place}", place_name(place) if place >= 0 else "somewhere")
    return text


def _evidence(memory: Memory, row: int, thought: int, fill: Fill) -> str:
    """Return the most important memories that led to a thought, without repeated texts."""
    streams = memory.streams
    slots, _ = streams.live(np.array([row]))
    slots = slots[streams.at("thought", slots) == thought]
    if not len(slots):
        return FORGOTTEN
    slots = slots[np.argsort(-streams.at("importance", slots).astype(np.int64), kind="stable")]
    columns = (streams.at(name, slots).tolist() for name in ("text", "actor", "place"))
    distinct = islice(dict.fromkeys(zip(*columns, strict=True)), EVIDENCE)
    return join_sentences(
        [
            quote_speech(fill(memory.texts[text], actor, place).replace("{evidence}", EARLIER))
            for text, actor, place in distinct
        ]
    )


def quote_speech(text: str) -> str:
    """Put what an agent said in quotation marks: "Ann said: It rains." becomes "It rains.".

    The text remains as it is if it reports nothing that was said or written.
    """
    report = _SPEECH.fullmatch(text)
    return f'{report["lead"]}: "{report["words"]}"' if report else text


def join_sentences(texts: Sequence[str]) -> str:
    """Join texts as sentences."""
    return " ".join(
        text if text.rstrip('"').endswith((".", "!", "?")) else f"{text}." for text in texts
    )
