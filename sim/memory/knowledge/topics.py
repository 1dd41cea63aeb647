"""Find the memories about a topic, and their share of it."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.memory.interface import Memory
from memopolis.sim.memory.retrieval.profiles import Profile
from memopolis.sim.memory.retrieval.recalling import SearchOptions, search
from memopolis.sim.memory.streams.recollection import Recalled
from memopolis.sim.memory.text.relevance import FULL

IntArray = NDArray[np.int64]
Float32 = NDArray[np.float32]

BAR = 0.3
"""Least share of a query that a text about it contains.

The lexical index weights the word pieces of the query by rarity: a text with the query's one
rare word passes, a text with a somewhat similar word does not.
"""

# Hours after which the recency of a memory is one half, as in the profile `recall`.
HALF_LIFE = 720.0

ABOUT = Profile(
    recency=0.1,
    importance=0.1,
    relevance=1.0,
    half_life=HALF_LIFE,
    neighbours=0.0,
    actor=0.0,
    date=0.0,
)
"""Profile `recall` by a memory's own words, without neighbours, actors and dates."""


def find_about(
    memory: Memory, rows: IntArray, topic: str | Sequence[str], k: int, *, bar: float = BAR
) -> Recalled:
    """Find the best memories about one topic in words, or one per agent; nothing changes.

    Returns ids, best first, padded with -1, and as scores the share of the topic in each, at least
    `bar`, padded with 0; both of shape (n, k).
    """
    ranked = search(memory, rows, topic, SearchOptions(k, ABOUT), observed=True)
    slots = memory.streams.locate(rows, ranked.ids)
    texts, exists = memory.streams.gather("text", slots), slots >= 0
    share = np.where(exists, topic_shares(memory, topic, texts), np.float32(0))
    about = exists & (share >= np.float32(bar))
    order = np.argsort(~about, axis=1, kind="stable")
    ids = np.take_along_axis(np.where(about, ranked.ids, np.int32(-1)), order, axis=1)
    scores = np.take_along_axis(np.where(about, share, np.float32(0)), order, axis=1)
    return Recalled(rows, ids, scores)


def topic_shares(memory: Memory, topic: str | Sequence[str], texts: NDArray[np.int32]) -> Float32:
    """Compute the share of a topic's word pieces, one topic or one per agent, in texts, 0..1."""
    queries = [topic] if isinstance(topic, str) else list(topic)
    if not queries or not texts.size or not memory.texts.capacity:
        return np.zeros(texts.shape, np.float32)
    relevance = memory.index.relevance(queries, texts.size)
    # The row of a single topic is broadcast to all agents.
    rows = np.broadcast_to(relevance.rows[:, None], texts.shape)
    if relevance.table is not None:
        values = relevance.table[rows, texts]
    else:
        from memopolis.sim.memory.retrieval.terms.relevance import relevances

        pairs = relevances(relevance.pairs, rows.ravel(), texts.ravel())
        values = pairs.reshape(texts.shape)
    return values.astype(np.float32) / np.float32(FULL)
