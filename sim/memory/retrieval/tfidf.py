"""TF-IDF, fitted on a query and the memories that it is compared with.

Each agent has its own weights: a word is rare or common among the memories that pass the filter,
not among all texts. Logarithms come from a table over integers and sums run in the order of a
text's words, so the compiled pass computes the same bits.
"""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from memopolis.sim.memory.text.words import TextWords

Int32 = NDArray[np.int32]
Float32 = NDArray[np.float32]
Float64 = NDArray[np.float64]


def logarithms(most: int) -> Float64:
    """Return ln of 0 (as 0), 1, 2, ... for fits on up to `most` memories, shape (most + 3,)."""
    numbers = np.arange(most + 3)
    return np.log(np.maximum(numbers, 1))


def inverse_frequency(documents: int, frequency: Int32, logs: Float64) -> Float64:
    """Compute the inverse document frequency of words.

    Args:
        documents: Number of documents, including the query.
        frequency: Number of documents with each word, shape (words,).
        logs: As from `logarithms`.

    Returns:
        ln((1 + documents) / (1 + frequency)) + 1, shape (words,).

    Source:
        scikit-learn's TfidfVectorizer, `smooth_idf`.
    """
    return np.asarray(logs[1 + documents] - logs[1 + frequency] + 1.0)


def cosines(
    words: "TextWords",
    texts: Int32,
    asked: "TextWords",
    query: int,
    logs: Float64,
) -> Float32:
    """Compute the similarity of one agent's memories and its query.

    Args:
        words: Words of all texts.
        texts: Numbers of the texts of the memories that pass, shape (m,).
        asked: Words of the queries.
        query: Index of the query.
        logs: As from `logarithms`.

    Returns:
        Cosine of term counts times inverse frequency, 0 if either side has no word,
        shape (m,).

    Source:
        scikit-learn's TfidfVectorizer with its defaults, fitted on query and texts together.
    """
    begin, stop = asked.start[query], asked.start[query] + asked.length[query]
    own, times = asked.flat[begin:stop], asked.count[begin:stop]
    lengths = words.length[texts].astype(np.int64)
    owner = np.repeat(np.arange(len(texts)), lengths)
    before = np.cumsum(lengths) - lengths
    at = np.arange(lengths.sum()) - before[owner] + words.start[texts][owner]
    frequency = np.bincount(words.flat[at], minlength=max(words.size, asked.size))
    frequency[own] += 1
    rare = inverse_frequency(len(texts) + 1, frequency.astype(np.int32), logs)
    query_weights = np.zeros(len(rare))
    query_weights[own] = times * rare[own]
    weight = words.count[at] * rare[words.flat[at]]
    # bincount adds in order, as the compiled pass does.
    dot = np.bincount(owner, weight * query_weights[words.flat[at]], minlength=len(texts))
    norm = np.sqrt(np.bincount(owner, weight * weight, minlength=len(texts)))
    whole = norm * np.sqrt(_in_order(query_weights[own] * query_weights[own]))
    return np.asarray(np.divide(dot, whole, out=np.zeros(len(texts)), where=whole > 0), np.float32)


def _in_order(values: Float64) -> float:
    """Sum in order: np.sum adds pairwise."""
    return float(np.add.accumulate(values)[-1]) if len(values) else 0.0
