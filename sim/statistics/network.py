"""Measures of homophily in networks, as functions of ties and groups.

Ties are a `Network`, or two arrays of sources and targets. Each pair of the arrays counts as one
directed tie, such as "reads" or "follows"; pass undirected ties as a `Network` or in both
directions.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memopolis.sim.errors import ParameterError
from memopolis.sim.world.ties import Network

type Edges = Network | tuple[ArrayLike, ArrayLike]
Rows = NDArray[np.int64]
Floats = NDArray[np.float64]


def ends(edges: Edges) -> tuple[Rows, Rows]:
    """Return source and target of each tie, shape (ties,) each; ties of a `Network` both ways."""
    if isinstance(edges, Network):
        rows = np.arange(edges.agents)
        return np.repeat(rows, edges.count(rows)), edges.contacts.astype(np.int64)
    source, target = (np.asarray(end, np.int64).ravel() for end in edges)
    if len(source) != len(target):
        raise ParameterError(f"{len(source)} sources and {len(target)} targets do not make ties")
    return source, target


def among(edges: Edges, kept: ArrayLike) -> tuple[Rows, Rows]:
    """Return source and target of the ties whose ends are both `kept`, shape (agents,)."""
    source, target = ends(edges)
    one_of = np.asarray(kept, bool)
    _check_rows(source, target, len(one_of))
    both = one_of[source] & one_of[target]
    return source[both], target[both]


def mixing(edges: Edges, groups: ArrayLike, *, weight: ArrayLike | None = None) -> Floats:
    """Compute the share of ties between each pair of groups, in sorted order of their labels.

    Returns the shares e_ij that sum to 1, shape (groups, groups); all 0 without ties. `groups` has
    the label of each agent, and `weight` the weight of each tie, >= 0, in the order of `ends`.

    Source: Newman 2003, doi:10.1103/PhysRevE.67.026126 (recalled).
    """
    source, target = ends(edges)
    names, group = np.unique(np.asarray(groups), return_inverse=True)
    _check_rows(source, target, len(group))
    firm = None if weight is None else np.asarray(weight, np.float64)
    if firm is not None and (firm.shape != source.shape or (firm < 0).any()):
        raise ParameterError("a weight of at least 0 is needed for each tie")
    cell = group[source] * len(names) + group[target]
    count = np.bincount(cell, weights=firm, minlength=len(names) ** 2).astype(np.float64)
    return count.reshape(len(names), len(names)) / max(count.sum(), np.finfo(float).tiny)


def e_i_index(edges: Edges, groups: ArrayLike, *, weight: ArrayLike | None = None) -> float:
    """Compute the E-I index, which compares external with internal ties of groups; see `mixing`.

    Returns (external - internal) / all: -1 if all ties are within groups, 1 if none is; NaN without
    ties.

    Source: Krackhardt and Stern 1988, doi:10.2307/2786835 (recalled).
    """
    share = mixing(edges, groups, weight=weight)
    return float(1 - 2 * np.trace(share)) if share.any() else float("nan")


def modularity(edges: Edges, groups: ArrayLike, *, weight: ArrayLike | None = None) -> float:
    """Compute modularity: the share of ties within groups minus its expected value; see `mixing`.

    Returns Q = sum_i (e_ii - a_i b_i), a and b the shares of ties that begin and end in a group;
    NaN without ties.

    Source: Newman 2003, doi:10.1103/PhysRevE.67.026126; with direction Leicht and Newman 2008,
    doi:10.1103/PhysRevLett.100.118703 (both recalled).
    """
    share = mixing(edges, groups, weight=weight)
    expected = share.sum(axis=1) @ share.sum(axis=0)
    return float(np.trace(share) - expected) if share.any() else float("nan")


def group_assortativity(
    edges: Edges, groups: ArrayLike, *, weight: ArrayLike | None = None
) -> float:
    """Compute the assortativity of groups: modularity divided by its maximum; see `mixing`.

    Returns (sum_i e_ii - sum_i a_i b_i) / (1 - sum_i a_i b_i): 1 if all ties are within groups, 0
    for random ties; NaN without ties or with a single group.

    Source: Newman 2003, doi:10.1103/PhysRevE.67.026126 (recalled).
    """
    share = mixing(edges, groups, weight=weight)
    expected = share.sum(axis=1) @ share.sum(axis=0)
    # With one group, rounding may leave the sum of shares just below 1.
    if not share.any() or 1 - expected < 1e-12:
        return float("nan")
    return float((np.trace(share) - expected) / (1 - expected))


def assortativity(edges: Edges, values: ArrayLike) -> float:
    """Return the Pearson correlation of the values, such as attitudes, at both ends of ties.

    It is NaN if either end does not vary.

    Source: Newman 2003, doi:10.1103/PhysRevE.67.026126 (recalled).
    """
    source, target = ends(edges)
    x = np.asarray(values, np.float64).ravel()
    _check_rows(source, target, len(x))
    if not len(source):
        return float("nan")
    one, two = x[source] - x[source].mean(), x[target] - x[target].mean()
    spread = np.sqrt((one @ one) * (two @ two))
    # Rounding gives equal values a tiny variance.
    least = len(source) * (1e-12 * np.abs(x).max()) ** 2
    return float(one @ two / spread) if spread > least else float("nan")


def _check_rows(source: Rows, target: Rows, agents: int) -> None:
    if not len(source):
        return
    low, high = min(source.min(), target.min()), max(source.max(), target.max())
    if low < 0 or high >= agents:
        raise ParameterError(
            f"ties name the rows {low} to {high}; there are values of the rows 0 to {agents - 1}"
        )
