"""Streams: the memories of all agents of a population, in pages of 32.

A page belongs to one agent and holds all columns of 32 memories side by side, so that
scoring an agent reads a few short runs of bytes instead of one place per column. A table
names the pages of each agent. An agent's newest page takes the place of its oldest once all
of that is evicted, so a full stream needs no more room and pages never move.

A memory's id is its number in its agent's life, from 0: it stays a valid name for ever,
also after the memory is gone.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memopolis.sim.errors import ParameterError

PAGE = 32
"""Memories in a page."""

Rows = int | Sequence[int] | NDArray[np.integer[Any]]

COLUMNS: dict[str, np.dtype[Any]] = {
    "text": np.dtype(np.int32),
    "accessed": np.dtype(np.int32),
    "importance": np.dtype(np.uint8),
    "kind": np.dtype(np.uint8),
    "actor": np.dtype(np.int32),
    "time": np.dtype(np.int32),
    "thought": np.dtype(np.int32),
    "place": np.dtype(np.int16),
    "tags": np.dtype(np.uint16),
    "accesses": np.dtype(np.uint8),
    "valence": np.dtype(np.int8),
    "confidence": np.dtype(np.uint8),
    "topic": np.dtype(np.uint8),
    "emotion": np.dtype(np.uint8),
}
"""Columns of a memory in the order they lie in a page: what scoring reads comes first."""

BYTES = sum(dtype.itemsize for dtype in COLUMNS.values())
"""Bytes of a memory."""

# PAGE is a power of two: shifting and masking is much faster than dividing arrays.
_SHIFT = 5
_MASK = PAGE - 1

PAGE_BYTES = PAGE * BYTES
PAGE_WORDS = PAGE_BYTES // 4


def _offsets() -> dict[str, int]:
    offsets, offset = {}, 0
    for name, dtype in COLUMNS.items():
        offsets[name] = offset
        offset += PAGE * dtype.itemsize
    return offsets


OFFSETS = _offsets()
"""Where a column begins in a page, in bytes."""

CONTINUES = 128
"""Bit of `kind`: the memory goes on from the one before, in the same interaction."""

THOUGHT = 1
"""Value of `kind` for a thought; an event is 0."""


class Streams:
    """Memories of all agents of a population.

    Args:
        agents: Number of agents.
        limit: Most memories an agent keeps; the oldest goes out first.

    Attributes:
        next: Id that an agent's next memory gets, int32, shape (agents,).
        table: Page of each (agent, id // 32 modulo the width), -1 for none, int32,
            shape (agents, width).
        words: All pages as int32, shape (pages * PAGE_WORDS,); `halves` and `bytes` are the
            same memory as int16 and uint8.

    Raises:
        ParameterError: If `agents` is negative or `limit` is below 1.
    """

    def __init__(self, agents: int, limit: int = 1000) -> None:
        if agents < 0:
            raise ParameterError(f"agents is {agents}; at least 0 is needed")
        if limit < 1:
            raise ParameterError(f"limit is {limit}; an agent keeps at least 1 memory")
        self.agents = agents
        self.limit = limit
        self.next: NDArray[np.int32] = np.zeros(agents, np.int32)
        self.table: NDArray[np.int32] = np.full((agents, 1), -1, np.int32)
        # Most pages that `limit` consecutive ids can touch.
        self._widest = (limit + PAGE - 2) // PAGE + 1
        self._used = 0
        self._hold(np.empty(0, np.int32))

    def _hold(self, words: NDArray[np.int32]) -> None:
        self.words = words
        self.halves: NDArray[np.int16] = words.view(np.int16)
        self.bytes: NDArray[np.uint8] = words.view(np.uint8)
        pages = self.bytes.reshape(-1, PAGE_BYTES)
        self._columns: dict[str, NDArray[Any]] = {
            name: pages[:, OFFSETS[name] : OFFSETS[name] + PAGE * dtype.itemsize].view(dtype)
            for name, dtype in COLUMNS.items()
        }

    @property
    def view(self) -> tuple[NDArray[Any], ...]:
        """Page table, and all pages as words, half words and bytes: what kernels read."""
        return self.table, self.words, self.halves, self.bytes

    def grow(self, agents: int) -> None:
        """Make room for more agents, who have no memory yet."""
        more = agents - self.agents
        if more < 0:
            raise ParameterError(f"agents is {agents}; there are {self.agents} already")
        self.next = np.concatenate([self.next, np.zeros(more, np.int32)])
        width = self.table.shape[1]
        self.table = np.concatenate([self.table, np.full((more, width), -1, np.int32)])
        self.agents = agents

    def first(self, rows: Rows) -> NDArray[np.int32]:
        """Oldest id that is still kept, shape of `rows`."""
        return np.maximum(self.next[rows] - self.limit, 0)

    def counts(self, rows: Rows) -> NDArray[np.int32]:
        """Number of memories kept, shape of `rows`."""
        return np.minimum(self.next[rows], self.limit)

    def holds(self, rows: Rows, ids: ArrayLike) -> NDArray[np.bool_]:
        """Whether memories are there: written and not evicted.

        Args:
            rows: Rows of agents, broadcast against `ids`.
            ids: Ids of memories; any negative number is none.
        """
        ids = np.asarray(ids)
        return (ids >= self.first(rows)) & (ids < self.next[rows])

    def slots(self, rows: Rows, ids: ArrayLike) -> NDArray[np.int64]:
        """Places of memories that are there: page * 32 + place in the page."""
        ids = np.asarray(ids, np.int64)
        page = self.table[rows, (ids >> _SHIFT) % self.table.shape[1]].astype(np.int64)
        return np.asarray(page << _SHIFT | ids & _MASK)

    def at(self, name: str, slots: NDArray[np.int64]) -> NDArray[Any]:
        """Copy of a column at some slots."""
        values: NDArray[Any] = self._columns[name][slots >> _SHIFT, slots & _MASK]
        return values

    def all_at(self, slots: NDArray[np.int64]) -> dict[str, NDArray[Any]]:
        """Copy of every column at some slots."""
        page, place = slots >> _SHIFT, slots & _MASK
        return {name: values[page, place] for name, values in self._columns.items()}

    def put(self, name: str, slots: NDArray[np.int64], values: ArrayLike) -> None:
        """Write a column at some slots."""
        self._columns[name][slots >> _SHIFT, slots & _MASK] = values

    def append(
        self,
        rows: NDArray[np.int64],
        ids: NDArray[np.int32],
        columns: Mapping[str, NDArray[Any]],
    ) -> None:
        """Store memories, evicting the oldest where an agent holds `limit` of them.

        Args:
            rows: Row of each memory's agent, in any order, shape (m,).
            ids: Their ids: an agent's go on from `next` without a gap, shape (m,).
            columns: Values of every column of `COLUMNS`, each of shape (m,).
        """
        from memopolis.sim.memory import stream_kernels as kernels

        np.maximum.at(self.next, rows, ids + np.int32(1))
        kept = ids >= self.first(rows)
        if not kept.all():
            rows, ids = rows[kept], ids[kept]
            columns = {name: values[kept] for name, values in columns.items()}
        self._widen(int(ids.max(initial=0)) // PAGE + 1)
        self._open(rows, (ids // PAGE) % self.table.shape[1])
        slots = self.slots(rows, ids)
        for name, values in self._columns.items():
            kernels.scatter(values, slots, columns[name])

    def _widen(self, pages: int) -> None:
        """Widen the table; until it has its full width no agent has come round in it."""
        width = self.table.shape[1]
        if pages > width < self._widest:
            wider = np.full((self.agents, min(pages, self._widest)), -1, np.int32)
            wider[:, :width] = self.table
            self.table = wider

    def _open(self, rows: NDArray[np.int64], places: NDArray[Any]) -> None:
        """Give a page to each (row, place in the table) that has none yet."""
        lacking = self.table[rows, places] < 0
        if not lacking.any():
            return
        width = self.table.shape[1]
        cells = np.unique(rows[lacking].astype(np.int64) * width + places[lacking])
        self.table.reshape(-1)[cells] = np.arange(self._used, self._used + len(cells))
        self._used += len(cells)
        held = len(self.words) // PAGE_WORDS
        if self._used > held:
            self._lengthen(max(self._used, held + held // 8))

    def _lengthen(self, pages: int) -> None:
        """Make room for more pages in place: a copy would double the memory at its largest."""
        words = self.words
        self._hold(np.empty(0, np.int32))
        words.resize(pages * PAGE_WORDS, refcheck=False)
        self._hold(words)

    def found(
        self, name: str, rows: NDArray[np.int64], ids: NDArray[np.int64]
    ) -> tuple[NDArray[Any], NDArray[np.bool_]]:
        """Copy of a column at memories that may be gone.

        Args:
            name: Name of the column.
            rows: Rows of agents, shape (n,).
            ids: Ids of memories, any that are not there, shape (n, k).

        Returns:
            Values, 0 where there is no memory, and whether there is one, both (n, k).
        """
        from memopolis.sim.memory import stream_kernels as kernels

        slots = kernels.slots_of(self.table, self.next, self.limit, rows, ids)
        values = np.zeros(ids.shape, COLUMNS[name])
        kernels.gather(self._columns[name], slots, values)
        return values, slots >= 0

    def held(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Rows and ids of all memories kept, agent by agent, oldest first."""
        rows = np.arange(self.agents)
        counts = self.counts(rows).astype(np.int64)
        before = np.cumsum(counts) - counts
        ids = np.arange(counts.sum()) + np.repeat(self.first(rows) - before, counts)
        return np.repeat(rows, counts), ids

    def get(self, name: str, rows: Rows, ids: ArrayLike) -> NDArray[Any]:
        """Copy of a column at memories that are there."""
        return self.at(name, self.slots(rows, ids))

    def live(self, rows: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """List all memories of some agents, oldest first within each.

        Args:
            rows: Rows of agents, shape (n,).

        Returns:
            Slots of the memories of all of them in turn, shape (m,), and where each agent's
            begin, shape (n + 1,).
        """
        counts = self.counts(rows).astype(np.int64)
        starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])
        ids = np.arange(starts[-1]) + np.repeat(self.first(rows) - starts[:-1], counts)
        return self.slots(np.repeat(rows, counts), ids), starts

    @property
    def packed_bytes(self) -> int:
        """Bytes of the pages in use."""
        return self._used * PAGE_BYTES

    @property
    def nbytes(self) -> int:
        """Bytes of everything: pages, those kept in reserve, and the page table."""
        return self.words.nbytes + self.table.nbytes + self.next.nbytes

    def state(self) -> dict[str, NDArray[Any]]:
        """All that makes up the streams, as arrays."""
        return {
            "limit": np.array([self.limit], np.int64),
            "next": self.next.copy(),
            "table": self.table.copy(),
            "words": self.words[: self._used * PAGE_WORDS].copy(),
        }

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Become what `state` described."""
        Streams.__init__(self, len(state["next"]), int(state["limit"][0]))
        self.next = np.array(state["next"], np.int32)
        self.table = np.array(state["table"], np.int32)
        self._hold(np.array(state["words"], np.int32))
        self._used = len(self.words) // PAGE_WORDS
