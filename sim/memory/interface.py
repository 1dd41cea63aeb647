"""State and common operations of the memory of a population, without the views of `memory.py`."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, override

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.arguments import (
    INT32,
    as_indices,
    check_names,
    check_text,
    find_distinct,
    whole_number,
)
from memopolis.sim.arrays import Bools, Float32, Int32, Int64, Ints, UInt8
from memopolis.sim.chance import Chance
from memopolis.sim.errors import ParameterError, StateError
from memopolis.sim.memory.layer_settings import LayerSettings
from memopolis.sim.memory.locking import lock_verbs, locked
from memopolis.sim.memory.retention import ages
from memopolis.sim.memory.retention.activation import Fading, Retention
from memopolis.sim.memory.retention.consolidation import Consolidation
from memopolis.sim.memory.status.columns import Columns
from memopolis.sim.memory.status.schema import Schema
from memopolis.sim.memory.streams.cluster_columns import mark_stale
from memopolis.sim.memory.streams.encoding import TagNames
from memopolis.sim.memory.streams.pending import (
    Added,
    Pending,
    joined,
    read_stored,
    sort_by_row,
    split_batch,
)
from memopolis.sim.memory.streams.stream import Streams
from memopolis.sim.memory.text.lexical import LexicalIndex
from memopolis.sim.memory.text.query import DateOf, Query, parse
from memopolis.sim.memory.text.texts import Texts, shared
from memopolis.sim.memory.text.words import WordTerms
from memopolis.sim.memory.vectors.embedders.protocol import Embedder, Thresholds
from memopolis.sim.memory.vectors.embedders.registry import check_embedder, embedder_of
from memopolis.sim.memory.vectors.embedding import LateInteraction, TextVectors, vectors_of
from memopolis.sim.threads import THREAD, await_earlier_parts, usable_cores

Recall = Literal["scored", "none", "random"]

TOPICS = 255  # maximum number of topics
LEAST_PIECE = 8_192  # memories of an agent that are stored at once, whatever the limit
_QUERIES = 4096
_MOST_KEPT = 64  # most plans without a query that are kept when texts change
_MOST_PREPARED = 1 << 22  # most values of all prepared queries, unless there are more texts
_CACHES = (
    "index", "vectors", "static_vectors", "word_terms", "late_interaction_terms",
)  # fmt: skip
_NO_AGES = np.empty(0, np.float32)


@dataclass
class Prepared:
    """What searches have prepared for the texts and names of a `state`, by query."""

    state: object = None
    # Those of `recalling.py`, by queries and profile.
    plans: dict[tuple[str | tuple[str, ...], int], object] = field(default_factory=dict)
    matches: dict[str, UInt8] = field(default_factory=dict)  # M of all texts, (texts, pieces)
    # Number of memories that were compared with queries.
    compared: dict[tuple[str, ...], int] = field(default_factory=dict)


class Memory:
    """The memory of a population without its views; `memory.Memory` describes the attributes."""

    def __init__(
        self,
        agents: int,
        *,
        schema: Schema | None = None,
        texts: Texts | None = None,
        limit: int = 1000,
        seed: int = 0,
        embedder: str | Embedder = "static",
    ) -> None:
        self.streams = Streams(agents, limit)
        agents = self.streams.agents
        self._columns = Columns(agents, schema, Chance(seed))
        self.texts = Texts() if texts is None else texts
        self.shares_texts = texts is not None
        self.lock = self.texts.lock
        self.topics: list[str] = []
        self.topic_numbers: dict[str, int] = {}
        self._now = 0
        self.deferred = False
        # None, or an object with the methods of `ContextExtractor`.
        self.extractor: Any = None
        # A `Store`, a `Turns`, and `Profile`s by name; their modules import this one.
        self.store: Any = None
        self.turns: Any = None
        # The `Owners` of the streams, in a society that is divided into parts.
        self.owners: Any = None
        # Opens streams of a cohort: `CohortStream`, or `open_stream` of a divided society.
        self.open_stream: Any = None
        self.profiles: dict[str, Any] = {}
        self.recall: Recall = "scored"
        self.ticks_per_day = 24.0
        self.day_offset = 0.0
        self.names: Mapping[str, int] = {}
        self.date_of: DateOf | None = None
        self.name_of: Callable[[int], str] = "agent {}".format
        self.place_name: Callable[[int], str] = "place {}".format
        self.layer_settings = LayerSettings()
        self.threads = usable_cores()
        self.unique_ids: Int64 | None = None
        self.stored: list[Callable[[Added], None]] = []
        self.evicted: list[Callable[[Added], None]] = []
        self.recall_key = Chance(seed).key("recall")
        self.issued: Int32 = np.zeros(agents, np.int32)
        self.queued = Pending()
        self.tags = TagNames()
        self.consolidation = Consolidation()
        self.retention = Retention()
        check_embedder(embedder)
        self.embedder = embedder
        self._prepared = Prepared()
        self._recency: dict[tuple[float, ...], tuple[Float32, float]] = {}
        # Kept for a state of clock and streams, and for parameters.
        self._fading: tuple[tuple[int, int, float], Retention, Fading] | None = None
        self._parsed: dict[str, Query] = {}
        self._parsed_with: tuple[Mapping[str, int], int] = (self.names, 0)

    def __len__(self) -> int:
        return self.streams.agents

    def __getstate__(self) -> dict[str, object]:
        """Return what a copy needs: it has a lock and caches of its own, and is in no store."""
        left_out = {"lock", *_CACHES}
        state = {name: value for name, value in self.__dict__.items() if name not in left_out}
        empty = {"_prepared": Prepared(), "_recency": {}, "_parsed": {}}
        return state | empty | {"_fading": None, "store": None, "turns": None}

    def __setstate__(self, state: dict[str, object]) -> None:
        """Restore a copy, which has the lock of its texts."""
        self.__dict__.update(state)
        self.lock = self.texts.lock

    @property
    def now(self) -> int:
        """Current tick, set by the owner: a 32-bit integer.

        It may go back: memories of later ticks then have the age 0. Raises ParameterError for any
        other value, and for a tick so far from the earliest or latest memory that ages would need
        more than 32 bits.
        """
        return self._now

    @now.setter
    def now(self, tick: int) -> None:
        least, most = INT32
        self._now = whole_number(
            "now",
            tick,
            least=least + max(self.streams.latest, 0),
            most=most + self.streams.earliest,
        )

    # Storing

    @property
    def pending(self) -> Pending:
        """Changes until the next flush: those of the part of a cohort that this thread runs."""
        part = THREAD.part
        return self.queued if part is None else part.queue_of(self.queued)

    def drop_pending(self) -> None:
        """Drop all changes that wait for the next flush."""
        self.queued = Pending()

    def flush(self) -> None:
        """Apply what is queued: new memories, links, accesses, forgetting; update the store."""
        if self.pending or self.store is not None:  # most blocks of most populations queue nothing
            self._flush()

    @locked("lock")
    def _flush(self) -> None:
        pending = self.pending
        accesses = pending.accesses
        added = self.pending.take()
        evicted = [] if added is None else self._append(added)
        occasions, pending.occasions = pending.occasions, []
        for rows, ids, times, since in occasions:
            slots, exist = self._find_stored(rows, ids)
            self.streams.put_occasions(slots, times[exist], since[exist])
        links, pending.links = pending.links, []
        for rows, ids, thoughts in links:
            slots, exist = self._find_stored(rows, ids)
            self.streams.put("thought", slots, thoughts[exist])
        self._record_accesses()
        forgets, pending.forgets = pending.forgets, []
        for rows, ids in forgets:
            slots, exist = self._find_stored(rows, ids)
            self._remove(rows[exist], slots)
        evicted += [] if added is None else self._evict(added)
        if self.store is not None:
            new = [] if added is None else [(added.rows, added.ids)]
            used = [(rows, ids) for rows, ids, _ in links]
            for rows, ids, *_ in accesses:
                places, lines = np.nonzero(ids >= 0)
                used.append((rows[places], ids[places, lines]))
            removed = [*forgets, *((batch.rows, batch.ids) for batch in evicted)]
            self.store.queue(changed=[*new, *removed], used=used)
        _call(self.stored, added)
        _call(self.evicted, sort_by_row(joined(evicted)) if evicted else None)
        if self.store is not None:
            self.store.send(self)

    def _find_stored(self, rows: Int64, ids: Int32) -> tuple[Int64, Bools]:
        """Return the slots of the memories that are stored, and which ones these are."""
        slots = self.streams.locate(rows, ids)
        return slots[slots >= 0], slots >= 0

    def _append(self, added: Added) -> list[Added]:
        """Store queued memories; return those evicted since an agent adds more than its limit."""
        evicted: list[Added] = []
        for piece in split_batch(added, max(self.streams.limit, LEAST_PIECE)):
            self.streams.append(piece.rows, piece.ids, piece.columns, threads=self.threads)
            if len(piece) < len(added):
                evicted += self._evict(piece)
        return evicted

    def _evict(self, added: Added) -> list[Added]:
        """Remove what agents with new memories have above the limit, and return it."""
        streams = self.streams
        above = added.rows[streams.count[added.rows] > streams.limit]
        if not len(above):
            return []
        full = np.unique(above)
        rows, slots = self._find_excess(full)
        evicted = read_stored(streams, rows, slots)
        self._remove(rows, slots)
        return [evicted]

    def _remove(self, rows: Int64, slots: Int64) -> None:
        mark_stale(self.streams, rows, slots)
        self.streams.remove(rows, slots)

    def _find_excess(self, rows: Int64) -> tuple[Int64, Int64]:
        """Find the memories that agents have above the limit: rows and slots, shape (m,)."""
        raise NotImplementedError

    def settle(self) -> None:
        """Apply what is queued, unless `deferred` is set."""
        if not self.deferred and self.pending:
            self.flush()

    def _record_accesses(self) -> None:
        accesses, self.pending.accesses = self.pending.accesses, []
        if not accesses:
            return
        for rows, ids, tick, places in accesses:
            # A search returns a memory once; a merge, with one per row, counts one up to 255 times.
            threads = 1 if ids.shape[1] == 1 else self.threads
            slots = self.streams.slots_of(rows, ids, places)
            self.streams.book(slots, tick, threads=threads)

    def issue(self, rows: Int64) -> Int32:
        """Issue the ids of new memories of these rows, in order; a row may occur twice."""
        from memopolis.sim.memory.streams.stream_kernels import issue

        ids: Int32 = issue(self.issued, rows)
        return ids

    @locked("lock")
    def topic_number(self, topic: str) -> int:
        """Return the number of a topic, a str, which is declared if new; there are at most 255."""
        try:
            number = self.topic_numbers.get(topic)
        except TypeError:  # a list or another value without a hash
            number = None
        if number is None:
            check_text("topic", topic)
            if len(self.topics) == TOPICS:
                raise ParameterError(
                    f"{topic!r} would be topic {TOPICS + 1}; the maximum is {TOPICS}, so put what "
                    f"varies into texts, places or actors"
                )
            await_earlier_parts()
            # An earlier part may have declared it.
            number = self.topic_numbers.setdefault(topic, len(self.topics))
            if number == len(self.topics):
                self.topics.append(topic)
        return number

    @locked("lock")
    def number_topics(self, names: Sequence[str], which: Ints) -> NDArray[np.intp]:
        """Return the numbers of m topics, given by index into `names`; new ones are declared."""
        names = check_names("names", names)
        numbers = as_indices("which", which, len(names))
        if not all(name in self.topic_numbers for name in names):
            for number in find_distinct(numbers)[0].tolist():
                self.topic_number(names[number])
        return np.array([self.topic_numbers.get(name, -1) for name in names], np.intp)[numbers]

    def among_topics(self, names: Iterable[str]) -> Bools:
        """Return whether each topic, by number, is one of some names; False for number -1."""
        names = check_names("names", names)
        among = np.zeros(len(self.topics) + 1, np.bool_)
        numbers = self.topic_numbers
        among[[numbers[name] for name in names if name in numbers]] = True
        return among

    @locked("lock")
    def grow(self, agents: int) -> None:
        """Add agents without memories, while no other thread writes numbers of the status."""
        self.streams.grow(agents)
        self._columns.grow(agents)
        self.issued = np.append(self.issued, np.zeros(agents - len(self.issued), np.int32))

    # Caches and times that searches read

    @cached_property
    def index(self) -> LexicalIndex:
        """The lexical index of the texts; memories with the same texts share it."""
        return shared(LexicalIndex, self.texts)

    @cached_property
    def vectors(self) -> TextVectors:
        """Vectors of the texts; memories with the same texts and embedder share them."""
        return vectors_of(self.texts, embedder_of(self.embedder))

    @cached_property
    def word_terms(self) -> WordTerms:
        """BM25 and the keyword score; memories with the same texts share them."""
        return shared(WordTerms, self.texts)

    @cached_property
    def static_vectors(self) -> TextVectors:
        """Vectors of the texts by the shipped static table; `vectors` if it is the embedder."""
        return vectors_of(self.texts, embedder_of("static"))

    @cached_property
    def late_interaction_terms(self) -> LateInteraction:
        """Cosines of the tokens of queries and texts, by an embedder with token vectors."""
        return shared(LateInteraction, self.texts, self.vectors.embedder)

    @property
    def thresholds(self) -> Thresholds:
        """Cosines above which the embedder makes texts related, one cluster, or duplicates."""
        return self.vectors.thresholds

    def forget_index(self) -> None:
        """Rebuild index and vectors at the next use, after the texts were replaced."""
        for name in _CACHES:
            self.__dict__.pop(name, None)
        self._prepared = Prepared()

    def parsed(self, text: str) -> Query:
        """Return a parsed query, cached as long as the names stay the same."""
        known_with = (self.names, len(self.names))
        if self._parsed_with != known_with or len(self._parsed) > _QUERIES:
            self._parsed.clear()
            self._parsed_with = known_with
        query = self._parsed.get(text)
        if query is None:
            query = self._parsed[text] = parse(text, self.names)
        return query

    @property
    def prepared(self) -> Prepared:
        """What searches have prepared for the present texts and names."""
        known, state = self._prepared, (self.texts.version, self.names, len(self.names))
        queries = len(known.plans) + len(known.matches) + len(known.compared)
        if known.state != state or queries > _MOST_PREPARED // (state[0][0] + 1):
            # A plan without a query reads no text.
            plans = {key: plan for key, plan in known.plans.items() if not key[0]}
            known = self._prepared = Prepared(state, plans if len(plans) < _MOST_KEPT else {})
        return known

    @property
    def fading(self) -> Fading:
        """What is left of the valence of memories by age, now."""
        state = self._now, self.streams.earliest, self.ticks_per_day
        if self._fading is None or self._fading[:2] != (state, self.retention):
            bad, good = self.retention.bad_half_life, self.retention.good_half_life
            tables = self.decay_table(24 * bad), self.decay_table(24 * good)
            length = min(map(len, tables))
            left = np.stack([table[:length] for table in tables])
            self._fading = state, self.retention, Fading(np.int32(self.now), left)
        return self._fading[2]

    def decay_table(
        self,
        half_life: float,
        *,
        is_power: bool = False,
        floor: float = 0.0,
        exponent: float = 1.0,
    ) -> Float32:
        """Return the share left at every age that a memory can have now, half at the half-life.

        The half-life is in hours; the share falls exponentially, or as a power of age, to `floor`
        at most, and is raised to `exponent`.
        """
        key = half_life, self.ticks_per_day, is_power, floor, exponent
        table, reach = self._recency.get(key, (_NO_AGES, -math.inf))
        # Memories from before the start are older than the run is long.
        oldest = self._now - self.streams.earliest
        if reach < oldest:
            # Twice the length needed, so that it is seldom recomputed.
            length = 2 * max(oldest, 32)
            share_left = ages.power_table if is_power else ages.recency_table
            table = share_left(ages.in_ticks(half_life, self.ticks_per_day), length)
            # A shorter table ends at the age from which on recency is constant.
            reach = length if len(table) > length else math.inf
            table = ages.apply_floor(table, floor=floor, power=exponent)
            self._recency[key] = table, reach
        return table

    def day_and_second(self, tick: int) -> tuple[int, int]:
        """Return the day since the start, and the second of that day, at which a tick begins."""
        days = (tick + self.day_offset) / self.ticks_per_day
        seconds = round(days * 86_400)
        return seconds // 86_400, seconds % 86_400

    def ticks_of_days(self, first: int, last: int) -> tuple[int, int]:
        """Return the first and last tick that begin on the days first..last."""
        first, last = whole_number("the first day", first), whole_number("the last day", last)
        if last < first:
            raise ParameterError(
                f"days are {first} to {last}; the last must not be before the first"
            )
        length, offset = self.ticks_per_day, self.day_offset
        return math.ceil(first * length - offset), math.ceil((last + 1) * length - offset) - 1

    @property
    def today(self) -> tuple[int, int]:
        """First and last tick of the current day; the current tick if ticks are longer."""
        if self.ticks_per_day < 1:
            return self.now, self.now
        day, _ = self.day_and_second(self.now)
        return self.ticks_of_days(day, day)


class CohortView:
    """A part of the memories of some agents, by row, for them or for an observer."""

    __slots__ = ("_memory", "_observed", "_rows")

    def __init_subclass__(cls, *, without: tuple[str, ...] = ()) -> None:
        """Let all public verbs hold the lock of the memory, except those that do so themselves."""
        super().__init_subclass__()
        lock_verbs(cls, without=without)

    def __init__(self, memory: Memory, rows: Int64, *, observed: bool = False) -> None:
        self._memory = memory
        self._rows = rows
        self._observed = observed

    def __len__(self) -> int:
        return len(self._rows)


class AgentView(CohortView):
    """A part of the memory of one agent: a cohort of one, whose rows are made when needed."""

    __slots__ = ("_row",)

    def __init__(self, memory: Memory, row: int, *, observed: bool = False) -> None:
        # Not through super(), which needs an array: every `add` of a loop makes a view.
        self._memory = memory
        self._row = row
        self._observed = observed

    @property
    @override
    def _rows(self) -> Int64:  # type: ignore[override]
        return np.array([self._row])


def refuse_observer(*, observed: bool) -> None:
    """Refuse to change a memory through a view that only observes."""
    if observed:
        raise StateError("an observer changes nothing: omit `observed` to act as the agent")


def _call(listeners: Iterable[Callable[[Added], None]], batch: Added | None) -> None:
    if batch is not None:
        for listener in listeners:
            listener(batch)
