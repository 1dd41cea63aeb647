"""Measure recorded ties as surveys of friends do: number, clustering, likeness, components."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from memopolis.analysis.run.run import Run

if TYPE_CHECKING:
    import networkx as nx

NONE = float("nan")


def graph_of(run: Run, kind: str = "") -> "nx.Graph[int]":
    """Return the recorded ties of a kind ("" for all) as a networkx graph.

    Nodes are unique_ids. They are all agents of the first population that were recorded, those
    without ties included.
    """
    import networkx as nx

    graph: nx.Graph[int] = nx.Graph()
    if f"agents_{run.first_population}" in run.tables:
        graph.add_nodes_from(run.first_rows(run.first_population)["agent"].tolist())
    ties = run.ties(kind)
    for source, target, of in zip(ties["source"], ties["target"], ties["kind"], strict=True):
        graph.add_edge(source, target, kind=of)
    return graph


def describe_graph(graph: "nx.Graph[int]") -> dict[str, float]:
    """Measure a graph of ties, NaN without any.

    Returns the mean and the coefficient of variation of the number of ties, over nodes with ties;
    transitivity, the share of paths of two ties that a third one closes; clustering, the mean share
    of ties among the contacts of a node; and connected, the share of the nodes with ties in the
    largest component.
    """
    import networkx as nx

    degrees = np.array([degree for _, degree in graph.degree() if degree], np.float64)
    if not len(degrees):
        names = ("mean", "variation", "transitivity", "clustering", "connected")
        return dict.fromkeys(names, NONE)
    largest = max(map(len, nx.connected_components(graph)))
    return {
        "mean": float(degrees.mean()),
        "variation": float(degrees.std() / degrees.mean()),
        "transitivity": float(nx.transitivity(graph)),
        "clustering": float(nx.average_clustering(graph)),
        "connected": largest / len(degrees),
    }


def compare_ends(ties: pd.DataFrame, people: pd.DataFrame, column: str) -> Mapping[str, float]:
    """Compare an attribute of the agents at both ends of ties, NaN without ties.

    `people` has the columns agent and `column`. Returns same, the share of ties between equal
    values; by_chance, that share if contacts were drawn in proportion to their numbers of ties; and
    correlation, of values that are numbers.
    """
    value = people.set_index("agent")[column]
    first, second = (value.reindex(ties[end]).to_numpy() for end in ("source", "target"))
    one, other = np.concatenate([first, second]), np.concatenate([second, first])
    if not len(one):
        return {"same": NONE, "by_chance": NONE, "correlation": NONE}
    shares = pd.Series(one).value_counts(normalize=True)
    is_number = pd.api.types.is_numeric_dtype(value) and bool((one != one[0]).any())
    return {
        "same": float((one == other).mean()),
        "by_chance": float((shares**2).sum()),
        "correlation": float(np.corrcoef(one, other)[0, 1]) if is_number else NONE,
    }


def count_outside(ties: pd.DataFrame, people: pd.DataFrame, zone: str = "home") -> pd.Series:
    """Return the share of each agent's contacts who live in another zone, by unique_id.

    `people` has the columns agent and `zone`.
    """
    home = people.set_index("agent")[zone]
    both = pd.concat(
        [ties, ties.rename(columns={"source": "target", "target": "source"})], ignore_index=True
    )
    outside = home.reindex(both["source"]).to_numpy() != home.reindex(both["target"]).to_numpy()
    shares: pd.Series = pd.Series(outside).groupby(both["source"]).mean()
    return shares
