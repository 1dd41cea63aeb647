"""Continue a copy of a society beside it, such as without a shock that was sent into it."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memopolis.sim.errors import ParameterError
from memopolis.sim.run_size import check_size
from memopolis.sim.running.building import society_from
from memopolis.sim.running.by_hand import RunByHand
from memopolis.sim.society import Society
from memopolis.sim.state.state import State, state_of

_TABLES = ("agents", "decisions", "measures")  # tables that a copy records


@dataclass(frozen=True, eq=False)
class Branch:
    """The state of a society between two steps, from which a copy of it continues."""

    step: int  # number of steps that the society had done
    scenario: type[Society[Any]]  # class of the society
    settings: Any  # settings of the copy
    state: State  # the state; it shares nothing with the society

    @classmethod
    def of(cls, society: Society[Any]) -> "Branch":
        """Copy the state of a society, which must not take a step meanwhile.

        Raises ParameterError if a copy would ask a model again, or use the same store of memories,
        or SettingsError if there is not enough memory for it.
        """
        settings = society.settings
        if settings.mind != "rule":
            raise ParameterError(
                "decisions are made by a model, which a run without this would ask again"
            )
        if settings.memory.store != "arrays":
            raise ParameterError(
                f"memories are stored in {settings.memory.store}, for one run only"
            )
        check_size(type(society), settings)
        state = state_of(society)
        arrays = {name: values.copy() for name, values in state.arrays.items()}
        plain = json.loads(json.dumps(state.plain, default=str))
        own = settings.with_changes({"record.tables": list(_TABLES)})
        return cls(round(society.time), type(society), own, State(arrays, plain))

    def begin(self, folder: Path) -> RunByHand:
        """Build the copy, and record its next steps in an empty or missing folder."""
        society, _ = society_from(self.state, self.scenario, self.settings)
        return RunByHand(society, folder)
