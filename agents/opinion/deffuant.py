"""Deffuant's model: pairs of agents meet and converge if their opinions are near."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from memopolis.agents.attitude_models import check_confidence
from memopolis.agents.opinion.repulsion import Repulsion
from memopolis.sim.arrays import Float64


@dataclass(frozen=True)
class Deffuant:
    """Bounded confidence in pairs.

    Raises ParameterError if a parameter is out of range.

    Source: Deffuant, Neau, Amblard, Weisbuch 2000, doi:10.1142/S0219525900000078 (recalled). On [0,
    1] about 1 / (2 eps) clusters remain.
    """

    bound: float = 0.2  # eps, distance below which two opinions converge, >= 0
    rate: float = 0.5  # mu, share of the gap that each agent closes, in [0, 1]

    def __post_init__(self) -> None:
        check_confidence(self.bound, self.rate)

    def evolve(self, start: ArrayLike, *, steps: int, seed: int = 0) -> Float64:
        """Simulate sequential meetings of random pairs.

        The result has shape (steps + 1, agents), initial opinions first. Raises ParameterError if
        an argument is out of range.

        Args:
            start: Initial opinions, shape (agents,).
            steps: Number of rounds of agents // 2 meetings, on average one per agent.
            seed: Random seed.
        """
        without = Repulsion(self.bound, np.inf, self.rate, low=-np.inf, high=np.inf)
        return without.evolve(start, steps=steps, seed=seed)
