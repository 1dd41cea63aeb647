"""Write the social network of a run for Gephi, networkx or igraph."""

from io import BytesIO

import networkx as nx
import pandas as pd

from memopolis.analysis.figures.network_now import has_network
from memopolis.analysis.figures.place_now import people_now
from memopolis.analysis.run.run import Run
from memopolis.commands.shown_text import harmless
from memopolis.sim.errors import ParameterError

NETWORKS = {".graphml": "GraphML", ".gexf": "GEXF"}
"""Formats of networks by the ending of the file."""

_NOT_OF_A_NODE = frozenset({"agent", "tick", "time", "thought"})
_OF_GEXF = frozenset({"id", "label", "pid", "start", "end", "viz", "parents", "spells"})
"""Names with a meaning of their own in GEXF."""


def network_file(run: Run, kind: str) -> bytes:
    """Return the network of a run at its moment as a file.

    A node is an agent with recorded ties, by its unique_id, and has the columns of the latest
    record of its population that are not empty. An edge is a tie with its kind; two agents may
    have ties of several kinds. The recorded tables have no strength of ties.

    Args:
        run: The run, see `Run.until` for a moment.
        kind: One of `NETWORKS`.

    Raises:
        ParameterError: If the run recorded no ties.
    """
    if not has_network(run):
        raise ParameterError(f"{run.folder} recorded no ties, so it has no network")
    ties, file = run.ties(), BytesIO()
    graph = nx.MultiGraph()
    # Numbered, because programs take the key for a unique id.
    for number, tie in enumerate(zip(ties["source"], ties["target"], ties["kind"], strict=True)):
        graph.add_edge(int(tie[0]), int(tie[1]), key=number, kind=harmless(tie[2]))
    people = people_now(run)
    columns = [name for name in map(str, people) if name not in _NOT_OF_A_NODE]
    values = {name: _values(people[name]) for name in columns}
    for row, agent in enumerate(people["agent"].tolist()):
        if agent in graph:
            own = {name: of[row] for name, of in values.items() if of[row] is not None}
            graph.nodes[agent].update(own)
    if kind == ".graphml":
        nx.write_graphml(graph, file)
        return file.getvalue()
    for agent, own in graph.nodes(data=True):
        for name in _OF_GEXF & own.keys():
            own[f"{name}_"] = own.pop(name)
        own["label"] = own.get("name", agent)
    nx.write_gexf(graph, file)
    return file.getvalue()


def _values(column: pd.Series) -> list[float | str | None]:
    """Return the values of a column as numbers or texts that XML allows; None for missing ones."""
    values = column.tolist()
    if not pd.api.types.is_numeric_dtype(column.dtype):
        values = [value if pd.isna(value) else harmless(value) for value in column.astype(object)]
    return [None if pd.isna(value) else value for value in values]
