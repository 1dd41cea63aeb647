"""Scores of frozen predictions."""

import math
from pathlib import Path

import numpy as np
import pytest
from tests.analysis.challenge.conftest import OUTCOMES, write_case

from memopolis.analysis.challenge.case import Case, read_case
from memopolis.analysis.challenge.scoring import (
    Scores,
    crps,
    jackknife_interval,
    prediction_interval,
    rank_correlation,
    score,
)
from memopolis.analysis.challenge.submission import read_submission
from memopolis.analysis.compare.intervals import binomial_interval, interval
from memopolis.sim.errors import DataFileError, ParameterError


def submit(tmp_path: Path, case: Case, engine: str, *rows: str) -> Scores:
    file = tmp_path / f"{engine}.csv"
    file.write_text("\n".join(["case,quantity,member,value", *rows]))
    return score([case], [read_submission(file, [case])])


def test_an_exact_forecast_scores_0_and_no_change_has_no_skill(
    folder: Path, tmp_path: Path
) -> None:
    case = read_case(folder)
    exact = submit(tmp_path, case, "exact", "small,support,1,0.1", "small,gap,1,3").leaderboard
    assert list(exact["set"]) == ["held out", "fitted"]
    assert list(exact["score"]) == [0, 0]
    assert list(exact["skill"]) == [1, 1]
    assert list(exact["within"]) == [1, 1]
    nothing = submit(tmp_path, case, "nothing", "small,support,1,0", "small,gap,1,0").leaderboard
    assert list(nothing["skill"]) == [0, 0]
    assert list(nothing["score"]) == [1, 3]  # in half widths of the bounds


def test_what_is_not_predicted_is_scored_as_no_change(folder: Path, tmp_path: Path) -> None:
    board = submit(tmp_path, read_case(folder), "half", "small,support,1,0.15").leaderboard
    assert list(board["predicted"]) == [1, 0]
    assert list(board["score"]) == pytest.approx([0.5, 3])


def test_each_outcome_of_an_ensemble(folder: Path, tmp_path: Path) -> None:
    rows = [f"small,support,{seed},{value}" for seed, value in enumerate((0.05, 0.15, 0.25))]
    each = submit(tmp_path, read_case(folder), "several", *rows).each
    (row,) = each.to_dict("records")
    assert row["predicted"] == pytest.approx(0.15)
    assert row["error"] == pytest.approx(0.05)
    assert row["error_low"] == 0
    assert row["error_high"] == pytest.approx(0.05 + 4.302653 * 0.1 / math.sqrt(3))
    assert row["interval_low"] < 0.1 < row["interval_high"]
    assert row["covered"] is True
    assert row["within"] is True
    # mean |x - y| = 0.25 / 3; sum over pairs |x - x'| = 0.8, over 2 * 3 * 2
    assert row["crps"] == pytest.approx(0.25 / 3 - 0.8 / 12)


def test_an_interval_that_misses_is_not_covered(folder: Path, tmp_path: Path) -> None:
    rows = [f"small,support,{seed},{value}" for seed, value in enumerate((0.30, 0.31, 0.32))]
    board = submit(tmp_path, read_case(folder), "sure", *rows).leaderboard
    assert board["covered"][0] == 0
    assert board["coverable"][0] == 1
    assert board["within"][0] == 0
    assert board["score_low"][0] < board["score"][0] < board["score_high"][0]


def test_rank_correlation_of_a_group(tmp_path: Path) -> None:
    cases = [
        read_case(
            write_case(tmp_path / name, outcomes=OUTCOMES.replace("support,0.1", f"support,{v}"))
        )
        for name, v in (("one", 0.02), ("two", 0.1), ("three", 0.15))
    ]
    file = tmp_path / "ordered.csv"
    rows = [
        f"{name},support,{seed},{value + seed / 100}"
        for name, value in (("one", 1), ("two", 2), ("three", 3))
        for seed in (1, 2)
    ]
    file.write_text("\n".join(["case,quantity,member,value", *rows]))
    (row,) = score(cases, [read_submission(file, cases)]).ranks.to_dict("records")
    assert (row["group"], row["outcomes"]) == ("support", 3)
    assert row["rank_correlation"] == pytest.approx(1)
    assert (row["low"], row["high"]) == pytest.approx((1, 1))


