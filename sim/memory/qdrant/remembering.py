"""An embedder that embeds no text twice while it remembers it."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from memopolis.sim.memory.vectors.embedders.checked import Embedder, dimensions_of, name_of
from memopolis.sim.memory.vectors.embedders.rounding import bits_of
from memopolis.sim.memory.vectors.thresholds import Thresholds, thresholds_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST = 100_000
"""Texts it remembers before it begins anew."""


class Remembering:
    """Gives what another embedder gives.

    Args:
        embedder: The other.
    """

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._known: dict[str, NDArray[np.float32]] = {}
        self.name = name_of(embedder)
        self.bits = bits_of(embedder)
        self.dimensions = dimensions_of(embedder)

    @property
    def thresholds(self) -> Thresholds:
        """Those of the other."""
        return thresholds_of(self._embedder)

    def vectors(self, texts: Sequence[str]) -> Any:
        """Give the vectors of texts, asking only for those that are new."""
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        if new:
            if len(self._known) + len(new) > MOST:
                self._known = {text: self._known[text] for text in texts if text in self._known}
            given = self._embedder.vectors(new)
            if np.shape(given) != (len(new), self.dimensions):
                return given  # whoever asked refuses it
            self._known.update(zip(new, np.asarray(given, np.float32), strict=True))
        return np.stack([self._known[text] for text in texts])
