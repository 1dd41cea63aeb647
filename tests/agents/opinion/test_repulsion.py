"""Bounded confidence with repulsion: by hand, without backfire, and backfire of one side."""

import numpy as np
import pytest

from memopolis.agents.attitude_models import repulsion
from memopolis.agents.opinion import Deffuant, Repulsion
from memopolis.agents.opinion.model import draw_pairs
from memopolis.sim.chance import Chance
from memopolis.sim.errors import ParameterError


def start(agents: int, seed: int = 1) -> np.ndarray:
    return Chance(seed).uniform("start", np.arange(agents))


def test_two_agents_equal_a_hand_calculation() -> None:
    # 0.6 apart: each goes a half of a tenth of it away.
    path = Repulsion(backfire=0.1).evolve([0.2, 0.8], steps=1)
    assert path[1] == pytest.approx([0.17, 0.83])
    assert Repulsion(backfire=1).evolve([0.2, 0.8], steps=1)[1].tolist() == [0, 1]
    one_side = Repulsion(backfire=np.array([0.0, 0.1]))
    assert one_side.evolve([0.2, 0.8], steps=1)[1] == pytest.approx([0.2, 0.83])
    # Between bound and rejection nothing happens.
    assert Repulsion(backfire=1).evolve([0.2, 0.6], steps=3)[-1].tolist() == [0.2, 0.6]


def test_without_backfire_repulsion_equals_deffuant() -> None:
    first = start(200)
    path = Repulsion(bound=0.25, reject=0.25, rate=0.4).evolve(first, steps=40, seed=3)
    assert np.array_equal(path, Deffuant(bound=0.25, rate=0.4).evolve(first, steps=40, seed=3))


def test_meetings_follow_the_function_of_arrays() -> None:
    backfire = np.linspace(0, 0.5, 30)
    expected = start(30)
    numbers = {"bound": 0.2, "reject": 0.4, "rate": 0.5}
    for met in zip(*draw_pairs(30, Chance(2), 0), strict=True):
        who = list(met)
        two = expected[who]
        moved = repulsion(two, two[::-1, None], np.ones((2, 1)), backfire=backfire[who], **numbers)
        expected[who] = np.clip(moved, 0, 1)
    path = Repulsion(backfire=backfire, **numbers).evolve(start(30), steps=1, seed=2)
    assert path[1] == pytest.approx(expected, abs=1e-14)


def test_backfire_drives_opinions_to_the_extremes() -> None:
    quiet = Repulsion().evolve(start(300), steps=100, seed=1)[-1]
    driven = Repulsion(backfire=0.3).evolve(start(300), steps=100, seed=1)[-1]
    assert driven.std() > 1.3 * quiet.std()
    assert ((driven < 0.05) | (driven > 0.95)).mean() > 0.9
    # Only those who backfire are driven; the others follow what is near them.
    some = Repulsion(backfire=np.where(np.arange(300) < 150, 0.3, 0.0))
    assert ((some.evolve(start(300), steps=100, seed=1) >= 0).all()).all()


def test_invalid_arguments_are_refused() -> None:
    with pytest.raises(ParameterError, match=r"reject is 0\.1"):
        Repulsion(reject=0.1)
    with pytest.raises(ParameterError, match="backfire"):
        Repulsion(backfire=-0.1)
    with pytest.raises(ParameterError, match="backfire has shape"):
        Repulsion(backfire=np.ones(3)).evolve([0.1, 0.2], steps=1)
    with pytest.raises(ParameterError, match="low"):
        Repulsion(low=1, high=0)
    with pytest.raises(ParameterError, match="from 0 to 1"):
        Repulsion().evolve([0.1, 5], steps=1)
