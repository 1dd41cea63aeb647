"""Expectations are weighted means of recalled events."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memopolis.agents.experience import Experience, compute_mean_valence
from memopolis.sim.memory.retrieval.recollection import Recalled

MakeVillage = Callable[..., Any]

values = st.lists(st.floats(-1, 1, width=32), min_size=4, max_size=4)
weights = st.lists(st.floats(0, 2, width=32), min_size=4, max_size=4)


@given(values, weights)
def test_the_mean_lies_between_the_worst_and_the_best_event(
    valence: list[float], weight: list[float]
) -> None:
    mean = compute_mean_valence(np.array([valence]), np.array([weight]), np.ones((1, 4), np.bool_))
    counted = [v for v, w in zip(valence, weight, strict=True) if w > 1e-6] or [0.0]
    if sum(weight) > 1e-5:
        assert min(counted) - 1e-3 <= mean[0] <= max(counted) + 1e-3


def test_nothing_recalled_is_neutral() -> None:
    mean = compute_mean_valence(np.ones((2, 3)), np.ones((2, 3)), np.zeros((2, 3), np.bool_))
    assert mean.tolist() == [0, 0]


def test_heavier_memories_count_more() -> None:
    mean = compute_mean_valence(
        np.array([[1.0, -1.0]]), np.array([[3.0, 1.0]]), np.ones((1, 2), np.bool_)
    )
    assert mean[0] == pytest.approx(0.5)


def test_columns_of_missing_memories_are_neutral(village: MakeVillage) -> None:
    made = village(agents=2)
    made.citizens.agents[0].memory.stream.add("sales", "Good.", valence=0.5, importance=0.4)
    made.citizens.memory.flush()
    cohort = made.citizens.cohort()
    ids = np.array([[0, -1], [-1, -1]], np.int32)
    experience = Experience(cohort, Recalled(cohort.rows, ids, np.ones((2, 2), np.float32)))
    assert experience.column("valence")[0, 0] == pytest.approx(0.5, abs=0.01)
    assert experience.column("valence")[1].tolist() == [0, 0]
    assert experience.about("sales").tolist() == [[True, False], [False, False]]
    assert experience.about("never").sum() == 0
    assert experience.share(experience.about("sales")).tolist() == [1, 0]
    second = experience.where(np.array([False, True]))
    assert second.mean(second.about("sales")).tolist() == [0]


def test_a_mean_by_place_equals_the_mean_of_the_memories_of_that_place(
    village: MakeVillage,
) -> None:
    made = village(agents=3)
    cohort, rng = made.citizens.cohort(), np.random.default_rng(1)
    for _ in range(6):
        cohort.stream.add(
            "sales", "A day.", place=rng.integers(0, 3, 3), importance=rng.random(3),
            valence=rng.uniform(-1, 1, 3),
        )  # fmt: skip
    made.citizens.memory.flush()
    experience = Experience.recall(cohort, "A day.", k=8)
    places = np.array([[0, 1], [1, 2], [2, 7]])
    means = experience.mean_of("place", places)
    for at in range(2):
        expected = experience.mean(experience.column("place") == places[:, at : at + 1])
        assert means[:, at] == pytest.approx(expected, abs=1e-6)
    assert means[2, 1] == 0
    assert np.count_nonzero(means) > 3