def test_predictions_that_changed_since_they_were_frozen_are_refused(
    folder: Path, tmp_path: Path
) -> None:
    file = tmp_path / "late.csv"
    file.write_text("case,quantity,member,value\nsmall,support,1,0.3\n")
    case = read_case(folder)
    submission = read_submission(file, [case])
    file.write_text("case,quantity,member,value\nsmall,support,1,0.1\n")
    with pytest.raises(DataFileError, match="changed after it was frozen"):
        score([case], [submission])
    with pytest.raises(ParameterError, match="no predictions"):
        score([case], [])


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("gap,3,2,4", "gab,3,2,4", "row 2, column quantity: 'gab' is unknown"),
        ("gap,3,2,4", "support,3,2,4", "unknown or occurs twice"),
        ('gap,3,2,4,interval,cited,"a study, 2020"\n', "", "no row for gap"),
        ("gap,3,2,4", "gap,5,2,4", "low, value and high are 2, 5 and 4"),
        ("gap,3,2,4", "gap,3,3,3", "low be below high"),
        ("gap,3,2,4", "gap,nan,2,4", "column value: 'nan', expected a number"),
        ("cited", "known", "expected one of cited, recalled"),
        ("interval", "guess", "expected one of interval, range, tolerance"),
        ("nowhere", "", "column source: empty"),
    ],
)
def test_a_mistake_in_outcomes_is_one_line(
    tmp_path: Path, old: str, new: str, message: str
) -> None:
    assert old in OUTCOMES
    case = read_case(write_case(tmp_path / "small", outcomes=OUTCOMES.replace(old, new, 1)))
    with pytest.raises(DataFileError) as caught:
        submit(tmp_path, case, "any", "small,support,1,0")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


MEMBERS = np.array([0.5, 0.55, 0.62, 0.7])


def test_crps_equals_that_of_scoringrules() -> None:
    # scoringrules 0.11: crps_ensemble(0.6, MEMBERS, estimator="fair")
    assert crps(MEMBERS, 0.6) == pytest.approx(0.011666666666666659)


def test_crps_of_a_single_member_is_its_error() -> None:
    assert crps([0.5], 0.75) == 0.25


def test_fair_crps_does_not_favour_small_ensembles() -> None:
    draws = np.sin(np.arange(4_000) * 12.9898) * 43_758.5453 % 1
    values = np.sin(np.arange(1_000) * 78.233) * 12_345.678 % 1
    few, many = (
        np.mean([crps(draws[i * size : (i + 1) * size], values[i]) for i in range(4_000 // size)])
        for size in (4, 40)
    )
    assert few == pytest.approx(many, abs=0.03)
    assert many == pytest.approx(1 / 6, abs=0.04)  # of a uniform distribution


def test_prediction_interval_is_that_of_student() -> None:
    low, high = prediction_interval([1.0, 2.0, 3.0], confidence=0.9)
    half = 2.919986 * 1.0 * math.sqrt(4 / 3)
    assert (low, high) == pytest.approx((2 - half, 2 + half), rel=1e-6)
    assert all(map(math.isnan, prediction_interval([1.0])))
    with pytest.raises(ParameterError, match="confidence is 1"):
        prediction_interval([1.0, 2.0], confidence=1)


def test_rank_correlation() -> None:
    assert rank_correlation([1, 5, 9], [0.1, 0.2, 0.9]) == pytest.approx(1)
    assert rank_correlation([9, 5, 1], [0.1, 0.2, 0.9]) == pytest.approx(-1)
    assert math.isnan(rank_correlation([1, 2], [1, 2]))
    assert math.isnan(rank_correlation([0, 0, 0], [1, 2, 3]))


def test_jackknife_of_a_mean_is_the_t_interval() -> None:
    jackknifed = jackknife_interval(lambda at: float(MEMBERS[at].mean()), 4)
    assert jackknifed == pytest.approx(interval(MEMBERS))
    assert math.isnan(jackknife_interval(lambda at: float(MEMBERS[at].mean()), 2).low)


def test_wilsons_interval() -> None:
    # Newcombe 1998, table I: 15 of 148.
    assert binomial_interval(15, 148) == pytest.approx((0.0624, 0.1605), abs=1e-4)
    assert all(map(math.isnan, binomial_interval(0, 0)))
