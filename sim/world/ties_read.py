"""Ties from outside: a networkx graph, or a file of one.

Agents are rows, 0 to agents - 1. A graph whose nodes are whole numbers names rows; one with other
nodes, such as names, takes them in the order of the graph, and then needs one node an agent. Ties
have no direction: a directed graph is refused, since what to make of a tie that only one of the
two has is for its owner to say. A pair that is named twice, or in both directions, is one tie of
the greatest strength.
"""

from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from memopolis.sim.errors import DataFileError, ParameterError
from memopolis.sim.world.columns import Column, check_table, read_csv
from memopolis.sim.world.ties import Network

if TYPE_CHECKING:
    import networkx as nx

FILES = (".csv", ".graphml", ".gml")
"""Endings of files that can be read."""

_EDGES = {
    "source": Column("text"),
    "target": Column("text"),
    "strength": Column("number", required=False, blank=True, default=1.0),
}

Rows = NDArray[np.int64]


def from_graph(graph: "nx.Graph[Any]", *, agents: int | None = None) -> Network:
    """Make ties of a networkx graph.

    Args:
        graph: Without direction; a tie's strength is its attribute strength or, failing that,
            weight, and else 1. Nodes as said at the top of this module.
        agents: How many agents there are, and so how many nodes there must be; None for as many
            as there are nodes.

    Returns:
        The network.

    Raises:
        ParameterError: If the graph is directed or empty, has another number of nodes, names a
            row that does not exist, ties a node to itself, or has a strength not above 0.
    """
    if graph.is_directed():
        raise ParameterError(
            "the graph is directed, ties are not; give graph.to_undirected(), which ties two "
            "where either names the other"
        )
    nodes = list(graph.nodes)
    count = len(nodes) if agents is None else agents
    if not nodes or not graph.number_of_edges():
        raise ParameterError("the graph has no ties; at least one edge is needed")
    if len(nodes) != count:
        raise ParameterError(
            f"the graph has {len(nodes)} nodes, but there are {count} agents; one node an agent "
            "is needed, of those without ties as well"
        )
    ties = list(graph.edges(data=True))
    row_of = _rows_of(nodes, count)
    first, second = ([row_of[edge[end]] for edge in ties] for end in (0, 1))
    return _network(count, first, second, [_strength(data) for _, _, data in ties])


def read_network(
    path: str | PathLike[str], agents: int, *, names: Sequence[str] | None = None
) -> Network:
    """Read ties from a file.

    Args:
        path: A CSV file with the columns source, target and, if wanted, strength (1), one row a
            tie; or a graph as .graphml or .gml.
        agents: How many agents there are. A CSV file may leave out agents without ties where it
            names rows; the other forms have one node an agent.
        names: Names of the agents by row, shape (agents,), where a CSV file names them so. None
            for rows 0 to agents - 1; other ids are then taken in the order of the file, and must
            be as many as there are agents.

    Returns:
        The network.

    Raises:
        DataFileError: If the file is missing or unreadable, or holds what `from_graph` refuses;
            of a CSV file the row is named.
    """
    file = Path(path)
    ending = file.suffix.lower()
    if ending not in FILES:
        raise DataFileError(
            f"{file}: ties are read from files that end in {', '.join(FILES)}; save the graph as "
            "one of these"
        )
    if ending == ".csv":
        return _from_table(read_csv(file), agents, names, str(file))
    try:
        return from_graph(_graph_of(file), agents=agents)
    except ParameterError as error:
        raise DataFileError(f"{file}: {error}") from None


def _from_table(
    table: pd.DataFrame, agents: int, names: Sequence[str] | None, source: str
) -> Network:
    checked = check_table(table, _EDGES, source=source)
    ends = [checked[name].to_numpy(object) for name in ("source", "target")]
    rows = _rows_in_file(ends, agents, names, source)
    with np.errstate(over="ignore"):
        strength = checked["strength"].to_numpy(np.float64).astype(np.float32)
    _refuse_first(
        rows[0] == rows[1], source, "source and target are the same; nobody is tied to oneself"
    )
    unfit = ~((strength > 0) & np.isfinite(strength))
    _refuse_first(unfit, source, "the strength of a tie must be above 0, and at most 3e38")
    return Network(agents, rows[0], rows[1], strength)


