"""Rank households by their own income of about the last year."""

from dataclasses import dataclass

import numpy as np

from memopolis.scenarios.ubi.money import read_price_level
from memopolis.sim.block import Block
from memopolis.sim.population import Cohort, Population

YEAR = 12  # mean age in months of the incomes that count (choice)
_QUINTILES = 5


@dataclass(eq=False, repr=False)
class RankHouseholds(Block):
    """Update the mean of each household's own income, and its quintile, and that of its members.

    Incomes of a month are noisy, and the quintiles of a past year drift to the middle, as those of
    real households do. Own income excludes the basic income, so that payments change no ranks.
    """

    reads = ("disposable", "basic_income", "own_income")
    writes = ("own_income", "quintile")
    state = ("last_price",)

    citizens: Population

    def setup(self) -> None:
        """Start without a last price level."""
        self.last_price = np.full(1, np.nan)

    def step(self, households: Cohort) -> None:
        """Rank all households."""
        price = read_price_level(self.society)
        now = (households["disposable"] - households["basic_income"]).astype(np.float64)
        growth = 1.0 if np.isnan(self.last_price[0]) else price / self.last_price[0]
        self.last_price = np.full(1, price)
        before = households["own_income"] * growth
        mean = np.where(before < 0, np.maximum(now, 0), before + (now - before) / YEAR)
        households["own_income"] = np.maximum(mean, 0)
        rank = np.empty(len(mean), np.intp)
        rank[np.argsort(mean, kind="stable")] = np.arange(len(mean))
        households["quintile"] = 1 + rank * _QUINTILES // len(mean)
        people = self.citizens.cohort()
        homes = self.population
        people["quintile"] = homes["quintile"][people["household"]]
