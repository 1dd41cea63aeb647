"""Vectors of the texts a memory keeps, in whole numbers, each text embedded once."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memopolis.sim.errors import ParameterError
from memopolis.sim.memory.text.following import Following
from memopolis.sim.memory.text.texts import Texts
from memopolis.sim.memory.vectors.embedders.checked import Embedder, dimensions_of, embed, name_of
from memopolis.sim.memory.vectors.embedders.named import embedder_of
from memopolis.sim.memory.vectors.embedders.rounding import LARGEST, bits_of, rounded
from memopolis.sim.memory.vectors.thresholds import Thresholds, thresholds_of

BATCH = 1024
"""Most texts that an embedder is given at once."""


class TextVectors:
    """Vectors of the living texts of a `Texts`, one or two bytes a dimension.

    A text is embedded when it is first asked for, together with the others asked for, and
    never again while it lives.
    """

    def __init__(self, texts: Texts, embedder: Any = None) -> None:
        """Follow `texts`, embedded by the shipped table unless another embedder is given.

        Args:
            texts: The texts.
            embedder: Name of an embedder, or an object with the method `vectors`.

        Raises:
            MemopolisError: As `embedders.named.embedder_of` says.
        """
        self._texts = texts
        self.embedder: Embedder = embedder_of("static" if embedder is None else embedder)
        self._bits = bits_of(self.embedder)
        # The first text tells how long vectors are: a model is not asked before it must be.
        self._store: NDArray[Any] | None = None
        self._known = np.zeros(0, np.bool_)
        self._following = Following(texts)

    @cached_property
    def thresholds(self) -> Thresholds:
        """Cosines of this embedder from which texts are related, of one cluster, the same."""
        return thresholds_of(self.embedder)

    @property
    def nbytes(self) -> int:
        """Bytes of the vectors kept."""
        kept = 0 if self._store is None else self._store.nbytes
        return kept + self._known.nbytes

    def rounded(self, numbers: ArrayLike) -> NDArray[Any]:
        """Give the vectors of texts in whole numbers; see `embedders.rounding.rounded`.

        Args:
            numbers: Text numbers in use, shape (n,).

        Returns:
            int8 or int16, shape (n, dimensions); zeros for a text that says nothing.

        Raises:
            ParameterError: If a number is not in use, or the embedder gives no proper vectors.
        """
        wanted = np.asarray(numbers, np.intp)
        if wanted.size and (wanted.min() < 0 or wanted.max() >= self._texts.capacity):
            raise ParameterError(f"text numbers must lie in 0..{self._texts.capacity - 1}")
        self._follow()
        missing = np.unique(wanted[~self._known[wanted]])
        for begin in range(0, len(missing), BATCH):
            self._embed(missing[begin : begin + BATCH])
        return self._kept()[wanted]

    def of_queries(self, queries: Sequence[str]) -> NDArray[Any]:
        """Give the vectors of texts that nobody needs to remember, as `rounded` does.

        Args:
            queries: Any texts.

        Returns:
            int8 or int16, shape (queries, dimensions).

        Raises:
            ParameterError: If the embedder gives no proper vectors.
        """
        given = rounded(embed(self.embedder, queries), self._bits)
        if self._store is not None and given.shape[1] != self._store.shape[1]:
            raise ParameterError(
                f"the embedder {name_of(self.embedder)} gave vectors of {given.shape[1]} "
                f"dimensions, and of {self._store.shape[1]} before"
            )
        return given

    def _embed(self, numbers: NDArray[np.intp]) -> None:
        given = self.of_queries([self._texts[number] for number in numbers.tolist()])
        self._kept(given.shape[1])[numbers] = given
        self._known[numbers] = True

    def _kept(self, dimensions: int | None = None) -> NDArray[Any]:
        """What is kept, a row a number; made once it is known how long vectors are."""
        if self._store is None:
            width = dimensions_of(self.embedder) if dimensions is None else dimensions
            self._store = np.zeros((len(self._known), width), f"i{self._bits // 8}")
        return self._store

    def vectors(self, numbers: ArrayLike) -> NDArray[np.float32]:
        """Give the kept vectors of texts, of length one again.

        Args:
            numbers: Text numbers in use, shape (n,).

        Returns:
            float32, shape (n, dimensions); zeros for a text that says nothing.
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
            Cosines in -1..1, float64, shape (n,) or (); 0 where a text says nothing.

        Raises:
            ParameterError: If a number is not in use.
        """
        a = self.rounded(first).astype(np.float32)
        b = self.rounded(second).astype(np.float32)
        norms = _dot(a, a) * _dot(b, b)
        cosine: NDArray[np.float64] = _dot(a, b) / np.sqrt(np.where(norms > 0, norms, 1.0))
        return np.clip(cosine, -1.0, 1.0)

    def _follow(self) -> None:
        if not self._following.behind:
            return
        missing = self._texts.capacity - len(self._known)
        if missing > 0:
            missing = max(missing, len(self._known) // 2)
            if self._store is not None:
                self._store = np.pad(self._store, ((0, missing), (0, 0)))
            self._known = np.pad(self._known, (0, missing))
        fresh, gone = self._following.look()
        self._known[fresh] = self._known[gone] = False


def _dot(a: NDArray[np.float32], b: NDArray[np.float32]) -> NDArray[np.float64]:
    # Sums of whole numbers below 2**24 are exact in float32, in any order; longer vectors
    # could pass it.
    exact = np.float32 if a.shape[-1] * LARGEST * LARGEST < 1 << 24 else np.float64
    products: NDArray[np.float64] = np.add.reduce(a * b, axis=-1, dtype=exact).astype(np.float64)
    return products
