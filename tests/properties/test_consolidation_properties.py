"""Consolidation, retention, review and assessment for any input."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from memopolis.sim.memory.knowledge import level, score
from memopolis.sim.memory.night.sleep import LONGEST, compute_interval
from memopolis.sim.memory.retention.activation import (
    Retention,
    base_level,
    compute_retention,
    strength_table,
)
from memopolis.sim.memory.retention.consolidation import (
    Consolidation,
    build_tables,
    compute_consolidation,
)

TICKS = st.integers(0, 50_000)
SHARE = st.floats(0, 1)
TABLES = build_tables(Consolidation(), ("cognition", "social"), 24.0, 50_000)


def firm(accesses: int, age: int, idle: int, topic: int) -> np.float32:
    count, number = (np.array([n], np.uint8) for n in (accesses, topic))
    old, still = (np.array([n], np.int32) for n in (age, idle))
    return np.float32(compute_consolidation(count, old, still, number, TABLES)[0])


@given(st.integers(0, 254), TICKS, TICKS, st.integers(0, 255))
def test_more_accesses_never_lower_consolidation(
    accesses: int, age: int, idle: int, topic: int
) -> None:
    one, more = firm(accesses, age, idle, topic), firm(accesses + 1, age, idle, topic)
    assert 0 <= one <= more <= 1


@given(st.integers(0, 255), TICKS, TICKS, st.integers(0, 255))
def test_consolidation_falls_with_waiting_and_rises_with_age(
    accesses: int, age: int, idle: int, topic: int
) -> None:
    assert firm(accesses, age, idle + 1, topic) <= firm(accesses, age, idle, topic)
    assert firm(accesses, age + 1, idle, topic) >= firm(accesses, age, idle, topic)


HOURS = st.floats(1, 1e6)


@given(HOURS, HOURS, st.integers(1, 300), st.floats(0.05, 0.95))
def test_activation_falls_with_age_and_rises_with_use(
    first: float, last: float, uses: int, decay: float
) -> None:
    early, late = max(first, last), min(first, last)
    now, later, more = (
        float(base_level(np.array([a]), np.array([b]), np.array([n]), decay)[0])
        for a, b, n in ((early, late, uses), (early + 1, late + 1, uses), (early, late, uses + 1))
    )
    assert later < now < more


@given(st.floats(-50, 50))
def test_retention_is_a_probability_that_rises_with_activation(activation: float) -> None:
    low, high = compute_retention(np.array([activation, activation + 0.1]), Retention())
    assert 0 <= low <= high <= 1


@given(st.floats(0.001, 0.999))
def test_the_activation_of_a_retention_has_that_retention(retention: float) -> None:
    parameters = Retention()
    activation = np.array([parameters.activation_of(retention)])
    assert abs(float(compute_retention(activation, parameters)[0]) - retention) < 1e-5


@given(st.integers(0, 254))
def test_review_intervals_grow_to_ninety_days(accesses: int) -> None:
    one, more = compute_interval(np.array([accesses, accesses + 1])).tolist()
    assert 1 <= one <= more <= LONGEST


@given(st.integers(0, 60), SHARE, SHARE, SHARE)
def test_a_knowledge_score_is_between_zero_and_one(
    count: int, confidence: float, recency: float, consolidated: float
) -> None:
    worth = score(count, confidence, recency, consolidated)
    more = score(count + 1, confidence, recency, consolidated)
    assert 0 <= worth <= more <= 1 + 1e-9
    assert (level(worth, count) == 0) == (count == 0)


def test_emotional_strength_rises_with_valence() -> None:
    table = strength_table()
    good = table[:, :128]
    assert (np.diff(good, axis=1) >= 0).all()
    assert (table[4:] >= table[:4]).all()
    assert table.min() == 0
    assert table.max() == 1
