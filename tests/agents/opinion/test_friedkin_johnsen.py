"""Friedkin and Johnsen's model: by hand, its closed form, and DeGroot's as its limit."""

import numpy as np
import pytest

from memopolis.agents.opinion import FriedkinJohnsen
from memopolis.agents.opinion.reference import compare_with_known
from memopolis.sim.errors import ParameterError
from memopolis.sim.world.ties import Network

TIES = np.array([[0.0, 2.0, 2.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]])


def test_two_steps_equal_a_hand_calculation() -> None:
    path = FriedkinJohnsen(susceptibility=0.5).evolve([0.0, 4.0, 10.0], TIES, steps=2)
    # The first hears (4 + 10) / 2 = 7, the second 0; the third hears no one.
    assert path[1] == pytest.approx([3.5, 2.0, 10.0])
    # (2 + 10) / 2 = 6, half of it and half of 0; half of 3.5 and half of 4.
    assert path[2] == pytest.approx([3.0, 3.75, 10.0])


def test_opinions_converge_to_the_closed_form() -> None:
    result = compare_with_known("friedkin_johnsen", range(3))
    assert (result["measured"] <= result["high"]).all()
    assert (result["high"] == 1e-6).all()
    model = FriedkinJohnsen(susceptibility=np.array([0.9, 0.5, 0.3]), own_weight=0.5)
    end = model.evolve([0.0, 4.0, 10.0], TIES, steps=500)[-1]
    assert end == pytest.approx(model.limit([0.0, 4.0, 10.0], TIES), abs=1e-9)
    assert np.ptp(end) > 1


def test_a_network_equals_its_matrix() -> None:
    network = Network(4, [0, 0, 1], [1, 2, 2], [0.5, 1.0, 0.25])
    matrix = np.zeros((4, 4))
    matrix[[0, 0, 1, 1, 2, 2], [1, 2, 0, 2, 0, 1]] = [0.5, 1.0, 0.5, 0.25, 1.0, 0.25]
    model = FriedkinJohnsen(susceptibility=0.8, own_weight=0.3)
    start = [1.0, 2.0, 5.0, 9.0]
    by_network = model.evolve(start, network, steps=20)
    assert by_network == pytest.approx(model.evolve(start, matrix, steps=20), abs=1e-12)
    assert (by_network[:, 3] == 9).all()


def test_full_susceptibility_gives_consensus_as_in_degroots_model() -> None:
    ring = np.roll(np.eye(5), 1, axis=1) + np.eye(5)
    path = FriedkinJohnsen(susceptibility=1).evolve(np.arange(5.0), ring, steps=300)
    # All are heard alike, so they agree on the mean.
    assert path[-1] == pytest.approx(np.full(5, 2.0))
    assert path[1] == pytest.approx([0.5, 1.5, 2.5, 3.5, 2.0])


def test_invalid_arguments_are_refused() -> None:
    start = [0.0, 4.0, 10.0]
    with pytest.raises(ParameterError, match=r"\[0, 1\]"):
        FriedkinJohnsen(susceptibility=1.1)
    with pytest.raises(ParameterError, match="susceptibility has shape"):
        FriedkinJohnsen(susceptibility=np.array([0.5, 0.5])).evolve(start, TIES, steps=1)
    with pytest.raises(ParameterError, match="ties have shape"):
        FriedkinJohnsen().evolve(start, TIES[:2], steps=1)
    with pytest.raises(ParameterError, match="ties have shape"):
        FriedkinJohnsen().evolve(start, -TIES, steps=1)
    with pytest.raises(ParameterError, match="finite weights"):
        FriedkinJohnsen().evolve(start, np.full((3, 3), np.inf), steps=1)
    with pytest.raises(ParameterError, match="own_weight is inf"):
        FriedkinJohnsen(own_weight=np.inf)
    with pytest.raises(ParameterError, match="ties connect 2 agents"):
        FriedkinJohnsen().evolve(start, Network(2, [0], [1]), steps=1)
    with pytest.raises(ParameterError, match="below 1"):
        FriedkinJohnsen(susceptibility=1).limit(start, TIES)
