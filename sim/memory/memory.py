"""Memory: status and stream of every agent of a population.

    memory = Memory(agents=2)
    ann, bob = memory
    ann.stream.add("social", "Talked with {actor}", actor=bob, importance=0.4)
    memory.stream.search("a talk", k=3)

New memories are queued in `pending` and stored in one batch: before the next read or, if
`deferred` is set, as in a society, by `flush`.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memopolis.sim.chance import Chance
from memopolis.sim.errors import ParameterError, StateError
from memopolis.sim.memory.keeping import as_arrays
from memopolis.sim.memory.layers.settings import LayerSettings
from memopolis.sim.memory.night.consolidation import Consolidation
from memopolis.sim.memory.retrieval import ages
from memopolis.sim.memory.retrieval.profiles import PROFILES, Profile
from memopolis.sim.memory.retrieval.query import Query, parse
from memopolis.sim.memory.retrieval.recalling import usable_threads
from memopolis.sim.memory.status.columns import Columns
from memopolis.sim.memory.status.schema import Schema
from memopolis.sim.memory.streams.pending import Added, Pending
from memopolis.sim.memory.streams.stream import Streams
from memopolis.sim.memory.streams.tags import TagNames
from memopolis.sim.memory.text.sharing import Index, index_of, sweep_texts
from memopolis.sim.memory.text.texts import Texts
from memopolis.sim.memory.vectors.embedders.registry import check_embedder, embedder_of
from memopolis.sim.memory.views import AgentMemory, CohortMemory, CohortStream, Observed
from memopolis.sim.whole_numbers import INT32, whole_number

if TYPE_CHECKING:
    from datetime import datetime

    from memopolis.sim.memory.interface import Extractor
    from memopolis.sim.memory.store import Store
    from memopolis.sim.memory.vectors.embedding import TextVectors
    from memopolis.sim.memory.vectors.text_terms import TextTerms
    from memopolis.sim.memory.vectors.thresholds import Thresholds

__all__ = ["Added", "AgentMemory", "CohortMemory", "Memory", "sweep_texts"]

Recall = Literal["scored", "none", "random"]

TOPICS = 255
"""Maximum number of topics."""

_QUERIES = 4096
_NO_AGES = np.empty(0, np.float32)


class Memory:
    """Status and streams of n agents.

    Args:
        agents: How many.
        schema: Declared attributes of the status; None for none.
        texts: Texts shared with other memories; None for new ones.
        limit: Maximum number of memories per agent; the oldest is evicted first.
        seed: Random seed of the random recall policy and of drawn attributes.
        embedder: Name of an embedder, or an object with the method `vectors`.
        store: Store of a copy of all streams; an empty memory reads the copy. None for no copy.

    Attributes:
        columns: The status of all agents.
        streams: The memories of all agents.
        texts: Each distinct text once.
        topics: Names of topics by number, in order of first use.
        now: Current tick, a 32-bit integer; set by the owner.
        deferred: Whether new memories stay queued until `flush` instead of the next read.
        recall: How searches choose memories: by score ("scored"), only those of the current
            tick ("none"), or at random among those that pass the filter ("random").
        ticks_per_day: Ticks in a day.
        day_offset: Ticks between the midnight before the start and tick 0.
        names: unique_id of each name that queries may call an actor by.
        date_of: Date at which a tick begins; None if ticks have no dates.
        name_of: Name of a unique_id, for texts with {actor}.
        place_name: Name of a place by index.
        profiles: Retrieval profiles by name.
        layer_settings: Settings of the layers.
        threads: Maximum number of threads of a search.
        unique_ids: unique_id of each row; None if it is the row.
        stored: Functions called with each batch of memories when it is stored.
        tags: Names of tags by bit.
        consolidation: Parameters of consolidation.
        terms: Terms that compare queries with whole texts; None until `text_terms` creates them.
        extractor: Reads tags and valence from times and texts; None to read nothing.
        store: Store that keeps a copy of all streams; None for none.

    Raises:
        ParameterError: If `agents` is not an integer >= 0, `limit` not an integer >= 1, or
            `embedder` is not an embedder.
        UnknownNameError: If there is no embedder of that name.
        ExtraError: If the embedder needs a package that is not installed.
    """

    def __init__(
        self,
        agents: int,
        *,
        schema: Schema | None = None,
        texts: Texts | None = None,
        limit: int = 1000,
        seed: int = 0,
        embedder: Any = "static",
        store: "Store | None" = None,
    ) -> None:
        self.streams = Streams(agents, limit)
        agents = self.streams.agents
        self.columns = Columns(agents, schema, Chance(seed))
        self.texts = Texts() if texts is None else texts
        self.shares_texts = texts is not None
        self.topics: list[str] = []
        self.topic_numbers: dict[str, int] = {}
        self._now = 0
        self.deferred = False
        self.recall: Recall = "scored"
        self.ticks_per_day = 24.0
        self.day_offset = 0.0
        self.names: Mapping[str, int] = {}
        self.date_of: Callable[[int], datetime] | None = None
        self.name_of: Callable[[int], str] = _name_of
        self.place_name: Callable[[int], str] = _place_name
        self.profiles: dict[str, Profile] = dict(PROFILES)
        self.layer_settings = LayerSettings()
        self.threads = usable_threads()
        self.unique_ids: NDArray[np.int64] | None = None
        self.stored: list[Callable[[Added], None]] = []
        self.recall_key = Chance(seed).key("recall")
        self.issued: NDArray[np.int32] = np.zeros(agents, np.int32)
        self.pending = Pending()
        self.tags = TagNames()
        self.extractor: Extractor | None = None
        self.consolidation = Consolidation()
        check_embedder(embedder)
        self.embedder: Any = embedder
        self._index: Index | None = None
        self._vectors: TextVectors | None = None
        self.terms: TextTerms | None = None
        self._recency: dict[tuple[float, float], tuple[NDArray[np.float32], float]] = {}
        self._parsed: dict[str, Query] = {}
        self._parsed_with: tuple[Mapping[str, int], int] = (self.names, 0)
        self.store: Store | None = None
        if store is not None:
            self.connect(store)

    def connect(self, store: "Store") -> None:
        """Keep a copy of all streams in a store from now on.

        An empty memory reads the copy that the store has; else a first copy is written.

        Args:
            store: The store; it belongs to this memory alone.

        Raises:
            ParameterError: If both the store and the memory hold memories.
        """
        self.flush()
        store.open(self)
        self.store = store

    @property
    def now(self) -> int:
        """Current tick; set by the owner.

        Raises:
            ParameterError: If it is set to anything but a 32-bit integer, or so far from the
                earliest memory that ages would need more than 32 bits.
        """
        return self._now

    @now.setter
    def now(self, tick: int) -> None:
        least, most = INT32
        self._now = whole_number("now", tick, least=least, most=most + self.streams.earliest)

    # Views

    def __len__(self) -> int:
        return self.streams.agents

    def __getitem__(self, row: int) -> AgentMemory:
        """Return the memory of one agent."""
        if not 0 <= row < len(self):
            raise IndexError(f"row {row} of a memory of {len(self)} agents")
        return AgentMemory(self, int(row))

    def __iter__(self) -> Iterator[AgentMemory]:
        return (AgentMemory(self, row) for row in range(len(self)))

    def of(self, rows: ArrayLike) -> CohortMemory:
        """Return the memories of some agents.

        Args:
            rows: Rows of the agents, integers of shape (n,).

        Raises:
            ParameterError: If they are anything else, such as a boolean mask.
        """
        array = np.asarray(rows)
        if array.ndim != 1 or (len(array) and array.dtype.kind not in "iu"):
            raise ParameterError(
                f"rows must be whole numbers of shape (n,), given {array.dtype} of shape "
                f"{array.shape}; convert a mask with np.flatnonzero(mask)"
            )
        if len(array) and (array.min() < 0 or array.max() >= len(self)):
            raise ParameterError(
                f"rows must be in 0..{len(self) - 1}, given {array.min()} to {array.max()}"
            )
        return CohortMemory(self, array.astype(np.int64, copy=False))

    @property
    def stream(self) -> CohortStream:
        """The streams of all agents together."""
        return self.of(np.arange(len(self))).stream

    @property
    def observed(self) -> Observed:
        """The same memories for an observer, who changes nothing."""
        return Observed(self)

    # Storing

    def flush(self) -> None:
        """Apply what is queued: new memories, links, accesses, forgetting; update the store."""
        pending = self.pending
        accesses = pending.accesses
        added = pending.take()
        if added is not None:
            self.streams.append(added.rows, added.ids, added.columns)
        links, pending.links = pending.links, []
        for rows, ids, thoughts in links:
            held = self.streams.holds(rows, ids)
            slots = self.streams.slots(rows[held], ids[held])
            self.streams.put("thought", slots, thoughts[held])
        self._book()
        forgets, pending.forgets = pending.forgets, []
        for rows, ids in forgets:
            self.streams.forget(rows, ids, self.texts.intern(""))
        if self.store is not None:
            new = [] if added is None else [(added.rows, added.ids)]
            used = [(rows, ids) for rows, ids, _ in (*links, *accesses)]
            self.store.queue(changed=[*new, *forgets], used=used)
        if added is not None:
            for listener in self.stored:
                listener(added)
        if self.store is not None:
            self.store.send(self)

    def settle(self) -> None:
        """Apply what is queued, unless `deferred` is set."""
        if not self.deferred and self.pending:
            self.flush()

    def _book(self) -> None:
        accesses, self.pending.accesses = self.pending.accesses, []
        if not accesses:
            return
        from memopolis.sim.memory.streams import stream_kernels

        rows = np.concatenate([a[0] for a in accesses])
        ids = np.concatenate([a[1] for a in accesses])
        ticks = np.concatenate([np.full(len(a[0]), a[2], np.int32) for a in accesses])
        streams = self.streams
        stream_kernels.book(streams.view, streams.next, streams.limit, rows, ids, ticks)

    def issue(self, rows: NDArray[np.int64]) -> NDArray[np.int32]:
        """Issue the ids of new memories of these rows, in order; a row may occur twice."""
        if len(rows) < 2 or (rows[1:] > rows[:-1]).all():
            ids = self.issued[rows]
            self.issued[rows] = ids + np.int32(1)
            return ids
        order = np.argsort(rows, kind="stable")
        ordered = rows[order]
        rank = np.empty(len(rows), np.int32)
        rank[order] = np.arange(len(rows)) - np.searchsorted(ordered, ordered)
        ids = self.issued[rows] + rank
        np.maximum.at(self.issued, rows, ids + np.int32(1))
        return ids

    def topic_number(self, topic: str) -> int:
        """Return the number of a topic, which is declared if it is new.

        Raises:
            ParameterError: If it is not a str, or the 256th topic.
        """
        number = self.topic_numbers.get(topic)
        if number is None:
            if not isinstance(topic, str):
                raise ParameterError(f"a topic must be a str, given {topic!r}")
            if len(self.topics) == TOPICS:
                raise ParameterError(
                    f"{topic!r} would be topic {TOPICS + 1}; the maximum is {TOPICS}, so put what "
                    f"varies into texts, places or actors"
                )
            number = self.topic_numbers[topic] = len(self.topics)
            self.topics.append(topic)
        return number

    def grow(self, agents: int) -> None:
        """Add agents without memories.

        Raises:
            ParameterError: If there are more agents already.
        """
        self.streams.grow(agents)
        self.columns.grow(agents)
        self.issued = np.concatenate([self.issued, np.zeros(agents - len(self.issued), np.int32)])

    # What searching reads

    @property
    def index(self) -> Index:
        """The lexical index of the texts; memories with the same texts share it."""
        if self._index is None:
            self._index = index_of(self.texts)
        return self._index

    @index.setter
    def index(self, index: Index) -> None:
        self._index = index

    @property
    def vectors(self) -> "TextVectors":
        """Vectors of the texts; memories with the same texts and embedder share them."""
        if self._vectors is None:
            from memopolis.sim.memory.vectors.embedding import vectors_of

            self._vectors = vectors_of(self.texts, embedder_of(self.embedder))
        return self._vectors

    @property
    def thresholds(self) -> "Thresholds":
        """Cosines above which the embedder makes texts related, one cluster, or duplicates."""
        return self.vectors.thresholds

    def forget_index(self) -> None:
        """Rebuild index and vectors at the next use, after the texts were replaced."""
        self._index = None
        self._vectors = None
        self.terms = None

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

    def recency_table(self, profile: Profile) -> NDArray[np.float32]:
        """Return the recency of every age that a memory can have now."""
        key = (profile.half_life, self.ticks_per_day)
        table, reach = self._recency.get(key, (_NO_AGES, -math.inf))
        # Memories from before the start are older than the run is long.
        oldest = self.now - self.streams.earliest
        if reach < oldest:
            # Twice the length needed, so that it is seldom recomputed.
            length = 2 * max(oldest, 32)
            half_life = ages.in_ticks(profile.half_life, self.ticks_per_day)
            table = ages.recency_table(half_life, length)
            # A shorter table ends at the age from which on recency is constant.
            self._recency[key] = table, length if len(table) > length else math.inf
        return table

    def day_and_second(self, tick: int) -> tuple[int, int]:
        """Return the day since the start, and the second of that day, at which a tick begins."""
        days = (tick + self.day_offset) / self.ticks_per_day
        seconds = round(days * 86_400)
        return seconds // 86_400, seconds % 86_400

    def ticks_of_days(self, first: int, last: int) -> tuple[int, int]:
        """Return the first and last tick that begin on the days first..last."""
        return ages.days_to_ticks(
            first, last, ticks_per_day=self.ticks_per_day, offset=self.day_offset
        )

    @property
    def today(self) -> tuple[int, int]:
        """First and last tick of the current day; the current tick if ticks are longer."""
        if self.ticks_per_day < 1:
            return self.now, self.now
        day, _ = self.day_and_second(self.now)
        return self.ticks_of_days(day, day)

    # Texts

    def mark_texts(self, used: NDArray[np.bool_]) -> None:
        """Set `used`, shape (texts.capacity,), at each text in use here."""
        from memopolis.sim.memory.streams import stream_kernels

        self.flush()
        stream_kernels.mark_texts(self.streams.view, self.streams.next, self.streams.limit, used)

    def sweep(self) -> int:
        """Delete the texts of no memory; return how many.

        Raises:
            StateError: If the texts are shared by several memories; see `sweep_texts`.
        """
        if self.shares_texts:
            raise StateError(
                "these texts are shared: use sweep_texts(memories) with all that share them"
            )
        return sweep_texts([self])

    # Saving

    def state(self) -> dict[str, NDArray[Any]]:
        """Return all streams, texts and topics as arrays; applies what is queued."""
        return as_arrays.state(self)

    def views(self) -> dict[str, NDArray[Any]]:
        """As `state`, without copies where possible: valid until the next change."""
        return as_arrays.views(self)

    def restore(self, state: Mapping[str, NDArray[Any]], *, texts: Texts | None = None) -> None:
        """Restore what `state` returned; the status is saved by its own columns.

        Args:
            state: As from `state`.
            texts: Restored texts if several memories share them; None to restore them.
        """
        as_arrays.restore(self, state, texts)
        if self.store is not None:
            self.store.clear()
            self.store.open(self)

    def save(self, folder: str | Path, *, rows: ArrayLike | None = None) -> Path:
        """Write everything to a folder: Parquet and a small JSON.

        Args:
            folder: Folder that is empty or does not exist.
            rows: Rows of some agents; None for all.

        Returns:
            The folder, for `Memory.load`.

        Raises:
            RunFolderError: If the folder is not empty or cannot be written.
        """
        from memopolis.sim.memory.keeping import folder as folders

        return folders.save(self, folder, None if rows is None else self.of(rows).rows)

    @classmethod
    def load(cls, folder: str | Path, *, embedder: Any = None) -> Self:
        """Read what `save` wrote; every verb then returns the same bits.

        Args:
            folder: Folder of the memory.
            embedder: Embedder, if it was an object and not a name.

        Raises:
            RunFolderError: If the folder has no memory, or a broken one.
        """
        from memopolis.sim.memory.keeping import folder as folders

        memory = cls(0)
        folders.load(memory, folder)
        memory.embedder = embedder or memory.embedder
        return memory


def _name_of(unique_id: int) -> str:
    return f"agent {unique_id}"


def _place_name(place: int) -> str:
    return f"place {place}"
