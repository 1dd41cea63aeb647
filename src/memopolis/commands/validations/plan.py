"""A validation plan: the arms of a scenario and the checks of their results."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from memopolis.commands.sections import Section

if TYPE_CHECKING:
    from memopolis.analysis.run.run import Run

type Runs = Mapping[str, Sequence[Run]]
"""Runs by arm, of the same seeds in the same order."""

RECORDED = "measures,agents"
"""Tables that are recorded if a validation needs no others."""

VERDICTS = (
    "Intervals are Student's t over seeds and may exceed the possible range. Seeds: number of "
    "seeds that meet the tolerance on their own. Surely: the whole interval is within the "
    "tolerance; on average: the mean is within, but the interval crosses the bound; NO: the mean "
    "is outside. Numbers without a tolerance are listed for information."
)


@dataclass(frozen=True)
class Plan:
    """How one scenario is validated.

    Attributes:
        scenario: Name of the scenario.
        arms: Arms with descriptions; all use the same seeds, so the same citizens and draws.
        agents: Default number of citizens per run.
        changes: Returns the settings of each arm; takes a folder for the files they need.
        sections: Returns all tables of the validation; takes the number of seeds and the runs.
    """

    scenario: str
    arms: Mapping[str, str]
    agents: int
    changes: Callable[[Path], Mapping[str, Mapping[str, object]]]
    sections: Callable[[int, Runs], list[Section]]
