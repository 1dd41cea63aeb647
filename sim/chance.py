"""Random streams without state: a draw is a function of seed, purpose, row, tick and n.

Other agents and their order therefore never change the draws of an agent, and two arms of an
experiment, or a run and its fork, use the same draws.
"""

import hashlib
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memopolis.sim.arguments import as_array, whole_number
from memopolis.sim.errors import ParameterError

IntArray = NDArray[np.int64]

LARGEST_SEED = 2**256 - 1


@lru_cache(maxsize=4096)
def _key(seed: int, purpose: str) -> tuple[int, int]:
    digest = hashlib.blake2b(f"{seed}/{purpose}".encode(), digest_size=8).digest()
    return int.from_bytes(digest[:4], "little"), int.from_bytes(digest[4:], "little")


def fresh_seed() -> int:
    """Return a new seed for a run without one; the manifest records it."""
    return int(np.random.SeedSequence().generate_state(1)[0])


class Chance:
    """The random streams of one run, for a seed of at least 0 and at most 256 bits."""

    def __init__(self, seed: int) -> None:
        self.seed = whole_number("seed", seed, least=0, most=LARGEST_SEED)

    def key(self, purpose: str) -> tuple[int, int]:
        """Return the two 32-bit key words of the cipher for a purpose."""
        return _key(self.seed, purpose)

    def uniform(
        self, purpose: str, rows: ArrayLike, tick: int = 0, n: int = 0
    ) -> NDArray[np.float64]:
        """Draw from [0, 1) for each row, shape (m,).

        Draws for different purposes are independent. Rows are those of agents, or other numbers.
        `n` is the number of the draw, if a purpose needs several per tick.
        """
        from memopolis.sim.chance_kernels import uniforms

        return uniforms(*self.key(purpose), _rows(rows), tick, n)

    def normal(
        self, purpose: str, rows: ArrayLike, tick: int = 0, n: int = 0
    ) -> NDArray[np.float64]:
        """Draw from the standard normal distribution for each row; arguments as in `uniform`."""
        from memopolis.sim.chance_kernels import normals

        return normals(*self.key(purpose), _rows(rows), tick, n)

    def bits(self, purpose: str, rows: ArrayLike, tick: int = 0, n: int = 0) -> NDArray[np.uint64]:
        """Draw 64 random bits per row; arguments as in `uniform`."""
        from memopolis.sim.chance_kernels import bits

        return bits(*self.key(purpose), _rows(rows), tick, n)

    def order(self, purpose: str, rows: ArrayLike, tick: int = 0, n: int = 0) -> NDArray[np.intp]:
        """Draw a random permutation of the positions of the rows."""
        return np.argsort(self.bits(purpose, rows, tick, n), kind="stable")

    def choice(
        self, purpose: str, rows: ArrayLike, weights: ArrayLike, tick: int = 0, n: int = 0
    ) -> NDArray[np.intp]:
        """Draw one of several options for each row, by its number; arguments as in `uniform`.

        `weights` are relative, >= 0, not all 0, of shape (options,) for all rows or (m, options).
        """
        w = np.atleast_2d(np.asarray(weights, np.float64))
        total = w.sum(axis=1)
        if (w < 0).any() or (total <= 0).any():
            raise ParameterError("weights of a choice must be at least 0 and not all 0")
        u = self.uniform(purpose, rows, tick, n)
        if len(w) == 1:
            edges = np.cumsum(w[0]) / total[0]
            drawn = np.searchsorted(edges, u, side="right")
        else:
            edges = np.cumsum(w, axis=1) / total[:, None]
            drawn = (u[:, None] >= edges).sum(axis=1)
        # The last edge may round to just below 1.
        return np.asarray(np.minimum(drawn, w.shape[1] - 1), np.intp)


def options_of(
    edges: NDArray[np.float64], groups: NDArray[np.integer], u: NDArray[np.float64]
) -> NDArray[np.intp]:
    """Convert uniform draws `u` in [0, 1) to options, both of shape (m,).

    `edges` are cumulative probabilities by group, up to about 1, shape (groups, options); `groups`
    has the group of each draw.
    """
    drawn = np.empty(len(groups), np.intp)
    for group in np.unique(groups):
        here = groups == group
        # Without the last edge, which may round to just below 1.
        drawn[here] = np.searchsorted(edges[group, :-1], u[here], side="right")
    return drawn


def _rows(rows: ArrayLike) -> IntArray:
    array = as_array("rows", rows, "iu", "whole numbers, such as rows of agents,")
    return np.ascontiguousarray(array, dtype=np.int64)
