"""Bounded confidence with repulsion: two who are far apart may drive each other further."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from memopolis.agents.attitude_checks import check_confidence, check_rejection
from memopolis.agents.opinion.model import Floats, fits, pairs, path, started
from memopolis.sim.chance import Chance
from memopolis.sim.errors import ParameterError


@dataclass(frozen=True, eq=False)
class Repulsion:
    """Deffuant's model with a distance from which others repel.

    Attributes:
        bound: Distance below which two come closer, >= 0.
        reject: Distance above which they part, >= bound.
        rate: Part of the gap that each goes towards what is near, in [0, 1].
        backfire: How much of that part is gone from what is far, >= 0; one for all or shape
            (agents,), such as one a party. There is little evidence for any, so it is 0.
        low: Lower end of the scale, where opinions stop.
        high: Upper end of the scale.

    Raises:
        ParameterError: If a number is out of range.

    Source:
        Latitudes of acceptance and rejection: Jager and Amblard 2005,
        doi:10.1007/s10588-005-6282-2 (recalled), where backfire is 1. Little backfire: Casas
        2023.
    """

    bound: float = 0.2
    reject: float = 0.5
    rate: float = 0.5
    backfire: float | Floats = 0.0
    low: float = 0.0
    high: float = 1.0

    def __post_init__(self) -> None:
        check_confidence(self.bound, self.rate)
        check_rejection(self.bound, self.reject, self.backfire)
        if not self.low < self.high:
            raise ParameterError(f"low {self.low} must be below high {self.high}")

    def evolve(self, start: ArrayLike, *, steps: int, seed: int = 0) -> Floats:
        """Let pairs drawn at random meet, one after another.

        Args:
            start: Opinions from low to high, shape (agents,).
            steps: Rounds of agents // 2 meetings; with the same seed the pairs of `Deffuant`.
            seed: Names the luck.

        Returns:
            Shape (steps + 1, agents), the start first.

        Raises:
            ParameterError: If an argument is out of range or does not fit.
        """
        from memopolis.agents.opinion.meeting_kernels import meet

        first, chance = started(start, low=self.low, high=self.high), Chance(seed)
        fits(self.backfire, len(first), "backfire")
        backfire = np.broadcast_to(np.asarray(self.backfire, np.float64), first.shape).copy()
        bound, reject, rate = float(self.bound), float(self.reject), float(self.rate)

        def change(opinions: Floats, step: int) -> Floats:
            moved = opinions.copy()
            met = pairs(len(moved), chance, step)
            meet(moved, *met, bound, reject, rate, backfire, float(self.low), float(self.high))
            return moved

        return path(first, change, steps=steps)
