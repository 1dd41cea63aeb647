"""The interface of embedders, and a check of what they return."""

from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np

from memopolis.sim.arguments import check_text
from memopolis.sim.arrays import Float32
from memopolis.sim.errors import ParameterError
from memopolis.sim.memory.text.pieces import without_fields

# Most dimensions of a vector, so that sums of products of bytes fit into 32 bits.
MOST_DIMENSIONS = 1 << 16


@runtime_checkable
class Embedder(Protocol):
    """An object that computes the vectors of texts.

    It may also have `thresholds` (see `thresholds.py`), `dimensions`, `name`, and `bits` (8 or
    16), the precision of stored vectors (see `rounding.py`). With a method `token_vectors`, which
    returns the unit vectors of the tokens of each text, the term `late_interaction` can be weighed.
    """

    def vectors(self, texts: Sequence[str]) -> Float32:
        """Return the vectors of texts, of any length, shape (texts, dimensions)."""
        ...


def embed(embedder: Embedder, texts: Sequence[str]) -> Float32:
    """Embed texts, and check that the vectors are finite; those of blank texts are zero."""
    if isinstance(texts, str):
        raise ParameterError(f"texts must be a sequence of str, got the str {texts!r}")
    for text in texts:
        check_text("text", text)
    plain = [without_fields(text) for text in texts]
    full = [index for index, text in enumerate(plain) if text and not text.isspace()]
    if not full:
        return np.zeros((len(plain), dimensions_of(embedder)), np.float32)
    vectors = _checked(embedder, embedder.vectors([plain[index] for index in full]), len(full))
    if len(full) == len(plain):
        return vectors
    padded = np.zeros((len(plain), vectors.shape[1]), np.float32)
    padded[full] = vectors
    return padded


def dimensions_of(embedder: Embedder) -> int:
    """Return the length of an embedder's vectors; embed a word if it is not declared."""
    declared = getattr(embedder, "dimensions", None)
    if declared is not None:
        return int(declared)
    return int(_checked(embedder, embedder.vectors(["word"]), 1).shape[1])


def name_of(embedder: Any) -> str:
    """Return the name of an embedder for messages."""
    return str(getattr(embedder, "name", type(embedder).__name__))


def _checked(embedder: Embedder, result: Any, texts: int) -> Float32:
    try:
        vectors = np.asarray(result, np.float32)
    except (TypeError, ValueError):
        vectors = np.empty(0, np.float32)
    if vectors.ndim != 2 or len(vectors) != texts or not vectors.shape[1]:
        raise ParameterError(
            f"the embedder {name_of(embedder)} returned {_describe(result)} instead of an array of "
            f"shape ({texts}, dimensions)"
        )
    if vectors.shape[1] > MOST_DIMENSIONS:
        raise ParameterError(
            f"the embedder {name_of(embedder)} returned vectors of {vectors.shape[1]} dimensions; "
            f"at most {MOST_DIMENSIONS:,} are allowed"
        )
    if not np.isfinite(vectors).all():
        raise ParameterError(
            f"the embedder {name_of(embedder)} returned vectors that contain nan or infinity"
        )
    return vectors


def _describe(result: Any) -> str:
    shape = getattr(result, "shape", None)
    return f"a {type(result).__name__}" + ("" if shape is None else f" of shape {tuple(shape)}")
