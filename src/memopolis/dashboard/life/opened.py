"""The opened citizen: its life in one run up to one moment, and its restored copy."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from memopolis.analysis.interview.restored_agent import RestoredAgent
from memopolis.analysis.run.life import Life
from memopolis.analysis.run.run import Run
from memopolis.sim.errors import MemopolisError

NOT_RECORDED = (
    "This run recorded no memories: add memories to the setting record.tables to see and ask them."
)
NONE_YET = "There are no memories yet."


@dataclass(frozen=True, eq=False)
class OpenedAgent:
    """An agent in a run at a moment."""

    run: Run  # the run at that moment
    agent: int  # unique_id
    life: Life | None  # everything recorded of it until then; None if no agent has that number
    error: str = ""  # why there is no life, in one line; "" if there is one
    is_present: bool = True  # whether it is present at that moment; it may have died or left
    # unique_id of the previous agent of its population, None for the first
    before: int | None = None
    after: int | None = None  # unique_id of the next agent, None for the last

    @cached_property
    def restored_agent(self) -> RestoredAgent:
        """Return the restored agent, for interviews.

        Raises UnknownNameError if there is no agent, or no memory was recorded.
        """
        from memopolis.analysis.interview.restored_agent import RestoredAgent

        return RestoredAgent(self.run, self.required_life, {})

    @property
    def required_life(self) -> Life:
        """Return the life. Raises MemopolisError if no agent has that number."""
        if self.life is None:
            raise MemopolisError(self.error)
        return self.life

    @property
    def missing_memories(self) -> str:
        """Return why no memories can be shown, in one line; "" if there are some."""
        if self.life is None:
            return self.error
        if not self.life.memories.empty:
            return ""
        return NONE_YET if "memories" in recorded_tables(self.run) else NOT_RECORDED


def open_life(run: Run, agent: int) -> OpenedAgent:
    """Read a life, which takes some time in a large run."""
    try:
        life = run.life(agent)
    except MemopolisError as error:
        return OpenedAgent(run, agent, None, str(error))
    ids = run.present(life.population)
    place = int(ids.searchsorted(agent))
    is_present = place < len(ids) and bool(ids[place] == agent)
    before, after = _at(ids, place - 1), _at(ids, place + is_present)
    return OpenedAgent(run, agent, life, is_present=is_present, before=before, after=after)


def recorded_tables(run: Run) -> tuple[str, ...]:
    """Return the names of the tables that the run records."""
    return tuple(run.settings.get("record", {}).get("tables", ()))


def _at(ids: NDArray[np.integer], place: int) -> int | None:
    return int(ids[place]) if 0 <= place < len(ids) else None
