"""Dense vectors of whole texts, from a static table of word piece vectors.

A text's vector is the normalised mean of its pieces' rows, row r weighted by
1e-4 / (1e-4 + p_r) with p_r proportional to 1 / (r + 1), so that common pieces count less.

Source: S. Arora, Y. Liang, T. Ma (2017), A Simple but Tough-to-Beat Baseline for Sentence
Embeddings, ICLR, equation of the weights; the table is made by `assets/make_assets.py`.
"""

from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memopolis.sim.errors import ParameterError
from memopolis.sim.memory.pieces import ASSETS, UNKNOWN, WordPieces, word_pieces
from memopolis.sim.memory.texts import Texts

SMOOTHING = 1e-4


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
            pieces = self._words.tokens(text)
            # Added row by row in reading order (never by BLAS, whose order may vary).
            rows = self._table[pieces] * self._weights[pieces][:, None]
            mean = np.add.reduce(rows, axis=0, dtype=np.float64)
            norm = np.sqrt(np.add.reduce(mean * mean))
            if norm > 0:
                vector[:] = mean / norm
        return unit


@cache
def static_table() -> StaticTable:
    """Load the shipped table, once a process."""
    with np.load(ASSETS / "static_table.npz") as shipped:
        return StaticTable(shipped["table"], shipped["scale"], word_pieces())


class TextVectors:
    """Vectors of the living texts of a `Texts`, one byte a dimension.

    A text is embedded when it is first asked for, together with the others asked for.
    """

    def __init__(self, texts: Texts, table: StaticTable | None = None) -> None:
        """Follow `texts`, embedded by the shipped table unless another is given."""
        self._texts = texts
        self._table = table or static_table()
        self._store = np.zeros((0, self._table.dimensions), np.int8)
        self._known = np.zeros(0, np.bool_)
        self._seen = 0
        self._sweeps = 0

    @property
    def nbytes(self) -> int:
        """Bytes of the vectors kept."""
        return self._store.nbytes + self._known.nbytes

    def rounded(self, numbers: ArrayLike) -> NDArray[np.int8]:
        """Give the vectors of texts in whole numbers, the largest of each being 127.

        Args:
            numbers: Text numbers in use, shape (n,).

        Returns:
            int8, shape (n, dimensions); zeros for a text without a known piece.

        Raises:
            ParameterError: If a number is not in use.
        """
        wanted = np.asarray(numbers, np.intp)
        if wanted.size and (wanted.min() < 0 or wanted.max() >= self._texts.capacity):
            raise ParameterError(f"text numbers must lie in 0..{self._texts.capacity - 1}")
        self._follow()
        missing = np.unique(wanted[~self._known[wanted]])
        if len(missing):
            unit = self._table.vectors([self._texts[number] for number in missing.tolist()])
            largest = np.abs(unit).max(axis=1, keepdims=True)
            largest[largest == 0] = 1
            self._store[missing] = np.rint(unit / largest * 127)
            self._known[missing] = True
        return self._store[wanted]

    def vectors(self, numbers: ArrayLike) -> NDArray[np.float32]:
        """Give the kept vectors of texts, of length one again.

        Args:
            numbers: Text numbers in use, shape (n,).

        Returns:
            float32, shape (n, dimensions); zeros for a text without a known piece.
        """
        whole = self.rounded(numbers).astype(np.float32)
        norm = np.sqrt(_dot(whole, whole))
        norm[norm == 0] = 1
        unit: NDArray[np.float32] = (whole / norm[:, None]).astype(np.float32)
        return unit

    def likeness(self, first: ArrayLike, second: ArrayLike) -> NDArray[np.float64]:
        """Compare texts pair by pair.

        Args:
            first: Text numbers in use, shape (n,) or ().
            second: Text numbers in use, of the same shape.

        Returns:
            Cosines in -1..1, float64, shape (n,) or (); 0 where a text has no known piece.

        Raises:
            ParameterError: If a number is not in use.
        """
        a = self.rounded(first).astype(np.float32)
        b = self.rounded(second).astype(np.float32)
        norms = _dot(a, a) * _dot(b, b)
        cosine: NDArray[np.float64] = _dot(a, b) / np.sqrt(np.where(norms > 0, norms, 1.0))
        return np.clip(cosine, -1.0, 1.0)

    def _follow(self) -> None:
        missing = self._texts.capacity - len(self._known)
        if missing > 0:
            missing = max(missing, len(self._known) // 2)
            self._store = np.pad(self._store, ((0, missing), (0, 0)))
            self._known = np.pad(self._known, (0, missing))
        fresh = self._texts.log[self._seen :]
        self._known[np.asarray(fresh, np.intp)] = False
        self._seen += len(fresh)
        if self._sweeps != self._texts.sweeps:
            self._known[: self._texts.capacity] &= self._texts.living
            self._sweeps = self._texts.sweeps


def _dot(a: NDArray[np.float32], b: NDArray[np.float32]) -> NDArray[np.float64]:
    # Whole numbers below 2**24 in all: float32 sums of them are exact in any order.
    products: NDArray[np.float64] = np.add.reduce(a * b, axis=-1).astype(np.float64)
    return products
