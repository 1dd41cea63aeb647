"""The default embedder: a static table of word piece vectors that ships with the package.

A text's vector is the normalised mean of its pieces' rows, row r weighted by
1e-4 / (1e-4 + p_r) with p_r proportional to 1 / (r + 1), so that common pieces count less.

The table knows no Chinese or Japanese. Each pair of characters (see `cjk`) has a row of signs
made from the pair alone, so that texts are alike by the pairs they share, and not by the one
character the table happens to know.

Source: S. Arora, Y. Liang, T. Ma (2017), A Simple but Tough-to-Beat Baseline for Sentence
Embeddings, ICLR, equation of the weights; the table is made by `assets/make_assets.py`.
"""

from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.errors import ParameterError
from memopolis.sim.memory.text.cjk import STOP, apart, gram_signs
from memopolis.sim.memory.text.pieces import ASSETS, UNKNOWN, WordPieces, check_text, word_pieces
from memopolis.sim.memory.vectors.thresholds import Thresholds

SMOOTHING = 1e-4

GRAM_LENGTH = 4.0
"""Length of the row of a pair of Chinese or Japanese characters: that of a common word."""

_AT_ONCE = 4_096

THRESHOLDS = Thresholds(related=0.7208, cluster=0.7499, duplicate=0.8049)
"""Measured as `thresholds.py` says, rounded to four digits."""


def piece_weights(pieces: int) -> NDArray[np.float64]:
    """Weigh pieces by how rare they are, judged by their place in the vocabulary.

    Args:
        pieces: Size of the vocabulary, >= 1.

    Returns:
        Weights in (0, 1), rising with the piece's number, float64, shape (pieces,).

    Source:
        Arora et al. (2017); p_r by Zipf's law, this project.
    """
    share = 1 / np.arange(1, pieces + 1)
    weights: NDArray[np.float64] = SMOOTHING / (SMOOTHING + share / share.sum())
    return weights


class StaticTable:
    """A vector for each word piece, and from them a vector for each text."""

    name = "static"
    bits = 8
    thresholds = THRESHOLDS

    def __init__(
        self, table: NDArray[np.int8], scale: NDArray[np.float32], words: WordPieces
    ) -> None:
        """Take a table.

        Args:
            table: Rows in whole numbers, int8, shape (pieces, dimensions).
            scale: Scale of each row, float32, shape (pieces,).
            words: How texts are cut; its vocabulary has one piece a row.
        """
        self._table = table
        self._words = words
        self._weights = scale.astype(np.float64) * piece_weights(len(scale))
        self._weights[UNKNOWN] = 0.0

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        return int(self._table.shape[1])

    def vectors(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Give the unit vectors of texts; a vector never depends on the others.

        Args:
            texts: Any texts.

        Returns:
            float32, shape (texts, dimensions); a row of zeros for a text without a known piece.

        Raises:
            ParameterError: If `texts` is itself a str or one of them is not a str.
        """
        if isinstance(texts, str):
            raise ParameterError(f"vectors takes a sequence of texts, got the str {texts!r}")
        unit = np.zeros((len(texts), self.dimensions), np.float32)
        for vector, text in zip(unit, texts, strict=True):
            mean = self._sum(text)
            norm = np.sqrt(np.add.reduce(mean * mean))
            if norm > 0:
                vector[:] = mean / norm
        return unit

    def _sum(self, text: str) -> NDArray[np.float64]:
        """Add up the weighted rows of a text, and those of its pairs of characters.

        Row by row in reading order (never by BLAS, whose order may vary), some at a time: a
        million of them at once would take gigabytes.
        """
        check_text(text)
        rest, pairs = apart(text)
        pieces = self._words.tokens(rest)
        total = np.zeros(self.dimensions)
        for begin in range(0, len(pieces), _AT_ONCE):
            some = pieces[begin : begin + _AT_ONCE]
            total = _added(total, self._table[some] * self._weights[some][:, None])
        kept = [pair for pair in pairs if pair not in STOP]
        for begin in range(0, len(kept), _AT_ONCE):
            signs = [gram_signs(pair, self.dimensions) for pair in kept[begin : begin + _AT_ONCE]]
            total = _added(total, np.array(signs) * (GRAM_LENGTH / np.sqrt(self.dimensions)))
        return total


def _added(total: NDArray[np.float64], rows: NDArray[np.float64]) -> NDArray[np.float64]:
    rows[0] += total
    return np.asarray(np.add.reduce(rows, axis=0))


@cache
def static_table() -> StaticTable:
    """Load the shipped table, once a process."""
    with np.load(ASSETS / "static_table.npz") as shipped:
        return StaticTable(shipped["table"], shipped["scale"], word_pieces())
