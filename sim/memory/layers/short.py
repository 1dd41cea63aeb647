"""Short term: the newest memories, in full, first in first out."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memopolis.sim.memory.observing import refuse_observer
from memopolis.sim.memory.streams import encoding, forgetting
from memopolis.sim.memory.streams.recollection import Recollection, Recollections
from memopolis.sim.memory.streams.telling import tell

if TYPE_CHECKING:
    from memopolis.sim.memory.memory import Memory


def newest(memory: "Memory", rows: NDArray[np.int64], size: int) -> NDArray[np.int32]:
    """Ids of the newest memories of some agents.

    One that was forgotten leaves its place empty until newer ones push it out: what has
    fallen out of the short term never comes back.

    Args:
        memory: Where they are.
        rows: Rows of the agents, shape (n,).
        size: How many of an agent, >= 1.

    Returns:
        Ids, oldest first, -1 where there is none, int32, shape (n, size).
    """
    streams = memory.streams
    ids = streams.next[rows][:, None] + np.arange(-size, 0, dtype=np.int32)
    there = streams.holds(rows[:, None], ids)
    return np.where(there, ids, np.int32(-1)).astype(np.int32)


class ShortTerm(Sequence[Recollection]):
    """The newest memories of one agent, oldest first; what falls out is mid term."""

    __slots__ = ("_memories", "_memory", "_observed", "_row")

    def __init__(self, memory: "Memory", row: int, *, observed: bool = False) -> None:
        self._memory = memory
        self._row = row
        self._observed = observed
        memory.settle()
        ids = newest(memory, np.array([row]), memory.layer_settings.short_term_size)[0]
        self._memories = tell(memory, row, ids[ids >= 0].tolist())

    @overload
    def __getitem__(self, place: int) -> Recollection: ...
    @overload
    def __getitem__(self, place: slice) -> Recollections: ...
    def __getitem__(self, place: int | slice) -> Recollection | Recollections:
        """The memory at a place, 0 the oldest of the short term."""
        if isinstance(place, slice):
            return Recollections(self._memories[place])
        return self._memories[place]

    def __len__(self) -> int:
        return len(self._memories)

    def __str__(self) -> str:
        return str(self._memories)

    def delete(self, ids: ArrayLike) -> int:
        """Delete memories by id, which is to forget them for ever.

        Args:
            ids: One or more ids of the short term.

        Returns:
            How many were deleted; ids that the short term does not hold are left alone.

        Raises:
            StateError: If an observer asks.
        """
        refuse_observer(observed=self._observed)
        given = encoding.id_numbers(ids).ravel()
        held = given[np.isin(given, [memory.id for memory in self._memories])]
        rows = np.array([self._row])
        gone = int(forgetting.forget(self._memory, rows, held.reshape(1, -1))[0])
        self._memories = Recollections(m for m in self._memories if m.id not in held)
        return gone
