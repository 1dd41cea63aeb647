import numpy as np
import pytest

from memopolis.sim.chance import Chance
from memopolis.sim.errors import ParameterError, UnknownNameError
from memopolis.sim.world import ties as ties_module
from memopolis.sim.world.ties import Network, Ties
from memopolis.sim.world.ties_built import colleagues, groups, neighbours, schoolmates

CHANCE = Chance(4)


def test_a_network_is_symmetric_without_loops_or_repeats() -> None:
    network = Network(5, [0, 1, 2, 0, 3], [1, 0, 2, 1, 4], [0.2, 0.9, 1, 0.5, 1])
    assert len(network) == 2
    assert network.of(0).tolist() == [1]
    assert network.of(1).tolist() == [0]
    assert network.of(2).tolist() == []
    assert network.count([0, 2, 3]).tolist() == [1, 0, 1]
    assert network.strength[0] == pytest.approx(0.9)


def test_more_ties_than_their_numbers_allow_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ties_module, "_MOST_ENDS", 4)
    assert len(Network(5, [0, 1], [1, 2])) == 2
    with pytest.raises(ParameterError, match="3 ties; at most 2"):
        Network(5, [0, 1, 2], [1, 2, 3])


def test_strengths_are_of_pairs_of_rows() -> None:
    network = Network(5, [0, 1, 2, 0, 3], [1, 0, 2, 1, 4], [0.2, 0.9, 1, 0.5, 1])
    assert network.between([1, 3, 0], [0, 4, 3]).tolist() == pytest.approx([0.9, 1, 0])
    assert network.between(0, [1, 2, 3]).tolist() == pytest.approx([0.9, 0, 0])
    assert network.between([[1], [3]], 0).tolist() == [pytest.approx([0.9]), [0]]
    for outside in (-1, 5, 2**40):
        with pytest.raises(ParameterError, match="from 0 to 4"):
            network.between([0, outside], 1)


def test_total_and_mean_are_weighted_by_strength() -> None:
    ties = Ties(
        4,
        {
            "household": Network(4, [0, 1], [1, 2], 1.0),
            "friend": Network(4, [0], [2], 0.5),
        },
    )
    values = [10.0, 20.0, 40.0, 80.0]
    assert ties["household"].mean(values, [0, 1, 2, 3], alone=-1).tolist() == [20, 25, 20, -1]
    assert ties["friend"].total(values, [0, 1]) == pytest.approx([20, 0])
    assert ties.mean(values, [0]) == pytest.approx([40 / 1.5])
    assert ties.mean(values, [0], kinds=["friend"]) == pytest.approx([40])
    assert ties.of(0).tolist() == [1, 2]
    assert ties["friend"].count([0, 3]).tolist() == [1, 0]


def test_groups_are_cliques() -> None:
    network = groups([7, 3, 7, -1, 7, 3, -1])
    assert network.of(0).tolist() == [2, 4]
    assert network.of(1).tolist() == [5]
    assert network.of(3).tolist() == []
    assert len(groups([])) == 0


def test_colleagues_share_a_workplace_and_are_few() -> None:
    work = np.concatenate([np.zeros(50, int), np.ones(4, int), [-1, 2]])
    network = colleagues(work, CHANCE)
    assert network.count(np.arange(50)).tolist() == [10] * 50
    assert network.count([50, 51, 54, 55]).tolist() == [3, 3, 0, 0]
    ends = np.repeat(np.arange(56), network.count(np.arange(56)))
    assert (work[ends] == work[network.contacts]).all()
    with pytest.raises(ParameterError, match="even"):
        colleagues(work, CHANCE, most=3)


def test_schoolmates_are_of_about_the_same_age() -> None:
    school = np.where(np.arange(300) < 200, 0, -1)
    age = 5 + np.arange(300) % 13
    network = schoolmates(school, age, CHANCE)
    ends = np.repeat(np.arange(300), network.count(np.arange(300)))
    apart = np.abs(age[ends] - age[network.contacts])
    assert network.count(np.arange(200, 300)).sum() == 0
    assert network.count(np.arange(200)).tolist() == [10] * 200
    # Only the ends of the circle, the youngest and the oldest, are far apart.
    assert (apart <= 1).mean() > 0.95


def test_neighbours_live_in_one_zone_and_in_other_households() -> None:
    home, zone = np.arange(400) // 2, np.arange(400) // 100
    network = neighbours(zone, home, CHANCE, takes_part=np.arange(400) % 4 < 3)
    ends = np.repeat(np.arange(400), network.count(np.arange(400)))
    assert (zone[ends] == zone[network.contacts]).all()
    assert (home[ends] != home[network.contacts]).all()
    assert network.count(np.arange(3, 400, 4)).sum() == 0
    assert 2 < network.count(np.arange(0, 400, 4)).mean() <= 4


