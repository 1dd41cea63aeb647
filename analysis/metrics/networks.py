"""Measure recorded ties as surveys of friends do: number, clustering, likeness, components."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

NONE = float("nan")


def describe_ties(ties: pd.DataFrame, *, agents: int) -> dict[str, float]:
    """Measure ties between `agents` agents as a graph, NaN without any.

    Returns the mean and the coefficient of variation of the number of ties, over agents with ties;
    transitivity, the share of paths of two ties that a third one closes; clustering, the mean share
    of ties among the contacts of an agent; and connected, the share of the agents with ties in the
    largest component.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    if not len(ties):
        names = ("mean", "variation", "transitivity", "clustering", "connected")
        return dict.fromkeys(names, NONE)
    ends, nodes = pd.factorize(np.concatenate([ties["source"], ties["target"]]))
    one, other, size = ends[: len(ties)], ends[len(ties) :], len(nodes)
    tied = csr_array((np.ones(len(ties)), (one, other)), shape=(size, size))
    tied = csr_array(tied + tied.T)
    tied.data[:] = 1  # of agents that are tied twice, too
    degrees = tied.sum(axis=1)
    # Ordered pairs of contacts of each agent, and those that are tied themselves
    pairs, closed = degrees * (degrees - 1), (tied @ tied).multiply(tied).sum(axis=1)
    _, component = connected_components(tied, directed=False)
    return {
        "mean": float(degrees.mean()),
        "variation": float(degrees.std() / degrees.mean()),
        "transitivity": float(closed.sum() / max(pairs.sum(), 1)),
        "clustering": float((closed / np.maximum(pairs, 1)).sum() / agents),
        "connected": float(np.bincount(component).max() / size),
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
