"""Deffuant's model: pairs of agents meet and converge if their opinions are near."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from memopolis.agents.opinion.model import check_confidence
from memopolis.agents.opinion.repulsion import Repulsion
from memopolis.sim.arrays import Float64


@dataclass(frozen=True)
class Deffuant:
    """Bounded confidence in pairs.

    Source: Deffuant, Neau, Amblard, Weisbuch 2000, doi:10.1142/S0219525900000078 (recalled). On [0,
    1] about 1 / (2 eps) clusters remain.
    """

    bound: float = 0.2  # eps, distance below which two opinions converge, >= 0
    rate: float = 0.5  # mu, share of the gap that each agent closes, in [0, 1]

    def __post_init__(self) -> None:
        check_confidence(self.bound, self.rate)

    def evolve(self, start: ArrayLike, *, steps: int, seed: int = 0) -> Float64:
        """Simulate sequential meetings of random pairs, agents // 2 per step."""
        without = Repulsion(self.bound, np.inf, self.rate, low=-np.inf, high=np.inf)
        return without.evolve(start, steps=steps, seed=seed)
