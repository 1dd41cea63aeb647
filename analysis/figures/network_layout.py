"""Choose the drawn sample of a social network, and its layout; the same for the same ties."""

import hashlib
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from memopolis.sim.world.ties import Network, Ties

MOST = 400  # maximum number of agents drawn, so that they stay distinguishable
_SEED = 1
_ROUNDS = 80


@dataclass(frozen=True, eq=False)
class Layout:
    """A connected sample of agents with fixed positions."""

    agents: NDArray[np.int64]  # unique_id, ascending, shape (nodes,)
    places: NDArray[np.float64]  # shape (nodes, 2)
    ties: NDArray[np.intp]  # indices of both ends, each pair once, shape (ties, 2)


class _Pairs:
    """The ends of ties, as a key of the cached layout."""

    def __init__(self, source: NDArray[np.int64], target: NDArray[np.int64]) -> None:
        self.source, self.target = source, target
        both = hashlib.blake2b(source.tobytes())
        both.update(target.tobytes())
        self._digest = both.digest()

    def __hash__(self) -> int:
        return hash(self._digest)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Pairs) and self._digest == other._digest


def layout_of(ties: pd.DataFrame) -> Layout:
    """Choose the drawn agents and their positions."""
    ends = (ties[name].to_numpy(np.int64) for name in ("source", "target"))
    return _laid_out(_Pairs(*ends))


@lru_cache(maxsize=8)
def _laid_out(pairs: _Pairs) -> Layout:
    import networkx as nx

    ids, ends = np.unique(np.concatenate([pairs.source, pairs.target]), return_inverse=True)
    network = Network(len(ids), *np.split(ends, 2))
    chosen = Ties(len(ids), {"tie": network}).connected_sample(MOST)
    number = np.full(len(ids), -1, np.intp)
    number[chosen] = np.arange(len(chosen))
    rows = number[np.repeat(np.arange(len(ids)), network.count(np.arange(len(ids))))]
    both = np.stack([rows, number[network.contacts]], axis=1)
    tied = both[(both.min(axis=1) >= 0) & (both[:, 0] < both[:, 1])]
    graph: nx.Graph[int] = nx.Graph()
    graph.add_nodes_from(range(len(chosen)))
    graph.add_edges_from(tied.tolist())
    distance = 2.2 / np.sqrt(max(len(chosen), 1))
    positions = nx.spring_layout(graph, k=distance, iterations=_ROUNDS, seed=_SEED)
    places = np.array([positions[node] for node in range(len(chosen))], np.float64)
    return Layout(ids[chosen], places.reshape(-1, 2), tied)
