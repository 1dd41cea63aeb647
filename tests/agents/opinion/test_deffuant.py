"""Deffuant's model: one meeting by hand, what it keeps, and how many groups it leaves."""

import numpy as np
import pytest

from memopolis.agents.attitude_models import deffuant
from memopolis.agents.opinion import Deffuant, clusters
from memopolis.agents.opinion.model import draw_pairs
from memopolis.agents.opinion.reference import compare_with_known
from memopolis.sim.chance import Chance
from memopolis.sim.errors import ParameterError


def test_two_agents_converge_within_the_bound_only() -> None:
    path = Deffuant(bound=0.3, rate=0.5).evolve([0.2, 0.4], steps=2, seed=1)
    assert path == pytest.approx(np.array([[0.2, 0.4], [0.3, 0.3], [0.3, 0.3]]))
    assert Deffuant(bound=0.2).evolve([0.2, 0.5], steps=1).tolist()[1] == [0.2, 0.5]
    # A quarter of the gap of 0.2 each.
    path = Deffuant(bound=0.3, rate=0.25).evolve([0.2, 0.4], steps=1)
    assert path[1] == pytest.approx([0.25, 0.35])


def test_a_round_equals_sequential_published_meetings() -> None:
    start = Chance(3).uniform("start", np.arange(40))
    expected = start.copy()
    for one, other in zip(*draw_pairs(40, Chance(3), 0), strict=True):
        two = expected[[one, other]]
        expected[[one, other]] = deffuant(two, two[::-1], bound=0.4, rate=0.3)
    path = Deffuant(bound=0.4, rate=0.3).evolve(start, steps=1, seed=3)
    assert path[1] == pytest.approx(expected, abs=1e-15)


def test_pairs_are_distinct_and_uniform() -> None:
    one, other = (np.concatenate(ends) for ends in zip(*_rounds(10, 2_000), strict=True))
    assert (one != other).all()
    seen = np.zeros((10, 10))
    np.add.at(seen, (one, other), 1)
    # 10,000 meetings over 90 ordered pairs: 111 each, sd 10.5.
    assert abs(seen[~np.eye(10, dtype=bool)] - 10_000 / 90).max() < 50


def _rounds(agents: int, rounds: int) -> list[tuple[np.ndarray, np.ndarray]]:
    return [draw_pairs(agents, Chance(1), step) for step in range(rounds)]


def test_the_mean_is_constant_and_runs_are_independent() -> None:
    start = Chance(1).uniform("start", np.arange(101))
    path = Deffuant(bound=0.2).evolve(start, steps=50, seed=4)
    assert path.shape == (51, 101)
    assert path.mean(axis=1) == pytest.approx(np.full(51, start.mean()))
    assert np.array_equal(path, Deffuant(bound=0.2).evolve(start, steps=50, seed=4))
    assert not np.array_equal(path, Deffuant(bound=0.2).evolve(start, steps=50, seed=5))


def test_the_number_of_clusters_matches_published_values() -> None:
    bounds = (0.5, 0.3, 0.25, 0.2, 0.15, 0.1, 0.05)
    result = compare_with_known("deffuant", range(1, 7), bounds=bounds)
    means = result.groupby("case")[["low", "measured", "high"]].mean()
    assert len(result) == 7 * 6 + 2 * 6
    assert (means["low"] <= means["measured"]).all()
    assert (means["measured"] <= means["high"]).all()
    # Consensus is certain at 0.3 and does not come at 0.2.
    agreed = result[result["case"].str.endswith("consensus")]
    assert agreed["measured"].tolist() == [1] * 6 + [0] * 6


def test_one_agent_and_no_steps() -> None:
    assert Deffuant().evolve([0.5], steps=3).tolist() == [[0.5]] * 4
    assert Deffuant().evolve([0.5, 0.6], steps=0).shape == (1, 2)
    assert clusters(Deffuant().evolve([0.5, 0.6], steps=9)[-1], gap=0.01) == 1


@pytest.mark.parametrize("numbers", [{"bound": -0.1}, {"rate": 1.1}, {"rate": float("nan")}])
def test_numbers_out_of_range_are_refused(numbers: dict[str, float]) -> None:
    with pytest.raises(ParameterError, match="bound"):
        Deffuant(**numbers)
