"""What the models share: the start, and mistakes in it."""

import numpy as np
import pytest

from memopolis.agents import opinion
from memopolis.agents.opinion.model import read_opinions, simulate
from memopolis.sim.errors import ParameterError


def test_public_names_are_documented() -> None:
    assert opinion.__all__ == sorted(opinion.__all__)
    assert all(getattr(opinion, name).__doc__ for name in opinion.__all__)


@pytest.mark.parametrize("start", [[], [[0.1, 0.2]], [0.1, float("nan")], 0.5, ["a", "b"]])
def test_initial_opinions_must_be_a_vector_of_numbers(start: object) -> None:
    with pytest.raises(ParameterError, match="must be a vector"):
        read_opinions(start)  # type: ignore[arg-type]


def test_initial_opinions_are_not_modified() -> None:
    start = np.array([0.1, 0.2])
    followed = simulate(read_opinions(start), lambda x, step: x + step, steps=2)
    assert followed.tolist() == [[0.1, 0.2], [0.1, 0.2], [1.1, 1.2]]
    followed[0] = 9
    assert start.tolist() == [0.1, 0.2]


def test_negative_steps_are_refused() -> None:
    with pytest.raises(ParameterError, match="steps is -1"):
        simulate(np.zeros(2), lambda x, _: x, steps=-1)
