"""Stores: copies of streams outside of the process, which select the candidates of searches.

A store receives the changes of each flush and returns the memories that pass a filter. Scores and
ties are computed from the arrays, so every store gives the same results.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from memopolis.sim.arrays import Bools, Int64, Ints
from memopolis.sim.memory.interface import Memory
from memopolis.sim.memory.retrieval.filter import EncodedFilter, encode_nothing

Keys = Int64  # row * 2**32 + id of memories

# Rows and ids of memories, each of shape (m,).
Memories = tuple[Int64, Ints]

_ID = 2**32 - 1


class Store(ABC):
    """A copy of all streams of one memory.

    Queued changes stay queued until they are written, so the next flush tries a failed write again.
    """

    def __init__(self) -> None:
        self._changed: list[Memories] = []
        self._used: list[Memories] = []

    @abstractmethod
    def open(self, memory: Memory) -> None:
        """Connect a memory: read the store into an empty memory, or write all memories.

        Raises ParameterError if both the store and the memory hold memories.
        """

    @abstractmethod
    def clear(self) -> None:
        """Delete all memories."""

    @abstractmethod
    def write(self, memory: Memory, rows: Int64, ids: Int64) -> None:
        """Write memories, new or changed, as a whole."""

    @abstractmethod
    def update(self, memory: Memory, rows: Int64, ids: Int64) -> None:
        """Write the columns that recall and links change: accessed, accesses and thought."""

    @abstractmethod
    def delete(self, rows: Int64, ids: Int64) -> None:
        """Delete memories; missing ones are skipped."""

    @abstractmethod
    def find(self, memory: Memory, rows: Int64, where: EncodedFilter) -> Keys:
        """Find the memories of some agents that pass a filter: row * 2**32 + id, in any order.

        `rows` are deduplicated; `place` and `actor` of the filter have one value, shape (1,).
        """

    @abstractmethod
    def close(self) -> None:
        """Close the connection; the memories stay."""

    def queue(self, changed: Iterable[Memories] = (), used: Iterable[Memories] = ()) -> None:
        """Queue memories for the next `send`, to write as a whole or as recalled or linked."""
        self._changed += changed
        self._used += used

    def candidates(self, memory: Memory, rows: Int64, where: EncodedFilter | None) -> Bools:
        """Return which memories of agents pass a filter, in the order of `Streams.listed`, (m,)."""
        self.send(memory)
        where = where or encode_nothing(len(rows))
        owners, ids, _ = memory.streams.listed(rows)
        keys, mask = rows[owners] << 32 | ids, np.zeros(len(ids), np.bool_)
        # One request for all agents with the same place and actor.
        pairs = where.place.astype(np.int64) << 32 | (where.actor.astype(np.int64) & _ID)
        _, firsts, group = np.unique(pairs, return_index=True, return_inverse=True)
        for number, first in enumerate(firsts.tolist()):
            place, actor = where.place[first : first + 1], where.actor[first : first + 1]
            one = replace(where, place=place, actor=actor)
            passing = self.find(memory, np.unique(rows[group == number]), one)
            own = group[owners] == number
            mask[own] = np.isin(keys[own], passing)
        return mask

    def send(self, memory: Memory) -> None:
        """Write what was queued, as it is in the arrays now, and delete what was removed."""
        changed = _distinct(self._changed)
        exists = _exist(memory, changed)
        if exists.any():
            self.write(memory, *_split(changed[exists]))
        if not exists.all():
            self.delete(*_split(changed[~exists]))
        self._changed.clear()
        used = np.setdiff1d(_distinct(self._used), changed)
        used = used[_exist(memory, used)]
        if len(used):
            self.update(memory, *_split(used))
        self._used.clear()


def _distinct(queued: list[Memories]) -> Int64:
    """Return row * 2**32 + id of each queued memory, sorted and deduplicated."""
    keys = [rows << 32 | ids.astype(np.int64) for rows, ids in queued]
    return np.unique(np.concatenate(keys)) if keys else np.zeros(0, np.int64)


def _split(keys: Keys) -> tuple[Int64, Int64]:
    """Return rows and ids of memories."""
    return keys >> 32, keys & _ID


def _exist(memory: Memory, keys: Keys) -> Bools:
    """Return which memories exist, shape (m,)."""
    return memory.streams.holds(*_split(keys))
