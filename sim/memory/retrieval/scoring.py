"""What a memory is worth to a query: every term as a pure function of arrays.

These functions define the score; the compiled pass in `kernels.py` computes the same bits
faster. Relevance stays in whole numbers to the last line, recency and importance come from
tables, and the sum has a fixed order in float32, so no machine and no order of work can
change a rank.

    score = (recency * w0 + importance * w1) + relevance * w2
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memopolis.sim.errors import ParameterError
from memopolis.sim.memory.text.relevance import FULL

OWN = 20
"""Weight of a memory's own relevance in V."""

SCALE = OWN * FULL
"""V of a memory that holds every piece of the query and nothing else."""

HALF_LIVES = 32
"""Half-lives after which recency falls no further: 2 ** -32 is nothing in a float32 sum."""

Int32 = NDArray[np.int32]
Float32 = NDArray[np.float32]


class Shares(NamedTuple):
    """What else adds to V, in twentieths of a full match, so that V stays a whole number.

    Attributes:
        neighbours: What the neighbour one away lends, 0 for nothing.
        actor: What being by the named actor adds.
        date: What falling into the named interval adds.
    """

    neighbours: int = 10
    actor: int = 5
    date: int = 4

    @property
    def next_but_one(self) -> int:
        """What the neighbour two away lends: 0.8 of what the nearer one does."""
        return (8 * self.neighbours + 5) // 10


USUAL = Shares()
"""Half, a quarter and a fifth of a full match."""


def twentieths(share: float) -> int:
    """Round a share of a full match to whole twentieths, halves up."""
    return math.floor(OWN * share + 0.5)


def in_ticks(hours: float, ticks_per_day: float) -> float:
    """Turn a time scale into ticks; where a tick is longer than a day, a day means a tick."""
    return hours * max(ticks_per_day, 1.0) / 24


def recency_table(half_life: float, ticks: int) -> Float32:
    """Weigh every age in whole ticks.

    Args:
        half_life: Ticks after which the weight is one half, > 0.
        ticks: Greatest age in use, in ticks, >= 0.

    Returns:
        Weight 2 ** (-age / half_life) of each age from 0 on, computed in float64 and then
        rounded, shape (min(ticks, 32 half-lives) + 1,); never rising.

    Raises:
        ParameterError: If `half_life` is not positive.

    Source:
        Exponential decay as in Park et al. 2023, doi:10.1145/3586183.3606763, written with a
        half-life and over the time really elapsed instead of whole days.
    """
    if not half_life > 0:
        raise ParameterError(f"half_life is {half_life}; more than 0 is needed")
    last = min(max(ticks, 0), math.ceil(HALF_LIVES * half_life))
    return np.exp2(-np.arange(last + 1) / half_life).astype(np.float32)


def recency(accessed: Int32, now: int, table: Float32) -> Float32:
    """Weigh each memory by how lately it was recalled.

    Args:
        accessed: Tick of the last access (or of the creation), shape (memories,).
        now: Tick of the search; what lies after it counts as now.
        table: As from `recency_table`.

    Returns:
        Weights in [0, 1], shape (memories,).
    """
    age = np.int32(now) - accessed
    weights: Float32 = table[np.clip(age, 0, len(table) - 1)]
    return weights


def importance_table() -> Float32:
    """Importance of each of the 256 codes, 0..1, shape (256,)."""
    return (np.arange(256) / 255).astype(np.float32)


def whole(relevance: ArrayLike) -> Int32:
    """Take R as the whole number it is, as int32."""
    return np.asarray(relevance, np.int32)


