"""Institutions follow the forecasts, and remember storms that reach them."""

import numpy as np

from memopolis.scenarios.hurricane.circumstances import Circumstances
from memopolis.sim.block import Block
from memopolis.sim.population import Cohort
from memopolis.sim.timeline import News

STORM_KT = 40.0
"""Gust over a zone from which an institution there remembers a storm, kt (illustrative)."""

_TOPICS = {"disaster": "forecast", "relief": "relief"}
"""Topic of the memory of a news report, by the topic of the report."""


class WatchForecasts(Block):
    """Remember forecasts and all-clears at once, and storms in the own zone."""

    def __init__(self, circumstances: Circumstances) -> None:
        self.weather = circumstances.weather

    def step(self, institutions: Cohort) -> None:
        """Remember the reports and storms of this step."""
        tick = self.clock.tick
        for when, report in self.society.on_air():
            if when == tick and report.topic in _TOPICS:
                self._remember_report(institutions, report)
        if self.weather.ticks and "zone" in self.population.memory.columns.arrays:
            self._remember_storm(institutions)

    @staticmethod
    def _remember_report(institutions: Cohort, report: News) -> None:
        institutions.memory.stream.add(
            _TOPICS[report.topic],
            report.text,
            importance=report.importance,
            valence=report.stance,
        )

    def _remember_storm(self, institutions: Cohort) -> None:
        tick = self.clock.tick
        now, before = self.weather.at(tick).gust_kt, self.weather.at(tick - 1).gust_kt
        zone = institutions.status["zone"]
        reached = (now >= STORM_KT) & (before < STORM_KT)
        struck = institutions.where(reached[zone])
        if len(struck):
            struck.memory.stream.add(
                "storm",
                "The storm reached {place}.",
                place=struck.status["zone"],
                importance=0.8,
                valence=np.full(len(struck), -0.8, np.float32),
            )
