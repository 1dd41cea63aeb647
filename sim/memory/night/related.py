"""Related memories: for each memory the earlier ones of its agent that are most like it.

Related are cosines from `related` up to, but not including, `duplicate` of the memory's
thresholds; at most five, the most alike first, ties to the newer. They are found for all
memories that have come since the last time, in one pass: at night, or when they are first
asked for. What was evicted or forgotten before the pass is no candidate, and what goes
later is left out on reading: passes day by day and one pass at the end give the same as
long as nothing goes in between.

Source: section "related memories" of the memtool design: similarity in [0.5, 0.8), at most 5.
"""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memopolis.sim.memory.streams import encoding
from memopolis.sim.memory.vectors.text_likeness import (
    Group,
    Runs,
    groups,
    starts_of,
    texts_held,
    to_code,
)

if TYPE_CHECKING:
    from memopolis.sim.memory.memory import Memory

IntArray = NDArray[np.int64]

MOST = 5
"""Most related memories that a memory points to."""

_COLUMN = "related"
_DONE = "related_to"


def relate(memory: "Memory", rows: ArrayLike) -> None:
    """Find the related memories of all that has come to some agents since the last time.

    Args:
        memory: Where they are.
        rows: Rows of the agents, in any order.
    """
    memory.settle()
    streams = memory.streams
    who = np.unique(np.asarray(rows, np.int64))
    first, back, starts = _fresh(memory, who)
    column = streams.memory_column(_COLUMN, np.uint16, width=MOST)
    owners, ids = _spread(who, first, starts)
    column[streams.slots(owners, ids)] = back
    streams.agent_column(_DONE, np.int32)[who] = streams.next[who]


def related(
    memory: "Memory", rows: ArrayLike, ids: ArrayLike, *, observed: bool = False
) -> NDArray[np.int32]:
    """Give the related memories of memories, finding them first where nobody has yet.

    Args:
        memory: Where they are.
        rows: Rows of the agents, shape (n,).
        ids: Ids of their memories, shape (n,) or (n, k); those gone have none.
        observed: Whether an observer asks, who sees the same but leaves nothing behind.

    Returns:
        Ids, the most alike first, -1 for none, int32, shape of `ids` and 5.

    Raises:
        ParameterError: If `ids` does not have one row an agent.
    """
    who = np.asarray(rows, np.int64)
    given = encoding.ids(ids, len(who))
    memory.settle()
    if not observed:
        relate(memory, who)
    owners = np.broadcast_to(who.reshape(-1, *[1] * (given.ndim - 1)), given.shape).ravel()
    found = _read(memory, owners, given.ravel())
    return found.reshape(*given.shape, MOST)


def links(
    memory: "Memory", row: int, *, observed: bool = False
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """All links between the memories of an agent, each in both directions.

    Args:
        memory: Where they are.
        row: Row of the agent.
        observed: As in `related`.

    Returns:
        From which memory to which, sorted by the first, then the second, int32.
    """
    memory.settle()
    streams = memory.streams
    ids = np.arange(int(streams.first(row)), int(streams.next[row]))
    ids = ids[streams.holds(row, ids)]
    found = related(memory, [row], ids[None], observed=observed)[0]
    newer, place = np.nonzero(found >= 0)
    a, b = ids[newer].astype(np.int32), found[newer, place]
    both = np.concatenate([a, b]), np.concatenate([b, a])
    order = np.lexsort((both[1], both[0]))
    return both[0][order], both[1][order]


def _read(memory: "Memory", owners: IntArray, ids: IntArray) -> NDArray[np.int32]:
    """Related memories that are still there, of memories that may be gone, shape (m, 5)."""
    streams = memory.streams
    there = streams.holds(owners, ids)
    back = np.zeros((len(ids), MOST), np.int64)
    done = _done(memory, owners)
    old = there & (ids < done)
    if old.any():
        column = streams.memory_column(_COLUMN, np.uint16, width=MOST)
        back[old] = column[streams.slots(owners[old], ids[old])]
    new = there & (ids >= done)
    if new.any():
        who = np.unique(owners[new])
        first, fresh, starts = _fresh(memory, who)
        at = np.searchsorted(who, owners[new])
        back[new] = fresh[starts[at] + ids[new] - first[at]]
    found = ids[:, None] - back
    real = (back > 0) & streams.holds(owners[:, None], found)
    # Those that went leave no gap.
    order = np.argsort(~real, axis=1, kind="stable")
    return np.take_along_axis(np.where(real, found, -1), order, axis=1).astype(np.int32)


def _done(memory: "Memory", rows: IntArray) -> IntArray:
    """Up to which id related memories were found, without switching the column on."""
    streams = memory.streams
    if not streams.has_column(_DONE):
        return np.zeros(len(rows), np.int64)
    return streams.agent_column(_DONE, np.int32)[rows].astype(np.int64)


def _fresh(memory: "Memory", rows: IntArray) -> tuple[IntArray, NDArray[np.uint16], IntArray]:
    """Find related memories of those that have come since the last time.

    Returns:
        The first of these ids for each agent, how many ids back the related ones lie,
        shape (m, 5), and where each agent's begin.
    """
    from memopolis.sim.memory.night import related_kernels as kernels

    streams = memory.streams
    first = np.maximum(_done(memory, rows), streams.first(rows))
    starts = starts_of(streams.next[rows] - first)
    back = np.zeros((starts[-1], MOST), np.uint16)
    if not len(back):
        return first, back, starts
    held = texts_held(memory, rows)
    # The newest memories stand at the end of each agent's run.
    agent = np.repeat(np.arange(len(rows)), np.diff(starts))
    place = np.arange(starts[-1]) - (starts[1:] - held.lengths)[agent]
    asked = Runs(held.values[held.starts[agent] + place], starts)
    low, high = (np.int16(to_code(c)) for c in _thresholds(memory))
    for group in groups(memory.vectors, asked, held):
        part = slice(starts[group.begin], starts[group.end])
        kernels.relate(
            group.form, _order(group), group.asked.values, agent[part] - group.begin,
            place[part], group.held.values, group.held.starts, low, high, back[part],
        )  # fmt: skip
    return first, back, starts


def _order(group: Group) -> IntArray:
    """Those of the same text one after another, whose cosines then lie in the cache."""
    if len(group.form[0]):
        return np.argsort(group.asked.values, kind="stable")
    return np.arange(len(group.asked.values))


def _thresholds(memory: "Memory") -> tuple[float, float]:
    return memory.thresholds.related, memory.thresholds.duplicate


def _spread(rows: IntArray, first: IntArray, starts: IntArray) -> tuple[IntArray, IntArray]:
    """Row and id of each memory, where each agent's ids go on from the first."""
    lengths = np.diff(starts)
    ids = np.arange(starts[-1]) + np.repeat(first - starts[:-1], lengths)
    return np.repeat(rows, lengths), ids
