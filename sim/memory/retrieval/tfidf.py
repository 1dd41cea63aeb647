"""TF-IDF of a query and the memories it is compared with, fitted on just these.

Every agent has its own weights: a word is rare or common among the memories that pass the
filters, not among all texts. Logarithms come from a table over whole numbers and sums run in
the order of a text's words, so the compiled pass gives the same bits.
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
    """Logarithms of 0 (as 0), 1, 2, ... for fits on at most so many memories, (most + 3,)."""
    numbers = np.arange(most + 3)
    return np.log(np.maximum(numbers, 1))


def inverse_frequency(documents: int, frequency: Int32, logs: Float64) -> Float64:
    """Weigh words by how few documents hold them.

    Args:
        documents: How many documents there are, the query among them.
        frequency: How many hold each word, shape (words,).
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
    """Compare one agent's memories with its query.

    Args:
        words: Words of all texts.
        texts: Numbers of the texts of the memories that pass, shape (m,).
        asked: Words of the queries.
        query: Place of the query among them.
        logs: As from `logarithms`.

    Returns:
        Cosine of term counts times inverse frequency, 0 where either side has no word,
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
    wanted = np.zeros(len(rare))
    wanted[own] = times * rare[own]
    weight = words.count[at] * rare[words.flat[at]]
    # bincount adds in order, and so does the compiled pass.
    dot = np.bincount(owner, weight * wanted[words.flat[at]], minlength=len(texts))
    norm = np.sqrt(np.bincount(owner, weight * weight, minlength=len(texts)))
    whole = norm * np.sqrt(_in_order(wanted[own] * wanted[own]))
    return np.asarray(np.divide(dot, whole, out=np.zeros(len(texts)), where=whole > 0), np.float32)


def _in_order(values: Float64) -> float:
    """Sum one after another: numpy's own sum goes by pairs."""
    return float(np.add.accumulate(values)[-1]) if len(values) else 0.0
