"""Dandekar's model: evidence that supports one's opinion gets more weight."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from memopolis.agents.attitude_models import biased_assimilation
from memopolis.agents.opinion.model import (
    Ties,
    check_shape,
    make_averaging,
    read_opinions,
    simulate,
)
from memopolis.sim.arrays import Float64
from memopolis.sim.errors import ParameterError


@dataclass(frozen=True, eq=False)
class BiasedAssimilation:
    """DeGroot's model with biased weighing of evidence.

    Source: Dandekar, Goel, Lee 2013, doi:10.1073/pnas.1217220110 (recalled).
    """

    # b >= 0, one value or shape (agents,): 0 gives DeGroot's model; from 1 on, a society of two
    # homophilous groups polarizes
    bias: float | Float64 = 1.0
    own_weight: float = 1.0  # weight of the agent's own opinion, > 0

    def __post_init__(self) -> None:
        if not np.all(np.asarray(self.bias) >= 0) or not 0 < self.own_weight < np.inf:
            raise ParameterError(
                f"bias is {self.bias} and own_weight is {self.own_weight}; bias must be >= 0 and "
                "own_weight > 0"
            )

    def evolve(self, start: ArrayLike, ties: Ties, *, steps: int) -> Float64:
        """Simulate opinions in [0, 1] with simultaneous updates, shape (steps + 1, agents)."""
        first = read_opinions(start, low=0, high=1)
        check_shape(self.bias, len(first), "bias")
        hear = make_averaging(ties, len(first))

        def change(opinions: Float64, _: int) -> Float64:
            moved = biased_assimilation(
                opinions, *hear(opinions), bias=self.bias, own_weight=self.own_weight
            )
            return np.clip(moved, 0, 1)  # rounding errors outside [0, 1] would break powers

        return simulate(first, change, steps=steps)
