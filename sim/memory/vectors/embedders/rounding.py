"""Vectors and cosines as whole numbers: 8 bits per dimension if that is enough, else 16.

Share of the ten nearest neighbours that rounding keeps, over 297 sentences (`sample.txt`), and
in brackets the share of sentences of the same situation among the ten nearest, exact / rounded:

    embedder               dimensions   8 bits                  16 bits
    static                 256          0.985 (0.399 / 0.397)   0.999 (0.399 / 0.399)
    minilm                 384          0.995 (0.569 / 0.569)   0.999 (0.569 / 0.569)
    SmolLM2-135M, a mean   576          0.976 (0.328 / 0.327)   0.998 (0.328 / 0.328)

So vectors of `static` and `minilm` are stored in 8 bits, and all others in 16 unless the
embedder has `bits = 8`: language models have a few large components, which leave the others
almost no precision in 8 bits. `measure_rounding` measures your own embedder.

In both forms dot products are small whole numbers: 16-bit vectors are scaled to a length of
4,000, so that any sum of products stays below 2**24 and is exact in float32 in any order.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.arrays import Array, Float32, Float64
from memopolis.sim.errors import ParameterError

LARGEST = 127  # largest component in eight bits
LENGTH = 4_000  # length of a vector in sixteen bits
BITS = (8, 16)
CODES = 32767  # code of a cosine of 1


def encode_cosine(cosine: float) -> np.int16:
    """Return the code of a cosine, such as a threshold: floor(cosine * 32767 + 0.5)."""
    return np.int16(np.floor(cosine * CODES + 0.5))


def bits_of(embedder: Any) -> int:
    """Return the bits per dimension that an embedder declares, 8 or 16; 16 if it declares none."""
    bits = getattr(embedder, "bits", 16)
    if bits not in BITS:
        raise ParameterError(f"an embedder's bits are {bits!r}; allowed are 8 and 16")
    return int(bits)


def round_vectors(vectors: Float32, bits: int) -> Array:
    """Round vectors to 8 bits (largest component 127) or 16 (length 4,000), (n, dimensions)."""
    largest = np.abs(vectors).max(axis=1, keepdims=True, initial=0)
    largest[largest == 0] = 1
    # At most one, so that squares neither overflow nor underflow.
    scaled = vectors / largest
    if bits == 8:
        return np.rint(scaled * LARGEST).astype(np.int8)
    exact = scaled.astype(np.float64)
    length = np.sqrt(np.add.reduce(exact * exact, axis=1, keepdims=True))
    length[length == 0] = 1
    return np.rint(exact * (LENGTH / length)).astype(np.int16)


def measure_rounding(vectors: Float32, bits: int, k: int = 10) -> float:
    """Compute the share of each vector's k nearest neighbours that rounding to bits keeps, 0..1."""
    exact = nearest(vectors, k)
    rough = nearest(round_vectors(vectors, bits), k)
    return float(np.mean([np.isin(a, b).mean() for a, b in zip(exact, rough, strict=True)]))


def unit(vectors: Array) -> Float64:
    """Return unit vectors, zeros for a zero vector, shape (n, dimensions)."""
    exact = vectors.astype(np.float64)
    length = np.sqrt((exact * exact).sum(axis=1, keepdims=True))
    return np.asarray(exact / np.where(length > 0, length, 1.0))


def nearest(vectors: Array, k: int) -> NDArray[np.intp]:
    """Return the indices of each vector's k nearest others by cosine, shape (n, k)."""
    units = unit(vectors)
    cosines = units @ units.T
    np.fill_diagonal(cosines, -2.0)
    return np.argsort(-cosines, axis=1, kind="stable")[:, :k]
