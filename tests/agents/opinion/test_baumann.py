"""Baumann's model: activity, who is addressed, one step, and the three regimes."""

from typing import Any

import numpy as np
import pytest

from memopolis.agents.attitude_models import baumann
from memopolis.agents.opinion import Baumann
from memopolis.agents.opinion.reference import compare_with_known
from memopolis.sim.chance import Chance
from memopolis.sim.errors import ParameterError


def test_activity_falls_as_a_power() -> None:
    activity = Baumann().activity(100_000, seed=1)
    assert activity.min() >= 0.01
    assert activity.max() <= 1
    # P(a > 0.1) = (0.1^-1.1 - 1) / (0.01^-1.1 - 1); mean 11 (0.01^-0.1 - 1) / (0.01^-1.1 - 1).
    assert (activity > 0.1).mean() == pytest.approx(11.589 / 157.489, abs=0.003)
    assert activity.mean() == pytest.approx(11 * 0.58489 / 157.489, abs=0.001)


def test_an_opinion_without_contacts_decays_to_neutral() -> None:
    path = Baumann(step=0.1).evolve([1.0, -2.0], steps=2, activity=[0.0, 0.0])
    assert path == pytest.approx(np.array([[1, -2], [0.9, -1.8], [0.81, -1.62]]))


def test_one_step_equals_a_hand_calculation() -> None:
    # Only the first speaks; the two others hear it, and it hears no one (r = 0).
    model = Baumann(controversy=2, coupling=3, reciprocity=0, contacts=2, step=0.1)
    path = model.evolve([0.5, 1.0, -1.0], steps=1, activity=[1.0, 0.0, 0.0])
    push = 0.1 * 3 * np.tanh(1.0)
    assert path[1] == pytest.approx([0.45, 0.9 + push, -0.9 + push])
    # With r = 1 it hears both, who cancel out.
    both = Baumann(controversy=2, coupling=3, reciprocity=1, contacts=2, step=0.1)
    assert both.evolve([0.5, 1.0, -1.0], steps=1, activity=[1, 0, 0])[1] == pytest.approx(path[1])


def test_one_step_equals_the_function_of_arrays() -> None:
    # All active, all address all: everybody hears each other once.
    model = Baumann(contacts=5)
    start = np.linspace(-1, 1, 6)
    path = model.evolve(start, steps=1, activity=np.ones(6))
    expected = baumann(
        start, np.tile(start, (6, 1)), 1.0 - np.eye(6), coupling=3, controversy=3, step=0.05
    )
    assert path[1] == pytest.approx(expected)


def test_homophily_determines_contacts() -> None:
    opinions = np.array([0.0, 0.1, 0.2, 0.4])
    for homophily, weights in ((0.0, [1, 1, 1]), (1.0, [10, 5, 2.5]), (3.0, [1000, 125, 15.625])):
        model = Baumann(homophily=homophily, contacts=1)
        drawn = [model._draw_addressees(opinions, 0, Chance(1), step)[0] for step in range(4_000)]
        result = np.bincount(drawn, minlength=4) / 4_000
        expected = np.array([0, *weights]) / sum(weights)
        assert result == pytest.approx(expected, abs=0.03)


def test_an_agent_contacts_others_at_most_once() -> None:
    model = Baumann(contacts=4)
    opinions = np.zeros(6)
    for step in range(50):
        addressed = model._draw_addressees(opinions, 2, Chance(1), step).tolist()
        assert len({*addressed, 2}) == 5
    assert sorted(model._draw_addressees(np.zeros(3), 0, Chance(1), 0).tolist()) == [1, 2]
    assert Baumann().evolve([1.0], steps=1, activity=[1.0])[1] == pytest.approx([0.95])


@pytest.fixture(scope="module")
def regimes() -> Any:
    return compare_with_known("baumann", [1])


def test_the_three_regimes_are_reproduced(regimes: Any) -> None:
    assert len(regimes) == 7
    assert (regimes["low"] <= regimes["measured"]).all()
    assert (regimes["measured"] <= regimes["high"]).all()
    larger = regimes[regimes["case"].str.contains("larger side")]["measured"].to_numpy()
    assert larger[:2].tolist() == [1, 1]  # one side takes all
    assert (larger[2:] < 0.9).all()  # both sides remain
    assert regimes["measured"].iloc[0] < 0.01  # all agree


def test_active_agents_are_more_extreme(regimes: Any) -> None:
    linked = regimes[regimes["case"].str.endswith("activity and |x|")]["measured"].item()
    assert 0.3 < linked < 0.7


@pytest.mark.parametrize(
    "numbers",
    [
        {"homophily": -1},
        {"reciprocity": 1.5},
        {"contacts": 0},
        {"coupling": -1},
        {"controversy": -1},
        {"step": 0},
        {"least_activity": 0},
        {"exponent": 1},
        {"homophily": np.inf},
        {"contacts": 1.5},
        {"contacts": np.nan},
        {"least_activity": 1e-300},
        {"exponent": 1e6},
    ],
)
def test_numbers_out_of_range_are_refused(numbers: dict[str, Any]) -> None:
    with pytest.raises(ParameterError):
        Baumann(**numbers)


def test_activity_of_another_shape_is_refused() -> None:
    with pytest.raises(ParameterError, match="activity has shape"):
        Baumann().evolve([0.1, 0.2], steps=1, activity=[0.5, 0.5, 0.5])
