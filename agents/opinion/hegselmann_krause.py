"""Hegselmann and Krause's model: all agents move to the mean of near opinions at once."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from memopolis.agents.opinion.model import check_confidence, read_opinions, simulate
from memopolis.sim.arrays import Float64


@dataclass(frozen=True)
class HegselmannKrause:
    """Bounded confidence among all agents.

    Source: Hegselmann and Krause 2002, JASSS 5(3) 2 (recalled).
    """

    bound: float = 0.2  # eps, maximum distance at which an opinion counts, >= 0

    def __post_init__(self) -> None:
        check_confidence(self.bound, 1.0)

    def evolve(self, start: ArrayLike, *, steps: int) -> Float64:
        """Simulate opinions with simultaneous updates, shape (steps + 1, agents)."""
        return simulate(
            read_opinions(start), lambda x, _: compute_local_means(x, self.bound), steps=steps
        )


def compute_local_means(opinions: Float64, bound: float) -> Float64:
    """Compute the mean of all opinions within the bound of each opinion, shape (agents,).

    Equals `attitude_models.hegselmann_krause` with weights 1 among all agents, at the cost of a
    sort: near opinions are a slice of the sorted ones, whose sum is a difference of cumulative
    sums.
    """
    x = np.sort(opinions)
    sums = np.concatenate([[0.0], np.cumsum(x)])
    first = np.searchsorted(x, opinions - bound, side="left")
    beyond = np.searchsorted(x, opinions + bound, side="right")
    return np.asarray((sums[beyond] - sums[first]) / (beyond - first))
