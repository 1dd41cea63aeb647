"""Lodge: evacuees arrive where they stay, and remember the evenings there."""

from dataclasses import dataclass

import numpy as np

from memopolis.agents.ages import AGE_OF_REASON
from memopolis.agents.thoughts import find_sign
from memopolis.scenarios.hurricane.lodging import ARRIVED, NIGHTS, rate_comfort, say_hours
from memopolis.scenarios.hurricane.moving import travellers_of
from memopolis.scenarios.hurricane.people import Stage
from memopolis.sim.arrays import Float32
from memopolis.sim.block import Block
from memopolis.sim.population import Cohort, Population

STAY = "stay"  # topic of memories of a place to stay
EVENING, HOURS = 18.0, 4.0  # first hour of the evening, and how many hours it has
MOMENT = 0.25  # standard deviation of how pleasant an evening is (illustrative)


@dataclass(eq=False, repr=False)
class Lodge(Block):
    """Let evacuees remember their arrival and the evenings where they stay."""

    reads = (
        "stage", "destination", "lodging", "travel_hours", "arrives_at", "left_at", "first_row",
        "size", "delay",
    )  # fmt: skip

    citizens: Population

    def step(self, households: Cohort) -> None:
        """Remember arrivals, and the evenings of those who have arrived."""
        away = households.where(households["stage"] == Stage.AWAY)
        if not len(away):
            return
        tick = self.clock.tick
        self._arrive(away.where(away["arrives_at"] == tick))
        arrived = away.where(away["arrives_at"] < tick)
        self._spend_evening(self.chance.daily(arrived, first=EVENING, span=HOURS))

    def _arrive(self, households: Cohort) -> None:
        if not len(households):
            return
        hours = (self.clock.tick - households["left_at"]) * self.clock.hours
        texts = [
            ARRIVED.format(lodging=lodging, hours=say_hours(time))
            for lodging, time in zip(households["lodging"], hours.tolist(), strict=True)
        ]
        valence = rate_comfort(households["destination"]) + np.float32(0.1)
        remember_stay(households, self.citizens, texts, 0.8, valence)

    def _spend_evening(self, households: Cohort) -> None:
        if not len(households):
            return
        valence = rate_comfort(households["destination"])
        valence = valence + MOMENT * self.chance.normal(households, "pleasant").astype(np.float32)
        sign, u = find_sign(valence), self.chance.uniform(households, "words")
        texts = [
            NIGHTS[kind][int(draw * len(NIGHTS[kind]))].format(lodging=lodging)
            for lodging, kind, draw in zip(
                households["lodging"], sign.tolist(), u.tolist(), strict=True
            )
        ]
        remember_stay(households, self.citizens, texts, 0.3, np.clip(valence, -1, 1))


def remember_stay(
    households: Cohort,
    citizens: Population,
    texts: list[str],
    importance: float,
    valence: Float32,
) -> None:
    """Let the members that travel remember a text of each household, of a given valence."""
    people = travellers_of(households, citizens).of_age(AGE_OF_REASON)
    if not len(people):
        return
    number = np.searchsorted(households.rows, people["household"])
    texts_of = citizens.society.texts.intern_many(texts)
    people.stream.add(STAY, texts_of[number], importance=importance, valence=valence[number])
