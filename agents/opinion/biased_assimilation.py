"""Dandekar's model: evidence that supports one's opinion gets more weight."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from memopolis.agents.attitude_models import biased_assimilation, check_bias
from memopolis.agents.opinion.model import (
    Ties,
    check_shape,
    make_averaging,
    read_opinions,
    simulate,
)
from memopolis.sim.arrays import Float64


@dataclass(frozen=True, eq=False)
class BiasedAssimilation:
    """DeGroot's model with biased weighing of evidence.

    Raises ParameterError if a parameter is out of range.

    Source: Dandekar, Goel, Lee 2013, doi:10.1073/pnas.1217220110 (recalled).
    """

    # b >= 0, one value or shape (agents,): 0 gives DeGroot's model; from 1 on, a society of two
    # homophilous groups polarizes
    bias: float | Float64 = 1.0
    own_weight: float = 1.0  # weight of the agent's own opinion, > 0

    def __post_init__(self) -> None:
        check_bias(self.bias, self.own_weight)

    def evolve(self, start: ArrayLike, ties: Ties, *, steps: int) -> Float64:
        """Simulate opinions with simultaneous updates.

        The result has shape (steps + 1, agents), initial opinions first. Deterministic. Raises
        ParameterError if an argument is out of range or does not fit.

        Args:
            start: Initial opinions in [0, 1], shape (agents,).
            ties: A network, or weights >= 0 of shape (agents, agents).
            steps: Number of steps.
        """
        first = read_opinions(start, low=0, high=1)
        check_shape(self.bias, len(first), "bias")
        hear = make_averaging(ties, len(first))

        def change(opinions: Float64, _: int) -> Float64:
            moved = biased_assimilation(
                opinions, *hear(opinions), bias=self.bias, own_weight=self.own_weight
            )
            return np.clip(moved, 0, 1)  # rounding errors outside [0, 1] would break powers

        return simulate(first, change, steps=steps)
