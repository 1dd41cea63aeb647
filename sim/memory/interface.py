"""The part of `Memory` that its verbs use.

Modules that read or change the memory of a population take this type, so they do not import
`memory.py`, which imports them.
"""

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.memory.layers.settings import LayerSettings
from memopolis.sim.memory.night.consolidation import Consolidation
from memopolis.sim.memory.retrieval.query import Query
from memopolis.sim.memory.status.columns import Columns
from memopolis.sim.memory.streams.pending import Added, Pending
from memopolis.sim.memory.streams.stream import Streams
from memopolis.sim.memory.streams.tags import TagNames
from memopolis.sim.memory.text.sharing import Index
from memopolis.sim.memory.text.texts import Texts
from memopolis.sim.memory.vectors.embedding import TextVectors
from memopolis.sim.memory.vectors.text_terms import TextTerms
from memopolis.sim.memory.vectors.thresholds import Thresholds


class Extractor(Protocol):
    """Reads tags and valence from the time and text of a memory."""

    def read(
        self,
        memory: Any,
        topics: NDArray[np.integer[Any]],
        ticks: NDArray[np.integer[Any]],
        texts: NDArray[np.integer[Any]],
    ) -> tuple[NDArray[np.uint16], NDArray[np.int8]]:
        """Read memories by topic numbers, ticks and text numbers, all of the same shape.

        Returns:
            Bits of tags, and valence as -127..127, of that shape.
        """
        ...

    def read_one(self, memory: Any, topic: int, tick: int, text: int) -> tuple[int, int]:
        """Read one memory."""
        ...


class Store(Protocol):
    """The part of a store that verbs use; see `store.Store`."""

    def queue(self, changed: Iterable[Any] = (), used: Iterable[Any] = ()) -> None:
        """Queue memories for the next write."""
        ...

    def candidates(self, memory: Any, rows: NDArray[np.int64], where: Any) -> NDArray[np.bool_]:
        """Return which memories of some agents a search may return."""
        ...


class Memory(Protocol):
    """The memory of a population; see `memory.Memory` for its attributes."""

    streams: Streams
    columns: Columns
    texts: Texts
    topics: list[str]
    topic_numbers: dict[str, int]
    tags: TagNames
    pending: Pending
    issued: NDArray[np.int32]
    stored: list[Callable[[Added], None]]
    unique_ids: NDArray[np.int64] | None
    names: Mapping[str, int]
    name_of: Callable[[int], str]
    place_name: Callable[[int], str]
    ticks_per_day: float
    day_offset: float
    date_of: Callable[[int], datetime] | None
    deferred: bool
    recall_key: tuple[int, int]
    threads: int
    profiles: dict[str, Any]
    """Profiles by name; not typed, since profiles import filters, which take a memory."""
    layer_settings: LayerSettings
    consolidation: Consolidation
    terms: TextTerms | None
    embedder: Any
    now: int

    def __len__(self) -> int:
        """Return the number of agents."""
        ...

    @property
    def recall(self) -> Any:
        """Recall policy."""
        ...

    @property
    def extractor(self) -> Extractor | None:
        """Reads tags and valence; None for none."""
        ...

    @property
    def store(self) -> Store | None:
        """Store of the streams besides the arrays; None for none."""
        ...

    @property
    def index(self) -> Index:
        """Lexical index of the texts."""
        ...

    @property
    def vectors(self) -> TextVectors:
        """Vectors of the texts."""
        ...

    @property
    def thresholds(self) -> Thresholds:
        """Thresholds of the embedder."""
        ...

    @property
    def today(self) -> tuple[int, int]:
        """First and last tick of the current day."""
        ...

    def forget_index(self) -> None:
        """Drop the index after the texts were replaced."""
        ...

    def settle(self) -> None:
        """Store pending changes unless storing is deferred."""
        ...

    def flush(self) -> None:
        """Store pending changes."""
        ...

    def issue(self, rows: NDArray[np.int64]) -> NDArray[np.int32]:
        """Return the ids of new memories of these rows."""
        ...

    def topic_number(self, topic: str) -> int:
        """Return the number of a topic, declaring it if it is new."""
        ...

    def parsed(self, text: str) -> Query:
        """Return a parsed query."""
        ...

    def recency_table(self, profile: Any) -> NDArray[np.float32]:
        """Return the weight of each age."""
        ...

    def day_and_second(self, tick: int) -> tuple[int, int]:
        """Return day and second of a tick."""
        ...

    def ticks_of_days(self, first: int, last: int) -> tuple[int, int]:
        """Return first and last tick of some days."""
        ...
