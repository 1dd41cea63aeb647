"""The memory of one agent, and of many, in Qdrant."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.memory.qdrant.agent_stream import QdrantAgentStream
from memopolis.sim.memory.qdrant.cohort_stream import QdrantCohortStream

if TYPE_CHECKING:
    from memopolis.sim.memory.qdrant.memory import QdrantMemory

IntArray = NDArray[np.int64]


class QdrantAgent:
    """The memory of one agent.

    Attributes:
        row: The agent's row.
    """

    __slots__ = ("_memory", "_observed", "row")

    def __init__(self, memory: "QdrantMemory", row: int, *, observed: bool = False) -> None:
        self._memory = memory
        self.row = row
        self._observed = observed

    @property
    def unique_id(self) -> int:
        """Name of the agent, as the actor of others' memories."""
        return self.row

    @property
    def stream(self) -> QdrantAgentStream:
        """What the agent lived through."""
        return QdrantAgentStream(self._memory, self.row, observed=self._observed)

    @property
    def observed(self) -> "QdrantAgent":
        """The same as seen by an observer: looking changes nothing."""
        return QdrantAgent(self._memory, self.row, observed=True)


class QdrantCohort:
    """The memories of some agents together.

    Attributes:
        rows: Rows of the agents, int64, shape (n,).
    """

    __slots__ = ("_memory", "_observed", "rows")

    def __init__(self, memory: "QdrantMemory", rows: IntArray, *, observed: bool = False) -> None:
        self._memory = memory
        self.rows = rows
        self._observed = observed

    @property
    def stream(self) -> QdrantCohortStream:
        """What the agents lived through."""
        return QdrantCohortStream(self._memory, self.rows, observed=self._observed)

    @property
    def observed(self) -> "QdrantCohort":
        """The same as seen by an observer: looking changes nothing."""
        return QdrantCohort(self._memory, self.rows, observed=True)
