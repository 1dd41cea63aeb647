"""The default embedder: a static table of word piece vectors that ships with the package.

The vector of a text is the normalised mean of the rows of its word pieces, row r weighted by
1e-4 / (1e-4 + p_r) with p_r proportional to 1 / (r + 1), so that common pieces count less.

The table is for English. Each group of characters of other scripts (see `grams`) has a row of
signs derived from the group, so that the similarity of texts follows from shared groups.

Source: S. Arora, Y. Liang, T. Ma (2017), A Simple but Tough-to-Beat Baseline for Sentence
Embeddings, ICLR, equation of the weights; the table is made by `benchmarks/make_assets.py`.
"""

from collections.abc import Sequence
from functools import cache

import numpy as np

from memopolis.sim.arrays import Float32, Float64, Int8
from memopolis.sim.errors import ParameterError
from memopolis.sim.memory.text.grams import ASSETS, STOP, gram_signs, split_grams
from memopolis.sim.memory.text.pieces import UNKNOWN, WordPieces, word_pieces
from memopolis.sim.memory.text.texts import check_text
from memopolis.sim.memory.vectors.thresholds import Thresholds

SMOOTHING = 1e-4
GRAM_LENGTH = 4.0  # length of the row of a group of characters, as of a common word
MOST_TOKENS = 1_024  # most tokens of a text that have vectors of their own
_BATCH = 4_096
# Measured as in `thresholds.py`, rounded to four digits.
THRESHOLDS = Thresholds(related=0.7208, cluster=0.7499, duplicate=0.8049)


def piece_weights(pieces: int) -> Float64:
    """Compute the weights of word pieces by rarity, from their order in the vocabulary, in (0, 1).

    Source:
        Arora et al. (2017); p_r by Zipf's law, this project.
    """
    share = 1 / np.arange(1, pieces + 1)
    weights: Float64 = SMOOTHING / (SMOOTHING + share / share.sum())
    return weights


class StaticTable:
    """Vectors of word pieces, from which vectors of texts are computed."""

    name = "static"
    bits = 8
    thresholds = THRESHOLDS

    def __init__(self, table: Int8, scale: Float32, words: WordPieces) -> None:
        """Create the embedder from int8 rows, (pieces, dimensions), their scale, and words."""
        self._table = table
        self._words = words
        self._weights = scale.astype(np.float64) * piece_weights(len(scale))
        self._weights[UNKNOWN] = 0.0

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        return int(self._table.shape[1])

    def vectors(self, texts: Sequence[str]) -> Float32:
        """Return the unit vectors of texts, (texts, dimensions); zero without known pieces."""
        if isinstance(texts, str):
            raise ParameterError(f"vectors takes a sequence of texts, got the str {texts!r}")
        unit = np.zeros((len(texts), self.dimensions), np.float32)
        for vector, text in zip(unit, texts, strict=True):
            mean = self._sum(text)
            norm = np.sqrt(np.add.reduce(mean * mean))
            if norm > 0:
                vector[:] = mean / norm
        return unit

    def token_vectors(self, texts: Sequence[str]) -> list[Float32]:
        """Return unit vectors of word pieces and groups of characters, at most 1,024 per text."""
        return [self._tokens(text) for text in texts]

    def _tokens(self, text: str) -> Float32:
        rest, groups = split_grams(text)
        pieces = [p for p in self._words.tokens(rest)[:MOST_TOKENS] if p != UNKNOWN]
        rows = self._table[pieces].astype(np.float64)
        rows /= np.sqrt(np.add.reduce(rows * rows, axis=1))[:, None]
        signs = [gram_signs(gram, self.dimensions) for gram in groups if gram not in STOP]
        if not signs:
            return rows.astype(np.float32)
        both = np.concatenate([rows, np.array(signs) / np.sqrt(self.dimensions)])
        return np.asarray(both[:MOST_TOKENS], np.float32)

    def _sum(self, text: str) -> Float64:
        """Sum the weighted rows of a text and its groups, in reading order and in batches."""
        check_text(text)
        rest, groups = split_grams(text)
        pieces = self._words.tokens(rest)
        total = np.zeros(self.dimensions)
        for begin in range(0, len(pieces), _BATCH):
            batch = pieces[begin : begin + _BATCH]
            total = _add(total, self._table[batch] * self._weights[batch][:, None])
        informative = [gram for gram in groups if gram not in STOP]
        for begin in range(0, len(informative), _BATCH):
            signs = [
                gram_signs(gram, self.dimensions) for gram in informative[begin : begin + _BATCH]
            ]
            total = _add(total, np.array(signs) * (GRAM_LENGTH / np.sqrt(self.dimensions)))
        return total


def _add(total: Float64, rows: Float64) -> Float64:
    rows[0] += total
    return np.asarray(np.add.reduce(rows, axis=0))


@cache
def static_table() -> StaticTable:
    """Load the shipped table, once per process."""
    with np.load(ASSETS / "static_table.npz") as shipped:
        return StaticTable(shipped["table"], shipped["scale"], word_pieces())
