from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest

from memopolis.sim.errors import DataFileError, ParameterError
from memopolis.sim.world.ties import Network
from memopolis.sim.world.ties_read import read_network


def written(folder: Path, text: str, name: str = "friends.csv") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_any_networkx_graph_can_be_converted() -> None:
    graph = nx.karate_club_graph()
    network = Network.from_graph(graph)
    assert network.agents == 34
    assert len(network) == 78
    assert network.of(0).tolist() == sorted(graph[0])
    first = network.strength[network.starts[0]]
    assert first == graph[0][1]["weight"] == 4


def test_integer_nodes_are_rows_in_any_order() -> None:
    graph: nx.Graph[int] = nx.Graph()
    graph.add_nodes_from([2, 0, 1])
    graph.add_edge(2, 0)
    assert Network.from_graph(graph, agents=3).of(0).tolist() == [2]


def test_other_nodes_are_numbered_in_order() -> None:
    graph: nx.Graph[str] = nx.Graph()
    graph.add_nodes_from(["Ann", "Bob", "Cleo"])
    graph.add_edge("Cleo", "Ann", strength=0.5, weight=7)
    network = Network.from_graph(graph, agents=3)
    assert network.of(0).tolist() == [2]
    assert network.strength.tolist() == [0.5, 0.5]


def test_repeated_ties_are_merged_with_the_greatest_strength() -> None:
    graph: nx.MultiGraph[int] = nx.MultiGraph()
    graph.add_edge(0, 1, weight=0.2)
    graph.add_edge(1, 0, weight=0.8)
    network = Network.from_graph(graph)
    assert len(network) == 1
    assert network.strength[0] == pytest.approx(0.8)


def graph_of(*edges: Any, nodes: int = 0, directed: bool = False) -> "nx.Graph[Any]":
    graph: nx.Graph[Any] = nx.DiGraph() if directed else nx.Graph()
    graph.add_nodes_from(range(nodes))
    graph.add_edges_from(edges)
    return graph


@pytest.mark.parametrize(
    ("graph", "agents", "message"),
    [
        (graph_of((0, 1), directed=True), 2, "directed.*to_undirected"),
        (graph_of(), 0, "no ties"),
        (graph_of(nodes=3), 3, "no ties"),
        (graph_of((0, 1)), 3, "2 nodes, but there are 3 agents"),
        (graph_of(("a", "b"), ("b", "c")), 2, "3 nodes, but there are 2 agents"),
        (graph_of((0, 7)), 2, "node 7 is not a row"),
        (graph_of((-1, 0)), 2, "node -1 is not a row"),
        (graph_of((0, 1), (1, 1)), 2, "row 1 is tied to itself"),
        (graph_of((0, 1, {"weight": 0})), 2, "above 0"),
        (graph_of((0, 1, {"strength": -2})), 2, "above 0"),
        (graph_of((0, 1, {"strength": float("nan")})), 2, "above 0"),
        (graph_of((0, 1, {"strength": 1e308})), 2, "at most 3e38"),
        (graph_of((0, 1, {"strength": "much"})), 2, "'much'"),
    ],
)
def test_an_invalid_graph_is_refused_in_one_line(
    graph: "nx.Graph[Any]", agents: int, message: str, tmp_path: Path
) -> None:
    with pytest.raises(ParameterError, match=message) as error:
        Network.from_graph(graph, agents=agents)
    assert "\n" not in str(error.value)
    if graph.number_of_edges():
        # The same from a file, which is named.
        path = tmp_path / "friends.gml"
        nx.write_gml(graph, path)
        with pytest.raises(DataFileError, match=r"friends\.gml: "):
            read_network(path, agents)


def test_an_edge_list_may_omit_agents_without_ties(tmp_path: Path) -> None:
    path = written(tmp_path, "source,target,strength\n0,3,0.5\n3,1,\n1,3,0.2\n")
    network = read_network(path, 5)
    assert network.agents == 5
    assert network.of(3).tolist() == [0, 1]
    assert network.strength[network.starts[3] : network.starts[4]].tolist() == [0.5, 1.0]
    assert network.of(4).tolist() == []


