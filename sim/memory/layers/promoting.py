"""Promotion: a cluster that is returned often enough becomes a key memory, once."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.memory.layers.key import pin
from memopolis.sim.memory.layers.writing import Passage, Writer, passage_of, written
from memopolis.sim.memory.night.clustering import founders_by_row

if TYPE_CHECKING:
    from memopolis.sim.memory.memory import Memory

IntArray = NDArray[np.int64]

GIST_MEMBERS = 20
"""Most members of a cluster that its gist is written from, those nearest the centroid."""


def promoted(memory: "Memory") -> NDArray[np.int32]:
    """Founder of the cluster that was promoted last under each number of a cluster.

    A number is used again for another cluster, a founder never: so each is promoted once,
    also where the key memory is deleted later.

    Returns:
        -1 where none was, int32, shape (agents, max_clusters).
    """
    width = memory.layer_settings.max_clusters
    column = memory.streams.agent_column("promoted", np.int32, fill=-1, width=width)
    return column.reshape(-1, width)


def clusters_due(memory: "Memory", rows: IntArray) -> tuple[IntArray, IntArray]:
    """Clusters with more hits than the threshold that were not promoted yet.

    Args:
        memory: Where they are.
        rows: Rows of the agents, shape (n,).

    Returns:
        Place of the agent in `rows`, and number of the cluster, of each, both int64, shape
        (m,), agent by agent in the order of the numbers.
    """
    from memopolis.sim.memory.night import clusters

    settings = memory.layer_settings.clustering
    hits = clusters.hits_of(memory, rows, settings)
    places, numbers = np.nonzero(hits > memory.layer_settings.hit_threshold)
    if not len(places):
        return places, numbers
    founders = founders_by_row(memory, settings)[rows[places], numbers]
    due = promoted(memory)[rows[places], numbers] != founders
    return places[due], numbers[due]


def gist_of(memory: "Memory", row: int, number: int) -> Passage | None:
    """The members of a cluster that its gist is to be written from; None without a member."""
    from memopolis.sim.memory.night import clusters

    settings = memory.layer_settings.clustering
    every = clusters.clusters_of(memory, row, settings=settings, observed=True)
    ids = next((np.asarray(one.ids) for one in every if one.number == number), None)
    passage = None if ids is None else passage_of(memory, row, ids, "gist")
    if passage is None or len(passage.memories) <= GIST_MEMBERS:
        return passage
    nearest = np.argsort(-passage.centrality, kind="stable")[:GIST_MEMBERS]
    return passage_of(memory, row, passage.ids[np.sort(nearest)], "gist")


def keep_gist(memory: "Memory", row: int, number: int, ids: NDArray[np.integer], text: str) -> None:
    """Pin the gist of a cluster, and note that it is done.

    Args:
        memory: Where the memories are.
        row: Row of the agent.
        number: Number of the cluster.
        ids: Ids of the members it was written from, shape (n,).
        text: The gist; nothing is pinned where it is empty.
    """
    founders = founders_by_row(memory, memory.layer_settings.clustering)
    promoted(memory)[row, number] = founders[row, number]
    if text:
        pin(memory, row, text, "auto", ids.tolist())


def promote(memory: "Memory", rows: IntArray, writer: Writer) -> NDArray[np.int32]:
    """Promote every cluster that is due.

    Args:
        memory: Where the memories are.
        rows: Rows of the agents, shape (n,), each once.
        writer: Puts the gist of a cluster into words.

    Returns:
        How many key memories each agent got, int32, shape (n,).
    """
    got = np.zeros(len(rows), np.int32)
    places, numbers = clusters_due(memory, rows)
    # An agent that stands in a cohort twice gets a key memory once.
    _, once = np.unique(rows[places] << 32 | numbers, return_index=True)
    places, numbers = places[once], numbers[once]
    for place, number in zip(places.tolist(), numbers.tolist(), strict=True):
        row = int(rows[place])
        passage = gist_of(memory, row, number)
        if passage is not None:
            keep_gist(memory, row, number, passage.ids, written(writer, passage))
            got[place] += 1
    return got
