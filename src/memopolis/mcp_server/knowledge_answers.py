"""Parts of answers about knowledge, the same for agents of runs and for an assistant's memory."""

from typing import TYPE_CHECKING, Any

import pandas as pd

from memopolis.mcp_server.paging import plain, rows_of

if TYPE_CHECKING:
    import networkx as nx

_MOST_NODES = 100
_PLAIN = (
    "topic",
    "level",
    "score",
    "message",
    "suggestions",
    "memories",
    "confidence",
    "recency",
    "consolidation",
)


def describe_assessment(known: Any, evidence: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the values of an assessment.

    Args:
        known: The assessment, of an agent of a run or of a memory.
        evidence: The memories it is based on, as rows.
    """
    return {name: plain(getattr(known, name)) for name in _PLAIN} | {"evidence": evidence}


def describe_map(graph: "nx.Graph[int]") -> dict[str, Any]:
    """Return the nodes with the best scores, and the edges between them."""
    best = sorted(graph.nodes(data=True), key=lambda node: (-node[1]["score"], node[0]))
    shown = rows_of(pd.DataFrame([{"id": one, **facts} for one, facts in best[:_MOST_NODES]]))
    shown_ids = {row["id"] for row in shown}
    edges = [
        {"a": plain(a), "b": plain(b), "weight": plain(weight)}
        for a, b, weight in graph.edges(data="weight")
        if a in shown_ids and b in shown_ids
    ]
    return {
        "topic": plain(graph.graph["topic"]),
        "nodes": shown,
        "edges": edges,
        "left_out": len(best) - len(shown),
    }
