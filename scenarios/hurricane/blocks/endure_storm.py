"""Remember the storm at the current place, and the power failures at home."""

import numpy as np

from memopolis.agents.activities import Activity
from memopolis.agents.ages import AGE_OF_REASON
from memopolis.agents.joining import extend_rows
from memopolis.agents.remembering import remember
from memopolis.sim.arrays import Bools, Float32
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
BLACKOUT_HOURS = 30.0
"""Mean hours until power is back, after gusts have fallen below `BLACKOUT_GUST` (recalled: most
customers had power again within two to three days of Dorian)."""
POWER_OUT = "The power went out in {place}."
POWER_BACK = "The power is back on in {place}."


class EndureStorm(Block):
    """Remember gusts that exceed a level at the current place, and power failures at home.

    A home has no power from the first strong gust until it is repaired. Those at home notice both,
    each failure once. The state is who has noticed that the power is out, shape (citizens,).
    """

    reads = ("place", "home", "household", "age", "power", "doing", "scheduled", "plan")
    writes = ("power", "plan", "doing")
    state = ("noticed",)

    def setup(self) -> None:
        """Note that no citizen is without power."""
        self.noticed = np.zeros(len(self.population), np.bool_)

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
        self.noticed = extend_rows(self.noticed, len(self.population), 0)
        self._change_power(citizens, now)
        self._notice_power(citizens)

    @staticmethod
    def _select_in(citizens: Cohort, zones: Bools) -> Cohort:
        place = citizens["place"]
        return citizens.where((place >= 0) & zones[np.maximum(place, 0)])

    def _change_power(self, citizens: Cohort, gust: Float32) -> None:
        """Let power fail in strong gusts, and be repaired after them, alike for a household."""
        chance, house = self.society.chance, citizens["household"]
        is_strong = gust[citizens["home"]] >= BLACKOUT_GUST
        has_power = citizens["power"]
        if is_strong.any():
            exposed = chance.uniform("endure_storm.blackout", house) < BLACKOUT_SHARE
            citizens["power"] = has_power & ~(is_strong & exposed)
        elif not has_power.all():
            repaired = chance.uniform("endure_storm.repair", house, self.clock.tick)
            is_back = repaired < 1 - np.exp(-self.clock.hours / BLACKOUT_HOURS)
            citizens["power"] = has_power | (is_back & ~is_strong)

    def _notice_power(self, citizens: Cohort) -> None:
        """Let those who are at home and awake remember that the power went out, or is back."""
        has_power, noticed = citizens["power"], self.noticed[citizens.rows]
        news = noticed == has_power
        if not news.any():
            return
        asleep = citizens["scheduled"] == Activity.SLEEP
        notices = news & (citizens["place"] == citizens["home"]) & ~asleep
        some = citizens.where(notices)
        out = some.where(~some["power"])
        self.noticed[some.rows] = ~some["power"]
        remember(out.of_age(AGE_OF_REASON), "disaster", POWER_OUT, 0.6, -0.6, at="home")
        back = some.where(some["power"]).of_age(AGE_OF_REASON)
        remember(back, "damage", POWER_BACK, 0.6, 0.5, at="home")
        watching = out.where(out["doing"] == Activity.TELEVISION)
        watching["plan"], watching["doing"] = 0, Activity.IDLE
