"""The people of a place, from whom households are drawn if the setting `place` names one."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from memopolis.scenarios.places.place_files import NO_PLACE
from memopolis.scenarios.places.zones import read_place
from memopolis.scenarios.synthesis.counties import read_counties
from memopolis.scenarios.synthesis.fitting import FittedWeights, fit
from memopolis.scenarios.synthesis.person_traits import education_edges
from memopolis.scenarios.ubi.microdata import read_sample
from memopolis.sim.arrays import Float64, Int16, Intp
from memopolis.sim.chance import Chance, options_of
from memopolis.sim.world.place import Place

DOLLARS_2019 = 255.657 / 251.107
"""Dollars of 2019 per dollar of 2018, by consumer prices (recalled: BLS)."""
EXPECTED_JOBLESS = 0.05
"""Unemployment rate at the start without a place, which a zone's rate is compared with: the
target of `person_traits.JOBLESS` (illustrative)."""


@dataclass(frozen=True, eq=False)
class Town:
    """Survey households weighted by the marginals of a place's zones."""

    fitted: FittedWeights  # the weights

    @property
    def place(self) -> Place:
        """The zones."""
        return self.fitted.place

    @cached_property
    def by_income(self) -> tuple[Intp, Float64]:
        """Survey households in order of income, and the cumulated shares of the place's."""
        order = np.argsort(self.fitted.sample.income, kind="stable")
        edges = np.cumsum(self.fitted.joint.sum(axis=0)[order])
        return order, edges / edges[-1]

    @cached_property
    def _zone_edges(self) -> Float64:
        """Cumulated shares of zones by survey household, (households, zones)."""
        edges = np.cumsum(self.fitted.joint.T, axis=1)
        return np.asarray(edges / np.maximum(edges[:, -1:], 1e-300))

    @cached_property
    def quintile_edges(self) -> Float64:
        """Incomes between the quintiles of the place's households, shape (4,)."""
        order, edges = self.by_income
        at = np.searchsorted(edges, [0.2, 0.4, 0.6, 0.8])
        return np.asarray(self.fitted.sample.income[order[np.minimum(at, len(order) - 1)]])

    @cached_property
    def jobless(self) -> Float64:
        """Unemployment rate of each zone relative to `EXPECTED_JOBLESS`, (zones,)."""
        return np.asarray(self.fitted.county["unemployment"].to_numpy() / EXPECTED_JOBLESS)

    @cached_property
    def education_edges(self) -> Float64:
        """Ranks between the levels of education, (zones, 3)."""
        return education_edges(self.fitted.county)

    def select_kinds(self, at: Float64) -> Intp:
        """Select survey households by their rank in the place's order of income, in [0, 1)."""
        order, edges = self.by_income
        return np.asarray(order[np.searchsorted(edges[:-1], at, side="right")])

    def draw_zones(self, kind: Intp, numbers: Intp, chance: Chance) -> Int16:
        """Draw the zone of households of given kinds, given their numbers."""
        u = chance.uniform("household zone", numbers)
        return options_of(self._zone_edges, kind, u).astype(np.int16)


def read_town(place: str) -> Town | None:
    """Fit the survey to the place of the setting; None without a place."""
    if place == NO_PLACE:
        return None
    return Town(fit(read_place(place), read_sample(), read_counties(), price=DOLLARS_2019))
