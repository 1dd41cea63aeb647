"""The definition of a search in numpy, which the compiled passes reproduce bit by bit.

It explains scores term by term and scores the candidates of a store. Terms are combined in a fixed
order:

    sum        w0 x0 + w1 x1 + ...                         terms in the order of the weights
    product    (w_t t + ...) * recency ** w_r * (1 + w_i (importance - 0.5)) * ...

A term without weight is omitted. A missing value (nan: no vector) counts 0.
"""

from collections.abc import Mapping

import numpy as np

from memopolis.sim.arrays import Array, Bools, Float32, Int32, Int64
from memopolis.sim.memory.retrieval.recollection import Best
from memopolis.sim.memory.retrieval.terms.registry import names_of
from memopolis.sim.memory.retrieval.terms.term import Memories, Request, find_term
from memopolis.sim.memory.streams.stream import Streams

_ALWAYS = ("recency", "importance", "relevance")


def find_numpy(streams: Streams, request: Request) -> Best:
    """Return what `recalling.find` returns, bit for bit."""
    memories = Memories(streams, request)
    if request.draw_key is None:
        scores = compute_terms(streams, request)["score"]
    else:
        from memopolis.sim.memory.retrieval import kernels

        rows, ids = request.rows[memories.agent], memories.column("id")
        scores = kernels.draws(rows, request.now, ids, request.draw_key)
    accessed = memories.column("accessed")
    index, values = select_best(
        scores, accessed, memories.passing, starts=memories.starts, k=request.k
    )
    at = np.where(index >= 0, index + memories.starts[:-1, None], -1)
    slots = np.append(memories.slots, -1)[at]
    return Best(np.append(memories.column("id"), np.int32(-1))[at], slots, values)


def compute_terms(streams: Streams, request: Request) -> dict[str, Array]:
    """Compute every term of the score for all memories of the agents, agent by agent.

    Returns arrays of shape (memories,): recency, importance, relevance and its parts own, near,
    actor and date; further terms with a weight, nan without a vector; NAME_weighted of each as it
    enters the score; and score.
    """
    memories = Memories(streams, request)
    terms: dict[str, Array] = {}
    for name in dict.fromkeys((*_ALWAYS, *request.terms)):
        term = request.terms.get(name) or find_term(name)()
        terms |= term.explain(name, memories)
    used = {name: terms[name] for name in dict.fromkeys((*_ALWAYS, *request.weights))}
    if request.profile.normalise == "min-max":
        agents = len(request.rows)
        used = {
            name: rescale(values, memories.passing, memories.agent, agents)
            for name, values in used.items()
        }
    else:
        used = {n: np.where(np.isnan(v), np.float32(0), v) for n, v in used.items()}
    combine = combine_product if request.profile.combine == "product" else combine_sum
    return {**terms, **combine(used, request.weights)}


def explain(streams: Streams, request: Request, ids: Int32) -> dict[str, Array]:
    """Return the terms of the best memories, each of shape (n, k), 0 for no memory."""
    owners, numbers, _ = streams.listed(request.rows)
    exists = ids >= 0
    keys = np.arange(len(ids))[:, None] << 32 | ids
    at = np.where(exists, np.searchsorted(owners << 32 | numbers, keys), 0)
    return {
        name: np.where(exists, values[at] if len(values) else 0, values.dtype.type(0))
        for name, values in compute_terms(streams, request).items()
    }


