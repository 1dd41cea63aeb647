"""Measures of ties between those who are alike: by hand and against networkx."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memopolis.sim.errors import ParameterError
from memopolis.sim.statistics.network import (
    Edges,
    among,
    assortativity,
    e_i_index,
    ends,
    group_assortativity,
    mixing,
    modularity,
)
from memopolis.sim.world.ties import Network

SIDES = ["D", "D", "D", "R", "R", "R"]
TWO_TRIANGLES = Network(6, [0, 0, 1, 3, 3, 4, 2], [1, 2, 2, 4, 5, 5, 3])
"""Two triangles of one side each and a tie between them."""


def test_two_triangles_by_hand() -> None:
    # 14 directed ties: 6 within each, 1 across each way.
    assert mixing(TWO_TRIANGLES, SIDES) == pytest.approx(np.array([[6, 1], [1, 6]]) / 14)
    assert e_i_index(TWO_TRIANGLES, SIDES) == pytest.approx((1 - 6) / 7)
    assert modularity(TWO_TRIANGLES, SIDES) == pytest.approx(12 / 14 - 1 / 2)
    assert group_assortativity(TWO_TRIANGLES, SIDES) == pytest.approx((12 / 14 - 0.5) / 0.5)


def test_directed_ties_by_hand() -> None:
    # Of four readings three are across: E-I (3 - 1) / 4.
    reads = ([0, 0, 1, 3], [1, 3, 4, 2])
    assert e_i_index(reads, SIDES) == pytest.approx(0.5)
    # a = (3/4, 1/4), b = (2/4, 2/4): 1/4 - (3/8 + 1/8).
    assert modularity(reads, SIDES) == pytest.approx(-0.25)
    # Read five times, the one within weighs as much as all others and more.
    assert e_i_index(reads, SIDES, weight=[5, 1, 1, 1]) == pytest.approx((3 - 5) / 8)


def test_values_at_both_ends_by_hand() -> None:
    reads = ([0, 0, 1], [1, 2, 2])
    # Sources 1, 1, 2 and targets 2, 4, 4: covariance (-1/3*-4/3 + -1/3*2/3 + 2/3*2/3) = 2/3,
    # squares 2/3 and 8/3.
    assert assortativity(reads, [1, 2, 4]) == pytest.approx((2 / 3) / np.sqrt(16 / 9))
    assert assortativity(Network(2, [0], [1]), [1, 5]) == pytest.approx(-1)


def test_agents_without_a_side_are_left_out() -> None:
    source, target = among(([0, 1, 2], [1, 2, 0]), [True, True, False])
    assert (source.tolist(), target.tolist()) == ([0], [1])
    sided = np.array([1, 1, 0, 0, -1, -1])
    kept = among(TWO_TRIANGLES, sided != 0)
    assert e_i_index(kept, sided) == -1


def test_a_network_equals_its_ties_in_both_directions() -> None:
    source, target = ends(TWO_TRIANGLES)
    assert sorted(zip(source.tolist(), target.tolist(), strict=True))[:3] == [
        (0, 1),
        (0, 2),
        (1, 0),
    ]
    assert len(source) == 14


@pytest.mark.parametrize("edges", [Network(3, [], []), ([], [])])
def test_indices_are_missing_without_ties(edges: Edges) -> None:
    groups = [1, 2, 2]
    measures = (e_i_index, modularity, group_assortativity, assortativity)
    assert all(np.isnan(measure(edges, groups)) for measure in measures)


def test_one_group_or_one_value_has_no_assortativity() -> None:
    assert np.isnan(group_assortativity(TWO_TRIANGLES, np.ones(6)))
    assert np.isnan(assortativity(TWO_TRIANGLES, np.full(6, 0.1)))
    assert e_i_index(TWO_TRIANGLES, np.ones(6)) == -1


@given(st.integers(0, 10_000), st.booleans())
def test_assortativity_equals_networkx(seed: int, directed: bool) -> None:  # noqa: FBT001
    graph = nx.gnp_random_graph(12, 0.3, seed=seed, directed=directed)
    if graph.number_of_edges() < 3:
        return
    rng = np.random.default_rng(seed)
    side, attitude = rng.integers(0, 3, 12), rng.integers(0, 9, 12)
    nx.set_node_attributes(graph, dict(enumerate(side.tolist())), "side")
    nx.set_node_attributes(graph, dict(enumerate(attitude.tolist())), "attitude")
    one, other = np.array(graph.edges).T
    edges: Edges = (one, other) if directed else Network(12, one, other)
    parties = [set(np.flatnonzero(side == party).tolist()) for party in np.unique(side)]
    assert modularity(edges, side) == pytest.approx(nx.community.modularity(graph, parties))
    by_group = nx.attribute_assortativity_coefficient(graph, "side")
    assert group_assortativity(edges, side) == pytest.approx(by_group, nan_ok=True)
    ours = assortativity(edges, attitude)
    if not np.isnan(ours):
        by_value = nx.numeric_assortativity_coefficient(graph, "attitude")
        assert ours == pytest.approx(by_value)


def test_invalid_arguments_are_refused() -> None:
    with pytest.raises(ParameterError, match="2 sources and 1 targets"):
        e_i_index(([0, 1], [1]), [0, 0])
    with pytest.raises(ParameterError, match="rows 0 to 2; there are values of the rows 0 to 1"):
        e_i_index(([0, 1], [1, 2]), [0, 0])
    with pytest.raises(ParameterError, match="rows"):
        assortativity(([0, -1], [1, 1]), [0, 0])
    with pytest.raises(ParameterError, match="rows"):
        among(([0], [5]), [True])
    with pytest.raises(ParameterError, match="weight"):
        modularity(([0], [1]), [0, 0], weight=[-1])
    with pytest.raises(ParameterError, match="weight"):
        modularity(([0], [1]), [0, 0], weight=[1, 2])
