"""A plan of validation: which arms of a scenario are run, and what is judged of them."""

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
"""Tables that runs record where nothing else is judged."""

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
        scenario: Its name.
        arms: Arms and what they are; all share their seeds, hence their luck and citizens.
        agents: Citizens of each run where nothing else is said.
        changes: Settings that make each arm; given a folder for files they need.
        sections: Every table of the validation, given the number of seeds and the runs.
    """

    scenario: str
    arms: Mapping[str, str]
    agents: int
    changes: Callable[[Path], Mapping[str, Mapping[str, object]]]
    sections: Callable[[int, Runs], list[Section]]
