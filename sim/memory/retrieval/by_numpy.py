"""The definition of a search in numpy, which the compiled passes reproduce bit by bit.

Searches run the compiled passes. This definition explains scores term by term, and tests compare
the passes with it.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.memory.retrieval import combining
from memopolis.sim.memory.retrieval.request import Request
from memopolis.sim.memory.retrieval.terms.term import Memories, find_term
from memopolis.sim.memory.streams.stream import Streams

Int32 = NDArray[np.int32]
Float32 = NDArray[np.float32]

_ALWAYS = ("recency", "importance", "relevance")


def find_numpy(streams: Streams, request: Request) -> tuple[Int32, Float32]:
    """Return what `search.find` returns, bit for bit."""
    memories = Memories(streams, request)
    if request.draw_key is None:
        scores = compute_terms(streams, request)["score"]
    else:
        from memopolis.sim.memory.retrieval import kernels

        rows, ids = request.rows[memories.agent], streams.listed(request.rows)[1]
        scores = kernels.draws(rows, request.now, ids, request.draw_key)
    starts, firsts = memories.starts, streams.first(request.rows)
    accessed = memories.column("accessed")
    return best(scores, accessed, memories.passing, starts=starts, firsts=firsts, k=request.k)


def compute_terms(streams: Streams, request: Request) -> dict[str, NDArray[Any]]:
    """Compute every term of the score for all memories of the agents, agent by agent.

    Returns:
        Each of shape (memories,): recency, importance and relevance; own, near, actor and
        date, the parts of relevance in units of a full match; the further terms that have a
        weight (dense is nan where there is no vector); NAME_weighted of each that has one, as
        it enters the score (rescaled to 0..1 first, where the profile says so); and score.
    """
    memories = Memories(streams, request)
    terms: dict[str, NDArray[Any]] = {}
    for name in dict.fromkeys((*_ALWAYS, *request.prepared)):
        terms |= find_term(name).explain(name, memories, request.prepared.get(name, ()))
    used = {name: terms[name] for name in dict.fromkeys((*_ALWAYS, *request.weights))}
    if request.normalise:
        agents = len(request.rows)
        used = {
            name: combining.min_max(values, memories.passing, memories.agent, agents)
            for name, values in used.items()
        }
    else:
        used = {name: combining.known(values) for name, values in used.items()}
    combine = combining.multiplied if request.product else combining.summed
    return {**terms, **combine(used, request.weights)}


def explain(streams: Streams, request: Request, ids: Int32) -> dict[str, NDArray[Any]]:
    """Return the terms of the memories found, each of shape (n, k), 0 for no memory."""
    _, starts = streams.live(request.rows)
    exists = ids >= 0
    at = np.where(exists, ids - streams.first(request.rows)[:, None] + starts[:-1, None], 0)
    return {
        name: np.where(exists, values[at] if len(values) else 0, values.dtype.type(0))
        for name, values in compute_terms(streams, request).items()
    }


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
