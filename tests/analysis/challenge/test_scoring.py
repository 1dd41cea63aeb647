"""Scores of frozen predictions."""

import math
from pathlib import Path

import pytest
from tests.analysis.challenge.conftest import OUTCOMES, write_case

from memopolis.analysis.challenge import Case, Scores, read_case, read_submission, score
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
