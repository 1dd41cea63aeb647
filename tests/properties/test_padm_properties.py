"""The protective action decision: values are in range and rise with danger, orders and means."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray

from memopolis.scenarios.hurricane.blocks.return_home import return_probability
from memopolis.scenarios.hurricane.padm import (
    ORDER_KM,
    Pace,
    belief_in_order,
    believed_impact,
    combine_ratings,
    coping_appraisal,
    leaving_probability,
    perceived_threat,
    readiness,
)

Float32 = NDArray[np.float32]

share = st.floats(0, 1, width=32)
rating = st.floats(0, 10, width=32)
doubt = st.floats(0.01, 10)
scale = st.floats(0.1, 100)


def recalled(elements: st.SearchStrategy[float]) -> st.SearchStrategy[Float32]:
    return hnp.arrays(np.float32, (3, 4), elements=elements)


@given(recalled(st.floats(0, 10, width=32)), recalled(st.floats(0, 2, width=32)), doubt, scale)
def test_threat_is_a_share_and_grows_with_the_expected_harm(
    weight: Float32, harm: Float32, doubt: float, scale: float
) -> None:
    impact = believed_impact(weight, harm, doubt=doubt)
    assert (impact >= 0).all()
    assert (impact <= harm.max(axis=1) + 1e-4).all()
    threat = perceived_threat(impact, scale=scale)
    assert threat.dtype == np.float32
    assert ((threat >= 0) & (threat <= 1)).all()
    worse = perceived_threat(believed_impact(weight, harm + 0.2, doubt=doubt), scale=scale)
    assert (worse >= threat - 1e-5).all()
    assert (perceived_threat(impact, scale=scale * 2) <= threat + 1e-6).all()


@given(recalled(st.floats(0, 10, width=32)), recalled(st.floats(0, 2, width=32)), doubt)
def test_doubt_lowers_the_expected_harm(weight: Float32, harm: Float32, doubt: float) -> None:
    impact = believed_impact(weight, harm, doubt=doubt)
    assert (believed_impact(weight, harm, doubt=2 * doubt) <= impact + 1e-5).all()


def test_an_order_is_believed_less_far_from_the_sea() -> None:
    belief = belief_in_order(np.array([0.0, 5.0, 20.0, 150.0, np.nan]))
    assert belief.dtype == np.float32
    assert (np.diff(belief[:4]) < 0).all()
    assert belief[2] == pytest.approx(np.exp(-20 / ORDER_KM), abs=1e-6)
    assert belief[[0, 4]].tolist() == [1, 1]  # unknown distances count as the shore


@pytest.mark.parametrize(("adults", "k"), [(0, 3), (2, 0)])
def test_without_recalled_memories_there_is_no_threat(adults: int, k: int) -> None:
    nothing = np.zeros((adults, k), np.float32)
    threat = perceived_threat(believed_impact(nothing, nothing, doubt=0.2), scale=1)
    assert threat.tolist() == [0] * adults


@given(st.floats(0, 1e7, width=32), st.booleans(), st.booleans(), st.booleans())
def test_coping_rises_with_means(income: float, vehicle: bool, kin: bool, pets: bool) -> None:  # noqa: FBT001
    def cope(income: float, vehicle: bool, kin: bool, pets: bool) -> float:  # noqa: FBT001
        one = coping_appraisal(
            np.array([vehicle]), np.array([income], np.float32), np.array([kin]), np.array([pets])
        )
        return float(one[0])

    now = cope(income, vehicle, kin, pets)
    assert -1 <= now <= 1
    assert cope(income + 1_000, vehicle, kin, pets) >= now
    assert cope(income, True, kin, pets) >= now  # noqa: FBT003
    assert cope(income, vehicle, True, pets) >= now  # noqa: FBT003
    assert cope(income, vehicle, kin, True) <= now  # noqa: FBT003


@given(hnp.arrays(np.float64, st.integers(0, 6), elements=st.floats(-200, 200)))
def test_readiness_is_in_range_and_rises_with_threat(logit: NDArray[np.float64]) -> None:
    with np.errstate(all="raise", under="ignore"):
        rated = readiness(np.sort(logit))
    assert ((rated >= 0) & (rated <= 10)).all()
    assert (np.diff(rated) >= 0).all()
    assert readiness(np.zeros(1))[0] == 5


households = st.lists(st.lists(rating, min_size=1, max_size=4), min_size=1, max_size=5)


@given(households, share)
def test_household_readiness_is_between_mean_and_maximum(
    houses: list[list[float]], weight: float
) -> None:
    ratings = np.array([r for house in houses for r in house], np.float32)
    first = np.cumsum([0, *(len(house) for house in houses[:-1])]).astype(np.intp)
    together = combine_ratings(ratings, first, most_concerned=weight)
    assert together.shape == (len(houses),)
    for house, rated in zip(houses, together, strict=True):
        assert np.mean(house) - 1e-4 <= rated <= max(house) + 1e-4
    assert combine_ratings(ratings, first, most_concerned=1).tolist() == pytest.approx(
        [max(house) for house in houses]
    )


def test_no_households_give_an_empty_result() -> None:
    empty = np.zeros(0, np.float32)
    assert combine_ratings(empty, np.zeros(0, np.intp), most_concerned=1).shape == (0,)


paces = st.builds(
    Pace,
    every=st.floats(0.5, 24),
    wait=st.floats(0.1, 100),
    night=share,
    evening=share,
    too_late=st.floats(0, 48),
)


@given(st.floats(0, 23.99), st.floats(0, 120, width=32), paces)
def test_the_probability_of_leaving_is_in_0_to_1(hour: float, left: float, pace: Pace) -> None:
    def chance(pace: Pace, *, ready: bool) -> float:
        is_ready = np.array([ready])
        return float(leaving_probability(is_ready, hour, np.array([left], np.float32), pace)[0])

    assert 0 <= chance(pace, ready=True) <= 1
    assert chance(pace, ready=False) == 0
    longer = replace(pace, wait=2 * pace.wait)
    assert chance(longer, ready=True) <= chance(pace, ready=True) + 1e-6


def test_fewer_leave_by_night() -> None:
    pace = Pace(every=3, wait=5, night=0.1, evening=0.4, too_late=12)
    ready, left = np.array([True]), np.array([48], np.float32)
    by_hour = [float(leaving_probability(ready, hour, left, pace)[0]) for hour in (3, 12, 21)]
    assert by_hour == pytest.approx(
        [1 - np.exp(-0.06), 1 - np.exp(-0.6), 1 - np.exp(-0.24)], rel=1e-5
    )


@given(st.floats(0.01, 100), st.floats(0.01, 1_000))
def test_the_probability_of_returning_saturates(hours: float, mean: float) -> None:
    chance = float(return_probability(hours, np.array([mean]))[0])
    assert 0 < chance <= 1
    # Two hours at once are two hours in turn.
    twice = float(return_probability(2 * hours, np.array([mean]))[0])
    assert twice == pytest.approx(1 - (1 - chance) ** 2)
