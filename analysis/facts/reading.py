"""What several facts read of a run."""

from datetime import datetime
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from memopolis.sim.errors import RunFolderError
from memopolis.sim.outcomes import Outcome

if TYPE_CHECKING:
    from collections.abc import Callable

    from memopolis.analysis.run.run import Run

NONE = float("nan")
"""A number that a run has nothing to measure for."""


def taken(measure: str, way: str) -> "Callable[[Run], float]":
    """What takes an outcome of a run: a measure at its "end", its "mean" or "sum" over time."""
    outcome = Outcome(measure, measure, way)
    return lambda run: outcome.measured(run.folder)


def people_at_end(run: "Run") -> pd.DataFrame:
    """Citizens as they were when last recorded."""
    people = run.agents_of("citizen")
    last: pd.DataFrame = people[people["tick"] == people["tick"].max()]
    return last


def tick_of(run: "Run", fact: str) -> float:
    """Tick of a date among the run's facts, not rounded.

    Raises:
        RunFolderError: If the run has no such date.
    """
    since = pd.Timestamp(moment_of(run, fact)) - pd.Timestamp(run.start)
    return float(since / pd.Timedelta(hours=run.hours))


def moment_of(run: "Run", fact: str) -> datetime:
    """Date among the run's facts, which its other facts rely on.

    Raises:
        RunFolderError: If the run has no such date.
    """
    when = run.date_of(fact)
    if when is None:
        raise RunFolderError(f"the run in {run.folder} is broken: its fact {fact} is not a date")
    return when


def hours_of(run: "Run", ticks: int) -> NDArray[np.float64]:
    """Hours since the first of some ticks, shape (ticks,)."""
    return np.arange(ticks, dtype=np.float64) * run.hours
