"""Streams in Qdrant behind the verbs of `Memory`.

    memory = QdrantMemory(agents=2, client="http://localhost:6333")
    memory[0].stream.add("social", "Talked with {actor}", actor=1, importance=0.4)
    memory.stream.search("a talk", k=3, profile="society")

One collection, a point a memory. The point's number is row * 2**32 + id, its payload the
columns of the memory in plain words, its vector that of the text. Every request names the
agent, so none sees another's. The point that goes over the limit is deleted with the `add`
that pushed it out; there is no second index that could drift apart.

**Which results are exact.** Qdrant gives the memories nearest to the query by cosine; the
same code as in arrays then filters, scores and orders them.

    society, dense alone      the same ids and scores as `Memory`: candidates are fetched until
                              the last is clearly below the best k
    no text term (today)      the same: all memories that pass the filters are read
    any other profile         the best of the nearest `candidates` by cosine; how rare a word
                              is, min and max, and neighbours are those among them. With
                              `candidates` as many as an agent holds, and all agents asked,
                              the same as `Memory`

In Qdrant's local mode, which looks at every point, a search costs 60 ms an agent among 5,000
memories, against 0.01 ms in arrays: it is for small trials, a server for the rest. One process
writes to a collection at a time; the status of agents, layers and sleep stay with `Memory`.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memopolis.sim.errors import ParameterError
from memopolis.sim.memory.memory import Memory
from memopolis.sim.memory.qdrant.cohort_stream import QdrantCohortStream
from memopolis.sim.memory.qdrant.desk import RULES, whole
from memopolis.sim.memory.qdrant.payload import payloads
from memopolis.sim.memory.qdrant.remembering import Remembering
from memopolis.sim.memory.qdrant.store import Ask, Store
from memopolis.sim.memory.qdrant.views import QdrantAgent, QdrantCohort
from memopolis.sim.memory.streams.stream import COLUMNS
from memopolis.sim.memory.text.texts import Texts
from memopolis.sim.memory.vectors.embedders.checked import dimensions_of, embed
from memopolis.sim.memory.vectors.embedders.named import embedder_of
from memopolis.sim.memory.vectors.embedders.rounding import unit

if TYPE_CHECKING:
    from memopolis.sim.memory.qdrant.store import Client

MOST_TEXTS = 100_000
"""Texts after which the numbers given to them are dropped."""


class QdrantMemory:
    """Streams of n agents in a collection of Qdrant.

    A collection that is there is gone on with: agents hold what they held.

    Args:
        agents: How many.
        client: A client, such as QdrantClient(":memory:"), or the URL of a server.
        collection: Name of the collection.
        limit: Most memories an agent keeps, the oldest goes out first.
        embedder: Name of an embedder, or an object with the method `vectors`; for a collection
            that is there, the one it was made with.
        candidates: Least number of memories that are scored for each agent and query.

    Attributes:
        rules: Memory without memories, whose clock, names, tags, profiles and extractor hold
            here: set them there.
        store: The collection.

    Raises:
        ExtraError: If the package qdrant-client is not installed.
        ServerError: If the server cannot be reached.
        ParameterError: If a number is out of range or the collection has other vectors.
    """

    def __init__(
        self,
        agents: int,
        *,
        client: "Client | str",
        collection: str = "memopolis",
        limit: int = 1000,
        embedder: Any = "static",
        candidates: int = 100,
    ) -> None:
        if candidates < 1:
            raise ParameterError(f"candidates is {candidates}; at least 1 is needed")
        named = embedder_of(embedder)
        self.embedder = embedder
        self.rules = Memory(agents, limit=limit, embedder=Remembering(named))
        self.candidates = candidates
        self.store = Store(client, collection, dimensions_of(named))
        self._recover()

    def _recover(self) -> None:
        """Learn ids, topics and tags from a collection that is there."""
        for one in self.store.all(columns=("row", "id", "topic", "tags")):
            row = one["row"]
            if row >= len(self):
                raise ParameterError(
                    f"the collection holds memories of row {row}, agents is {len(self)}"
                )
            self.rules.issued[row] = max(self.rules.issued[row], one["id"] + 1)
            if one["topic"]:
                self.rules.topic_number(one["topic"])
            self.rules.tags.bits(one["tags"])

    @property
    def now(self) -> int:
        """Current tick; the owner moves it."""
        return self.rules.now

    @now.setter
    def now(self, tick: int) -> None:
        self.rules.now = tick

    # Views

    def __len__(self) -> int:
        return len(self.rules)

    def __getitem__(self, row: int) -> QdrantAgent:
        """The memory of one agent."""
        if not 0 <= row < len(self):
            raise IndexError(f"row {row} of a memory of {len(self)} agents")
        return QdrantAgent(self, int(row))

    def __iter__(self) -> Iterator[QdrantAgent]:
        return (QdrantAgent(self, row) for row in range(len(self)))

    def of(self, rows: ArrayLike) -> QdrantCohort:
        """The memories of some agents together; rows as in `Memory.of`."""
        return QdrantCohort(self, self.rules.of(rows).rows)

    @property
    def stream(self) -> QdrantCohortStream:
        """The streams of all agents together."""
        return self.of(np.arange(len(self))).stream

    # What the verbs share

    def first(self, rows: Any) -> Any:
        """Oldest id that still counts, shape of `rows`."""
        return np.maximum(self.rules.issued[rows] - self.rules.streams.limit, 0)

    def holds(self, row: int, number: int) -> bool:
        """Whether an id lies among those an agent may hold; it may be forgotten."""
        return bool(self.first(row) <= number < self.rules.issued[row])

    def unit_vectors(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of texts by the embedder, of length one or zero, shape (texts, dimensions)."""
        distinct = list(dict.fromkeys(texts))
        place = {text: at for at, text in enumerate(distinct)}
        units = unit(embed(self.rules.embedder, distinct)).astype(np.float32)
        return units[[place[text] for text in texts]]

    def tidy(self) -> None:
        """Drop the numbers given to texts, once there are many: nothing here is kept by them."""
        if len(self.rules.texts) > MOST_TEXTS:
            self.rules.texts = Texts()
            self.rules.forget_index()

    # To and from arrays and folders

    def to_memory(self) -> Memory:
        """All streams as a memory in arrays, bit by bit what the same adds would have made."""
        rows = range(len(self))
        found = [
            list(self.store.all(Ask(row, int(self.first(row)), forgotten=None))) for row in rows
        ]
        memory = whole(self.rules, rows, found)
        memory.embedder = self.embedder
        return memory

    @classmethod
    def from_memory(
        cls,
        memory: Memory,
        *,
        client: "Client | str",
        collection: str = "memopolis",
        candidates: int = 100,
    ) -> Self:
        """Put the streams of a memory in arrays into a collection, which must be empty.

        Raises:
            ParameterError: If the collection holds something.
        """
        made = cls(
            len(memory),
            client=client,
            collection=collection,
            limit=memory.streams.limit,
            embedder=memory.embedder,
            candidates=candidates,
        )
        if len(made.store):
            raise ParameterError(f"the collection {collection} is not empty; name another")
        made._take(memory)
        return made

    def _take(self, memory: Memory) -> None:
        memory.flush()
        for name in RULES:
            setattr(self.rules, name, getattr(memory, name))
        self.rules.tags = memory.tags
        self.rules.topics[:] = memory.topics
        self.rules.topic_numbers = dict(memory.topic_numbers)
        self.rules.issued = memory.issued.copy()
        for row in range(len(memory)):
            ids = np.arange(int(memory.streams.first(row)), int(memory.streams.next[row]))
            columns = memory.streams.all_at(memory.streams.slots(row, ids))
            columns = {name: columns[name] for name in COLUMNS}
            given = payloads(memory, np.full(len(ids), row), ids, columns)
            self.store.put(given, self.unit_vectors([one["text"] for one in given]))

    def save(self, folder: str | Path) -> Path:
        """Write all streams into a folder, as `Memory.save` does.

        Raises:
            RunFolderError: If the folder holds something or cannot be written.
        """
        return self.to_memory().save(folder)

    @classmethod
    def load(
        cls,
        folder: str | Path,
        *,
        client: "Client | str",
        collection: str = "memopolis",
        embedder: Any = None,
        candidates: int = 100,
    ) -> Self:
        """Read what `save` or `Memory.save` wrote into a collection, which must be empty.

        Raises:
            RunFolderError: If there is no memory in the folder, or it is broken.
            ParameterError: If the collection holds something.
        """
        memory = Memory.load(folder, embedder=embedder)
        return cls.from_memory(memory, client=client, collection=collection, candidates=candidates)
