"""Related memories: for each memory the most similar earlier ones of its agent.

Memories are related if their cosine is at least the threshold `related` and below `duplicate`.
At most five are stored, the most similar first; ties go to the newer. They are found for all
new memories in one pass: at night, or when they are first read. Memories evicted or forgotten
before the pass are no candidates, later ones are skipped on reading: daily passes and one pass
at the end give the same unless a memory is removed in between.

Source: section "related memories" of the memtool design: similarity in [0.5, 0.8), at most 5.
"""

import numpy as np
from numpy.typing import ArrayLike

from memopolis.sim.arrays import Int32, Int64, UInt16
from memopolis.sim.memory.interface import Memory
from memopolis.sim.memory.streams import encoding
from memopolis.sim.memory.streams.stream import Streams
from memopolis.sim.memory.vectors.embedders.protocol import encode_cosine
from memopolis.sim.memory.vectors.text_likeness import (
    Ragged,
    groups,
)

MOST = 5  # most related memories of a memory
_COLUMN = "related"
_DONE = "related_to"


def relate(memory: Memory, rows: ArrayLike) -> None:
    """Find and store the related memories of all memories added since the last call."""
    memory.settle()
    streams = memory.streams
    agents = np.unique(np.asarray(rows, np.int64))
    slots, back = _fresh(memory, agents)
    streams.memory_column(_COLUMN, np.uint16, width=MOST)[slots] = back
    streams.agent_column(_DONE, np.int32)[agents] = streams.next[agents]


def relate_again(memory: Memory, row: int, number: int) -> None:
    """Let the next pass relate a memory that has changed, and all later ones, again."""
    if memory.streams.has_column(_DONE):
        done = memory.streams.agent_column(_DONE, np.int32)
        done[row] = min(done[row], number)


def related(memory: Memory, rows: ArrayLike, ids: ArrayLike, *, observed: bool = False) -> Int32:
    """Return the related memories of `ids`, (n,) or (n, k), finding them first if necessary.

    Returns ids, the most similar first, -1 for none, int32, shape of `ids` plus (5,). For an
    observer, nothing is stored.
    """
    agents = np.asarray(rows, np.int64)
    numbers = encoding.ids(ids, len(agents))
    memory.settle()
    if not observed:
        relate(memory, agents)
    owners = np.broadcast_to(agents.reshape(-1, *[1] * (numbers.ndim - 1)), numbers.shape).ravel()
    return _read(memory, owners, numbers.ravel()).reshape(*numbers.shape, MOST)


def links(memory: Memory, row: int, *, observed: bool = False) -> tuple[Int32, Int32]:
    """Return first and second memory of all links of an agent, in both directions, sorted."""
    memory.settle()
    _, ids, _ = memory.streams.listed(np.array([row]))
    matches = related(memory, [row], ids[None], observed=observed)[0]
    newer, place = np.nonzero(matches >= 0)
    a, b = ids[newer].astype(np.int32), matches[newer, place]
    both = np.concatenate([a, b]), np.concatenate([b, a])
    order = np.lexsort((both[1], both[0]))
    return both[0][order], both[1][order]


def _read(memory: Memory, owners: Int64, ids: Int64) -> Int32:
    """Return the related memories that still exist, shape (m, 5)."""
    streams = memory.streams
    slots = streams.locate(owners, ids)
    exists = slots >= 0
    back = np.zeros((len(ids), MOST), np.int64)
    done = _done(streams, owners)
    old = exists & (ids < done)
    if old.any():
        back[old] = streams.memory_column(_COLUMN, np.uint16, width=MOST)[slots[old]]
    new = exists & (ids >= done)
    if new.any():
        fresh, distances = _fresh(memory, np.unique(owners[new]))
        order = np.argsort(fresh)
        back[new] = distances[order[np.searchsorted(fresh[order], slots[new])]]
    candidates = ids[:, None] - back
    real = (back > 0) & streams.holds(owners[:, None], candidates)
    # Removed memories leave no gap.
    order = np.argsort(~real, axis=1, kind="stable")
    return np.take_along_axis(np.where(real, candidates, -1), order, axis=1).astype(np.int32)


def _done(streams: Streams, rows: Int64) -> Int64:
    if not streams.has_column(_DONE):
        return np.zeros(len(rows), np.int64)
    return streams.agent_column(_DONE, np.int32)[rows].astype(np.int64)


def _fresh(memory: Memory, rows: Int64) -> tuple[Int64, UInt16]:
    """Find the related memories of memories added since the last pass, agent by agent.

    Returns the slots of these memories, (m,), and by how many ids each related memory is earlier,
    0 for none, (m, 5).
    """
    from memopolis.sim.memory.night import kernels

    streams = memory.streams
    owners, ids, slots = streams.listed(rows)
    stored = Ragged.of(streams.at("text", slots), owners, len(rows))
    new = np.flatnonzero(ids >= _done(streams, rows)[owners])
    back = np.zeros((len(new), MOST), np.uint16)
    if not len(new):
        return slots[new], back
    agent = owners[new]
    place = new - stored.starts[agent]
    queries = Ragged.of(stored.values[new], agent, len(rows))
    limits = memory.thresholds
    low, high = (encode_cosine(c) for c in (limits.related, limits.duplicate))
    for group in groups(memory.vectors, queries, stored):
        part = slice(queries.starts[group.begin], queries.starts[group.end])
        # Sorted by text if there is a table, so that its rows stay in the cache.
        texts = group.queries.values
        is_table = len(group.similarity[0]) > 0
        order = np.argsort(texts, kind="stable") if is_table else np.arange(len(texts))
        kernels.relate(
            group.similarity, order, texts, agent[part] - group.begin,
            place[part], group.stored.values, group.stored.starts, low, high, back[part],
        )  # fmt: skip
    # From numbers of memories to numbers of ids, which are more if some were forgotten.
    earlier = ids[new][:, None] - ids[np.maximum(new[:, None] - back, 0)]
    earlier[(back == 0) | (earlier > np.iinfo(np.uint16).max)] = 0
    return slots[new], earlier.astype(np.uint16)
