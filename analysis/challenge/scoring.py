"""Score frozen predictions: the only place that opens the outcomes of a case.

`outcomes.csv` of a case has a row for each quantity:

| column | content |
| --- | --- |
| quantity | name as in `case.toml` |
| value | observed value; shares as fractions |
| low, high | its interval, or the tolerance of the comparison; half of its width is the scale |
| bounds | interval (published), range (of several sources), tolerance (set here) |
| label | cited (with the place) or recalled |
| source | source of the value |
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.special import stdtrit
from scipy.stats import spearmanr

from memopolis.analysis.challenge.case import OUTCOMES, Case, Quantity, check_file
from memopolis.analysis.challenge.submission import Submission, check_engines
from memopolis.analysis.compare.intervals import (
    NAN,
    Interval,
    binomial_interval,
    check_confidence,
    interval,
)
from memopolis.analysis.facts.basis import Basis
from memopolis.sim.errors import DataFileError, ParameterError
from memopolis.sim.world.columns import read_rules, read_table

# Scores of predictions, as functions of arrays.


def crps(members: ArrayLike, value: float) -> float:
    """Compute the continuous ranked probability score of an ensemble, in units of the value.

    The score is proper: it is lowest in expectation for the true distribution. This form is fair:
    its expectation does not depend on the number of members. Returns the mean |x - y| - sum |x -
    x'| / (2 m (m - 1)) for at least one member, shape (members,); the absolute error for a single
    one.

    Source: Gneiting and Raftery 2007, eq. 21, doi:10.1198/016214506000001437; fair form: Ferro
    2014, doi:10.1002/qj.2270.
    """
    x = np.asarray(members, np.float64)
    error = float(np.abs(x - value).mean())
    if len(x) == 1:
        return error
    spread = float(np.abs(x[:, None] - x[None, :]).sum())
    return error - spread / (2 * len(x) * (len(x) - 1))


def prediction_interval(members: ArrayLike, *, confidence: float = 0.9) -> tuple[float, float]:
    """Compute the interval in which a further member is expected.

    Returns mean +- t(m - 1) sd sqrt(1 + 1 / m), for normal values; NaN for fewer than two members.
    Raises ParameterError if `confidence` is not between 0 and 1. `members` are predicted values,
    shape (members,).

    Source: Hahn 1969, doi:10.2307/1266896.
    """
    check_confidence(confidence)
    x = np.asarray(members, np.float64)
    count = len(x)
    if count < 2:
        return NAN, NAN
    half = stdtrit(count - 1, (1 + confidence) / 2) * x.std(ddof=1) * np.sqrt(1 + 1 / count)
    return float(x.mean() - half), float(x.mean() + half)


def rank_correlation(predicted: ArrayLike, observed: ArrayLike) -> float:
    """Compute Spearman's rank correlation; NaN for fewer than three values or equal ones.

    Both arguments have shape (outcomes,).
    """
    one, other = np.asarray(predicted, np.float64), np.asarray(observed, np.float64)
    if len(one) < 3 or not np.ptp(one) or not np.ptp(other):
        return NAN
    return float(spearmanr(one, other).statistic)


def jackknife_interval(statistic: Callable[[NDArray[np.intp]], float], members: int) -> Interval:
    """Compute a statistic of members, such as seeds, with an interval for any such statistic.

    `statistic` takes positions of members, shape (n,). Returns that of all members, and Student's
    95 % t interval with the standard error of leaving out one member at a time; without an interval
    for fewer than three members.

    Source: Tukey 1958, doi:10.1214/aoms/1177706647; Efron and Tibshirani 1993, chapter 11.
    """
    every = np.arange(members)
    whole = statistic(every)
    if members < 3 or np.isnan(whole):
        return Interval(whole, NAN, NAN, members)
    left = np.array([statistic(np.delete(every, one)) for one in every])
    error = np.sqrt((members - 1) * left.var())
    half = float(stdtrit(members - 1, 0.975) * error)
    return Interval(whole, whole - half, whole + half, members)


def mean_of(values: Sequence[float]) -> float:
    """Return the mean of numbers that are not missing (NaN); NaN without any."""
    known = [value for value in values if not np.isnan(value)]
    return float(np.mean(known)) if known else NAN


CONFIDENCE = 0.9  # of prediction intervals
SETS: Mapping[str, tuple[Basis, ...]] = {
    "held out": (Basis.INDEPENDENT,),
    "fitted": (Basis.CALIBRATED, Basis.IMPOSED),
}
"""Sets of outcomes by what the settings of Memopolis were fitted to."""
_COLUMNS = read_rules(__file__, "observed")


@dataclass(frozen=True)
class Outcome:
    """An observed outcome of a case, with the columns above."""

    case: str
    quantity: Quantity
    value: float
    low: float
    high: float
    bounds: str
    label: str
    source: str

    @property
    def scale(self) -> float:
        """Half of the width of the interval or tolerance."""
        return (self.high - self.low) / 2


@dataclass(frozen=True, eq=False)
class Scores:
    """Scores of all engines."""

    each: pd.DataFrame  # one row per engine and outcome; see `docs/challenge.md` for the columns
    ranks: pd.DataFrame  # one row per engine, set and group of outcomes: the rank correlation
    leaderboard: pd.DataFrame  # one row per engine and set of outcomes, best first


def score(cases: Sequence[Case], submissions: Sequence[Submission]) -> Scores:
    """Open the outcomes of cases, and score predictions that were frozen before.

    Raises ParameterError if there are no predictions, or two engines have the same name, or
    DataFileError if predictions changed since they were frozen, or outcomes are invalid.
    """
    if not submissions:
        raise ParameterError("no predictions are given; outcomes are only read to score some")
    check_engines([submission.engine for submission in submissions])
    for submission in submissions:
        submission.check()
    outcomes = [outcome for case in cases for outcome in _read_outcomes(case)]
    each = pd.DataFrame([row for one in submissions for row in _score_each(one, outcomes)])
    ranks: list[dict[str, object]] = []
    board: list[dict[str, object]] = []
    for name, bases in SETS.items():
        chosen = [outcome for outcome in outcomes if outcome.quantity.basis in bases]
        if chosen:
            own = [_ranks(one, name, chosen) for one in submissions]
            ranks += [row for rows in own for row in rows]
            rows = [
                _row(one, name, chosen, of_groups)
                for one, of_groups in zip(submissions, own, strict=True)
            ]
            board += sorted(rows, key=lambda row: (float(str(row["score"])), str(row["engine"])))
    return Scores(each, pd.DataFrame(ranks), pd.DataFrame(board))


def _read_outcomes(case: Case) -> list[Outcome]:
    file = case.folder / OUTCOMES
    check_file(file)
    table = read_table(file, _COLUMNS)
    quantities = {quantity.name: quantity for quantity in case.quantities}
    names = [str(name) for name in table["quantity"]]
    for number, name in enumerate(names, start=1):
        if name not in quantities or names.index(name) < number - 1:
            raise DataFileError(
                f"{file}, row {number}, column quantity: {name!r} is unknown or occurs twice; "
                f"known are {', '.join(quantities)}"
            )
    missing = [name for name in quantities if name not in names]
    if missing:
        raise DataFileError(f"{file}: no row for {', '.join(missing)}; add one for each quantity")
    rows = table[list(_COLUMNS)].to_dict("records")
    for number, row in enumerate(rows, start=1):
        if not row["low"] <= row["value"] <= row["high"] or row["low"] >= row["high"]:
            raise DataFileError(
                f"{file}, row {number}: low, value and high are {row['low']:g}, {row['value']:g} "
                f"and {row['high']:g}; they must ascend, and low be below high"
            )
    return [
        Outcome(case.name, **{**row, "quantity": quantities[str(row["quantity"])]})  # type: ignore[arg-type]
        for row in rows
    ]


def _score_each(submission: Submission, outcomes: Sequence[Outcome]) -> Iterator[dict[str, object]]:
    """Yield the scores of each outcome that an engine predicted."""
    for outcome in outcomes:
        x = _members_of(submission, outcome)
        if not len(x):
            continue
        mean = interval(x)
        low, high = prediction_interval(x, confidence=CONFIDENCE)
        # The error is smallest at the nearest and largest at the farthest end of the interval.
        ends = [abs(mean.low - outcome.value), abs(mean.high - outcome.value)]
        nearest = 0.0 if mean.low <= outcome.value <= mean.high else min(ends)
        quantity = outcome.quantity.model_dump()
        yield {
            "engine": submission.engine,
            "case": outcome.case,
            "quantity": quantity["name"],
            **{key: quantity[key] for key in ("what", "unit", "group", "basis", "reason")},
            **{key: getattr(outcome, key) for key in ("value", "low", "high", "bounds")},
            **{key: getattr(outcome, key) for key in ("label", "source")},
            "members": len(x),
            "predicted": mean.mean,
            "interval_low": low,
            "interval_high": high,
            "error": abs(mean.mean - outcome.value),
            "error_low": nearest if len(x) > 1 else np.nan,
            "error_high": max(ends),
            "scaled_error": abs(mean.mean - outcome.value) / outcome.scale,
            "within": outcome.low <= mean.mean <= outcome.high,
            "covered": low <= outcome.value <= high if len(x) > 1 else None,
            "crps": crps(x, outcome.value),
            "score": crps(x, outcome.value) / outcome.scale,
        }


def _members_of(submission: Submission, outcome: Outcome) -> NDArray[np.float64]:
    members = submission.predictions.get((outcome.case, outcome.quantity.name), {})
    return np.array(list(members.values()), np.float64)


def _ranks(
    submission: Submission, name: str, outcomes: Sequence[Outcome]
) -> list[dict[str, object]]:
    """Return the rank correlation of each group of outcomes, with its interval over members."""
    rows: list[dict[str, object]] = []
    for group in dict.fromkeys(one.quantity.group for one in outcomes if one.quantity.group):
        own = [one for one in outcomes if one.quantity.group == group]
        own = [one for one in own if len(_members_of(submission, one))]
        if len(own) < 3:
            continue
        observed = [one.value for one in own]
        every = [submission.predictions[one.case, one.quantity.name] for one in own]
        shared = [member for member in every[0] if all(member in values for values in every)]
        over = interval(
            [rank_correlation([values[m] for values in every], observed) for m in shared]
        )
        means = [float(np.mean(list(values.values()))) for values in every]
        rows.append(
            {
                "engine": submission.engine,
                "set": name,
                "group": group,
                "outcomes": len(own),
                "rank_correlation": rank_correlation(means, observed),
                "low": max(over.low, -1.0),
                "high": min(over.high, 1.0),
            }
        )
    return rows


def _row(
    submission: Submission,
    name: str,
    outcomes: Sequence[Outcome],
    ranks: Sequence[Mapping[str, object]],
) -> dict[str, object]:
    """Return the row of an engine in the leaderboard.

    Outcomes that it did not predict are scored as those of no change, which is 0.
    """
    scored = list(_score_each(submission, outcomes))
    missing = len(outcomes) - len(scored)
    covered = [row["covered"] for row in scored if row["covered"] is not None]
    members = max((len(_members_of(submission, one)) for one in outcomes), default=0)
    total = jackknife_interval(lambda at: _mean_score(submission, outcomes, at), max(members, 1))
    unchanged = float(np.mean([abs(one.value) / one.scale for one in outcomes]))
    low, high = binomial_interval(sum(map(bool, covered)), len(covered))
    return {
        "engine": submission.engine,
        "set": name,
        "outcomes": len(outcomes),
        "predicted": len(outcomes) - missing,
        "score": total.mean,
        "score_low": total.low,
        "score_high": total.high,
        "skill": 1 - total.mean / unchanged if unchanged else np.nan,
        "error": mean_of([float(row["scaled_error"]) for row in scored]),  # type: ignore[arg-type]
        "within": sum(bool(row["within"]) for row in scored),
        "covered": sum(map(bool, covered)),
        "coverable": len(covered),
        "coverage_low": low,
        "coverage_high": high,
        "rank_correlation": mean_of([float(row["rank_correlation"]) for row in ranks]),  # type: ignore[arg-type]
        "frozen": submission.sha256,
    }


def _mean_score(submission: Submission, outcomes: Sequence[Outcome], at: NDArray[np.intp]) -> float:
    """Return the mean score of the members at some positions; of all where there are fewer."""
    scores = []
    for outcome in outcomes:
        x = _members_of(submission, outcome)
        chosen = x[at] if len(x) > max(at, default=0) else x if len(x) else np.zeros(1)
        scores.append(crps(chosen, outcome.value) / outcome.scale)
    return float(np.mean(scores))
