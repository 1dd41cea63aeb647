"""Read ties from a networkx graph or a file.

Agents are rows, 0 to agents - 1. Nodes that are whole numbers are rows; other nodes, such as
names, are assigned to rows in the order of the graph, which then needs one node per agent. Ties
have no direction: a directed graph is refused, since the user must decide how to treat ties in one
direction only. Duplicate pairs become one tie of the greatest strength.
"""

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from memopolis.sim.errors import DataFileError, ParameterError
from memopolis.sim.files import check_regular
from memopolis.sim.world.columns import Column, check_table
from memopolis.sim.world.csv_files import LARGEST, read_csv
from memopolis.sim.world.ties import Network
from memopolis.sim.world.ties_graph import is_whole

if TYPE_CHECKING:
    import networkx as nx

FILES = (".csv", ".graphml", ".gml")  # endings of files that can be read

_EDGES = {
    "source": Column("text"),
    "target": Column("text"),
    "strength": Column("number", required=False, blank=True, default=1.0),
}

Rows = NDArray[np.int64]


def read_network(
    path: str | PathLike[str], agents: int, *, names: Sequence[str] | None = None
) -> Network:
    """Read ties from a file: CSV with source, target and maybe strength, or .graphml or .gml.

    A CSV file has one row per tie. It may omit agents without ties if its ids are rows or `names`,
    those of the agents by row; the other formats need one node per agent. Other ids are assigned in
    the order of the file. Raises DataFileError if the file is missing or unreadable, or contains
    what `Network.from_graph` refuses.
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
        return Network.from_graph(_graph_of(file), agents=agents)
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
        rows[0] == rows[1], source, "source and target are the same; remove ties to itself"
    )
    unfit = ~((strength > 0) & np.isfinite(strength))
    _refuse_first(unfit, source, "the strength of a tie must be above 0, and at most 3e38")
    return Network(agents, rows[0], rows[1], strength)


def _rows_in_file(
    ends: Sequence[NDArray[np.object_]], agents: int, names: Sequence[str] | None, source: str
) -> list[Rows]:
    """Return the row of each id, by name, by number, or by order of occurrence."""
    if names is not None:
        row_of = {name: row for row, name in reversed(list(enumerate(names)))}
        expected = "a name of an agent"
    elif all(is_whole(text) for column in ends for text in column):
        ends = [np.array([str(int(text)) for text in column], object) for column in ends]
        row_of = {str(row): row for row in range(agents)}
        expected = f"a row of an agent, 0 to {agents - 1}"
    else:
        ids = list(dict.fromkeys(np.column_stack(ends).ravel().tolist()))
        if len(ids) != agents:
            raise DataFileError(
                f"{source}: {len(ids)} different ids, but there are {agents} agents; name all of "
                f"them, or use rows 0 to {agents - 1}"
            )
        row_of, expected = {text: row for row, text in enumerate(ids)}, "an id"
    rows = [np.array([row_of.get(text, -1) for text in column], np.int64) for column in ends]
    for column, numbers in zip(ends, rows, strict=True):
        if (numbers < 0).any():
            at = int(np.argmax(numbers < 0))
            raise DataFileError(f"{source}, row {at + 1}: id '{column[at]}', expected {expected}")
    return rows


def _refuse_first(wrong: NDArray[np.bool_], source: str, why: str) -> None:
    if wrong.any():
        raise DataFileError(f"{source}, row {int(np.argmax(wrong)) + 1}: {why}")


def _graph_of(file: Path) -> "nx.Graph[Any]":
    import networkx as nx

    try:
        check_regular(file, largest=LARGEST)
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
    # The readers pass on all errors of their parsers, such as those of xml.etree.
    except (nx.NetworkXException, SyntaxError, OSError, ValueError, LookupError) as error:
        what = " ".join(str(error).split())
        raise DataFileError(f"{file}: not readable as {file.suffix.lower()[1:]}: {what}") from None


def _numbered(graph: "nx.Graph[Any]") -> "nx.Graph[Any]":
    """Convert nodes from texts to whole numbers, since files store texts."""
    import networkx as nx

    if all(is_whole(node) for node in graph.nodes):
        return nx.relabel_nodes(graph, {node: int(node) for node in graph.nodes})
    return graph
