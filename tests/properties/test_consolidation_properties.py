"""Consolidation, retention, review and assessment for any input."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from memopolis.sim.memory.knowledge.assess import level, score
from memopolis.sim.memory.night.consolidation import (
    Consolidation,
    build_tables,
    compute_consolidation,
    compute_retention,
)
from memopolis.sim.memory.night.replay import LONGEST, compute_interval, strength_table

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


@given(SHARE, SHARE, TICKS, st.integers(0, 255))
def test_full_consolidation_triples_the_half_life(
    one: float, other: float, ticks: int, topic: int
) -> None:
    low, high = sorted((one, other))
    firmness = np.array([low, high, 0, 1], np.float32)
    touched = np.array([ticks, ticks, ticks // 3, 3 * (ticks // 3)], np.int32)
    loose, tight, early, late = compute_retention(
        firmness, touched, np.full(4, topic, np.uint8), TABLES
    )
    assert 0 < loose <= tight <= 1
    # Three times the time at full consolidation, to one step of the table.
    assert abs(np.log2(early) - np.log2(late)) <= 1.01 / 256


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
