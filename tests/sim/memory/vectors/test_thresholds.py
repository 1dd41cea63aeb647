"""Thresholds of embedders, measured on labelled notes."""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from memopolis.sim.errors import ParameterError
from memopolis.sim.memory.memory import Memory
from memopolis.sim.memory.vectors.embedders.protocol import (
    NOTES,
    PUBLISHED,
    SHARES,
    Thresholds,
    measure_thresholds,
    notes,
    sample,
    thresholds_of,
)
from memopolis.sim.memory.vectors.embedders.static import THRESHOLDS, static_table


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


def test_the_notes_have_equal_numbers_by_subject_without_repeats() -> None:
    assert len(notes()) == len(set(notes())) == 192
    assert len(notes()) % NOTES == 0


def test_enough_pairs_are_right_at_each_threshold() -> None:
    units = static_table().vectors(notes()).astype(np.float64)
    first, second = np.triu_indices(len(units), 1)
    cosines = (units @ units.T)[first, second]
    subject = first // NOTES == second // NOTES
    right = {"related": subject, "cluster": subject, "duplicate": subject & (second % NOTES == 1)}
    for (name, of_pair), share in zip(right.items(), SHARES, strict=True):
        least = getattr(THRESHOLDS, name)
        assert of_pair[cosines >= least].mean() >= share - 0.01
        assert of_pair[cosines >= least - 0.05].mean() < share


def test_related_notes_are_related_and_others_are_not() -> None:
    memory = Memory(1)
    stream = memory[0].stream
    for text in (
        "My sister's wedding is on 14 June in Lyon.",
        "The API returns 500 when the list is empty.",
        "The cat was sick all night and I took her to the vet.",
        "I bought new food for the cat.",
        "Added a test for requests with an empty list.",
    ):
        stream.add("note", text)
    related = {n: [one.id for one in stream.related([n])] for n in range(5)}
    assert related == {0: [], 1: [], 2: [], 3: [2], 4: [1]}


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
