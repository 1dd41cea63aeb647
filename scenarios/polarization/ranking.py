"""How a feed ranks what it may show, and whom a reader unfollows: pure functions of arrays.

A feed draws an order of its candidates, one after another, with chances in proportion to the
preference below. Adding Gumbel noise to its logarithm and sorting does that (Yellott 1977,
doi:10.1016/0022-2496(77)90026-8, recalled; the model is Plackett's and Luce's): the compiled pass
is in `ranking_kernels.py`.
"""

import numpy as np
from numpy.typing import NDArray

Bools = NDArray[np.bool_]
Float32 = NDArray[np.float32]
Places = NDArray[np.intp]

FOLLOWED, RECOMMENDED, OUTLET = 0, 1, 2
"""Why an author is offered to a reader."""

NEAREST = 0.05
"""Least distance of two stances, of 2, that a feed tells from none (this project)."""


def liking(own: NDArray[np.floating], stance: NDArray[np.floating], *, strength: float) -> Float32:
    """Logarithm of how much a feed prefers each candidate: -strength * log(distance).

    Args:
        own: Stance of the reader, in [-1, 1], shape (readers, 1), or on the topic of each
            candidate, shape (readers, candidates).
        stance: Stances of the candidates, shape (readers, candidates).
        strength: beta >= 0; 0 prefers none.

    Returns:
        Shape (readers, candidates).

    Source:
        p ~ |x_i - x_j|^-beta, by which agents choose partners: Baumann, Lorenz-Spreen, Sokolov,
        Starnini 2020, doi:10.1103/PhysRevLett.124.048301; the least distance is this project's.
    """
    apart = np.abs(stance.astype(np.float32) - own.astype(np.float32))
    return np.float32(-strength) * np.log(np.maximum(apart, np.float32(NEAREST)))


def without_some(
    order: Places, like: Bools, u: NDArray[np.floating], *, size: int, cut: float
) -> Places:
    """Take a share of the like-minded out of a feed; what comes next fills the places.

    The first `size` are what is shown without a cut. Each like-minded one of them is taken out
    with the probability `cut`, and only those who are not like-minded move up.

    Args:
        order: Places of candidates, best first, -1 for none, shape (readers, places).
        like: Whether the candidate at a place is like-minded, shape (readers, places).
        u: Uniform draws in [0, 1), shape (readers, places).
        size: Messages shown, <= places.
        cut: Share that is taken out, in [0, 1].

    Returns:
        Places of candidates, -1 for none, shape (readers, size).

    Source:
        Nyhan et al. 2023, doi:10.1038/s41586-023-06297-w, cut like-minded sources by a third;
        that others fill the places is this project's.
    """
    if cut == 0:
        return order[:, :size]
    shown = np.arange(order.shape[1]) < size
    kept = (order >= 0) & (~like | (shown & (u >= cut)))
    first = np.argsort(~kept, axis=1, kind="stable")[:, :size]
    found = np.take_along_axis(kept, first, axis=1)
    return np.where(found, np.take_along_axis(order, first, axis=1), -1)


def least_liked(preferred: Float32, u: NDArray[np.floating]) -> Places:
    """Draw one of each row with a chance in proportion to exp(-preferred).

    Args:
        preferred: Logarithms as from `liking`, shape (readers, candidates).
        u: Uniform draws in [0, 1), shape (readers,).

    Returns:
        Places, shape (readers,).

    Source:
        This project: who is drawn is drawn by the feed's own preference turned round, so that
        a feed without preference makes no one leave anybody in particular.
    """
    weight = np.exp(-(preferred - preferred.min(axis=1, keepdims=True)))
    edges = np.cumsum(weight, axis=1)
    drawn = (u[:, None] * edges[:, -1:] >= edges).sum(axis=1)
    return np.asarray(np.minimum(drawn, preferred.shape[1] - 1), np.intp)
