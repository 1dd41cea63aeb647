"""Households of a survey and their members, and how a population is drawn from them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.chance import Chance
from memopolis.sim.errors import ParameterError

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class SurveyHouseholds:
    """Households of a survey and their members, adults first.

    Attributes:
        first: Number of each household's first person; plus the total at the end.
        role: HEAD, SPOUSE or DEPENDANT of the tax unit, shape (persons,).
        youngest: Minimum age of each person.
        oldest: Maximum age; equal to the minimum if the age is known.
        wage: Wages and self-employed income per year, >= 0.
    """

    first: IntArray
    role: IntArray
    youngest: IntArray
    oldest: IntArray
    wage: FloatArray

    def __len__(self) -> int:
        return len(self.first) - 1

    @cached_property
    def size(self) -> IntArray:
        """Number of members of each household."""
        return np.diff(self.first)

    def members(
        self, kind: NDArray[np.intp], sizes: IntArray
    ) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Return the position of the household of each person, and the survey person.

        Args:
            kind: Survey household of each household, shape (households,).
            sizes: Number of members to keep, the first ones, shape (households,).
        """
        home = np.repeat(np.arange(len(sizes)), sizes)
        within = np.arange(len(home)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        return home, self.first[kind][home] + within

    def draw_ages(self, case: NDArray[np.intp], rows: NDArray[np.intp], chance: Chance) -> IntArray:
        """Draw the ages of survey persons, given their rows in the population; shape (persons,)."""
        span = self.oldest[case] - self.youngest[case] + 1
        draw = chance.uniform("person age", rows)
        return self.youngest[case] + np.floor(draw * span).astype(np.int64)


def draw_to_number(
    agents: int,
    sample: SurveyHouseholds,
    draw: Callable[[NDArray[np.intp]], Sequence[NDArray[np.intp]]],
) -> tuple[list[NDArray[np.intp]], IntArray]:
    """Draw households until they have the required number of members.

    The last household is truncated to its first members, adults before dependants. One more agent
    adds one member to it.

    Args:
        agents: Persons of all ages, >= 1.
        sample: Households to draw from.
        draw: Returns columns of the households with the given numbers, the survey household last.

    Returns:
        The columns, and the number of members, each of shape (households,).

    Raises:
        ParameterError: If `agents` is below 1.
    """
    if agents < 1:
        raise ParameterError(f"agents is {agents}; it must be at least 1")
    many = int(agents / sample.size.mean() * 1.1) + 50
    while True:
        columns = draw(np.arange(many))
        total = np.cumsum(sample.size[columns[-1]])
        if total[-1] >= agents:
            break
        many *= 2
    needed = int(np.searchsorted(total, agents)) + 1
    sizes = sample.size[columns[-1][:needed]]
    sizes[-1] -= sizes.sum() - agents
    return [column[:needed] for column in columns], sizes
