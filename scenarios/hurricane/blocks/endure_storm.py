"""Remember storm and power failures at the current place."""

import numpy as np

from memopolis.agents.remembering import remember
from memopolis.sim.arrays import Bools
from memopolis.sim.block import Block
from memopolis.sim.population import Cohort

# Gust in kt, importance, valence and text of the memory (illustrative).
LEVELS = (
    (25.0, 0.35, -0.3, "The wind is picking up in {place}."),
    (40.0, 0.6, -0.6, "Strong gusts shake the house in {place}."),
    (52.0, 0.85, -0.8, "The storm tears at roofs and trees in {place}."),
)
BLACKOUT_GUST = 45.0  # gust from which power fails, kt (illustrative)
BLACKOUT_SHARE = 0.25
"""Share of homes with a power failure (computed: 100,000 of about 400,000 customers at the
coast)."""


class EndureStorm(Block):
    """Remember gusts that exceed a level at the current place, and power failures."""

    reads = ("place", "household")

    def step(self, citizens: Cohort) -> None:
        """Compare gusts with those of the previous tick by zone."""
        weather, tick = self.society.weather, self.clock.tick
        if weather is None or not weather.ticks:
            return
        now, before = weather.at(tick).gust_kt, weather.at(tick - 1).gust_kt
        for gust, importance, valence, text in LEVELS:
            risen = (now >= gust) & (before < gust)
            if risen.any():
                some = self._select_in(citizens, risen)
                remember(some, "disaster", text, importance, valence, at="place")
        dark = (now >= BLACKOUT_GUST) & (before < BLACKOUT_GUST)
        if dark.any():
            affected = self._select_in(citizens, dark)
            u = self.society.chance.uniform("endure_storm.blackout", affected["household"])
            some, text = affected.where(u < BLACKOUT_SHARE), "The power went out in {place}."
            remember(some, "disaster", text, 0.6, -0.6, at="place")

    @staticmethod
    def _select_in(citizens: Cohort, zones: Bools) -> Cohort:
        place = citizens["place"]
        return citizens.where((place >= 0) & zones[np.maximum(place, 0)])