def select_best(
    scores: Float32,
    accessed: Int32,
    eligible: Bools,
    *,
    starts: Int64,
    k: int,
) -> tuple[Int32, Float32]:
    """Select the k best memories of each agent; ties go to the later access, then the higher id.

    Arrays are of shape (memories,), agent by agent, oldest first; those of each agent begin at
    `starts`. Returns the index of each among those of its agent, best first, -1 where there are
    fewer, and scores, 0 there; both (agents, k).
    """
    agents = len(starts) - 1
    index = np.full((agents, k), -1, np.int32)
    values = np.zeros((agents, k), np.float32)
    chosen = np.flatnonzero(eligible)
    owner = np.repeat(np.arange(agents), np.diff(starts))[chosen]
    order = np.lexsort((-chosen, -accessed[chosen].astype(np.int64), -scores[chosen], owner))
    chosen, owner = chosen[order], owner[order]
    rank = np.arange(len(owner)) - np.searchsorted(owner, owner)
    top = rank < k
    chosen, owner, rank = chosen[top], owner[top], rank[top]
    index[owner, rank] = chosen - starts[owner]
    values[owner, rank] = scores[chosen]
    return index, values


def rescale(values: Float32, passing: Bools, owner: Int64, agents: int) -> Float32:
    """Rescale a term to 0..1 over the memories of each agent (`owner`) that pass, shape (m,).

    Returns (value - minimum) / (maximum - minimum), 0 where a memory lacks the term.

    Source:
        Park et al. 2023 as published: equal values give 0.5.
    """
    here = passing & ~np.isnan(values)
    least = np.full(agents, np.inf, np.float32)
    greatest = np.full(agents, -np.inf, np.float32)
    np.minimum.at(least, owner[here], values[here])
    np.maximum.at(greatest, owner[here], values[here])
    out = np.zeros(len(values), np.float32)
    low, high = least[owner[here]], greatest[owner[here]]
    equal = low == high
    width = np.where(equal, np.float32(1), high - low)
    out[here] = np.where(equal, np.float32(0.5), (values[here] - low) / width)
    return out


def combine_sum(terms: Mapping[str, Float32], weights: Mapping[str, float]) -> dict[str, Float32]:
    """Weigh terms by weights above 0 and sum them: `NAME_weighted` of each, and `score`, (m,)."""
    weighted = {
        f"{name}_weighted": np.asarray(terms[name] * np.float32(weight), np.float32)
        for name, weight in weights.items()
    }
    score = np.zeros(len(next(iter(terms.values()))), np.float32)
    for values in weighted.values():
        score = score + values
    return {**weighted, "score": score}


def combine_product(
    terms: Mapping[str, Float32], weights: Mapping[str, float]
) -> dict[str, Float32]:
    """Weigh terms and multiply them; recency is raised to its weight already.

    Returns `NAME_weighted` of each text term (a summand of the base) and of each other term (a
    factor of it), `base`, and `score`, each of shape (m,).

    Source:
        A hybrid working memory: (0.7 v + 0.3 w if v > 0 else w) * decay * (0.8 + 0.4
        importance): the keyword replaces a tf-idf of 0.
    """
    weighted: dict[str, Float32] = {}
    base = np.zeros(len(next(iter(terms.values()))), np.float32)
    for name in names_of("text", weights):
        own = np.asarray(terms[name] * _text_weight(name, terms, weights), np.float32)
        weighted[f"{name}_weighted"] = own
        base = base + own
    if not weighted:
        base = base + np.float32(1)
    score = base
    for name in names_of("decay", weights):
        weighted[f"{name}_weighted"] = terms[name]
        score = score * terms[name]
    for name in names_of("factor", weights):
        about = (terms[name] - np.float32(0.5)) * np.float32(weights[name])
        weighted[f"{name}_weighted"] = np.asarray(np.float32(1) + about, np.float32)
        score = score * weighted[f"{name}_weighted"]
    return {**weighted, "base": base, "score": score}


def _text_weight(
    name: str, terms: Mapping[str, Float32], weights: Mapping[str, float]
) -> np.float32 | Float32:
    """Return the weight of a text term, which also gets that of a term of 0 it replaces."""
    own, other = np.float32(weights[name]), find_term(name).replaces
    if other not in weights:
        return own
    both = np.float32(weights[name] + weights[other])
    return np.where(terms[other] > 0, own, both)
