"""The memory of one agent, and of many: views with the same verbs."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memopolis.sim.memory.agent_stream import AgentStream
from memopolis.sim.memory.cohort_stream import CohortStream
from memopolis.sim.memory.status import Status

if TYPE_CHECKING:
    from memopolis.sim.memory.memory import Memory

__all__ = ["AgentMemory", "AgentStream", "CohortMemory", "CohortStream", "Observed"]


class AgentMemory:
    """Status and stream of one agent.

    Attributes:
        memory: The memory it is part of.
        row: The agent's row.
    """

    __slots__ = ("_observed", "memory", "row")

    def __init__(self, memory: "Memory", row: int, *, observed: bool = False) -> None:
        self.memory = memory
        self.row = row
        self._observed = observed

    @property
    def unique_id(self) -> int:
        """Name of the agent across populations."""
        ids = self.memory.unique_ids
        return self.row if ids is None else int(ids[self.row])

    @property
    def status(self) -> Status:
        """What the agent knows about itself."""
        return Status(self.memory.columns, self.row)

    @property
    def stream(self) -> AgentStream:
        """What the agent lived through."""
        return AgentStream(self.memory, self.row, observed=self._observed)

    @property
    def observed(self) -> "AgentMemory":
        """The same as seen by an observer: looking changes nothing."""
        return AgentMemory(self.memory, self.row, observed=True)


class CohortMemory:
    """Status and streams of some agents together.

    Attributes:
        memory: The memory they are part of.
        rows: Rows of the agents, int64, shape (n,).
    """

    __slots__ = ("_observed", "memory", "rows")

    def __init__(
        self, memory: "Memory", rows: NDArray[np.int64], *, observed: bool = False
    ) -> None:
        self.memory = memory
        self.rows = rows
        self._observed = observed

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[AgentMemory]:
        seen = self._observed
        return (AgentMemory(self.memory, row, observed=seen) for row in self.rows.tolist())

    @property
    def status(self) -> Status:
        """What the agents know about themselves, as arrays of shape (n,)."""
        return Status(self.memory.columns, self.rows)

    @property
    def stream(self) -> CohortStream:
        """What the agents lived through."""
        return CohortStream(self.memory, self.rows, observed=self._observed)

    @property
    def observed(self) -> "CohortMemory":
        """The same as seen by an observer: looking changes nothing."""
        return CohortMemory(self.memory, self.rows, observed=True)


class Observed:
    """All memories as seen by an observer (page, survey, interview, recorder).

    Searching through it books no access and always goes by score, whatever the recall policy.
    """

    __slots__ = ("_memory",)

    def __init__(self, memory: "Memory") -> None:
        self._memory = memory

    def __len__(self) -> int:
        return len(self._memory)

    def __getitem__(self, row: int) -> AgentMemory:
        """The memory of one agent."""
        return self._memory[row].observed

    def __iter__(self) -> Iterator[AgentMemory]:
        return (one.observed for one in self._memory)

    def of(self, rows: ArrayLike) -> CohortMemory:
        """The memories of some agents together."""
        return self._memory.of(rows).observed

    @property
    def stream(self) -> CohortStream:
        """The streams of all agents together."""
        return self.of(np.arange(len(self))).stream
