"""Biased assimilation: by hand, and that bias parts two sides where averaging does not."""

import numpy as np
import pytest

from memopolis.agents.opinion import BiasedAssimilation
from memopolis.sim.errors import ParameterError
from memopolis.sim.world.ties import Network


def test_one_step_by_hand() -> None:
    # Each hears the other with weight 2. The first: s = 2 * 0.4 = 0.8 of d = 2, bias 1:
    # (0.8 + 0.8 * 0.8) / (1 + 0.8 * 0.8 + 0.2 * 1.2).
    ties = np.array([[0.0, 2.0], [2.0, 0.0]])
    path = BiasedAssimilation(bias=1).evolve([0.8, 0.4], ties, steps=1)
    first = 1.44 / 1.88
    # The second: s = 1.6: (0.4 + 0.4 * 1.6) / (1 + 0.4 * 1.6 + 0.6 * 0.4).
    assert path[1] == pytest.approx([first, 1.04 / 1.88])
    each = BiasedAssimilation(bias=np.array([1.0, 0.0])).evolve([0.8, 0.4], ties, steps=1)
    assert each[1] == pytest.approx([first, (0.4 + 1.6) / 3])


@pytest.mark.parametrize(("bias", "parts"), [(0.0, False), (3.0, True)])
def test_bias_polarizes_where_averaging_does_not(bias: float, *, parts: bool) -> None:
    # Dandekar 2013: two communities, most ties within; bias of at least 1 drives them apart.
    side = np.repeat([0, 1], 10)
    ties = np.where(side[:, None] == side[None, :], 1.0, 0.1)
    np.fill_diagonal(ties, 0)
    start = np.where(side == 0, 0.4, 0.6)
    end = BiasedAssimilation(bias=bias).evolve(start, ties, steps=2_000)[-1]
    assert (np.ptp(end) > 0.9) == parts
    assert ((end >= 0) & (end <= 1)).all()


def test_a_network_and_mirrored_opinions_give_mirrored_results() -> None:
    network = Network(3, [0, 1], [1, 2])
    model = BiasedAssimilation(bias=2)
    path = model.evolve([0.1, 0.5, 0.7], network, steps=5)
    mirrored = model.evolve([0.9, 0.5, 0.3], network, steps=5)
    assert mirrored == pytest.approx(1 - path)


def test_invalid_arguments_are_refused() -> None:
    with pytest.raises(ParameterError, match="bias is -1"):
        BiasedAssimilation(bias=-1)
    with pytest.raises(ParameterError, match="own_weight is 0"):
        BiasedAssimilation(own_weight=0)
    with pytest.raises(ParameterError, match="from 0 to 1"):
        BiasedAssimilation().evolve([0.5, 7.0], np.eye(2), steps=1)
