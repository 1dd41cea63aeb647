"""Recover from a storm: households see the damage, repair their homes and help each other."""

from dataclasses import dataclass

import numpy as np

from memopolis.agents.remembering import remember
from memopolis.scenarios.hurricane.circumstances import Circumstances
from memopolis.scenarios.hurricane.damage import damage_by_gust, repair
from memopolis.scenarios.hurricane.moving import members_of
from memopolis.scenarios.hurricane.people import ADULT
from memopolis.sim.block import Block
from memopolis.sim.population import Cohort, Population

DEBRIS_KT = 45.0  # gust from which a storm leaves debris in a zone, kt (illustrative)
CALM_KT = 25.0  # gust below which people go out and look, kt (illustrative)
DAY = (7.0, 20.0)  # hours in which people look at the damage (illustrative)
REPAIR_HOUR = 18  # hour at which the repairs of the day are remembered
REPAIR_DAYS = 14.0  # mean length of repairs to a home, days (illustrative)
HELP = 0.3  # probability that a friend helps a household with its repairs on a day (illustrative)


@dataclass(eq=False, repr=False)
class Recover(Block):
    """Damage homes in gusts; members see it once they are at home, and repair it for weeks.

    The state `worst` is the strongest gust so far in each zone, kt; `saw` and `found` mark
    households that have seen the debris and the damage to their own home.
    """

    reads = ("zone", "first_row", "size", "damage")
    writes = ("damage",)
    state = ("worst", "saw", "inspected")

    citizens: Population
    circumstances: Circumstances

    def setup(self) -> None:
        """Draw the fixed draw of each home."""
        homes = len(self.population)
        self.worst = np.zeros(len(self.circumstances.place), np.float32)
        self.saw = np.zeros(homes, np.bool_)
        self.inspected = np.zeros(homes, np.bool_)
        self.exposure = self.society.chance.uniform("recover.exposure", np.arange(homes))

    def step(self, households: Cohort) -> None:
        """Damage homes, and let the people at home see and repair the damage."""
        gust = self.circumstances.weather.at(self.clock.tick).gust_kt
        stronger = gust > np.maximum(self.worst, DEBRIS_KT)
        if stronger.any():
            self.worst[stronger] = gust[stronger]
            self._damage(households.where(stronger[households["zone"]]))
        if not (self.worst > 0).any() or not DAY[0] <= self.clock.hour < DAY[1]:
            return
        zone = households["zone"]
        calm = (self.worst[zone] > 0) & (gust[zone] < CALM_KT)
        members = members_of(households, self.citizens)
        size = households["size"].astype(np.int64)
        is_in = members["place"] == members["home"]
        present = np.logical_or.reduceat(is_in, np.cumsum(size) - size)
        home = households.where(calm & present)
        self._look(home)
        if self.clock.is_hour(REPAIR_HOUR):
            self._repair(home.where(self.inspected[home.rows] & (home["damage"] > 0)))

    def _damage(self, households: Cohort) -> None:
        fragile = self.citizens["mobile_home"][households["first_row"]]
        gust, exposure = self.worst[households["zone"]], self.exposure[households.rows]
        damage = damage_by_gust(gust, exposure, fragile)
        households["damage"] = np.maximum(households["damage"], damage)

    def _look(self, households: Cohort) -> None:
        """Let adults remember what they see for the first time."""
        new = households.where(~self.saw[households.rows])
        if len(new):
            self.saw[new.rows] = True
            text = "The storm left debris and damage all over {place}."
            remember(self._adults(new), "damage", text, 0.4, -0.5, at="home")
        hurt = households.where((households["damage"] > 0) & ~self.inspected[households.rows])
        if len(hurt):
            self.inspected[hurt.rows] = True
            text = "The storm has damaged our home in {place}."
            remember(self._adults(hurt), "damage", text, 0.8, -0.8, at="home")

    def _repair(self, households: Cohort) -> None:
        """Repair for a day, and remember it and who helped."""
        if not len(households):
            return
        households["damage"] = repair(households["damage"], days=REPAIR_DAYS)
        text = "We worked on the storm damage to our home in {place}."
        remember(self._adults(households), "damage", text, 0.4, -0.5, at="home")
        self._help(self.chance.some(households, HELP, "help"))

    def _help(self, households: Cohort) -> None:
        """Let a friend who is in the region help each household."""
        people = self.citizens
        if not len(households):
            return
        friends, rows = people.ties["friend"], households["first_row"].astype(np.intp)
        rows = rows[friends.count(rows) > 0]
        pick = self.society.chance.uniform("recover.helper", rows, self.clock.tick)
        helper = friends.contacts[friends.one_of(rows, pick)].astype(np.intp)
        able = (people["place"][helper] >= 0) & (people["age"][helper] >= ADULT)
        rows, helper = rows[able], helper[able]
        for agents, others, text in (
            (rows, helper, "{actor} helped us to repair the storm damage."),
            (helper, rows, "I helped {actor} to repair the storm damage."),
        ):
            if len(agents):
                Cohort(people, agents).stream.add(
                    "help", text, actor=people.ids[others], importance=0.5, valence=0.5
                )

    def _adults(self, households: Cohort) -> Cohort:
        adults = members_of(households, self.citizens).of_age(ADULT)
        return adults.where(adults["place"] == adults["home"])
