"""Cached vectors of the texts of status values."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.memory.text.texts import Texts
from memopolis.sim.memory.vectors.embedding import TextVectors

KEPT = 4096
"""Texts whose vectors are always cached from one search to the next."""


class StatusTexts:
    """Texts of status values, with their vectors.

    Args:
        embedder: The embedder; None for the shipped one.
    """

    def __init__(self, embedder: Any = None) -> None:
        self.embedder = embedder
        self._texts = Texts()
        self._vectors = TextVectors(self._texts, embedder)
        self._used: list[NDArray[np.int32]] = []

    def __len__(self) -> int:
        return len(self._texts)

    def likeness(
        self,
        queries: Sequence[str],
        texts: Sequence[str],
        asked: NDArray[np.intp],
        values: NDArray[np.intp],
    ) -> NDArray[np.float32]:
        """Compute the cosines of queries and texts, pair by pair.

        Args:
            queries: Distinct queries.
            texts: Distinct texts.
            asked: Index of the query of each pair, shape (pairs,).
            values: Index of the text of each pair, shape (pairs,).

        Returns:
            Cosines, 0 if a text has no vector, shape (pairs,).
        """
        numbers = self._texts.intern_many([*queries, *texts])
        self._used.append(numbers)
        cosines = self._vectors.likeness(numbers[asked], numbers[len(queries) + values])
        return cosines.astype(np.float32)

    def sweep(self) -> None:
        """Delete texts that were not used since the last call, if they are many."""
        used = np.zeros(self._texts.capacity, np.bool_)
        used[np.concatenate([*self._used, np.zeros(0, np.int32)])] = True
        self._used.clear()
        if len(self._texts) > max(KEPT, 2 * int(np.count_nonzero(used))):
            self._texts.sweep(used)