def test_an_edge_list_may_use_names(tmp_path: Path) -> None:
    path = written(tmp_path, "source,target\nAnn Lee,Bob Ray\nBob Ray,Cleo Day\n")
    in_order = read_network(path, 3)
    assert in_order.of(1).tolist() == [0, 2]
    named = read_network(path, 4, names=["Cleo Day", "Dan Poe", "Bob Ray", "Ann Lee"])
    assert named.of(2).tolist() == [0, 3]
    assert named.of(1).tolist() == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("source,target\n0,1\n1,9\n", "row 2: id '9', expected a row of an agent, 0 to 2"),
        ("source,target\n0,-1\n", "row 1: id '-1'"),
        ("source,target\na,b\n", "2 different ids, but there are 3 agents"),
        ("source,target\na,b\nc,d\n", "4 different ids, but there are 3 agents"),
        ("source,target\n0,1\n2,2\n", "row 2: source and target are the same"),
        ("source,target,strength\n0,1,0\n", "row 1: the strength of a tie must be above 0"),
        ("source,target,strength\n0,1,-1\n", "row 1: the strength of a tie must be above 0"),
        ("source,target,strength\n0,1,1\n1,2,1e308\n", "row 2: the strength .* at most 3e38"),
        ("source,target,strength\n0,1,1\n1,2,1e-99\n", "row 2: the strength of a tie must be"),
        ("source,target,strength\n0,1,strong\n", "row 1, column strength: 'strong'"),
        ("source,target\n0,\n", "row 1, column target: empty"),
        ("source,target\n0,1,1\n", "row 1: 3 cells"),
        ("from,to\n0,1\n", "column source, target is missing"),
        ("source,target\n", "no rows"),
        ("", "missing"),
    ],
)
def test_an_invalid_edge_list_is_refused_in_one_line(
    text: str, message: str, tmp_path: Path
) -> None:
    with pytest.raises(DataFileError, match=message) as error:
        read_network(written(tmp_path, text), 3)
    assert "friends.csv" in str(error.value)
    assert "\n" not in str(error.value)


def test_an_unknown_name_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path, "source,target\nAnn,Bob\nAnn,Zoe\n")
    with pytest.raises(DataFileError, match=r"friends\.csv, row 2: id 'Zoe'"):
        read_network(path, 2, names=["Ann", "Bob"])


@pytest.mark.parametrize("ending", ["graphml", "gml"])
def test_graph_files_equal_the_graph(ending: str, tmp_path: Path) -> None:
    graph = nx.karate_club_graph()
    path = tmp_path / f"club.{ending}"
    {"graphml": nx.write_graphml, "gml": nx.write_gml}[ending](graph, path)
    expected, result = Network.from_graph(graph), read_network(path, 34)
    np.testing.assert_array_equal(result.starts, expected.starts)
    np.testing.assert_array_equal(result.contacts, expected.contacts)
    np.testing.assert_array_equal(result.strength, expected.strength)


def test_a_graph_without_labels_uses_its_ids(tmp_path: Path) -> None:
    text = "graph [ node [ id 0 ] node [ id 1 ] edge [ source 0 target 1 ] ]"
    assert len(read_network(written(tmp_path, text, "two.gml"), 2)) == 1


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("two.gml", "graph [ node", "not readable as gml"),
        ("two.graphml", "<graphml", "not readable as graphml"),
        ("two.graphml", "<html></html>", "not readable as graphml"),
        ("two.xlsx", "", r"files that end in \.csv"),
    ],
)
def test_a_file_that_is_no_graph_is_refused_in_one_line(
    name: str, text: str, message: str, tmp_path: Path
) -> None:
    with pytest.raises(DataFileError, match=message) as error:
        read_network(written(tmp_path, text, name), 2)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("name", ["no.csv", "no.gml", "no.graphml"])
def test_a_missing_file_is_named(name: str, tmp_path: Path) -> None:
    with pytest.raises(DataFileError, match=f"{name}: no such file"):
        read_network(tmp_path / name, 2)


def test_ties_of_a_spreadsheet_are_read_and_unknown_columns_refused(tmp_path: Path) -> None:
    text = "source; target;strength\r\n0;1;0,5\r\n1;2;1\r\n"
    network = read_network(written(tmp_path, text), 3)
    assert network.strength.tolist() == [0.5, 0.5, 1, 1]
    for column, message in (
        ("strengt", "did you mean strength[?]"),
        ("weight", "allowed are sour"),
    ):
        with pytest.raises(DataFileError, match=f"unknown column '{column}'; {message}"):
            read_network(written(tmp_path, f"source,target,{column}\n0,1,0.5\n"), 3)


def test_a_graph_that_is_a_device_is_refused(tmp_path: Path) -> None:
    (tmp_path / "zero.gml").symlink_to("/dev/zero")
    with pytest.raises(DataFileError, match="it is a device or a pipe"):
        read_network(tmp_path / "zero.gml", 3)