def near(
    relevance: Int32,
    continues: NDArray[np.bool_],
    first: NDArray[np.bool_],
    shares: Shares = USUAL,
) -> Int32:
    """Let neighbours in the same interaction lend their relevance.

    Args:
        relevance: R of the memories of one or more agents, oldest first, shape (memories,).
        continues: Whether a memory goes on from the one before, shape (memories,).
        first: Whether a memory is the oldest of its agent, shape (memories,).
        shares: What neighbours lend.

    Returns:
        max(10 * max(R[i-1], R[i+1]), 8 * max(R[i-2], R[i+2])) with the usual shares, where a
        neighbour outside the interaction counts 0, shape (memories,).

    Source:
        This project: conversations are recalled as a whole (measured, +5 points of recall).
    """
    n = len(relevance)
    on = np.zeros(n + 4, np.bool_)
    on[2 : n + 2] = continues & ~first
    r = np.zeros(n + 4, np.int32)
    r[2 : n + 2] = relevance
    here, after = on[2 : n + 2], on[3 : n + 3]
    one = np.maximum(r[1 : n + 1] * here, r[3 : n + 3] * after)
    two = np.maximum(r[:n] * (here & on[1 : n + 1]), r[4:] * (after & on[4:]))
    return np.asarray(np.maximum(shares.neighbours * one, shares.next_but_one * two), np.int32)


def by_actor(actor: Int32, named: int | Int32, share: int = USUAL.actor) -> Int32:
    """Add what being by the named actor is worth; a negative `named` below -1 is nobody."""
    return np.where(actor == named, np.int32(share * FULL), np.int32(0))


def in_date(time: Int32, first: int | Int32, last: int | Int32, share: int = USUAL.date) -> Int32:
    """Add what falling into first <= time <= last is worth, ticks, both inclusive."""
    return np.where((time >= first) & (time <= last), np.int32(share * FULL), np.int32(0))


def relevance(value: Int32) -> Float32:
    """Turn V into relevance: about 1 for the best memory of a stream, at most 2.35."""
    return value.astype(np.float32) / np.float32(SCALE)


def score(
    recency: Float32, importance: Float32, relevance: Float32, weights: tuple[float, float, float]
) -> Float32:
    """Sum the three terms in the one order that everything here agrees on.

    Args:
        recency: Weights in [0, 1], shape (memories,).
        importance: Importance in [0, 1], shape (memories,).
        relevance: Relevance >= 0, shape (memories,).
        weights: Of recency, importance and relevance, each >= 0.

    Returns:
        (recency * w0 + importance * w1) + relevance * w2 in float32, shape (memories,).
    """
    w0, w1, w2 = (np.float32(w) for w in weights)
    return np.asarray((recency * w0 + importance * w1) + relevance * w2, np.float32)


def best(
    scores: Float32,
    accessed: Int32,
    eligible: NDArray[np.bool_],
    *,
    starts: NDArray[np.int64],
    firsts: Int32,
    k: int,
) -> tuple[Int32, Float32]:
    """Pick each agent's k best memories.

    Args:
        scores: Of the memories of all agents in turn, oldest first, shape (memories,).
        accessed: Their last access, shape (memories,).
        eligible: Whether they pass the filters, shape (memories,).
        starts: Where each agent's memories begin, shape (agents + 1,).
        firsts: Id of each agent's oldest memory, shape (agents,).
        k: Most memories wanted, >= 1.

    Returns:
        Ids, best first, -1 where there are fewer, and scores, 0 there; both (agents, k).
        Ties go to the later last access, then to the higher id.
    """
    agents = len(starts) - 1
    ids = np.full((agents, k), -1, np.int32)
    values = np.zeros((agents, k), np.float32)
    chosen = np.flatnonzero(eligible)
    owner = np.repeat(np.arange(agents), np.diff(starts))[chosen]
    order = np.lexsort((-chosen, -accessed[chosen].astype(np.int64), -scores[chosen], owner))
    chosen, owner = chosen[order], owner[order]
    rank = np.arange(len(owner)) - np.searchsorted(owner, owner)
    top = rank < k
    chosen, owner, rank = chosen[top], owner[top], rank[top]
    ids[owner, rank] = firsts[owner] + (chosen - starts[owner])
    values[owner, rank] = scores[chosen]
    return ids, values
