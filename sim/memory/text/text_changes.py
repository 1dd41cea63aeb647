"""Changes of a `Texts`: numbers with a new text, and numbers without one."""

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.memory.text.texts import Texts

Numbers = NDArray[np.intp]


class TextChanges:
    """Reports the changes of a `Texts` to a cache by text number.

    Attributes:
        texts: The texts.
        in_use: Whether a number had a text at the last `take`, bool, shape (columns,) with
            columns >= `texts.capacity` at that time.
    """

    def __init__(self, texts: Texts) -> None:
        self.texts = texts
        self.in_use = np.zeros(0, np.bool_)
        self._version = (0, 0)

    @property
    def waiting(self) -> bool:
        """Whether texts were interned or swept since the last `take`."""
        return self.texts.version != self._version

    def take(self) -> tuple[Numbers, Numbers]:
        """Return the changes since the last call.

        Returns:
            Numbers with a new text, and numbers whose old text was removed; a reused number is
            in both. Ascending, intp.
        """
        texts = self.texts
        if texts.capacity > len(self.in_use):
            columns = max(texts.capacity * 9 // 8, len(self.in_use) * 3 // 2, 64)
            self.in_use = np.append(self.in_use, np.zeros(columns - len(self.in_use), np.bool_))
        logged, sweeps = self._version
        new = np.unique(np.asarray(texts.log[logged:], np.intp))
        removed = new[self.in_use[new]]
        self._version = texts.version
        if self._version[1] != sweeps:
            living = texts.living
            new = new[living[new]]
            swept = np.flatnonzero(self.in_use[: texts.capacity] & ~living)
            removed = np.union1d(removed, swept)
        self.in_use[removed] = False
        self.in_use[new] = True
        return new, removed
