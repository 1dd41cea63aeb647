"""Memories given by id, whose columns are read; where they are stored is found once."""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from memopolis.sim.memory.interface import Memory

type Compute = Callable[..., Sequence[NDArray[Any]]]


class Located:
    """Memories that agents recalled since the last flush, so that none of them is forgotten.

    Args:
        memory: Memory of the population.
        rows: Rows of the agents, shape (n,).
        ids: Ids of their memories, -1 for none, shape (n, k).
    """

    def __init__(
        self, memory: "Memory", rows: NDArray[np.int64], ids: NDArray[np.integer[Any]]
    ) -> None:
        self._memory = memory
        self._rows = rows
        self._ids = ids

    @cached_property
    def _slots(self) -> NDArray[np.int64]:
        return self._memory.streams.locate(self._rows, self._ids, recalled=True)

    def column(self, name: str) -> NDArray[Any]:
        """Return a column as `CohortStream.column` does, except that a missing share is 0."""
        return self._memory.streams.decode(name, self._slots, missing=0)

    def times(self) -> NDArray[np.int32]:
        """Return the number of occasions that each memory stands for, 0 without one, (n, k)."""
        return self._memory.streams.count_occasions(self._slots)

    def compute(self, function: Compute, *values: NDArray[Any]) -> Sequence[NDArray[Any]]:
        """Return arrays that a function of pages, slots and values has, one row per agent each."""
        return function(self._memory.streams.view, self._slots, *values)

    def where(self, mask: NDArray[np.bool_]) -> "Located":
        """Return the memories of the agents for which the mask, shape (n,), is true."""
        some = Located(self._memory, self._rows[mask], self._ids[mask])
        some._slots = self._slots[mask]
        return some
