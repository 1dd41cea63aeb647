"""Feelings and attitudes stay in range and change in the direction of the evidence."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray

from memopolis.agents.appraisal import (
    BASELINE,
    update_feeling,
)
from memopolis.agents.attitude_rules import (
    compute_leaning,
    update_attitude,
    update_conviction,
)

Float32 = NDArray[np.float32]

share = st.floats(0, 1, width=32)
rating = st.floats(0, 10, width=32)
impulse = st.floats(-50, 50, width=32)
lean = st.floats(-1, 1, width=32)
weight = st.floats(0, 1e4, width=32)
gain = st.floats(0, 50)


def one(value: float) -> Float32:
    return np.array([value], np.float32)


def many(
    elements: st.SearchStrategy[float], rows: int = 4, k: int = 3
) -> st.SearchStrategy[Float32]:
    return hnp.arrays(np.float32, (rows, k), elements=elements)


# Feelings


@given(rating, impulse, gain, share)
def test_a_feeling_stays_in_range(level: float, push: float, gain: float, calm: float) -> None:
    felt = update_feeling(one(level), one(push), gain=gain, calm=calm)
    assert felt.dtype == np.float32
    assert 0 <= felt[0] <= 10


@given(rating, st.lists(impulse, min_size=2, max_size=6), gain, share)
def test_a_feeling_rises_with_its_impulse(
    level: float, pushes: list[float], gain: float, calm: float
) -> None:
    ordered = np.sort(np.array(pushes, np.float32))
    felt = update_feeling(np.full(len(ordered), level, np.float32), ordered, gain=gain, calm=calm)
    assert (np.diff(felt) >= -1e-5).all()


@given(rating, gain, share)
def test_a_feeling_returns_to_its_baseline_without_events(
    level: float, gain: float, calm: float
) -> None:
    felt = float(update_feeling(one(level), one(0), gain=gain, calm=calm)[0])
    assert abs(felt - BASELINE) <= abs(level - BASELINE) + 1e-5
    assert (felt - BASELINE) * (level - BASELINE) >= -1e-5
    assert felt == pytest.approx(level + calm * (BASELINE - level), abs=1e-4)


@given(rating, st.floats(0.015625, 20, width=32), st.floats(0.1, 50))
def test_relief_lowers_fear_to_its_baseline_and_danger_raises_it(
    fear: float, push: float, gain: float
) -> None:
    lower = float(update_feeling(one(fear), one(-push), gain=gain, calm=0)[0])
    higher = float(update_feeling(one(fear), one(push), gain=gain, calm=0)[0])
    assert lower <= fear <= higher
    if fear < 9.99:
        assert fear < higher
    if fear <= BASELINE:
        assert lower == fear
    else:
        assert lower >= BASELINE
    if fear > BASELINE + 0.01:
        assert lower < fear


@given(rating, impulse, share)
def test_without_gain_events_have_no_effect(level: float, push: float, calm: float) -> None:
    moved = update_feeling(one(level), one(push), gain=0, calm=calm)
    assert moved == pytest.approx(update_feeling(one(level), one(0), gain=3, calm=calm))


def test_two_events_at_once_equal_two_in_sequence() -> None:
    together = update_feeling(one(4), one(0.7), gain=3, calm=0)
    in_turn = update_feeling(
        update_feeling(one(4), one(0.3), gain=3, calm=0), one(0.4), gain=3, calm=0
    )
    assert together == pytest.approx(in_turn)


# Leanings


def weigh_memories(
    score: Float32, importance: Float32, confidence: Float32, effect: Float32
) -> Float32:
    return np.asarray(score * importance * confidence * (effect != 0))


# Weights so small that they vanish in float32 are left out.
some = st.just(0.0) | st.floats(0.015625, 1, width=32)


@given(
    many(some), many(some), many(some), many(st.just(0.0) | lean.filter(lambda x: abs(x) > 0.01))
)
def test_a_leaning_is_a_weighted_mean(
    score: Float32, importance: Float32, confidence: Float32, effect: Float32
) -> None:
    weight = weigh_memories(score, importance, confidence, effect)
    leans, weights = compute_leaning(weight, effect)
    assert leans.shape == weights.shape == (4,)
    assert (weights >= 0).all()
    assert ((leans >= -1) & (leans <= 1)).all()
    for row in range(4):
        counted = weight[row] > 0
        if not counted.any():
            assert leans[row] == 0
        else:
            bearing = effect[row][counted]
            assert bearing.min() - 1e-3 <= leans[row] <= bearing.max() + 1e-3


@given(many(st.floats(0, 100, width=32)), many(share), many(share), many(lean))
def test_opposite_effects_reverse_the_leaning(
    score: Float32, importance: Float32, confidence: Float32, effect: Float32
) -> None:
    weights = weigh_memories(score, importance, confidence, effect)
    present, weight = compute_leaning(weights, effect)
    back, same = compute_leaning(weigh_memories(score, importance, confidence, -effect), -effect)
    assert np.array_equal(present, -back)
    assert np.array_equal(weight, same)


@given(many(st.floats(0, 100, width=32)), many(share), many(share))
def test_irrelevant_memories_do_not_count(
    score: Float32, importance: Float32, confidence: Float32
) -> None:
    nothing = np.zeros((4, 3), np.float32)
    weight = weigh_memories(score, importance, confidence, nothing)
    leans, weights = compute_leaning(weight, nothing)
    assert not leans.any()
    assert not weights.any()


def test_repeated_memories_add_weight_without_changing_the_leaning() -> None:
    ones = np.ones((1, 3), np.float32)
    effect = np.array([[0.5, 0, 0]], np.float32)
    every = np.full((1, 3), 0.5, np.float32)
    lean_of_one, weight_of_one = compute_leaning(weigh_memories(ones, ones, ones, effect), effect)
    lean_of_all, weight_of_all = compute_leaning(weigh_memories(ones, ones, ones, every), every)
    assert lean_of_one == lean_of_all
    assert weight_of_all > weight_of_one


@pytest.mark.parametrize(("agents", "k"), [(0, 0), (0, 5), (3, 0)])
def test_the_leaning_is_zero_without_memories(agents: int, k: int) -> None:
    nothing = np.zeros((agents, k), np.float32)
    leans, weights = compute_leaning(nothing, nothing)
    assert leans.tolist() == weights.tolist() == [0] * agents


# Attitudes


@given(rating, lean, weight, share, share)
def test_an_attitude_stays_in_range_and_follows_the_leaning(
    before: float, towards: float, weight: float, firm: float, rate: float
) -> None:
    after = float(update_attitude(one(before), one(towards), one(weight), one(firm), rate=rate)[0])
    assert 0 <= after <= 10
    assert (after - before) * towards >= -1e-5


@given(rating, lean, weight, share)
def test_an_attitude_is_constant_without_weight_or_rate(
    before: float, towards: float, weight: float, firm: float
) -> None:
    for lean_, weight_, rate in ((towards, 0.0, 0.5), (0.0, weight, 0.5), (towards, weight, 0.0)):
        after = update_attitude(one(before), one(lean_), one(weight_), one(firm), rate=rate)
        assert after[0] == pytest.approx(before)


@given(rating, lean, st.lists(weight, min_size=2, max_size=5), share, share)
def test_more_weight_changes_an_attitude_at_least_as_much(
    before: float, towards: float, weights: list[float], firm: float, rate: float
) -> None:
    n = len(weights)
    after = update_attitude(
        np.full(n, before, np.float32),
        np.full(n, towards, np.float32),
        np.sort(np.array(weights, np.float32)),
        np.full(n, firm, np.float32),
        rate=rate,
    )
    assert (np.diff(np.abs(after - np.float32(before))) >= -1e-5).all()


@given(rating, lean, weight, st.lists(share, min_size=2, max_size=5), share)
def test_firm_attitudes_change_more_slowly(
    before: float, towards: float, weight: float, firm: list[float], rate: float
) -> None:
    n = len(firm)
    after = update_attitude(
        np.full(n, before, np.float32),
        np.full(n, towards, np.float32),
        np.full(n, weight, np.float32),
        np.sort(np.array(firm, np.float32)),
        rate=rate,
    )
    assert (np.diff(np.abs(after - np.float32(before))) <= 1e-5).all()


@given(share, rating, lean, share)
def test_a_conviction_stays_in_range_and_moves_towards_agreement(
    firm: float, level: float, towards: float, rate: float
) -> None:
    after = float(update_conviction(one(firm), one(level), one(towards), rate=rate)[0])
    assert 0 <= after <= 1
    agreement = min(max(towards * (level - 5) / 5, 0), 1)
    if towards == 0:
        assert after == pytest.approx(firm)
    else:
        assert (after - firm) * (agreement - firm) >= -1e-5


def test_agreement_raises_conviction_and_contradiction_lowers_it() -> None:
    for level, towards, grows in ((9, 1, True), (1, -1, True), (9, -1, False), (1, 1, False)):
        after = update_conviction(one(0.5), one(level), one(towards), rate=0.2)[0]
        assert (after > 0.5) == grows


def test_empty_input_is_accepted() -> None:
    empty = np.zeros(0, np.float32)
    assert update_feeling(empty, empty, gain=3, calm=0.1).shape == (0,)
    assert update_attitude(empty, empty, empty, empty, rate=0.1).shape == (0,)
    assert update_conviction(empty, empty, empty, rate=0.1).shape == (0,)
