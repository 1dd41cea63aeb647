"""Points and sums, by hand."""

import numpy as np
import pytest

from memopolis.sim.survey.named import CES_D, CUT_OFF
from memopolis.sim.survey.survey import points, total


def cesd_points(ratings: list[float]) -> float:
    items = CES_D.counted(CES_D.scores[0])
    low, high = (np.array([getattr(item, name) for item in items]) for name in ("low", "high"))
    turned = np.array([item.reversed for item in items])
    return float(total(points(np.array(ratings, float), low, high, turned)[None])[0])


def test_reversed_items_are_scored_in_reverse() -> None:
    low, high = np.array([0.0, 0, 0, 1]), np.array([3.0, 3, 3, 7])
    result = points(np.array([0.0, 1, 3, 2]), low, high, np.array([True, True, False, True]))
    assert result.tolist() == [3, 2, 3, 6]  # low + high - rating


def test_the_items_4_8_12_and_16_of_the_cesd_are_reversed() -> None:
    numbers = [n for n, item in enumerate(CES_D.items, 1) if item.reversed]
    assert numbers == [4, 8, 12, 16]
    assert len(CES_D.items) == 20
    assert {(item.low, item.high, item.step) for item in CES_D.items} == {(0, 3, 1)}


def test_the_cesd_runs_from_0_to_60() -> None:
    happiest = [3.0 if CES_D.items[n - 1].reversed else 0.0 for n in range(1, 21)]
    assert cesd_points(happiest) == 0
    assert cesd_points([3 - rating for rating in happiest]) == 60


def test_lowest_answers_score_only_the_four_reversed_items() -> None:
    assert cesd_points([0.0] * 20) == 12  # 4 x (0 + 3 - 0)
    assert cesd_points([3.0] * 20) == 48  # 16 x 3


def test_a_score_of_sixteen_is_a_case() -> None:
    assert cesd_points([1.0] * 20) == 24  # 16 x 1 + 4 x (3 - 1)
    assert CES_D.scores[0].cut_off == CUT_OFF == 16


def test_a_missing_answer_gives_no_score() -> None:
    assert np.isnan(cesd_points([np.nan, *[0.0] * 19]))
    assert total(np.array([[1.0, 2], [np.nan, 2]])).tolist() == pytest.approx(
        [3, np.nan], nan_ok=True
    )
