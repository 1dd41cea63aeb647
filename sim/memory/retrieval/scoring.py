"""Recency, importance and relevance as pure functions of arrays.

These functions define the score; the compiled pass in `kernels.py` computes the same bits
faster. Relevance is an integer up to the last line, recency and importance come from tables,
and the sum has a fixed order in float32, so ranks do not depend on machine or order of work.

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
"""V of a memory with every piece of the query and nothing else."""

HALF_LIVES = 32
"""Half-lives after which recency is constant: 2 ** -32 vanishes in a float32 sum."""

LONGEST = 4_000_000
"""Maximum age of tables in ticks, four times the longest run; older memories count as this."""

Int32 = NDArray[np.int32]
Float32 = NDArray[np.float32]


class Shares(NamedTuple):
    """Further summands of V, in twentieths of a full match, so that V stays an integer.

    Attributes:
        neighbours: Share lent by a neighbour one away, 0 for none.
        actor: Share of a memory by the named actor.
        date: Share of a memory of the named date.
    """

    neighbours: int = 10
    actor: int = 5
    date: int = 4

    @property
    def next_but_one(self) -> int:
        """Share lent by a neighbour two away: 0.8 of the nearer one."""
        return (8 * self.neighbours + 5) // 10


USUAL = Shares()
"""Half, a quarter and a fifth of a full match."""


def twentieths(share: float) -> int:
    """Round a share of a full match to integer twentieths, halves up."""
    return math.floor(OWN * share + 0.5)


def in_ticks(hours: float, ticks_per_day: float) -> float:
    """Convert hours to ticks; if a tick is longer than a day, a day counts as a tick."""
    return hours * max(ticks_per_day, 1.0) / 24


def recency_table(half_life: float, ticks: int) -> Float32:
    """Compute the recency of every age in whole ticks.

    Args:
        half_life: Half-life in ticks, > 0.
        ticks: Maximum age in use, in ticks, >= 0.

    Returns:
        Weight 2 ** (-age / half_life) of each age from 0 on, computed in float64 and then
        rounded, shape (last_age(ticks, 32 half-lives) + 1,); not increasing.

    Raises:
        ParameterError: If `half_life` is not positive.

    Source:
        Exponential decay as in Park et al. 2023, doi:10.1145/3586183.3606763, written with a
        half-life and over the elapsed time instead of whole days.
    """
    if not half_life > 0:
        raise ParameterError(f"half_life is {half_life}; it must be above 0")
    last = last_age(ticks, HALF_LIVES * half_life)
    with np.errstate(over="ignore"):  # ages of very many half-lives
        return np.exp2(-np.arange(last + 1) / half_life).astype(np.float32)


def last_age(ticks: int, horizon: float) -> int:
    """Return the maximum age of a table in ticks.

    Args:
        ticks: Maximum age in use.
        horizon: Age after which nothing changes, > 0; may be infinite.
    """
    return math.ceil(min(max(ticks, 0), horizon, LONGEST))


def recency(accessed: Int32, now: int, table: Float32) -> Float32:
    """Compute the recency of memories.

    Args:
        accessed: Tick of the last access (or of the creation), shape (memories,).
        now: Tick of the search; later accesses count as now.
        table: As from `recency_table`.

    Returns:
        Weights in [0, 1], shape (memories,).
    """
    age = np.int32(now) - accessed
    weights: Float32 = table[np.clip(age, 0, len(table) - 1)]
    return weights


def importance_table() -> Float32:
    """Return the importance of each of the 256 codes, 0..1, shape (256,)."""
    return (np.arange(256) / 255).astype(np.float32)


def whole(relevance: ArrayLike) -> Int32:
    """Return R as int32."""
    return np.asarray(relevance, np.int32)


def near(
    relevance: Int32,
    continues: NDArray[np.bool_],
    first: NDArray[np.bool_],
    shares: Shares = USUAL,
) -> Int32:
    """Compute the relevance lent by neighbours in the same interaction.

    Args:
        relevance: R of the memories of one or more agents, oldest first, shape (memories,).
        continues: Whether a memory continues the previous one, shape (memories,).
        first: Whether a memory is the oldest of its agent, shape (memories,).
        shares: Shares that neighbours lend.

    Returns:
        max(10 * max(R[i-1], R[i+1]), 8 * max(R[i-2], R[i+2])) with the usual shares; a
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
    """Return the part of V for the named actor; -2 for no actor."""
    return np.where(actor == named, np.int32(share * FULL), np.int32(0))


def in_date(time: Int32, first: int | Int32, last: int | Int32, share: int = USUAL.date) -> Int32:
    """Return the part of V for the date first <= time <= last, in ticks."""
    return np.where((time >= first) & (time <= last), np.int32(share * FULL), np.int32(0))


def relevance(value: Int32) -> Float32:
    """Convert V to relevance: about 1 for the best memory of a stream, at most 2.35."""
    return value.astype(np.float32) / np.float32(SCALE)


def score(
    recency: Float32, importance: Float32, relevance: Float32, weights: tuple[float, ...]
) -> Float32:
    """Sum the three terms in the order that both passes use.

    Args:
        recency: Weights in [0, 1], shape (memories,).
        importance: Importance in [0, 1], shape (memories,).
        relevance: Relevance >= 0, shape (memories,).
        weights: Of recency, importance and relevance, each >= 0; further ones are ignored.

    Returns:
        (recency * w0 + importance * w1) + relevance * w2 in float32, shape (memories,).
    """
    w0, w1, w2 = (np.float32(w) for w in weights[:3])
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
    """Select the k best memories of each agent.

    Args:
        scores: Scores of the memories, agent by agent, oldest first, shape (memories,).
        accessed: Tick of their last access, shape (memories,).
        eligible: Whether they pass the filter, shape (memories,).
        starts: Start of each agent's memories, shape (agents + 1,).
        firsts: Id of each agent's oldest memory, shape (agents,).
        k: Maximum number of memories, >= 1.

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
