"""Which facts a run is judged by: found by what it is and what it recorded."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memopolis.analysis.facts import hurricane

if TYPE_CHECKING:
    from collections.abc import Callable

    from memopolis.analysis.facts.fact import Fact
    from memopolis.analysis.run.run import Run


@dataclass(frozen=True)
class Judged:
    """The facts of one kind of run.

    Attributes:
        title: Name of the scenario that they were written for.
        applies: Whether a run has what they need; runs of a subclass may, too.
        facts: Works them out of a run and, where there is one, its paired run.
    """

    title: str
    applies: "Callable[[Run], bool]"
    facts: "Callable[[Run, Run | None], list[Fact]]"


REGISTRY: tuple[Judged, ...] = (Judged("Hurricane", hurricane.has_storm, hurricane.facts_of),)
"""Facts by scenario; the first that applies to a run judges it."""


def judged_by(run: "Run") -> Judged | None:
    """The facts that a run is judged by, None if there are none."""
    return next((one for one in REGISTRY if one.applies(run)), None)
