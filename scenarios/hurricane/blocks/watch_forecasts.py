"""Institutions follow the forecasts, and remember storms that reach them."""

from memopolis.agents.remembering import remember
from memopolis.scenarios.hurricane.circumstances import Circumstances
from memopolis.sim.block import Block
from memopolis.sim.population import Cohort

STORM_KT = 40.0
"""Gust over a zone from which an institution there remembers a storm, kt (illustrative)."""

_TOPICS = {"disaster": "forecast", "relief": "relief"}
"""Topic of the memory of a news report, by the topic of the report."""


class WatchForecasts(Block):
    """Remember forecasts and all-clears in the step in which they are published."""

    topics = tuple(_TOPICS)

    def step(self, institutions: Cohort) -> None:
        """Remember the reports of this step."""
        for when, report in self.society.on_air():
            if when == self.clock.tick and report.topic in _TOPICS:
                topic = _TOPICS[report.topic]
                remember(institutions, topic, report.text, report.importance, report.stance)


class WatchStorm(Block):
    """Remember storms that reach the zone of the agent."""

    reads = ("zone",)

    def __init__(self, circumstances: Circumstances) -> None:
        self.weather = circumstances.weather

    def step(self, institutions: Cohort) -> None:
        """Remember a storm that begins in this step."""
        if not self.weather.ticks:
            return
        tick = self.clock.tick
        now, before = self.weather.at(tick).gust_kt, self.weather.at(tick - 1).gust_kt
        reached = (now >= STORM_KT) & (before < STORM_KT)
        struck = institutions.where(reached[institutions["zone"]])
        remember(struck, "storm", "The storm reached {place}.", 0.8, -0.8, at="zone")
