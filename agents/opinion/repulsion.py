"""Bounded confidence with repulsion between distant opinions."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from memopolis.agents.opinion.model import (
    check_confidence,
    check_shape,
    draw_pairs,
    read_opinions,
    simulate,
)
from memopolis.sim.arrays import Float64
from memopolis.sim.chance import Chance
from memopolis.sim.errors import ParameterError


@dataclass(frozen=True, eq=False)
class Repulsion:
    """Deffuant's model with repulsion beyond a distance.

    Source: Latitudes of acceptance and rejection: Jager and Amblard 2005,
    doi:10.1007/s10588-005-6282-2 (recalled), where backfire is 1. Little evidence of backfire:
    Casas 2023.
    """

    bound: float = 0.2  # distance below which opinions attract, >= 0
    reject: float = 0.5  # distance above which opinions repel, >= bound
    rate: float = 0.5  # share of the gap that each agent closes by attraction, in [0, 1]
    # Strength of repulsion relative to attraction, >= 0; one value or shape (agents,). There is
    # little evidence of any, so the default is 0.
    backfire: float | Float64 = 0.0
    low: float = 0.0  # lower end of the scale
    high: float = 1.0  # upper end of the scale

    def __post_init__(self) -> None:
        check_confidence(self.bound, self.rate)
        if not self.reject >= self.bound or not np.all(np.asarray(self.backfire) >= 0):
            raise ParameterError(
                f"reject is {self.reject} with bound {self.bound}, backfire is {self.backfire}; "
                "reject must be at least bound, and backfire must be >= 0"
            )
        if not self.low < self.high:
            raise ParameterError(f"low {self.low} must be below high {self.high}")

    def evolve(self, start: ArrayLike, *, steps: int, seed: int = 0) -> Float64:
        """Simulate sequential meetings of random pairs, the same as those of `Deffuant`."""
        from memopolis.agents.opinion.meeting_kernels import meet

        first, chance = read_opinions(start, low=self.low, high=self.high), Chance(seed)
        check_shape(self.backfire, len(first), "backfire")
        backfire = np.broadcast_to(np.asarray(self.backfire, np.float64), first.shape).copy()
        bound, reject, rate = float(self.bound), float(self.reject), float(self.rate)

        def change(opinions: Float64, step: int) -> Float64:
            moved = opinions.copy()
            met = draw_pairs(len(moved), chance, step)
            meet(moved, *met, bound, reject, rate, backfire, float(self.low), float(self.high))
            return moved

        return simulate(first, change, steps=steps)