def test_equal_strengths_are_stored_once() -> None:
    even, uneven = Network(5, [0, 1], [2, 3], 0.5), Network(5, [0, 1], [2, 3], [0.5, 0.6])
    copies = Ties(5, {"even": even}), Ties(5)
    copies[1].restore(copies[0].state())
    for network in (even, copies[1]["even"]):
        assert network.strength.strides == (0,)
        assert network.strength.tolist() == [0.5] * 4
        assert network.between([0, 2], [2, 4]).tolist() == [0.5, 0]
    assert uneven.strength.strides != (0,)


def test_ties_become_a_graph() -> None:
    ties = Ties(
        5, {"friend": Network(5, [0, 1], [1, 2], 0.5), "kin": Network(5, [1, 3], [0, 2], 0.8)}
    )
    graph = ties.to_networkx()
    assert sorted(graph.nodes) == list(range(5))
    assert graph.number_of_edges() == 3
    assert graph.edges[0, 1] == {"kind": "friend,kin", "strength": pytest.approx(0.8)}
    assert graph.edges[2, 3]["kind"] == "kin"
    assert sorted(ties.to_networkx(["friend"]).edges) == [(0, 1), (1, 2)]
    again = Network.from_graph(ties["kin"].to_networkx())
    assert again.contacts.tolist() == ties["kin"].contacts.tolist()
    assert again.strength.tolist() == ties["kin"].strength.tolist()


def test_a_restored_network_accepts_more_agents() -> None:
    ties = Ties(3, {"friend": Network(3, [0], [1], 0.5)})
    copy = Ties(3)
    copy.restore(ties.state())
    assert copy["friend"].of(0).tolist() == [1]
    assert copy["friend"].total([1.0, 2.0, 3.0], [0]).tolist() == [1.0]
    copy.grow(5)
    assert copy["friend"].of(4).tolist() == []
    assert copy["friend"].count([4]).tolist() == [0]


def test_wrong_use_is_refused() -> None:
    ties = Ties(3)
    with pytest.raises(UnknownNameError, match="no ties of kind 'friend'"):
        _ = ties["friend"]
    with pytest.raises(ParameterError, match="second are 2 to 2; whole numbers from 0 to 1"):
        Network(2, [0], [2])
    with pytest.raises(ParameterError, match="2 first and 1 second ends"):
        Network(2, [0, 1], [1])
    with pytest.raises(ParameterError, match=r"first is \[0.5\]"):
        Network(2, [0.5], [1])
    with pytest.raises(ParameterError, match="strength"):
        Network(2, [0], [1], 0.0)
    network = Network(2, [0], [1])
    with pytest.raises(ParameterError, match="one for each of"):
        network.mean([1.0], [0])
    for rows in ([2], [-1], [2**40], np.array([True, False])):
        with pytest.raises(ParameterError, match="rows"):
            network.mean([1.0, 2.0], rows)
    with pytest.raises(ParameterError, match=r"one shape \(m,\)"):
        network.add_sums([1.0, 2.0], np.array([0, 1]), np.zeros(1), np.zeros(1))
    with pytest.raises(ParameterError, match="row is 2"):
        network.of(2)
    for strength in ("x", [1.0, 2.0]):
        with pytest.raises(ParameterError, match="strength"):
            Network(2, [0], [1], strength)
    with pytest.raises(ParameterError, match="agents is -1"):
        Network(-1, [], [])
    with pytest.raises(ParameterError, match="shape"):
        network.mean(np.zeros((2, 2)), [0])
    with pytest.raises(ParameterError, match="paired"):
        network.between([0, 1, 0], [0, 1])


def test_a_connected_sample_starts_in_the_largest_component() -> None:
    chain = np.arange(5, 19)
    ties = Ties(20, {"chain": Network(20, chain, chain + 1), "pair": Network(20, [0], [1])})
    assert ties.connected_sample(4).tolist() == [5, 6, 7, 8]
    assert ties.connected_sample(99).tolist() == list(range(5, 20))
    # Kinds join what each leaves apart, and the nearer come before the lower.
    ties["bridge"] = Network(20, [1, 1], [19, 2])
    assert ties.connected_sample(4).tolist() == [0, 1, 2, 19]
    assert ties.connected_sample(1).tolist() == [0]
    assert len(Ties(3, {"none": Network(3, [], [])}).connected_sample(2)) == 1
