"""Memory: status and stream of every agent of a population, for one agent or for many.

    memory = Memory(agents=2)
    ann, bob = memory
    ann.stream.add("social", "Talked with {actor}", actor=bob, importance=0.4)
    memory.stream.search("a talk", k=3)

What is added waits in `pending` and is stored together: before the next read, or, where a
society sets `deferred`, by its `flush`.
"""

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
from memopolis.sim.memory.retrieval import scoring
from memopolis.sim.memory.retrieval.asking import days_to_ticks
from memopolis.sim.memory.retrieval.profiles import PROFILES, Profile
from memopolis.sim.memory.retrieval.query import Query, parse
from memopolis.sim.memory.retrieval.search import usable_threads
from memopolis.sim.memory.status.columns import Columns
from memopolis.sim.memory.status.schema import Schema
from memopolis.sim.memory.streams.pending import Added, Pending
from memopolis.sim.memory.streams.stream import Streams
from memopolis.sim.memory.streams.tags import TagNames
from memopolis.sim.memory.text.sharing import Index, index_of, sweep_texts, vectors_of
from memopolis.sim.memory.text.texts import Texts
from memopolis.sim.memory.vectors.embedders.named import check_embedder, embedder_of
from memopolis.sim.memory.views import AgentMemory, CohortMemory, CohortStream, Observed

if TYPE_CHECKING:
    from datetime import datetime

    from memopolis.sim.memory.streams.adding import Extractor
    from memopolis.sim.memory.text.text_terms import TextTerms
    from memopolis.sim.memory.vectors.embedding import TextVectors
    from memopolis.sim.memory.vectors.thresholds import Thresholds

__all__ = ["Added", "AgentMemory", "CohortMemory", "Memory", "sweep_texts"]

Recall = Literal["scored", "none", "random"]

TOPICS = 255
"""Most topics a memory can tell apart."""

_QUERIES = 4096


