"""Facts H-P1 to H-P8: what an evacuation and its aftermath look like, read from tables.

Each takes a run and, where a baseline is needed, the paired run: same seed and settings,
without storm and orders. Real figures and their sources are in the scenario's README; the
tolerances are those of its table of stylised facts.
"""

from typing import TYPE_CHECKING

from memopolis.analysis.facts.aftermath import feelings, mobility_back, returns, stocking_up
from memopolis.analysis.facts.leaving import (
    destinations,
    order_and_leaving,
    when_they_leave,
    who_leaves,
)
from memopolis.sim.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable

    from memopolis.analysis.facts.fact import Fact
    from memopolis.analysis.run.run import Run

FACTS: "tuple[Callable[[Run, Run | None], Fact], ...]" = (
    order_and_leaving,
    who_leaves,
    when_they_leave,
    stocking_up,
    mobility_back,
    destinations,
    returns,
    feelings,
)
"""Every fact, in order."""


def has_storm(run: "Run") -> bool:
    """Whether a storm comes near in a run, and it recorded what the facts need."""
    comes = run.date_of("nearest") is not None
    return comes and "agents_citizen" in run.tables and "evacuated_share" in run.measured


def facts_of(run: "Run", paired: "Run | None" = None) -> "list[Fact]":
    """All facts of a run; those that need the paired run have no values without it.

    Raises:
        ParameterError: If the pair has another seed or begins at another time.
    """
    if paired is not None:
        check_pair(run, paired)
    return [fact(run, paired) for fact in FACTS]


def check_pair(run: "Run", paired: "Run") -> None:
    """Reject a pair of runs with different seeds or days.

    Raises:
        ParameterError: If the pair has another seed or begins at another time.
    """
    for what in ("seed", "start", "hours"):
        mine, other = getattr(run, what), getattr(paired, what)
        if mine != other:
            raise ParameterError(
                f"{run.folder} and its pair {paired.folder} differ in {what}: {mine} and {other}; "
                f"paired runs share seed, start and tick, so give them the same"
            )
