"""Families: children under `INDEPENDENT_AGE`, and the adults of their households."""

import numpy as np

from memopolis.agents.ages import ADULT, INDEPENDENT_AGE
from memopolis.sim.arrays import Bools, Intp, Ints
from memopolis.sim.population import Population


class Families:
    """Children, and the adults of their households, by row."""

    def __init__(self, people: Population) -> None:
        age, household = people["age"], people["household"]
        (self.children,) = (age < INDEPENDENT_AGE).nonzero()
        is_adult = (age >= ADULT) & np.isin(household, household[self.children])
        (adults,) = is_adult.nonzero()
        self.adults: Intp = adults[np.argsort(household[adults], kind="stable")]
        homes, own = household[self.adults], household[self.children]
        self.first: Intp = np.searchsorted(homes, own)
        self.count: Intp = np.searchsorted(homes, own, side="right") - self.first

    def choose_adults(self, some: Bools, rank: Ints) -> Intp:
        """Return the row of the adult of the highest rank for some of the children, shape (some,).

        `rank` has a number for each of `adults`. The result is -1 where none is above 0.
        """
        first, count = self.first[some], self.count[some]
        chosen, best = np.full(len(first), -1, np.intp), np.zeros(len(first), rank.dtype)
        for number in range(int(count.max(initial=0))):
            at = np.minimum(first + number, len(self.adults) - 1)
            better = (number < count) & (rank[at] > best)
            chosen[better], best[better] = self.adults[at[better]], rank[at[better]]
        return chosen
