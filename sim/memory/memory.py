"""Memory: status and stream of every agent of a population.

    memory = Memory(agents=2)
    ann, bob = memory
    ann.stream.add("social", "Talked with {actor}", actor=bob, importance=0.4)
    memory.stream.search("a talk", k=3)

New memories are queued and stored in one batch: before the next read or, if `deferred` is set, as
in a society, by `flush`.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from types import NoneType
from typing import Self, override

import numpy as np
from numpy.typing import ArrayLike

from memopolis.sim.arguments import check_type, shown
from memopolis.sim.arrays import Array, Int64
from memopolis.sim.compilation import watch_compilation
from memopolis.sim.errors import TrustError
from memopolis.sim.memory import interface
from memopolis.sim.memory.locking import locked
from memopolis.sim.memory.night.forgetting import find_excess
from memopolis.sim.memory.retrieval.profiles import PROFILES, Profile
from memopolis.sim.memory.saving import arrays
from memopolis.sim.memory.saving import folder as folders
from memopolis.sim.memory.status.schema import Schema
from memopolis.sim.memory.store import Store
from memopolis.sim.memory.streams.pending import Added
from memopolis.sim.memory.text.texts import Texts
from memopolis.sim.memory.vectors.embedders.protocol import Embedder
from memopolis.sim.memory.vectors.embedders.registry import check_embedder
from memopolis.sim.memory.views.base_stream import CohortStream
from memopolis.sim.memory.views.memories import AgentMemory, CohortMemory, check_row, check_rows
from memopolis.sim.memory.views.status import StatusTable

__all__ = ["Added", "AgentMemory", "CohortMemory", "Memory"]


class Memory(interface.Memory):
    """Status and streams of n agents.

    Args:
        agents: Number of agents.
        schema: Declared attributes of the status.
        texts: Texts shared with other memories; None for new ones.
        limit: Maximum number of memories of an agent; above it, `retention` decides which ones are
            evicted.
        seed: Random seed of the recall policy "random" and of drawn attributes.
        embedder: Name of an embedder, or an object with the method `vectors`.
        store: Store that keeps a copy of all streams; an empty memory reads the copy.

    Attributes:
        status: The status of all agents.
        streams: The memories of all agents.
        texts: Each distinct text once.
        topics: Names of topics by number, in order of first use.
        now: Current tick, a 32-bit integer; set by the owner.
        deferred: Whether new memories stay queued until `flush` instead of the next read.
        turns: Searches of agents that act in turn; None outside of such a block.
        recall: How searches choose memories: by score ("scored"), only those of the current
            tick ("none"), or at random among those that pass the filter ("random").
        ticks_per_day: Ticks in a day.
        day_offset: Ticks between the midnight before the start and tick 0.
        names: unique_id of each name that queries may call an actor by.
        date_of: Function from a tick to the local date, without time zone, at which it begins;
            None without dates.
        name_of: Function from a unique_id to a name, for texts with {actor}.
        place_name: Function from the index of a place to its name.
        profiles: Retrieval profiles by name.
        layer_settings: Settings of the layers.
        threads: Maximum number of threads of a search; by default one per processor, at most 4.
        unique_ids: unique_id of each row; None if it is the row.
        stored: Functions called with each batch of memories when it is stored.
        evicted: Functions called with the memories that agents lose above the limit; their texts
            can still be read.
        tags: Names of tags by bit.
        consolidation: Parameters of consolidation.
        retention: How memories fade, and which ones an agent with too many loses.
        extractor: Reads tags and valence from times and texts; None to read nothing.
        store: Store that keeps a copy of all streams; None for none.

    Raises:
        ParameterError: If `agents`, `limit` or `embedder` is invalid.
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
        embedder: str | Embedder = "static",
        store: Store | None = None,
    ) -> None:
        for name, value, kind in (
            ("schema", schema, Schema), ("texts", texts, Texts), ("store", store, Store),
        ):  # fmt: skip
            check_type(name, value, (kind, NoneType), f"a {kind.__name__}")
        super().__init__(
            agents, schema=schema, texts=texts, limit=limit, seed=seed, embedder=embedder
        )
        watch_compilation()
        self.profiles: dict[str, Profile] = dict(PROFILES)
        self.open_stream = CohortStream
        self.store: Store | None = None
        if store is not None:
            self.connect(store)

    @override
    def _find_excess(self, rows: Int64) -> tuple[Int64, Int64]:
        """Find the memories that agents have above the limit: rows and slots, shape (m,)."""
        return find_excess(self, rows)

    @locked("lock")
    def connect(self, store: Store) -> None:
        """Keep a copy of all streams in a store, from now on; an empty memory reads the store.

        Raises ParameterError if both the store and the memory hold memories.
        """
        self.flush()
        store.open(self)
        self.store = store

    def __getitem__(self, row: int) -> AgentMemory:
        """Return the memory of one agent; a negative row counts from the last one."""
        return AgentMemory(self, check_row(row, len(self)) % len(self))

    def __iter__(self) -> Iterator[AgentMemory]:
        return (AgentMemory(self, row) for row in range(len(self)))

    def of(self, rows: ArrayLike) -> CohortMemory:
        """Return the memories of some agents by row, integers of shape (n,), not a boolean mask."""
        return CohortMemory(self, check_rows(rows, len(self)))

    @property
    def status(self) -> StatusTable:
        """The status of all agents, with the declarations of its attributes."""
        return StatusTable(self, slice(None))

    @property
    def stream(self) -> CohortStream:
        """The streams of all agents together."""
        return self.of(np.arange(len(self))).stream

    @property
    def observed(self) -> CohortMemory:
        """The same memories for an observer: searches use the score and record no access."""
        return CohortMemory(self, np.arange(len(self)), observed=True)

    # Saving

    @locked("lock")
    def state(self) -> dict[str, Array]:
        """Return streams, texts and topics as arrays, which are valid until the next change."""
        return arrays.state(self)

    @locked("lock")
    def restore(
        self, state: Mapping[str, Array], *, texts: Texts | None = None, is_checked: bool = False
    ) -> None:
        """Restore a `state`, with its texts or restored ones that several memories share.

        Raises RunFolderError if an array is not as `state` returns it, unless `is_checked`.
        """
        if not is_checked:
            arrays.check(self, state, texts)
        arrays.restore(self, state, texts)
        if self.store is not None:
            self.store.clear()
            self.store.open(self)

    @locked("lock")
    def save(self, folder: str | Path, *, rows: ArrayLike | None = None) -> Path:
        """Write the memory to a folder that is empty or missing: Parquet and a small JSON.

        `rows` selects agents; None for all. Returns the folder, for `Memory.load`. Raises
        RunFolderError if the folder is not empty or cannot be written.
        """
        return folders.save(self, folder, None if rows is None else self.of(rows).rows)

    @classmethod
    def load(cls, folder: str | Path, *, embedder: str | Embedder | None = None) -> Self:
        """Read a folder written by `save`; searches then return the same results, bit for bit.

        Give `embedder` again unless it was "static": an object is not saved, and another name lets
        the folder, which may come from anyone, choose a model or a server that receives texts and
        your API key. Raises RunFolderError if the folder has no memory, or a broken one, and
        TrustError if it names an embedder that you do not give.
        """
        if embedder is not None:
            check_embedder(embedder)
        memory = cls(0)
        folders.load(memory, folder)
        if embedder is not None:
            memory.embedder = embedder
        elif memory.embedder != "static":
            named = f"the memory in {folder} names an embedder: {shown(memory.embedder)}"
            raise TrustError(
                f"{named}; if you know that model or server, repeat its name with embedder=..., or "
                'give embedder="static"',
                named,
            )
        return memory
