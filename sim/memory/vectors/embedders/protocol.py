"""What an embedder provides: vectors of texts, their precision, and thresholds of their cosines.

Vectors are stored as whole numbers: 8 bits per dimension if that is enough, else 16. Share of the
ten nearest neighbours that rounding keeps, over 297 sentences (`sample.txt`), and in brackets the
share of sentences of the same situation among the ten nearest, exact / rounded:

    embedder               dimensions   8 bits                  16 bits
    static                 256          0.985 (0.399 / 0.397)   0.999 (0.399 / 0.399)
    minilm                 384          0.995 (0.569 / 0.569)   0.999 (0.569 / 0.569)
    SmolLM2-135M, a mean   576          0.976 (0.328 / 0.327)   0.998 (0.328 / 0.328)

So vectors of `static` and `minilm` are stored in 8 bits, and all others in 16 unless the embedder
has `bits = 8`: language models have a few large components, which leave the others almost no
precision in 8 bits. In both forms dot products are small whole numbers: 16-bit vectors are scaled
to a length of 4,000, so that any sum of products stays below 2**24 and is exact in float32.

Thresholds are measured on the labelled notes of `notes.txt`: 48 subjects with four notes each, of
which the second paraphrases the first. A threshold is the least cosine at or above which a share of
the 18,336 pairs of notes is right:

    related     a quarter of the pairs are of one subject, of which there are 1.6 % in all
    cluster     three quarters are of one subject
    duplicate   99 % are a note and its paraphrase

Pairs of different subjects may be related too, so the true shares are higher. The thresholds of the
shipped table are stored with it, and those of other embedders are measured on first use; MiniLM's
are the published ones.

Source: the published cosines, a memory tool built on MiniLM; notes and shares, this project.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Protocol, cast, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memopolis.sim.arguments import check_text
from memopolis.sim.arrays import Array, Bools, Float32, Float64
from memopolis.sim.errors import ParameterError
from memopolis.sim.memory.text.pieces import without_fields

# Most dimensions of a vector, so that sums of products of bytes fit into 32 bits.
MOST_DIMENSIONS = 1 << 16
LARGEST = 127  # largest component in eight bits
LENGTH = 4_000  # length of a vector in sixteen bits
BITS = (8, 16)
CODES = 32767  # code of a cosine of 1
_FOLDER = Path(__file__).parent
NOTES = 4  # notes of a subject
# Share of the pairs that are right: related, of one cluster, and duplicates.
SHARES = (0.25, 0.75, 0.99)


@runtime_checkable
class Embedder(Protocol):
    """An object that computes the vectors of texts.

    It may also have `thresholds`, `dimensions`, `name`, and `bits` (8 or 16), the precision of
    stored vectors. With the method of a `TokenEmbedder` as well, the term `late_interaction` can be
    weighed.
    """

    def vectors(self, texts: Sequence[str]) -> Float32:
        """Return the vectors of texts, of any length, shape (texts, dimensions)."""
        ...


@runtime_checkable
class TokenEmbedder(Embedder, Protocol):
    """An embedder that also computes the vectors of tokens."""

    def token_vectors(self, texts: Sequence[str]) -> list[Float32]:
        """Return the unit vectors of the tokens of each text, shape (tokens, dimensions)."""
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


def name_of(embedder: object) -> str:
    """Return the name of an embedder for messages."""
    return str(getattr(embedder, "name", type(embedder).__name__))


def _checked(embedder: Embedder, result: object, texts: int) -> Float32:
    try:
        vectors = np.asarray(cast("ArrayLike", result), np.float32)
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


def _describe(result: object) -> str:
    shape = getattr(result, "shape", None)
    return f"a {type(result).__name__}" + ("" if shape is None else f" of shape {tuple(shape)}")


def encode_cosine(cosine: float) -> np.int16:
    """Return the code of a cosine, such as a threshold: floor(cosine * 32767 + 0.5)."""
    return np.int16(np.floor(cosine * CODES + 0.5))


def bits_of(embedder: Embedder) -> int:
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


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Cosines of one embedder, each -1..1, in ascending order."""

    related: float  # least cosine of related texts
    cluster: float  # cosine above which a text joins a cluster
    duplicate: float  # least cosine of duplicates

    def __post_init__(self) -> None:
        if not -1 <= self.related <= self.cluster <= self.duplicate <= 1:
            raise ParameterError(
                f"thresholds ascend from -1 to 1, got {self.related}, {self.cluster} and "
                f"{self.duplicate}"
            )


PUBLISHED = Thresholds(0.5, 0.7, 0.8)  # thresholds of MiniLM


@cache
def sample() -> tuple[str, ...]:
    """Return sentences on which the rounding of vectors is measured."""
    return tuple((_FOLDER / "sample.txt").read_text(encoding="utf-8").splitlines())


@cache
def notes() -> tuple[str, ...]:
    """Return the labelled notes, `NOTES` of each subject: a note, its paraphrase, related ones."""
    lines = (_FOLDER / "notes.txt").read_text(encoding="utf-8").splitlines()
    return tuple(line for line in lines if line and not line.startswith("#"))


def measure_thresholds(embedder: Embedder) -> Thresholds:
    """Find the least cosines at or above which a share of the pairs of notes is right."""
    units = unit(embed(embedder, notes()))
    first, second = np.triu_indices(len(units), 1)
    cosines = (units @ units.T)[first, second]
    related = first // NOTES == second // NOTES
    duplicate = related & (second % NOTES == 1)
    related_least, cluster, duplicate_least = (
        _least(cosines, right, share)
        for right, share in zip((related, related, duplicate), SHARES, strict=True)
    )
    cluster = max(cluster, related_least)
    return Thresholds(related_least, cluster, max(duplicate_least, cluster))


def _least(cosines: Float64, right: Bools, share: float) -> float:
    """Return the least cosine at or above which at least a share of the pairs is right."""
    order = np.argsort(-cosines, kind="stable")
    (enough,) = (np.cumsum(right[order]) >= share * np.arange(1, len(order) + 1)).nonzero()
    last = int(enough[-1]) if len(enough) else 0
    return float(np.clip(cosines[order][last : last + 2].mean(), -1.0, 1.0))


def thresholds_of(embedder: Embedder) -> Thresholds:
    """Return the thresholds an embedder declares, or measure them."""
    declared = getattr(embedder, "thresholds", None)
    if declared is None:
        return measure_thresholds(embedder)
    if isinstance(declared, Thresholds):
        return declared
    try:
        return Thresholds(declared.related, declared.cluster, declared.duplicate)
    except AttributeError:
        raise ParameterError(
            f"the thresholds of the embedder {name_of(embedder)} are {declared!r}; related, "
            f"cluster and duplicate are needed"
        ) from None
