"""Changes of a `Texts`: numbers with a new text, and numbers without one."""

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.memory.text.texts import Texts

Numbers = NDArray[np.intp]


class Following:
    """Reports the changes of a `Texts` to a cache by text number.

    Attributes:
        texts: The texts.
        held: Whether a number had a text at the last `look`, bool, shape (columns,) with
            columns >= `texts.capacity` at that time.
    """

    def __init__(self, texts: Texts) -> None:
        self.texts = texts
        self.held = np.zeros(0, np.bool_)
        self._seen = 0
        self._sweeps = 0

    @property
    def behind(self) -> bool:
        """Whether texts were interned or swept since the last `look`."""
        texts = self.texts
        return len(texts.log) != self._seen or texts.sweeps != self._sweeps

    def look(self) -> tuple[Numbers, Numbers]:
        """Return the changes since the last call.

        Returns:
            Numbers with a new text, and numbers whose old text was removed; a reused number is
            in both. Ascending, intp.
        """
        texts = self.texts
        if texts.capacity > len(self.held):
            room = max(texts.capacity, len(self.held) * 3 // 2, 64)
            self.held = np.append(self.held, np.zeros(room - len(self.held), np.bool_))
        fresh = np.unique(np.asarray(texts.log[self._seen :], np.intp))
        gone = fresh[self.held[fresh]]
        if texts.sweeps != self._sweeps:
            living = texts.living
            fresh = fresh[living[fresh]]
            gone = np.union1d(gone, np.flatnonzero(self.held[: texts.capacity] & ~living))
        self.held[gone] = False
        self.held[fresh] = True
        self._seen, self._sweeps = len(texts.log), texts.sweeps
        return fresh, gone
