"""The fact about roads (H-P9): how long the vehicles of evacuees need to leave the region."""

import math

import numpy as np

from memopolis.analysis.facts.fact import Fact, make_fact
from memopolis.analysis.facts.reading import NONE, outcome_of, tick_of
from memopolis.analysis.run.run import Run

MEASURE = "vehicles_cleared"  # measure of the vehicles that have left the region so far


def clearance_hours(run: Run, share: float) -> float:
    """Measure the hours from the order in force until a share of the vehicles that leave has left.

    NaN without an order, a vehicle that leaves, or the measure `vehicles_cleared`.
    """
    if MEASURE not in run.measured or not run.date_of("ordered"):
        return NONE
    cleared = run.measure(MEASURE).to_numpy()
    if not len(cleared) or cleared[-1] <= 0:
        return NONE
    # The value of a step is that at its end.
    enough = int(np.argmax(cleared >= share * cleared[-1] * (1 - 1e-9))) + 1
    return float((enough - tick_of(run, "ordered")) * run.hours)


def describe_clearance(run: Run) -> str:
    """Describe the clearance time in words; empty without an order or a vehicle that leaves."""
    most, every = (clearance_hours(run, share) for share in (0.9, 1.0))
    if math.isnan(most):
        return ""
    return f"90% of the vehicles left by {_after(most)} the order in force, all by {_after(every)}"


def _after(hours: float) -> str:
    return f"{hours:.0f} h after" if hours >= 0 else f"{-hours:.0f} h before"


def clearing(run: Run, _paired: Run | None = None) -> Fact:
    """H-P9: the region is cleared about as fast as its planners expect."""
    delay = outcome_of("delay", "end")(run) if "delay" in run.measured else NONE
    numbers = {
        "hours until 90% of the vehicles left": clearance_hours(run, 0.9),
        "hours until all left": clearance_hours(run, 1.0),
        "mean delay of a household on the way out": delay,
    }
    return make_fact("H-P9", numbers)
