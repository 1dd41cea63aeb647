"""Hegselmann and Krause's model: everybody takes the mean of all who are near, at once."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from memopolis.agents.attitude_checks import check_confidence
from memopolis.agents.opinion.model import Floats, path, started


@dataclass(frozen=True)
class HegselmannKrause:
    """Bounded confidence of all with all.

    Attributes:
        bound: eps, greatest distance at which an opinion counts, >= 0.

    Raises:
        ParameterError: If the bound is below 0.

    Source:
        Hegselmann and Krause 2002, JASSS 5(3) 2 (recalled).
    """

    bound: float = 0.2

    def __post_init__(self) -> None:
        check_confidence(self.bound, 1.0)

    def evolve(self, start: ArrayLike, *, steps: int) -> Floats:
        """Let everybody change at once, in each step.

        Args:
            start: Opinions, shape (agents,).
            steps: Number of steps; once nobody moves but by rounding, nobody will.

        Returns:
            Shape (steps + 1, agents), the start first. Nothing is drawn.

        Raises:
            ParameterError: If an argument is out of range.
        """
        return path(started(start), lambda x, _: means_within(x, self.bound), steps=steps)


def means_within(opinions: Floats, bound: float) -> Floats:
    """Give each the mean of all opinions within the bound of its own.

    It is `attitude_models.hegselmann_krause` where all hear all with weight 1, at the cost of a
    sort: on the sorted scale those near are a stretch, whose sum is a difference of running sums.

    Args:
        opinions: Shape (agents,).
        bound: Greatest distance, >= 0.

    Returns:
        Shape (agents,).
    """
    x = np.sort(opinions)
    sums = np.concatenate([[0.0], np.cumsum(x)])
    first = np.searchsorted(x, opinions - bound, side="left")
    beyond = np.searchsorted(x, opinions + bound, side="right")
    return np.asarray((sums[beyond] - sums[first]) / (beyond - first))
