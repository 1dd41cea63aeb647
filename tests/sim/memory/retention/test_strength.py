"""Emotional strength on numbers worked out by hand."""

import pytest

from memopolis.sim.errors import ParameterError
from memopolis.sim.memory.memory import Memory
from memopolis.sim.memory.retention.activation import By, load_strength


def strong(valence: float, tags: tuple[str, ...], by: By = "arousal") -> float:
    memory = Memory(1)
    strength, bits = load_strength(memory.tags, by), memory.tags.bits(tags)
    marks = (strength.positive, strength.negative, strength.urgent)
    row = sum(1 << at for at, mark in enumerate(marks) if bits & mark)
    return float(strength.table[row, round(valence * 127) % 256])


def test_emotional_strength_combines_valence_and_urgency() -> None:
    assert strong(0.0, ()) == 0.0
    assert strong(1.0, ()) == strong(-1.0, ()) == 1.0
    assert strong(0.0, ("urgent",)) == pytest.approx(0.3)
    assert strong(-1.0, ("urgent",)) == 1.0
    # 64 / 127, and 0.3 more if urgent.
    assert strong(-64 / 127, ("urgent", "weekend")) == pytest.approx(0.803937, abs=1e-6)


def test_an_urgent_bad_memory_is_strong_unlike_in_the_published_formula() -> None:
    bad = ("negative", "urgent")
    assert strong(-0.5, bad) > 0.79
    assert strong(-0.5, bad, "published") == pytest.approx(0.0, abs=1e-7)
    assert strong(0.5, ("positive",), "published") == pytest.approx(0.5)
    assert strong(-0.5, ("negative",), "published") == pytest.approx(0.3)
    assert strong(0.5, ("positive", "urgent"), "published") == pytest.approx(0.8)


def test_an_unknown_formula_is_refused() -> None:
    with pytest.raises(ParameterError, match="'arousal' and 'published'"):
        load_strength(Memory(1).tags, "luck")  # type: ignore[arg-type]
