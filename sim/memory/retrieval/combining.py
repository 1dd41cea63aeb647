"""Combine terms to a score: normalised or not, summed or multiplied, in a fixed order.

    sum        w0 x0 + w1 x1 + ...                         terms in the order of `TERMS`
    product    (w_t t + ...) * recency ** w_r * (1 + w_i (importance - 0.5)) * ...

A term without weight is omitted. A missing value (nan: no vector) counts 0.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.memory.retrieval.profiles import FACTORS, TERMS, TEXT_TERMS

Float32 = NDArray[np.float32]


def min_max(
    values: Float32, passing: NDArray[np.bool_], owner: NDArray[np.int64], agents: int
) -> Float32:
    """Rescale a term to 0..1 over the memories of each agent that pass.

    Args:
        values: The term, nan where a memory lacks it, shape (m,).
        passing: Whether a memory passes the filter, shape (m,).
        owner: Index of its agent, shape (m,).
        agents: Number of agents.

    Returns:
        (value - minimum) / (maximum - minimum), 0.5 if all that pass are equal, 0 where a
        memory lacks the term, shape (m,).

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


def known(values: Float32) -> Float32:
    """Replace missing values by 0."""
    return np.where(np.isnan(values), np.float32(0), values)


def summed(terms: Mapping[str, Float32], weights: Sequence[float]) -> dict[str, Float32]:
    """Weigh terms and sum them.

    Args:
        terms: Terms by name, each of shape (m,).
        weights: Weights of `TERMS`.

    Returns:
        `NAME_weighted` of each, and `score`.
    """
    weighted = {
        f"{name}_weighted": np.asarray(terms[name] * np.float32(weight), np.float32)
        for name, weight in zip(TERMS, weights, strict=True)
        if weight > 0
    }
    score = np.zeros(len(terms["importance"]), np.float32)
    for values in weighted.values():
        score = score + values
    return {**weighted, "score": score}


def multiplied(terms: Mapping[str, Float32], weights: Sequence[float]) -> dict[str, Float32]:
    """Weigh terms and multiply them.

    Args:
        terms: Terms by name, each of shape (m,); recency is raised to its weight already.
        weights: Weights of `TERMS`.

    Returns:
        `NAME_weighted` of each text term (a summand of the base) and of each other term (a
        factor of the base), `base`, and `score`.

    Source:
        A hybrid working memory: (0.7 v + 0.3 w if v > 0 else w) * decay * (0.8 + 0.4
        importance): the keyword replaces a tf-idf of 0.
    """
    weight = dict(zip(TERMS, weights, strict=True))
    weighted: dict[str, Float32] = {}
    base = np.zeros(len(terms["importance"]), np.float32)
    for name in TEXT_TERMS:
        if weight[name] > 0:
            weighted[f"{name}_weighted"] = np.asarray(
                terms[name] * _text_weight(name, terms, weight), np.float32
            )
            base = base + weighted[f"{name}_weighted"]
    if not weighted:
        base = base + np.float32(1)
    score = base
    if weight["recency"] > 0:
        weighted["recency_weighted"] = terms["recency"]
        score = score * terms["recency"]
    for name in FACTORS:
        if weight[name] > 0:
            about = (terms[name] - np.float32(0.5)) * np.float32(weight[name])
            weighted[f"{name}_weighted"] = np.asarray(np.float32(1) + about, np.float32)
            score = score * weighted[f"{name}_weighted"]
    return {**weighted, "base": base, "score": score}


def _text_weight(
    name: str, terms: Mapping[str, Float32], weight: Mapping[str, float]
) -> np.float32 | Float32:
    """Return the weight of a text term; the keyword also gets that of a tf-idf of 0."""
    own = np.float32(weight[name])
    if name != "keyword" or weight["tfidf"] == 0:
        return own
    both = np.float32(weight["keyword"] + weight["tfidf"])
    return np.where(terms["tfidf"] > 0, own, both)
