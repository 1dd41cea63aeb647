"""Views of the memory of one agent or of a cohort; those of an observer change nothing."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.errors import StateError

if TYPE_CHECKING:
    from memopolis.sim.memory.interface import Memory


class AgentView:
    """A part of the memory of one agent, for the agent or for an observer, who changes nothing."""

    __slots__ = ("_memory", "_observed", "_row")

    def __init__(self, memory: "Memory", row: int, *, observed: bool = False) -> None:
        self._memory = memory
        self._row = row
        self._observed = observed

    @property
    def _rows(self) -> NDArray[np.int64]:
        """The agent as a cohort of one."""
        return np.array([self._row])


class CohortView:
    """A part of the memories of some agents, by row, for them or for an observer."""

    __slots__ = ("_memory", "_observed", "_rows")

    def __init__(
        self, memory: "Memory", rows: NDArray[np.int64], *, observed: bool = False
    ) -> None:
        self._memory = memory
        self._rows = rows
        self._observed = observed

    def __len__(self) -> int:
        return len(self._rows)


def refuse_observer(*, observed: bool) -> None:
    """Refuse to change a memory through a view that only observes."""
    if observed:
        raise StateError("an observer changes nothing: omit `observed` to act as the agent")
