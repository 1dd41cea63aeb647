from collections.abc import Callable

import networkx as nx
import numpy as np
import pytest
from numpy.typing import NDArray

from memopolis.sim.chance import Chance
from memopolis.sim.errors import ParameterError
from memopolis.sim.world.ties import Network
from memopolis.sim.world.ties_homophilic import block_model, homophilic_growth, most_crossing
from memopolis.sim.world.ties_kernels import grown

CHANCE = Chance(4)
SIDES = np.random.default_rng(1).choice([1, 0, -1], 1000, p=[0.46, 0.1, 0.44])
BLOGS = np.repeat([1, -1], [586, 636])

Make = Callable[[NDArray[np.int64], float, Chance], Network]


def blocks(sides: NDArray[np.int64], cross: float, chance: Chance = CHANCE) -> Network:
    return block_model(sides, mean=10, cross_share=cross, chance=chance)


def growth(sides: NDArray[np.int64], cross: float, chance: Chance = CHANCE) -> Network:
    return homophilic_growth(sides, links=5, cross_share=cross, chance=chance)


def pairs(network: Network) -> set[tuple[int, int]]:
    ends = np.repeat(np.arange(network.agents), np.diff(network.starts))
    both = zip(ends.tolist(), network.contacts.tolist(), strict=True)
    return {(a, b) for a, b in both if a < b}


def cross_share(network: Network, sides: NDArray[np.int64]) -> float:
    sided = [(sides[a], sides[b]) for a, b in pairs(network) if sides[a] and sides[b]]
    return float(np.mean([a != b for a, b in sided]))


@pytest.mark.parametrize("make", [blocks, growth])
@pytest.mark.parametrize("cross", [0.0, 0.05, 0.094, 0.2, 0.4, 0.8])
def test_the_share_of_cross_ties_equals_the_setting(make: Make, cross: float) -> None:
    network = make(SIDES, cross, CHANCE)
    assert cross_share(network, SIDES) == pytest.approx(cross, abs=0.01)
    degrees = np.diff(network.starts)
    assert degrees.mean() == pytest.approx(10, abs=0.15)
    for side in (1, 0, -1):
        assert degrees[side == SIDES].mean() == pytest.approx(10, abs=0.3)


@pytest.mark.parametrize("make", [blocks, growth])
def test_independents_have_ties_to_all_groups(make: Make) -> None:
    result = [(SIDES[a], SIDES[b]) for a, b in pairs(make(SIDES, 0.05, CHANCE))]
    none = np.mean(SIDES == 0)
    with_independents = np.mean([a == 0 or b == 0 for a, b in result])
    assert with_independents == pytest.approx(1 - (1 - none) ** 2, abs=0.01)


def test_the_political_blogs_of_2004_can_be_matched() -> None:
    # Adamic and Glance 2005: 586 and 636 blogs, 27.3 ties each, 9.4 % of them across.
    network = block_model(BLOGS, mean=27.3, cross_share=0.094, chance=CHANCE)
    assert len(network) == pytest.approx(16_700, rel=0.01)
    cross = cross_share(network, BLOGS)
    assert cross - (1 - cross) == pytest.approx(-0.81, abs=0.01)  # E-I index
    graph = nx.Graph(pairs(network))
    nx.set_node_attributes(graph, dict(enumerate(BLOGS.tolist())), "side")
    assert nx.attribute_assortativity_coefficient(graph, "side") == pytest.approx(0.81, abs=0.01)
    sides = [np.flatnonzero(s == BLOGS).tolist() for s in (1, -1)]
    assert nx.community.modularity(graph, sides) == pytest.approx(0.405, abs=0.01)


@pytest.mark.parametrize("make", [blocks, growth])
def test_ties_follow_from_the_seed(make: Make) -> None:
    assert pairs(make(SIDES, 0.1, Chance(1))) == pairs(make(SIDES, 0.1, Chance(1)))
    assert pairs(make(SIDES, 0.1, Chance(1))) != pairs(make(SIDES, 0.1, Chance(2)))


def test_one_more_agent_changes_few_ties_of_the_others() -> None:
    more = pairs(blocks(np.append(SIDES, 1), 0.1))
    before = pairs(blocks(SIDES, 0.1))
    assert len(before & more) > 0.98 * len(before)


def test_numbers_of_ties_spread_as_in_the_published_models() -> None:
    even, heavy = (np.diff(make(SIDES, 0.1).starts) for make in (blocks, growth))
    assert even.min() >= 5
    assert 8 < even.var() < 14  # Poisson: 10
    assert heavy.max() > 60  # Barabasi and Albert: about links * sqrt(agents) = 158
    assert heavy.min() >= 1


def test_newcomers_attach_preferentially() -> None:
    # With a draw of 0.5 the middle of the list: [0]; [0 1 0]; [0 1 0 2 1]; [0 1 0 2 1 3 0].
    rows, none = np.arange(5), np.zeros(5, np.int8)
    ones = np.zeros((5, 1), np.int8)
    first, second = grown(rows, none, ones, np.full((5, 1), 0.5))
    assert first.tolist() == [1, 2, 3, 4]
    assert second.tolist() == [0, 1, 0, 2]


def test_a_newcomer_has_no_duplicate_ties() -> None:
    twice = np.zeros((4, 2), np.int8)
    first, second = grown(np.arange(4), np.zeros(4, np.int8), twice, np.zeros((4, 2)))
    assert list(zip(first.tolist(), second.tolist(), strict=True)) == [
        (1, 0), (2, 0), (2, 1), (3, 0), (3, 1),
    ]  # fmt: skip


def test_two_agents_of_opposite_sides_have_one_cross_tie() -> None:
    network = block_model([1, -1], mean=2, cross_share=1, chance=CHANCE)
    assert pairs(network) == {(0, 1)}
    assert pairs(homophilic_growth([1, -1], links=1, cross_share=1, chance=CHANCE)) == {(0, 1)}


@pytest.mark.parametrize("make", [blocks, growth])
def test_there_are_no_cross_ties_with_one_side(make: Make) -> None:
    network = make(np.ones(100, np.int64), 0.3, CHANCE)
    assert np.diff(network.starts).mean() > 9
    assert len(make(np.array([1]), 0.3, CHANCE)) == 0
    assert len(make(np.array([], np.int64), 0.3, CHANCE)) == 0


def test_the_maximum_cross_share_follows_from_the_smaller_side() -> None:
    assert most_crossing([1, 1, 1, -1, 0]) == pytest.approx(0.5)
    assert most_crossing([0, 0]) == 0


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: block_model([1, 2], mean=1, cross_share=0, chance=CHANCE), "1, 0 or -1"),
        (lambda: block_model([1, -1], mean=-1, cross_share=0, chance=CHANCE), "mean is -1"),
        (lambda: block_model([1, -1], mean=1, cross_share=1.5, chance=CHANCE), "cross_share is"),
        (lambda: block_model([1, 1, 1, -1], mean=1, cross_share=0.6, chance=CHANCE), "0 to 0.5"),
        (lambda: homophilic_growth([1], links=-1, cross_share=0, chance=CHANCE), "links is -1"),
    ],
    ids=["side", "mean", "share", "too many", "links"],
)
def test_impossible_requests_are_refused_in_one_line(
    wrong: Callable[[], Network], message: str
) -> None:
    with pytest.raises(ParameterError, match=message) as error:
        wrong()
    assert "\n" not in str(error.value)
