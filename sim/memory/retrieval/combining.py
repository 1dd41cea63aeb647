"""Combine terms to a score: normalised or not, summed or multiplied, in a fixed order.

    sum        w0 x0 + w1 x1 + ...                         terms in the order of the weights
    product    (w_t t + ...) * recency ** w_r * (1 + w_i (importance - 0.5)) * ...

A term without weight is omitted. A missing value (nan: no vector) counts 0.
"""

from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.memory.retrieval.terms.registry import Role, role_of
from memopolis.sim.memory.retrieval.terms.term import find_term

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


def summed(terms: Mapping[str, Float32], weights: Mapping[str, float]) -> dict[str, Float32]:
    """Weigh terms and sum them.

    Args:
        terms: Terms by name, each of shape (m,).
        weights: Weights above 0 by name.

    Returns:
        `NAME_weighted` of each, and `score`.
    """
    weighted = {
        f"{name}_weighted": np.asarray(terms[name] * np.float32(weight), np.float32)
        for name, weight in weights.items()
    }
    score = np.zeros(len(next(iter(terms.values()))), np.float32)
    for values in weighted.values():
        score = score + values
    return {**weighted, "score": score}


def multiplied(terms: Mapping[str, Float32], weights: Mapping[str, float]) -> dict[str, Float32]:
    """Weigh terms and multiply them.

    Args:
        terms: Terms by name, each of shape (m,); recency is raised to its weight already.
        weights: Weights above 0 by name.

    Returns:
        `NAME_weighted` of each text term (a summand of the base) and of each other term (a
        factor of the base), `base`, and `score`.

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


def names_of(role: Role, names: Iterable[str]) -> list[str]:
    """Return the terms that have a role."""
    return [name for name in names if role_of(name) == role]


def _text_weight(
    name: str, terms: Mapping[str, Float32], weights: Mapping[str, float]
) -> np.float32 | Float32:
    """Return the weight of a text term, which also gets that of a term of 0 it replaces."""
    own, other = np.float32(weights[name]), find_term(name).replaces
    if other not in weights:
        return own
    both = np.float32(weights[name] + weights[other])
    return np.where(terms[other] > 0, own, both)
