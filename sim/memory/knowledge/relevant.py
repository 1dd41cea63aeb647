"""Which memories are about a topic, and how much."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.memory.retrieval import recalling
from memopolis.sim.memory.retrieval.profiles import Profile
from memopolis.sim.memory.streams.recollection import Recalled
from memopolis.sim.memory.text.relevance import FULL

if TYPE_CHECKING:
    from memopolis.sim.memory.memory import Memory

IntArray = NDArray[np.int64]
Float32 = NDArray[np.float32]

BAR = 0.3
"""Share of a query that a text must hold to be about it.

The soft lexical index weighs the pieces of the query by how rare they are: a text with the
query's one rare word passes, one with a word that is only somewhat like it does not.
"""

HALF_LIFE = 720.0
"""Hours after which the recency of a memory is one half, as in the profile `recall`."""

ABOUT = Profile(
    recency=0.1,
    importance=0.1,
    relevance=1.0,
    half_life=HALF_LIFE,
    neighbours=0.0,
    actor=0.0,
    date=0.0,
)
"""Profile `recall` by a memory's own words alone: what stands beside it says nothing here."""


def best(
    memory: "Memory",
    rows: IntArray,
    topic: str | Sequence[str],
    k: int,
    *,
    bar: float = BAR,
) -> Recalled:
    """Find the best memories that are about a topic, without touching them.

    Args:
        memory: Where they are.
        rows: Rows of the agents, shape (n,).
        topic: One topic in words, or one an agent.
        k: Most memories an agent, >= 1.
        bar: Share of the topic that a memory must hold, 0..1.

    Returns:
        Ids, best first, -1 where there are fewer, and as scores the share of the topic that
        each holds, 0 there; both of shape (n, k). Those left out leave no gap.
    """
    found = recalling.search(memory, rows, topic, k, profile=ABOUT, observed=True)
    texts, there = memory.streams.found("text", rows, found.ids.astype(np.int64))
    share = np.where(there, shares(memory, topic, texts), np.float32(0))
    about = there & (share >= np.float32(bar))
    order = np.argsort(~about, axis=1, kind="stable")
    ids = np.take_along_axis(np.where(about, found.ids, np.int32(-1)), order, axis=1)
    held = np.take_along_axis(np.where(about, share, np.float32(0)), order, axis=1)
    return Recalled(rows, ids, held)


def shares(memory: "Memory", topic: str | Sequence[str], texts: NDArray[np.int32]) -> Float32:
    """Share of a topic that texts hold.

    Args:
        memory: Whose texts they are.
        topic: One topic in words, or one an agent.
        texts: Numbers of texts, shape (n, k).

    Returns:
        R of topic and text, of a text that holds every piece of the topic, in [0, 1], shape
        (n, k).
    """
    asked = [topic] if isinstance(topic, str) else list(topic)
    if not asked or not texts.size or not memory.texts.capacity:
        return np.zeros(texts.shape, np.float32)
    relevance = memory.index.relevance(asked, texts.size)
    # With one topic for all its row serves everyone.
    rows = np.broadcast_to(relevance.rows[:, None], texts.shape)
    if relevance.table is not None:
        held = relevance.table[rows, texts]
    else:
        from memopolis.sim.memory.retrieval import kernels

        pairs = kernels.relevances(relevance.pairs, rows.ravel(), texts.ravel())
        held = pairs.reshape(texts.shape)
    return held.astype(np.float32) / np.float32(FULL)
