"""The output of any embedder is checked."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from memopolis.sim.errors import ParameterError
from memopolis.sim.memory.memory import Memory
from memopolis.sim.memory.vectors.embedders.protocol import dimensions_of, embed


class Giving:
    """Gives what a function makes of the number of texts."""

    def __init__(self, make: Any) -> None:
        self._make = make

    def vectors(self, texts: Sequence[str]) -> Any:
        return self._make(len(texts))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda n: np.ones((n + 1, 3)), r"ndarray of shape \(2, 3\) instead"),
        (np.ones, r"shape \(1,\) instead of an array of shape \(1, dimensions\)"),
        (lambda n: np.ones((n, 0)), r"shape \(1, 0\)"),
        (lambda _: None, "a NoneType instead"),
        (lambda _: [[1.0], [1.0, 2.0]], "a list instead"),
        (lambda n: np.full((n, 3), np.nan), "Giving returned vectors that contain nan or infinity"),
        (lambda n: np.full((n, 3), np.inf), "nan or infinity"),
    ],
)
def test_vectors_of_another_shape_are_refused(make: Any, message: str) -> None:
    memory = Memory(1, embedder=Giving(make))
    memory[0].stream.add("home", "The rent is due")
    with pytest.raises(ParameterError, match=message) as refused:
        memory[0].stream.search("rent", profile="society")
    assert "\n" not in str(refused.value)


def test_a_failing_embedder_does_not_damage_the_memory() -> None:
    bad = [True]

    def once(texts: int) -> Any:
        return None if bad.pop() else np.ones((texts, 2))

    bad[:] = [False] * 9 + [True]
    memory = Memory(1, embedder=Giving(once))
    memory[0].stream.add("home", "The rent is due")
    with pytest.raises(ParameterError):
        memory[0].stream.search("rent", profile="society")
    assert memory[0].stream.search("rent", profile="society")[0].score == 1.0


def test_lists_of_numbers_are_accepted() -> None:
    result = embed(Giving(lambda n: [[1, 2]] * n), ["a", " ", "b"])
    assert result.dtype == np.float32
    assert result.tolist() == [[1, 2], [0, 0], [1, 2]]


def test_the_dimension_is_requested_only_without_texts() -> None:
    embedder = Giving(lambda n: np.ones((n, 5)))
    assert embed(embedder, ["", "{actor}"]).shape == (2, 5)
    assert dimensions_of(embedder) == 5
    embedder.dimensions = 7  # type: ignore[attr-defined]
    assert dimensions_of(embedder) == 7


def test_vectors_of_more_than_65536_dimensions_are_refused() -> None:
    huge = Giving(lambda texts: np.ones((texts, 65_537)))
    with pytest.raises(ParameterError, match="at most 65,536 are allowed"):
        embed(huge, ["a"])
