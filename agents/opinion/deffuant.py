"""Deffuant's model: two meet, and come closer if they are near."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from memopolis.agents.attitude_checks import check_confidence
from memopolis.agents.opinion.model import Floats, pairs, path, started
from memopolis.sim.chance import Chance


@dataclass(frozen=True)
class Deffuant:
    """Bounded confidence in pairs.

    Attributes:
        bound: eps, distance below which two come closer, >= 0.
        rate: mu, part of the gap that each goes, in [0, 1]; in (0, 0.5] they do not pass.

    Raises:
        ParameterError: If a number is out of range.

    Source:
        Deffuant, Neau, Amblard, Weisbuch 2000, doi:10.1142/S0219525900000078 (recalled). On
        [0, 1] about 1 / (2 eps) groups are left.
    """

    bound: float = 0.2
    rate: float = 0.5

    def __post_init__(self) -> None:
        check_confidence(self.bound, self.rate)

    def evolve(self, start: ArrayLike, *, steps: int, seed: int = 0) -> Floats:
        """Let pairs drawn at random meet, one after another.

        Args:
            start: Opinions, shape (agents,).
            steps: Rounds of agents // 2 meetings, so that each has one in the mean.
            seed: Names the luck.

        Returns:
            Shape (steps + 1, agents), the start first.

        Raises:
            ParameterError: If an argument is out of range.
        """
        from memopolis.agents.opinion.meeting_kernels import meet

        first, chance = started(start), Chance(seed)
        never, nobody = np.inf, np.zeros(len(first))

        def change(opinions: Floats, step: int) -> Floats:
            moved = opinions.copy()
            met = pairs(len(moved), chance, step)
            meet(moved, *met, float(self.bound), never, float(self.rate), nobody, -never, never)
            return moved

        return path(first, change, steps=steps)
