"""Thresholds of embedders: as many pairs of the sample as with MiniLM."""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from memopolis.sim.errors import ParameterError
from memopolis.sim.memory.memory import Memory
from memopolis.sim.memory.vectors.embedders.static import THRESHOLDS, static_table
from memopolis.sim.memory.vectors.thresholds import (
    PAIRS,
    PUBLISHED,
    Thresholds,
    measure_thresholds,
    sample,
    thresholds_of,
)


class Angles:
    """Gives the n-th distinct text the angle 1/n degrees, and counts its calls."""

    def __init__(self) -> None:
        self.calls = 0

    def vectors(self, texts: Sequence[str]) -> Any:
        self.calls += 1
        angles = np.radians(1 / np.arange(1, len(texts) + 1))
        return np.stack([np.cos(angles), np.sin(angles)], axis=1)


def test_the_sample_has_groups_of_three_without_repeats() -> None:
    assert len(sample()) == 297
    assert len(set(sample())) == 297


def test_thresholds_of_the_static_table_equal_the_measured_ones() -> None:
    fresh = measure_thresholds(static_table())
    for name in ("related", "cluster", "duplicate"):
        assert getattr(THRESHOLDS, name) == pytest.approx(getattr(fresh, name), abs=5.1e-5)


def test_thresholds_select_as_many_pairs_as_with_minilm() -> None:
    class Random:
        def vectors(self, texts: Sequence[str]) -> Any:
            return np.random.default_rng(3).normal(size=(len(texts), 20)) * 7

    result = measure_thresholds(Random())
    vectors = Random().vectors(sample())
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    pairs = (unit @ unit.T)[np.triu_indices(297, 1)]
    for count, cosine in zip(
        PAIRS, (result.related, result.cluster, result.duplicate), strict=True
    ):
        assert int((pairs >= cosine).sum()) == count


def test_thresholds_are_measured_once_on_first_use() -> None:
    embedder = Angles()
    memory = Memory(1, embedder=embedder)
    assert embedder.calls == 0
    assert memory.thresholds is memory.thresholds
    assert embedder.calls == 1
    assert -1 <= memory.thresholds.related <= memory.thresholds.duplicate <= 1


def test_thresholds_declared_by_an_embedder_are_used() -> None:
    embedder: Any = Angles()
    embedder.thresholds = SimpleNamespace(related=0.1, cluster=0.2, duplicate=0.3)
    assert thresholds_of(embedder) == Thresholds(0.1, 0.2, 0.3)
    embedder.thresholds = PUBLISHED
    assert Memory(1, embedder=embedder).thresholds is PUBLISHED
    assert Memory(1).thresholds is THRESHOLDS
    embedder.thresholds = (0.1, 0.2, 0.3)
    with pytest.raises(ParameterError, match="related, cluster and duplicate are needed"):
        thresholds_of(embedder)
    assert embedder.calls == 0


@pytest.mark.parametrize("wrong", [(0.7, 0.5, 0.8), (0.5, 0.9, 0.8), (-1.1, 0, 0), (0, 0, 1.1)])
def test_thresholds_rise_within_the_range_of_a_cosine(wrong: tuple[float, float, float]) -> None:
    with pytest.raises(ParameterError, match="ascend from -1 to 1"):
        Thresholds(*wrong)
