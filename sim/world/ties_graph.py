"""Convert the edges of a networkx graph to ties, and ties to a graph."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.errors import ParameterError

if TYPE_CHECKING:
    import networkx as nx

Rows = NDArray[np.integer[Any]]
Floats = NDArray[np.floating[Any]]

type Edges = tuple[int, list[int], list[int], list[float]]
"""Number of agents, rows at both ends of each edge, and its strength."""


def read_edges(graph: "nx.Graph[Any]", agents: int | None) -> Edges:
    """Read the edges of a networkx graph, whose nodes `ties_read` describes.

    The strength of a tie is its attribute strength or weight, or 1. Without a number of agents, it
    is the number of nodes. Raises ParameterError if the graph is directed or empty, has another
    number of nodes, names a row that does not exist, ties a node to itself, or has a strength not
    above 0.
    """
    if graph.is_directed():
        raise ParameterError(
            "the graph is directed, but ties are not; pass graph.to_undirected(), which keeps ties "
            "in either direction"
        )
    nodes = list(graph.nodes)
    count = len(nodes) if agents is None else agents
    if not nodes or not graph.number_of_edges():
        raise ParameterError("the graph has no ties; at least one edge is needed")
    if len(nodes) != count:
        raise ParameterError(
            f"the graph has {len(nodes)} nodes, but there are {count} agents; one node per agent "
            "is needed, also for agents without ties"
        )
    ties = list(graph.edges(data=True))
    row_of = _rows_of(nodes, count)
    first, second = ([row_of[edge[end]] for edge in ties] for end in (0, 1))
    for row, other in zip(first, second, strict=True):
        if row == other:
            raise ParameterError(f"row {row} is tied to itself; remove the graph's self-loops")
    return count, first, second, [_strength(data) for _, _, data in ties]


def to_graph(agents: int, edges: Iterable[tuple[str, Rows, Rows, Floats]]) -> "nx.Graph[int]":
    """Return a graph of the rows 0 to agents - 1; see `Ties.to_networkx`.

    `edges` are the name of a kind, the rows at both ends of its ties, and their strengths.
    """
    import networkx as nx

    graph: nx.Graph[int] = nx.Graph()
    graph.add_nodes_from(range(agents))
    for kind, first, second, strengths in edges:
        ends = zip(first.tolist(), second.tolist(), strengths.tolist(), strict=True)
        for row, other, strength in ends:
            known = graph.get_edge_data(row, other, {})
            kinds = ",".join(filter(None, (known.get("kind", ""), kind)))
            strongest = max(strength, known.get("strength", 0.0))
            graph.add_edge(row, other, kind=kinds, strength=strongest)
    return graph


def is_whole(node: object) -> bool:
    """Whether a node of a graph is a whole number, or the text of one."""
    text = str(node)
    return not isinstance(node, bool) and text.removeprefix("-").isdecimal() and text.isascii()


def _rows_of(nodes: Sequence[object], agents: int) -> Mapping[Any, int]:
    """Return the row of each node: the node itself if all are whole numbers, else its order."""
    if not all(isinstance(n, int | np.integer) and not isinstance(n, bool) for n in nodes):
        return {node: row for row, node in enumerate(nodes)}
    for node in nodes:
        if not 0 <= int(node) < agents:  # type: ignore[call-overload]
            raise ParameterError(
                f"node {node} is not a row of an agent, 0 to {agents - 1}; number the nodes with "
                "networkx.convert_node_labels_to_integers"
            )
    return {node: int(node) for node in nodes}  # type: ignore[call-overload]


def _strength(data: Mapping[str, object]) -> float:
    strength = data.get("strength", data.get("weight", 1.0))
    try:
        return float(strength)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise ParameterError(
            f"a tie has the strength {strength!r}; a number above 0 is needed"
        ) from None
