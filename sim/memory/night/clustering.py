"""The clusters of some agents as arrays: read, brought up to date, and kept."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.errors import ParameterError
from memopolis.sim.memory.vectors.text_likeness import Runs, groups, texts_held

if TYPE_CHECKING:
    from memopolis.sim.memory.memory import Memory

IntArray = NDArray[np.int64]

NONE = 255
"""Cluster of a memory that is in none."""

STALE = -(2**31)
"""Share that has to be counted again."""


@dataclass(frozen=True)
class Clustering:
    """How memories are gathered.

    Attributes:
        short_term_size: How many of the newest memories are in no cluster yet, >= 0.
        threshold: Cosine above which a memory joins; None for that of the memory's embedder.
        max_clusters: Most clusters of an agent, 1..255.

    Raises:
        ParameterError: If a value is out of range.
    """

    short_term_size: int = 20
    threshold: float | None = None
    max_clusters: int = 100

    def __post_init__(self) -> None:
        if self.short_term_size < 0:
            raise ParameterError(f"short_term_size is {self.short_term_size}; at least 0 is needed")
        if not 1 <= self.max_clusters <= NONE:
            raise ParameterError(f"max_clusters is {self.max_clusters}; 1 to {NONE} are allowed")
        if self.threshold is not None and not -1 <= self.threshold <= 1:
            raise ParameterError(f"threshold is {self.threshold}; a cosine of -1 to 1 is needed")


@dataclass(frozen=True, eq=False)
class ClusterState:
    """Clusters of some agents, as arrays of their own.

    Attributes:
        rows: Rows of the agents, shape (n,).
        first: Id of the oldest memory of each, shape (n,).
        held: Texts of all their memories, agent by agent, oldest first.
        cluster: Cluster of each memory, `NONE` for none, shape (m,).
        share: Its share of the squared length of its cluster's sum, shape (m,).
        founder: Id of the memory that founded each cluster, -1 for none, shape (n, clusters).
        hits: How often each cluster was returned, shape (n, clusters).
        done: Id up to which memories have joined, shape (n,).
    """

    rows: IntArray
    first: IntArray
    held: Runs
    cluster: NDArray[np.uint8]
    share: NDArray[Any]
    founder: NDArray[np.int32]
    hits: NDArray[np.uint16]
    done: NDArray[np.int32]

    def members(self, i: int, number: int) -> NDArray[np.int32]:
        """Ids of the members of a cluster of the i-th agent, oldest first."""
        mine = self.cluster[self.held.starts[i] : self.held.starts[i + 1]]
        ids: NDArray[np.int32] = (np.flatnonzero(mine == number) + self.first[i]).astype(np.int32)
        return ids


def caught_up(memory: "Memory", rows: IntArray, settings: Clustering) -> ClusterState:
    """The clusters once all that is due has joined; nothing is kept yet."""
    from memopolis.sim.memory.night import cluster_kernels as kernels

    state = _read(memory, rows, settings)
    due = np.maximum(memory.streams.next[rows] - settings.short_term_size, state.done)
    begin = np.maximum(state.done, state.first) - state.first
    end = np.maximum(due - state.first, begin)
    state.done[:] = due
    held = state.held
    asks = kernels.ask(held.values, held.starts, begin, end, state.cluster, state.share)
    at = np.flatnonzero(asks)
    if not len(at):
        return state
    starts = np.searchsorted(at, held.starts)
    places = at - np.repeat(held.starts[:-1], np.diff(starts))
    asked = Runs(held.values[at], starts)
    threshold = memory.thresholds.cluster if settings.threshold is None else settings.threshold
    for group in groups(memory.vectors, asked, held):
        agents = slice(group.begin, group.end)
        asking = slice(starts[group.begin], starts[group.end])
        holding = slice(held.starts[group.begin], held.starts[group.end])
        kernels.join(
            group.form, group.asked.values, group.asked.starts, places[asking],
            group.held.values, group.held.starts, state.cluster[holding], state.share[holding],
            float(threshold), state.first[agents], state.founder[agents], state.hits[agents],
        )  # fmt: skip
    return state


def _read(memory: "Memory", rows: IntArray, settings: Clustering) -> ClusterState:
    """The clusters as they were kept, without switching anything on."""
    from memopolis.sim.memory.night import side_kernels

    streams = memory.streams
    first = streams.first(rows).astype(np.int64)
    held = texts_held(memory, rows)
    most = settings.max_clusters
    if not streams.has_column("cluster"):
        count = len(held.values)
        return ClusterState(
            rows, first, held, np.full(count, NONE, np.uint8), np.zeros(count, _share_type(memory)),
            np.full((len(rows), most), -1, np.int32), np.zeros((len(rows), most), np.uint16),
            np.zeros(len(rows), np.int32),
        )  # fmt: skip
    known = _memory_columns(memory)
    cluster, share = (
        side_kernels.read(streams.table, rows, first, held.starts, column) for column in known
    )
    founder = founders_by_row(memory, settings)[rows]
    done = streams.agent_column("clustered_to", np.int32)[rows]
    return ClusterState(
        rows, first, held, cluster, share, founder, hits_by_row(memory, settings)[rows], done
    )


def keep(memory: "Memory", state: ClusterState, settings: Clustering) -> None:
    """Keep what was gathered in the side columns of the streams."""
    from memopolis.sim.memory.night import side_kernels

    streams = memory.streams
    columns = zip(_memory_columns(memory), (state.cluster, state.share), strict=True)
    for column, values in columns:
        side_kernels.write(
            streams.table, state.rows, state.first, state.held.starts, column, values
        )
    founders_by_row(memory, settings)[state.rows] = state.founder
    hits_by_row(memory, settings)[state.rows] = state.hits
    streams.agent_column("clustered_to", np.int32)[state.rows] = state.done


def _memory_columns(memory: "Memory") -> tuple[NDArray[Any], NDArray[Any]]:
    """Clusters of the memories, and their shares of the squared lengths of the sums."""
    streams = memory.streams
    cluster = streams.memory_column("cluster", np.uint8, fill=NONE)
    return cluster, streams.memory_column("cluster_share", _share_type(memory))


def _share_type(memory: "Memory") -> type[np.signedinteger[Any]]:
    """Type in which the product of a memory with all others of its agent fits."""
    return np.int32 if memory.streams.limit <= 30_000 else np.int64


def founders_by_row(memory: "Memory", settings: Clustering) -> NDArray[Any]:
    """Founder of each cluster of each agent, -1 for none, to be changed in place."""
    width = settings.max_clusters
    column = memory.streams.agent_column("cluster_founder", np.int32, fill=-1, width=width)
    return column.reshape(-1, width)


def hits_by_row(memory: "Memory", settings: Clustering) -> NDArray[Any]:
    """How often each cluster of each agent was returned, to be changed in place."""
    width = settings.max_clusters
    return memory.streams.agent_column("cluster_hits", np.uint16, width=width).reshape(-1, width)
