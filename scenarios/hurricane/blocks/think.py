"""Thoughts in a storm: forecasts replace earlier ones, and intentions depend on the situation."""

from typing import ClassVar

import numpy as np

from memopolis.agents.block_settings import CognitionSettings
from memopolis.agents.blocks import cognition, institution
from memopolis.scenarios.hurricane.advisories import FORECASTERS
from memopolis.sim.arrays import Bools, Int32, Intp
from memopolis.sim.memory.retrieval.filter import Filter
from memopolis.sim.population import Cohort
from memopolis.sim.world.weather import Weather

DANGERS = ("disaster", "order", "past storm")
"""Topics of events that may suggest to leave or to prepare."""
RELIEF = "relief"
GUST_KT = 40.0  # gust that it has become too late to leave in, kt (illustrative)


class Think(cognition.Think):
    """Form one thought about the day, once a day; see `agents/blocks/cognition.py`."""

    reads: ClassVar[tuple[str, ...]] = (*cognition.Think.reads, "prepared", "home")
    topics = (*DANGERS, RELIEF)
    situations: ClassVar[tuple[str, ...]] = (*cognition.Think.situations, "ready", "over")
    replaced: ClassVar[tuple[str, ...]] = (FORECASTERS,)

    def __init__(self, settings: CognitionSettings, *, think_at: float, weather: Weather) -> None:
        super().__init__(settings, think_at=think_at)
        self.weather = weather

    def situation(self, citizens: Cohort, topic: Int32) -> Intp:
        """Return the number of the situation of each agent, shape (agents,)."""
        usual = super().situation(citizens, topic)
        at_home = usual == 0
        prepared = citizens["prepared"].astype(np.intp)
        number = np.where(at_home, prepared * self.situations.index("ready"), usual)
        asks = at_home & self.population.memory.among_topics(DANGERS)[topic]
        number[asks] = np.where(
            self._is_over(citizens.where(asks)), self.situations.index("over"), number[asks]
        )
        return number

    def _is_over(self, citizens: Cohort) -> Bools:
        """Return who recalls an all-clear, or has the storm at home, shape (agents,)."""
        gust = np.asarray(self.weather.at(self.clock.tick).gust_kt)
        over = np.asarray(gust[citizens["home"]] >= GUST_KT)
        if RELIEF in self.population.memory.topic_numbers and len(citizens):
            stream = citizens.memory.observed.stream
            over |= stream.recommend(1, profile="act", where=Filter(topic=RELIEF)).counts > 0
        return over


class Reflect(institution.Reflect):
    """Form one thought of an institution about the day."""

    replaced: ClassVar[tuple[str, ...]] = (FORECASTERS,)


class ReflectAsFirm(Reflect):
    """Form one thought of a firm about the day; a closed firm thinks of reopening."""

    reads: ClassVar[tuple[str, ...]] = (*institution.Reflect.reads, "open")
    situations: ClassVar[tuple[str, ...]] = ("", "closed")

    def situation(self, firms: Cohort, topic: Int32) -> Intp:
        """Return 1 for closed firms, else 0, shape (firms,)."""
        del topic
        return np.asarray(~firms["open"], np.intp)