def _rows_in_file(
    ends: Sequence[NDArray[np.object_]], agents: int, names: Sequence[str] | None, source: str
) -> list[Rows]:
    """Row of each id, by name, by number, or in the order in which ids come."""
    if names is not None:
        row_of = {name: row for row, name in reversed(list(enumerate(names)))}
        return [_looked_up(column, row_of, source, "a name of an agent") for column in ends]
    if all(_is_whole(text) for column in ends for text in column):
        row_of = {str(row): row for row in range(agents)}
        return [
            _looked_up(
                np.array([str(int(text)) for text in column], object),
                row_of,
                source,
                f"a row of an agent, 0 to {agents - 1}",
            )
            for column in ends
        ]
    ids = list(dict.fromkeys(np.column_stack(ends).ravel().tolist()))
    if len(ids) != agents:
        raise DataFileError(
            f"{source}: {len(ids)} different ids, but there are {agents} agents; name all of "
            f"them, or use rows 0 to {agents - 1}"
        )
    row_of = {text: row for row, text in enumerate(ids)}
    return [_looked_up(column, row_of, source, "an id") for column in ends]


def _looked_up(
    column: NDArray[np.object_], row_of: Mapping[str, int], source: str, expected: str
) -> Rows:
    rows = np.array([row_of.get(text, -1) for text in column], np.int64)
    if (rows < 0).any():
        at = int(np.argmax(rows < 0))
        raise DataFileError(f"{source}, row {at + 1}: id '{column[at]}', expected {expected}")
    return rows


def _refuse_first(wrong: NDArray[np.bool_], source: str, why: str) -> None:
    if wrong.any():
        raise DataFileError(f"{source}, row {int(np.argmax(wrong)) + 1}: {why}")


def _graph_of(file: Path) -> "nx.Graph[Any]":
    import networkx as nx

    try:
        if file.suffix.lower() == ".graphml":
            return _numbered(nx.read_graphml(file))
        try:
            return _numbered(nx.read_gml(file))
        except nx.NetworkXError as error:
            if "label" not in str(error):
                raise
            return _numbered(nx.read_gml(file, label="id"))
    except FileNotFoundError:
        raise DataFileError(f"{file}: no such file; give the path of a graph") from None
    # The readers let through whatever their parsers raise, xml.etree's own errors among them.
    except (nx.NetworkXException, SyntaxError, OSError, ValueError, LookupError) as error:
        what = " ".join(str(error).split())
        raise DataFileError(f"{file}: not readable as {file.suffix.lower()[1:]}: {what}") from None


def _numbered(graph: "nx.Graph[Any]") -> "nx.Graph[Any]":
    """The graph with texts of whole numbers as numbers, which is how files keep them."""
    import networkx as nx

    if all(_is_whole(node) for node in graph.nodes):
        return nx.relabel_nodes(graph, {node: int(node) for node in graph.nodes})
    return graph


def _is_whole(node: object) -> bool:
    text = str(node)
    return not isinstance(node, bool) and text.removeprefix("-").isdecimal() and text.isascii()


def _rows_of(nodes: Sequence[object], agents: int) -> Mapping[Any, int]:
    """Row of each node: the node itself where all are whole numbers, and else its order."""
    if not all(isinstance(n, int | np.integer) and not isinstance(n, bool) for n in nodes):
        return {node: row for row, node in enumerate(nodes)}
    for node in nodes:
        if not 0 <= int(node) < agents:  # type: ignore[call-overload]
            raise ParameterError(
                f"node {node} is no row of an agent, 0 to {agents - 1}; number the nodes by "
                "networkx.convert_node_labels_to_integers"
            )
    return {node: int(node) for node in nodes}  # type: ignore[call-overload]


def _strength(data: Mapping[str, object]) -> float:
    given = data.get("strength", data.get("weight", 1.0))
    try:
        return float(given)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise ParameterError(
            f"a tie has the strength {given!r}; a number above 0 is needed"
        ) from None


def _network(
    agents: int, first: Sequence[int], second: Sequence[int], strength: Iterable[float]
) -> Network:
    own = [row for row, other in zip(first, second, strict=True) if row == other]
    if own:
        raise ParameterError(f"row {own[0]} is tied to itself; remove the graph's self-loops")
    return Network(agents, first, second, np.array(list(strength)))
