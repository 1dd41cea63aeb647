"""Short term: the newest memories, in full, first in, first out."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memopolis.sim.memory.interface import Memory, refuse_observer
from memopolis.sim.memory.layers.entries import Layer
from memopolis.sim.memory.retrieval.recalling import limit_count
from memopolis.sim.memory.streams import encoding, forgetting
from memopolis.sim.memory.streams.recollection import Recollection, format_memories


def newest(memory: Memory, rows: NDArray[np.int64], size: int) -> NDArray[np.int32]:
    """Return the ids of the newest memories, oldest first, -1 for none, int32, shape (n, size).

    A forgotten memory leaves a gap: a memory that has left the short term never returns to it.
    """
    streams = memory.streams
    size = size and limit_count(size, streams.longest(rows))
    ids = streams.next[rows][:, None] + np.arange(-size, 0, dtype=np.int32)
    exists = streams.holds(rows[:, None], ids)
    return np.where(exists, ids, np.int32(-1)).astype(np.int32)


class ShortTerm(Layer[Recollection]):
    """The newest memories of one agent, oldest first."""

    __slots__ = ()

    def _all(self) -> list[Recollection]:
        memory, row = self._memory, self._row
        memory.settle()
        ids = newest(memory, np.array([row]), memory.layer_settings.short_term_size)[0]
        return format_memories(memory, row, ids[ids >= 0].tolist())

    def delete(self, ids: ArrayLike) -> int:
        """Let the agent forget memories of the short term by id; return how many."""
        refuse_observer(observed=self._observed)
        numbers = encoding.id_numbers(ids).ravel()
        own = numbers[np.isin(numbers, [one.id for one in self])]
        rows = np.array([self._row])
        return int(forgetting.forget(self._memory, rows, own.reshape(1, -1))[0])
