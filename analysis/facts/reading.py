"""Read from runs what several facts need."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from memopolis.analysis.run.run import Run
from memopolis.sim.errors import ParameterError, RunFolderError, UnknownNameError
from memopolis.sim.outcomes import Outcome

NONE = float("nan")  # value of a number that a run cannot provide
BUREAU = "agents_statistics_bureau"  # table of what the statistics bureau publishes

type Arms = Mapping[str, Run]
"""One run of each arm, all of the same seed."""


def runs_by_seed(arms: Mapping[str, Sequence[Run]], required: Sequence[str] = ()) -> list[Arms]:
    """Turn runs by arm, of the same seeds in the same order, into arms by seed.

    Raises UnknownNameError if a required arm is missing, or ParameterError if seeds differ.
    """
    for name in required:
        if name not in arms:
            raise UnknownNameError(f"no arm {name!r}; there are {', '.join(arms) or 'none'}")
    seeds = {name: [run.seed for run in runs] for name, runs in arms.items()}
    first = next(iter(seeds), "")
    for name, own in seeds.items():
        if own != seeds[first]:
            raise ParameterError(
                f"arm {name!r} has the seeds {own}, arm {first!r} {seeds[first]}; "
                "paired arms need the same seeds in the same order"
            )
    return [dict(zip(arms, same, strict=True)) for same in zip(*arms.values(), strict=True)]


def outcome_of(measure: str, way: str) -> Callable[[Run], float]:
    """Return a function that reads a measure of a run: its "end", its "mean" or its "sum"."""
    outcome = Outcome(measure, measure, way)
    return lambda run: outcome.measured(run.folder)


def published(run: Run, column: str) -> pd.Series:
    """Return a figure of the statistics bureau by tick."""
    return run.table(BUREAU, [column]).set_index("tick")[column].astype(float)


def people_at_end(run: Run) -> pd.DataFrame:
    """Return the last recorded status of all citizens."""
    people = run.agents_of("citizen")
    last: pd.DataFrame = people[people["tick"] == people["tick"].max()]
    return last


def tick_of(run: Run, fact: str) -> float:
    """Return the tick of a date among the run's facts, not rounded; see `moment_of`."""
    since = pd.Timestamp(moment_of(run, fact)) - pd.Timestamp(run.start)
    return float(since / pd.Timedelta(hours=run.hours))


def moment_of(run: Run, fact: str) -> datetime:
    """Return a date among the run's facts. Raises RunFolderError if the run has no such date."""
    when = run.date_of(fact)
    if when is None:
        raise RunFolderError(f"the run in {run.folder} is broken: its fact {fact} is not a date")
    return when


def hours_of(run: Run, ticks: int) -> NDArray[np.float64]:
    """Return the hours since the first of some ticks, shape (ticks,)."""
    return np.arange(ticks, dtype=np.float64) * run.hours