class Memory:
    """Status and streams of n agents.

    Args:
        agents: How many.
        schema: Declared attributes of the status; None for none yet.
        texts: Texts shared with other memories; None for own ones.
        limit: Most memories an agent keeps, the oldest goes out first.
        seed: Names the luck of the random recall policy and of drawn attributes.
        embedder: Name of an embedder, or an object with the method `vectors`.

    Attributes:
        columns: The status of all agents.
        streams: The memories of all agents.
        texts: Each distinct text once.
        topics: Names of topics by number, in order of first use.
        now: Current tick; the owner moves it.
        deferred: Whether what is added waits for `flush` instead of the next read.
        recall: How own searches choose: by score; none but the memories of this very tick;
            or random ones among those that pass the filters.
        ticks_per_day: Ticks in a day.
        day_offset: Ticks between the midnight before the start and tick 0.
        names: unique_id of each name that queries may call an actor by.
        date_of: Date at which a tick begins; None where ticks have no dates.
        name_of: Name of a unique_id, for texts with {actor}.
        place_name: Name of the index of a place.
        profiles: Ways of scoring by name.
        layer_settings: How its layers are cut.
        threads: Most threads a search may use.
        unique_ids: unique_id of each row; None where a row is its own.
        stored: Called with each batch of memories when it is stored.
        tags: Names of tags by bit.
        consolidation: What makes memories sit firmly, and how long they last for it.
        terms: Terms that compare queries with whole texts; None until `text_terms` makes them.
        extractor: What reads tags and valence from times and texts; None to read nothing.

    Raises:
        ParameterError: If `agents` is negative, `limit` is below 1 or the embedder is none.
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
    ) -> None:
        self.streams = Streams(agents, limit)
        self.columns = Columns(agents, schema, Chance(seed))
        self.texts = Texts() if texts is None else texts
        self.shares_texts = texts is not None
        self.topics: list[str] = []
        self.topic_numbers: dict[str, int] = {}
        self.now = 0
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
        self.luck = Chance(seed).key("recall")
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
        self._recency: dict[tuple[float, float], NDArray[np.float32]] = {}
        self._parsed: dict[str, Query] = {}
        self._parsed_with: tuple[Mapping[str, int], int] = (self.names, 0)

    # Views

    def __len__(self) -> int:
        return self.streams.agents

    def __getitem__(self, row: int) -> AgentMemory:
        """The memory of one agent."""
        if not 0 <= row < len(self):
            raise IndexError(f"row {row} of a memory of {len(self)} agents")
        return AgentMemory(self, int(row))

    def __iter__(self) -> Iterator[AgentMemory]:
        return (AgentMemory(self, row) for row in range(len(self)))

    def of(self, rows: ArrayLike) -> CohortMemory:
        """The memories of some agents together.

        Args:
            rows: Their rows, whole numbers of shape (n,).

        Raises:
            ParameterError: If they are anything else, such as a mask of true and false.
        """
        given = np.asarray(rows)
        if given.ndim != 1 or (len(given) and given.dtype.kind not in "iu"):
            raise ParameterError(
                f"agents are named by their rows, whole numbers of shape (n,), given "
                f"{given.dtype} of shape {given.shape}; of a mask take np.flatnonzero(mask)"
            )
        if len(given) and (given.min() < 0 or given.max() >= len(self)):
            raise ParameterError(
                f"rows lie in 0..{len(self) - 1}, given {given.min()} to {given.max()}"
            )
        return CohortMemory(self, given.astype(np.int64, copy=False))

    @property
    def stream(self) -> CohortStream:
        """The streams of all agents together."""
        return self.of(np.arange(len(self))).stream

    @property
    def observed(self) -> Observed:
        """The same memories as seen by an observer: looking changes nothing."""
        return Observed(self)

    # Storing

    def flush(self) -> None:
        """Store what waits: memories as they were added, links, accesses; then forget."""
        pending = self.pending
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
        if added is not None:
            for listener in self.stored:
                listener(added)

    def settle(self) -> None:
        """Store what waits, unless a flush will."""
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
        """Give the ids that new memories of these rows get, in order; a row may come twice."""
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
        """Number of a topic, declared if it is new.

        Raises:
            ParameterError: If it is no str, or the 256th topic.
        """
        number = self.topic_numbers.get(topic)
        if number is None:
            if not isinstance(topic, str):
                raise ParameterError(f"a topic is a str, given {topic!r}")
            if len(self.topics) == TOPICS:
                raise ParameterError(
                    f"{topic!r} would be topic {TOPICS + 1}; a memory tells {TOPICS} apart, so "
                    f"put what varies into texts, places or actors"
                )
            number = self.topic_numbers[topic] = len(self.topics)
            self.topics.append(topic)
        return number

    def grow(self, agents: int) -> None:
        """Make room for more agents, who know nothing yet.

        Raises:
            ParameterError: If there are more agents already.
        """
        self.streams.grow(agents)
        self.columns.grow(agents)
        self.issued = np.concatenate([self.issued, np.zeros(agents - len(self.issued), np.int32)])

    # What searching reads

    @property
    def index(self) -> Index:
        """The index that tells how relevant texts are; memories of the same texts share it."""
        if self._index is None:
            self._index = index_of(self.texts)
        return self._index

    @index.setter
    def index(self, index: Index) -> None:
        self._index = index

    @property
    def vectors(self) -> "TextVectors":
        """Vectors of the texts; memories of the same texts and embedder share them."""
        if self._vectors is None:
            self._vectors = vectors_of(self.texts, embedder_of(self.embedder))
        return self._vectors

    @property
    def thresholds(self) -> "Thresholds":
        """Cosines of the embedder from which texts are related, of one cluster, the same."""
        return self.vectors.thresholds

    def forget_index(self) -> None:
        """Let the index be made anew, after the texts were replaced."""
        self._index = None
        self._vectors = None
        self.terms = None

    def parsed(self, text: str) -> Query:
        """A query taken apart, remembered as long as the names stay."""
        known_with = (self.names, len(self.names))
        if self._parsed_with != known_with or len(self._parsed) > _QUERIES:
            self._parsed.clear()
            self._parsed_with = known_with
        query = self._parsed.get(text)
        if query is None:
            query = self._parsed[text] = parse(text, self.names)
        return query

    def recency_table(self, profile: Profile) -> NDArray[np.float32]:
        """Weight of every age a memory can have now."""
        key = (profile.half_life, self.ticks_per_day)
        table = self._recency.get(key)
        half_life = scoring.in_ticks(profile.half_life, self.ticks_per_day)
        # Memories from before the start are older than the run is long.
        oldest = self.now - self.streams.earliest
        if table is None or len(table) <= min(oldest, scoring.HALF_LIVES * half_life):
            # Twice as far as needed, so that it is seldom made again; a longer table has
            # the same values.
            table = scoring.recency_table(half_life, 2 * max(oldest, 32))
            if self._recency.get(key) is None or len(table) > len(self._recency[key]):
                self._recency[key] = table
        return table

    def day_and_second(self, tick: int) -> tuple[int, int]:
        """Day since the start, and second of that day, at which a tick begins."""
        days = (tick + self.day_offset) / self.ticks_per_day
        seconds = round(days * 86_400)
        return seconds // 86_400, seconds % 86_400

    def ticks_of_days(self, first: int, last: int) -> tuple[int, int]:
        """First and last tick that begin on the days first..last."""
        return days_to_ticks(first, last, ticks_per_day=self.ticks_per_day, offset=self.day_offset)

    @property
    def today(self) -> tuple[int, int]:
        """First and last tick of the current day, or this tick where ticks are longer."""
        if self.ticks_per_day < 1:
            return self.now, self.now
        day, _ = self.day_and_second(self.now)
        return self.ticks_of_days(day, day)

    # Texts

    def mark_texts(self, used: NDArray[np.bool_]) -> None:
        """Set `used`, shape (texts.capacity,), at each text that is still in use here."""
        from memopolis.sim.memory.streams import stream_kernels

        self.flush()
        stream_kernels.mark_texts(self.streams.view, self.streams.next, self.streams.limit, used)

    def sweep(self) -> int:
        """Forget the texts that nobody remembers any more; returns how many.

        Raises:
            StateError: If the texts belong to several memories; see `sweep_texts`.
        """
        if self.shares_texts:
            raise StateError(
                "these texts are shared: use sweep_texts(memories) with all that share them"
            )
        return sweep_texts([self])

    # Saving

    def state(self) -> dict[str, NDArray[Any]]:
        """All streams, texts and topics, as arrays without pickle; stores what waits."""
        return as_arrays.state(self)

    def views(self) -> dict[str, NDArray[Any]]:
        """As `state`, not copied where that can be: to be read before anything is stored."""
        return as_arrays.views(self)

    def restore(self, state: Mapping[str, NDArray[Any]], *, texts: Texts | None = None) -> None:
        """Become what `state` described; the status is saved by its own columns.

        Args:
            state: As from `state`.
            texts: Restored texts, where several memories share them; None to restore them.
        """
        as_arrays.restore(self, state, texts)

    def save(self, folder: str | Path, *, rows: ArrayLike | None = None) -> Path:
        """Write everything into a folder: Parquet and a small JSON.

        Args:
            folder: Where; must not exist or be empty.
            rows: Rows of some agents; None for all.

        Returns:
            The folder, for `Memory.load`.

        Raises:
            RunFolderError: If the folder holds something or cannot be written.
        """
        from memopolis.sim.memory.keeping import folder as folders

        return folders.save(self, folder, rows)

    @classmethod
    def load(cls, folder: str | Path, *, embedder: Any = None) -> Self:
        """Read what `save` wrote; every verb then gives the same bits.

        Args:
            folder: Where it is.
            embedder: Embedder, where it was an object and no name.

        Raises:
            RunFolderError: If there is no memory in the folder, or it is broken.
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
