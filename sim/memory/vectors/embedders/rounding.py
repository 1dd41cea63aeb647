"""Vectors in whole numbers: eight bits a dimension where that is enough, else sixteen.

Of 297 sentences (`sample.txt`), the ten nearest of each by exact vectors are also the ten
nearest by rounded ones to this share, and of the sentences that belong together as many are
among the ten nearest as before (in brackets, exact / rounded):

    embedder               dimensions   8 bits                  16 bits
    static                 256          0.985 (0.399 / 0.397)   0.999 (0.399 / 0.399)
    minilm                 384          0.995 (0.569 / 0.569)   0.999 (0.569 / 0.569)
    SmolLM2-135M, a mean   576          0.976 (0.328 / 0.327)   0.998 (0.328 / 0.328)

So `static` and `minilm` are kept in eight bits, and all others in sixteen, unless they say
`bits = 8` themselves: language models have a few large components that leave eight bits
nothing for the others. `kept` measures an embedder of one's own.

Both forms keep dot products whole and small: sixteen bits are used up to a length of 4,000,
so that any sum of products stays below 2**24 and is exact in float32, in any order.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.errors import ParameterError

LARGEST = 127
"""Largest component in eight bits."""

LENGTH = 4_000
"""Length of a vector in sixteen bits."""

BITS = (8, 16)


def bits_of(embedder: Any) -> int:
    """Bits in which an embedder's vectors are kept: what it says itself, else 16.

    Raises:
        ParameterError: If it says anything but 8 or 16.
    """
    bits = getattr(embedder, "bits", 16)
    if bits not in BITS:
        raise ParameterError(f"an embedder's bits are {bits!r}; allowed are 8 and 16")
    return int(bits)


def rounded(vectors: NDArray[np.float32], bits: int) -> NDArray[Any]:
    """Round vectors to whole numbers; their length does not count.

    Args:
        vectors: Shape (n, dimensions).
        bits: 8, the largest component becoming 127, or 16, the length becoming 4,000.

    Returns:
        int8 or int16, shape (n, dimensions); zeros where a vector is zero.
    """
    largest = np.abs(vectors).max(axis=1, keepdims=True, initial=0)
    largest[largest == 0] = 1
    # At most one, so that no square is too large or too small for a float.
    scaled = vectors / largest
    if bits == 8:
        return np.rint(scaled * LARGEST).astype(np.int8)
    exact = scaled.astype(np.float64)
    length = np.sqrt(np.add.reduce(exact * exact, axis=1, keepdims=True))
    length[length == 0] = 1
    return np.rint(exact * (LENGTH / length)).astype(np.int16)


def kept(vectors: NDArray[np.float32], bits: int, k: int = 10) -> float:
    """Share of the k nearest others of each vector that rounding keeps.

    Args:
        vectors: Shape (n, dimensions), n > k.
        bits: 8 or 16.
        k: How many neighbours, >= 1.

    Returns:
        Mean share, 0..1.
    """
    exact = nearest(vectors, k)
    rough = nearest(rounded(vectors, bits), k)
    return float(np.mean([np.isin(a, b).mean() for a, b in zip(exact, rough, strict=True)]))


def unit(vectors: NDArray[Any]) -> NDArray[np.float64]:
    """Vectors of length one; zeros where a vector is zero, shape (n, dimensions)."""
    exact = vectors.astype(np.float64)
    length = np.sqrt((exact * exact).sum(axis=1, keepdims=True))
    return np.asarray(exact / np.where(length > 0, length, 1.0))


def nearest(vectors: NDArray[Any], k: int) -> NDArray[np.intp]:
    """Places of the k vectors nearest to each by cosine, itself left out, shape (n, k)."""
    units = unit(vectors)
    cosines = units @ units.T
    np.fill_diagonal(cosines, -2.0)
    return np.argsort(-cosines, axis=1, kind="stable")[:, :k]
