"""Facts over many seeds, and the arm without a storm, as tables."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from memopolis.analysis.compare.intervals import interval
from memopolis.analysis.facts.fact import Fact, Value
from memopolis.analysis.facts.hurricane import facts_of
from memopolis.analysis.facts.reading import taken
from memopolis.analysis.metrics.recovery import ratio
from memopolis.sim.errors import ParameterError

if TYPE_CHECKING:
    from memopolis.analysis.run.run import Run

NULL_ARM = "No storm, no response"
DANGERS = ("disaster", "order", "evacuation")
"""Topics of memories that only a storm causes; earlier storms have other topics."""


def facts_table(
    runs: "Sequence[Run]", paired_runs: "Sequence[Run] | None" = None, *, confidence: float = 0.95
) -> pd.DataFrame:
    """Judge the facts over many seeds.

    Args:
        runs: One per seed.
        paired_runs: Of the same seeds in the same order, without storm and orders.
        confidence: Of the intervals, in (0, 1).

    Returns:
        One row a number: fact, statement, what, unit, tolerance, mean, low, high (the interval
        over seeds), seeds, held (share of the seeds whose own number is tolerated), holds
        (the mean is tolerated; None where no seed has the number or there is no tolerance) and
        surely (the whole interval is).

    Raises:
        ParameterError: If no run is given, or a pair differs in seed or start.
    """
    if not runs:
        raise ParameterError("facts are judged over at least one run; none is given")
    paired = [None] * len(runs) if paired_runs is None else list(paired_runs)
    if len(paired) != len(runs):
        raise ParameterError(f"{len(runs)} runs have {len(paired)} paired runs; each needs one")
    per_seed = [facts_of(run, other) for run, other in zip(runs, paired, strict=True)]
    return judged(per_seed, confidence=confidence)


def null_arm_table(runs: "Sequence[Run]", *, confidence: float = 0.95) -> pd.DataFrame:
    """Judge that without a storm nothing looks like a response to one.

    Args:
        runs: Without storm and orders, one per seed.
        confidence: Of the intervals, in (0, 1).

    Returns:
        As `facts_table`.

    Raises:
        ParameterError: If no run is given.
    """
    if not runs:
        raise ParameterError("the null arm is judged over at least one run; none is given")
    return judged([[no_response(run)] for run in runs], confidence=confidence)


def no_response(run: "Run") -> Fact:
    """What must stay still where no storm comes; a week's rhythm is allowed for."""
    fear, prepared = run.measure("fear"), run.measure("emergency_preparedness")
    visits = run.measure("store_visits").resample("D").sum()
    weekly = ratio(visits.to_numpy()[7:], visits.to_numpy()[:-7])
    dangerous = (
        run.table("memories")["topic"].isin(DANGERS).sum() if "memories" in run.tables else np.nan
    )
    values = (
        Value("evacuated share", taken("evacuated_share", "end")(run), 0, 0, "%"),
        Value("departures", taken("departures", "sum")(run), 0, 0),
        Value("memories of danger", float(dangerous), 0, 0),
        Value(
            "largest daily rise of fear, points",
            float((fear.resample("D").mean() - fear.iloc[0]).max()),
            high=0.1,
        ),
        Value(
            "change of preparedness, points",
            float(abs(prepared.iloc[-1] - prepared.iloc[0])),
            high=0.1,
        ),
        Value(
            "store visits against a week before, highest",
            float(np.nanmax(weekly)) if len(weekly) else np.nan,
            high=1.25,
            unit="x",
        ),
    )
    return Fact("null", NULL_ARM, values, "this project: a null arm")


def judged(per_seed: Sequence[Sequence[Fact]], *, confidence: float) -> pd.DataFrame:
    """Put the facts of many seeds side by side.

    A number holds when its mean over seeds is tolerated: a single seed of a thousand agents
    may miss by chance, and an interval that touches the bound says so in `surely`.

    Args:
        per_seed: Facts by seed, the same ones in the same order.
        confidence: Of the intervals, in (0, 1).
    """
    rows = []
    for same in zip(*per_seed, strict=True):
        fact = same[0]
        by_number = zip(*(one.values for one in same), strict=True)  # noqa: PD011 - no DataFrame
        rows += rows_of(fact.id, fact.statement, by_number, confidence=confidence)
    return pd.DataFrame(rows)


def rows_of(
    fact: str,
    statement: str,
    numbers: Iterable[Sequence[Value]],
    *,
    confidence: float = 0.95,
) -> list[dict[str, object]]:
    """Rows of a fact, as `facts_table` has them.

    Args:
        fact: Its id.
        statement: What it says.
        numbers: For each number of it, the values of all seeds.
        confidence: Of the intervals, in (0, 1).
    """
    named = {"fact": fact, "statement": statement}
    return [{**named, **_row(values, confidence)} for values in numbers]


def _row(values: Sequence[Value], confidence: float) -> dict[str, object]:
    first = values[0]
    mean = interval([value.value for value in values], confidence=confidence)
    single = [value.holds for value in values if value.holds is not None]
    judges = bool(single)
    # One seed has no interval: then nothing is sure.
    ends = np.array([mean.low, mean.high])
    surely = not np.isnan(ends).any() and all(first.tolerates(float(end)) for end in ends)
    return {
        "what": first.what,
        "unit": first.unit,
        "tolerance": first.tolerance,
        "mean": mean.mean,
        "low": mean.low,
        "high": mean.high,
        "seeds": mean.seeds,
        "held": float(np.mean(single)) if judges else np.nan,
        "holds": first.tolerates(mean.mean) if judges else None,
        "surely": surely if judges else None,
    }
