"""Dandekar's model: what supports one's opinion counts more than what contradicts it."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from memopolis.agents.attitude_checks import check_bias
from memopolis.agents.attitude_models import biased_assimilation
from memopolis.agents.opinion.model import Floats, Ties, fits, listeners, path, started


@dataclass(frozen=True, eq=False)
class BiasedAssimilation:
    """DeGroot's model of people who weigh evidence by what they hold.

    Attributes:
        bias: b >= 0, one for all or shape (agents,): 0 is DeGroot's model; from 1 on a society
            of two homophilic sides parts.
        own_weight: Weight of one's own opinion, > 0.

    Raises:
        ParameterError: If a number is out of range.

    Source:
        Dandekar, Goel, Lee 2013, doi:10.1073/pnas.1217220110 (recalled).
    """

    bias: float | Floats = 1.0
    own_weight: float = 1.0

    def __post_init__(self) -> None:
        check_bias(self.bias, self.own_weight)

    def evolve(self, start: ArrayLike, ties: Ties, *, steps: int) -> Floats:
        """Let everybody change by what those it is tied to hold, all at once in each step.

        Args:
            start: Opinions in [0, 1], shape (agents,).
            ties: A network, or weights >= 0 of shape (agents, agents).
            steps: Number of steps.

        Returns:
            Shape (steps + 1, agents), the start first. Nothing is drawn.

        Raises:
            ParameterError: If an argument is out of range or does not fit.
        """
        first = started(start, low=0, high=1)
        fits(self.bias, len(first), "bias")
        hear = listeners(ties, len(first))

        def change(opinions: Floats, _: int) -> Floats:
            moved = biased_assimilation(
                opinions, *hear(opinions), bias=self.bias, own_weight=self.own_weight
            )
            return np.clip(moved, 0, 1)  # rounding may leave the scale, where powers fail

        return path(first, change, steps=steps)
