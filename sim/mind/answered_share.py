"""Stop a run if a model answers too small a share of its questions."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from memopolis.sim.arguments import check_range

WINDOW = 50  # number of consecutive questions of which a share must have been answered


class AnsweredShare:
    """Whether a model has answered a share of any `WINDOW` consecutive questions.

    `least` is the minimum share, from 0 to 1; with 0, nothing is counted.
    """

    def __init__(self, least: float) -> None:
        check_range("min_answered", least)
        self.least = least
        self._latest: list[bool] = []

    def fewest(self, answered: Sequence[bool]) -> int | None:
        """Return the fewest answers in a window that ends in further questions, None if enough.

        Args:
            answered: Whether each further question was answered, in their order.
        """
        if not self.least:
            return None
        asked = np.array([*self._latest, *answered], np.int64)
        if len(asked) < WINDOW:
            return None
        counts = np.convolve(asked, np.ones(WINDOW, np.int64), mode="valid")
        fewest = int(counts.min())
        return fewest if fewest < self.least * WINDOW else None

    def add(self, answered: Sequence[bool]) -> None:
        """Count further questions."""
        if self.least:
            self._latest = [*self._latest, *answered][1 - WINDOW :]

    def state(self) -> list[bool]:
        """Return the latest questions, for a checkpoint."""
        return list(self._latest)

    def restore(self, state: Sequence[Any]) -> None:
        """Continue from the result of `state`."""
        self._latest = [bool(answered) for answered in state][1 - WINDOW :]
