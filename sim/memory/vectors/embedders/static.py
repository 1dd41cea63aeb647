"""The default embedder: a static table of word piece vectors that ships with the package.

The vector of a text is the normalised mean of the rows of its word pieces, row r weighted by
1e-4 / (1e-4 + p_r) with p_r proportional to 1 / (r + 1), so that common pieces count less.

The table is for English. Each group of characters of other scripts (see `grams`) has a row of
signs derived from the group, so that the similarity of texts follows from shared groups.

Source: S. Arora, Y. Liang, T. Ma (2017), A Simple but Tough-to-Beat Baseline for Sentence
Embeddings, ICLR, equation of the weights; the table is made by `benchmarks/make_assets.py`, which
fits it to a sentence model.
"""

from collections.abc import Sequence
from functools import cache
from itertools import chain

import numpy as np

from memopolis.sim.arguments import check_text
from memopolis.sim.arrays import Float32, Float64, Int8
from memopolis.sim.errors import ParameterError
from memopolis.sim.memory.text.grams import ASSETS, STOP, gram_signs, split_grams
from memopolis.sim.memory.text.pieces import UNKNOWN, WordPieces, word_pieces
from memopolis.sim.memory.vectors.embedders.protocol import Thresholds

SMOOTHING = 1e-4
GRAM_LENGTH = 4.0  # length of the row of a group of characters, as of a common word
MOST_TOKENS = 1_024  # most tokens of a text that have vectors of their own
_BATCH = 1_024  # most texts of which sums are computed at once
# Measured as in `protocol.py`, rounded to four digits.
THRESHOLDS = Thresholds(related=0.3416, cluster=0.5005, duplicate=0.6793)


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
        for begin in range(0, len(texts), _BATCH):
            sums = self._sum(texts[begin : begin + _BATCH])
            length = np.sqrt(np.add.reduce(sums * sums, axis=1, keepdims=True))
            unit[begin : begin + _BATCH] = sums / np.where(length > 0, length, 1)
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

    def _sum(self, texts: Sequence[str]) -> Float64:
        """Sum the weighted rows of each text and its groups, in reading order."""
        from memopolis.sim.memory.vectors.text_likeness_kernels import add_rows

        for text in texts:
            check_text("text", text)
        parts = [split_grams(text) for text in texts]
        pieces = [self._words.tokens(rest) for rest, _ in parts]
        ends = np.cumsum([len(each) for each in pieces])
        sums = np.zeros((len(texts), self.dimensions))
        flat = np.fromiter(chain.from_iterable(pieces), np.int64, ends[-1])
        add_rows(self._table, self._weights, flat, ends, sums)
        scale = GRAM_LENGTH / np.sqrt(self.dimensions)
        for number, (_, groups) in enumerate(parts):
            for gram in groups:
                if gram not in STOP:
                    sums[number] += gram_signs(gram, self.dimensions) * scale
        return sums


@cache
def static_table() -> StaticTable:
    """Load the shipped table, once per process."""
    with np.load(ASSETS / "static_table.npz") as shipped:
        return StaticTable(shipped["table"], shipped["scale"], word_pieces())
