"""Stores: a copy of all streams outside of the process, kept up to date by `Memory.flush`.

A memory works on its arrays alone, so every verb gives the same results whatever its store. A
store only has to write memories, to update the columns that change with use, and to read a
copy back.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from memopolis.sim.memory.interface import Memory

Memories = tuple[NDArray[np.int64], NDArray[np.integer[Any]]]
"""Rows and ids of memories, each of shape (m,)."""

_ID = 2**32 - 1


class Store(ABC):
    """A copy of all streams of one memory.

    What was queued stays queued until it is written, so a failed write is tried again with the
    next flush.
    """

    def __init__(self) -> None:
        self._changed: list[Memories] = []
        self._used: list[Memories] = []

    @abstractmethod
    def open(self, memory: "Memory") -> None:
        """Connect a memory: read the copy into an empty memory, or write a first copy.

        Raises:
            ParameterError: If both the store and the memory hold memories.
        """

    @abstractmethod
    def clear(self) -> None:
        """Delete the copy."""

    @abstractmethod
    def write(self, memory: "Memory", rows: NDArray[np.int64], ids: NDArray[np.int64]) -> None:
        """Write memories, new or changed, as a whole."""

    @abstractmethod
    def update(self, memory: "Memory", rows: NDArray[np.int64], ids: NDArray[np.int64]) -> None:
        """Write the columns that recall and links change: accessed, accesses and thought."""

    @abstractmethod
    def delete(self, rows: NDArray[np.int64], ids: NDArray[np.int64]) -> None:
        """Delete memories; those that the copy lacks are skipped."""

    @abstractmethod
    def close(self) -> None:
        """Close the connection; the copy stays."""

    def queue(self, changed: Iterable[Memories] = (), used: Iterable[Memories] = ()) -> None:
        """Queue memories for the next `send`.

        Args:
            changed: Memories to write as a whole.
            used: Memories that were recalled or linked.
        """
        self._changed += changed
        self._used += used

    def send(self, memory: "Memory") -> None:
        """Write what was queued, as it is in the arrays now, and delete what it evicted."""
        changed = _distinct(self._changed)
        rows, ids = _existing(memory, changed)
        if len(rows):
            self.write(memory, rows, ids)
        evicted = (changed & _ID) - memory.streams.limit
        if (evicted >= 0).any():
            self.delete((changed >> 32)[evicted >= 0], evicted[evicted >= 0])
        self._changed.clear()
        rows, ids = _existing(memory, np.setdiff1d(_distinct(self._used), changed))
        if len(rows):
            self.update(memory, rows, ids)
        self._used.clear()


def _distinct(queued: list[Memories]) -> NDArray[np.int64]:
    """Return row * 2**32 + id of each queued memory, sorted and deduplicated."""
    keys = [rows << 32 | ids.astype(np.int64) for rows, ids in queued]
    return np.unique(np.concatenate(keys)) if keys else np.zeros(0, np.int64)


def _existing(
    memory: "Memory", keys: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return rows and ids of the memories that were not evicted."""
    rows, ids, streams = keys >> 32, keys & _ID, memory.streams
    kept = (ids >= streams.first(rows)) & (ids < streams.next[rows])
    return rows[kept], ids[kept]
