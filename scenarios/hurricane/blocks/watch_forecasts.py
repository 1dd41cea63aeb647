"""Institutions follow the forecasts, and remember storms that reach them."""

import numpy as np

from memopolis.agents.remembering import remember
from memopolis.scenarios.hurricane.circumstances import Circumstances
from memopolis.scenarios.hurricane.damage import damage_by_gust, repair
from memopolis.sim.arrays import Float32
from memopolis.sim.block import Block
from memopolis.sim.population import Cohort
from memopolis.sim.timeline import News

STORM_KT = 40.0
"""Gust over a zone from which an institution there remembers a storm, kt (illustrative)."""
SOON = 72.0  # hours before the storm within which a forecast matters to a firm (illustrative)
REPAIR_HOUR, REPAIR_DAYS = 18, 4.0
"""Hour of a day's repairs to stores, and their mean length in days (illustrative)."""

_TOPICS = {"disaster": "forecast", "relief": "relief"}
"""Topic of the memory of a news report, by the topic of the report."""


class WatchForecasts(Block):
    """Remember forecasts and all-clears in the step in which they are published."""

    topics = tuple(_TOPICS)
    reacts_to = (News,)

    def step(self, institutions: Cohort) -> None:
        """Remember the reports of this step."""
        for when, report in self.society.on_air():
            if when == self.clock.tick and report.topic in _TOPICS:
                weight = self.weigh(institutions, report)
                topic = _TOPICS[report.topic]
                importance, stance = weight * report.importance, weight * report.stance
                remember(institutions, topic, report.text, importance, stance)

    def weigh(self, institutions: Cohort, report: News) -> Float32:
        """Return the weight of a report to each agent, 0 to 1: 1 to those of the whole region."""
        del report
        return np.ones(len(institutions), np.float32)


class WatchLocalForecasts(WatchForecasts):
    """Remember a forecast by what it means in the own zone: how likely gales are, and how soon."""

    reads = ("zone",)

    def __init__(self, circumstances: Circumstances) -> None:
        self.forecasts = circumstances.forecasts

    def weigh(self, institutions: Cohort, report: News) -> Float32:
        """Return the probability of gales in the zone, times how near they are within `SOON`."""
        tick = self.clock.tick
        if report.topic != "disaster" or tick >= len(self.forecasts.issued):
            return super().weigh(institutions, report)
        zone = institutions["zone"]
        near = np.clip(1 - self.forecasts.hours_to_nearest[tick] / SOON, 0, 1)
        return np.asarray((self.forecasts.strike[tick] * near)[zone], np.float32)


class WatchStorm(Block):
    """Remember storms that reach the zone of the agent, and repair the damage they did."""

    reads = ("zone", "damage")
    writes = ("damage",)
    state = ("worst",)

    def __init__(self, circumstances: Circumstances) -> None:
        self.weather = circumstances.weather
        self.zones = len(circumstances.place)

    def setup(self) -> None:
        """Draw the fixed draw of each building."""
        stores = np.arange(len(self.population))
        self.worst: Float32 = np.zeros(self.zones, np.float32)
        self.exposure = self.society.chance.uniform("watch_storm.exposure", stores)

    def step(self, institutions: Cohort) -> None:
        """Remember a storm that begins in this step; damage and repair stores."""
        if not self.weather.ticks:
            return
        tick = self.clock.tick
        now, before = self.weather.at(tick).gust_kt, self.weather.at(tick - 1).gust_kt
        reached = (now >= STORM_KT) & (before < STORM_KT)
        struck = institutions.where(reached[institutions["zone"]])
        remember(struck, "storm", "The storm reached {place}.", 0.8, -0.8, at="zone")
        self._damage(institutions, now)
        if self.clock.is_hour(REPAIR_HOUR) and (self.worst > 0).any():
            institutions["damage"] = repair(institutions["damage"], days=REPAIR_DAYS)

    def _damage(self, institutions: Cohort, gust: Float32) -> None:
        """Damage stores where this is the strongest gust so far."""
        stronger = (gust >= STORM_KT) & (gust > self.worst)
        if not stronger.any():
            return
        self.worst[stronger] = gust[stronger]
        struck = institutions.where(stronger[institutions["zone"]])
        damage = damage_by_gust(gust[struck["zone"]], self.exposure[struck.rows])
        struck["damage"] = np.maximum(struck["damage"], damage)
