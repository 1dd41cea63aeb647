"""Daily life during a storm: closures, outings cancelled by wind, and homes without power."""

import numpy as np

from memopolis.agents.activities import Activity
from memopolis.agents.block_settings import PlanSettings
from memopolis.agents.blocks.diary import KeepDiary
from memopolis.agents.blocks.plan import MakePlan
from memopolis.scenarios.hurricane.orders import Closures
from memopolis.scenarios.hurricane.settings import DailyLifeSettings
from memopolis.sim.arrays import Bools, Float32, UInt8
from memopolis.sim.population import Cohort, Population
from memopolis.sim.world.weather import Weather

OFFICE_JOBS = ("professional", "office")  # occupations that stop if offices close (illustrative)


class DailyLife(MakePlan):
    """Make daily plans, subject to closures, gusts and power failures."""

    reads = (*MakePlan.reads, "occupation", "pupil", "power")

    def __init__(
        self,
        diary: KeepDiary,
        plans: PlanSettings,
        *,
        daily: DailyLifeSettings,
        closures: Closures,
        weather: Weather,
        firms: Population,
    ) -> None:
        super().__init__(diary, plans)
        self.firms = firms
        self.daily = daily
        self.closures = closures
        self.weather = weather

    def setup(self) -> None:
        """Find office workers and pupils."""
        super().setup()
        status = self.population.memory.status
        jobs = [status.label(job) for job in OFFICE_JOBS]
        self.office = np.isin(status.encoded("occupation"), jobs)
        self.pupil = self.population["pupil"]

    def has_work(self, citizens: Cohort) -> Bools:
        """Return whether work or school is open."""
        possible = super().has_work(citizens)
        (at,) = possible.nonzero()
        if not len(at):
            return possible
        rows, people = citizens.rows[at], self.population
        zone, employer = people["workplace"][rows], people["employer"][rows]
        is_closed = self.pupil[rows] & self._closed("schools")[zone]
        is_closed |= self.office[rows] & self._closed("offices")[zone]
        is_open = (employer < 0) | self.firms["open"][employer]
        possible[at] = is_open & ~is_closed & (self._gust()[zone] < self.daily.gust_home)
        return possible

    def _closed(self, what: str) -> Bools:
        closed: Bools = getattr(self.closures, what)
        if self.clock.tick < len(closed):
            return np.asarray(closed[self.clock.tick])
        return np.zeros(closed.shape[1], np.bool_)

    def _gust(self) -> Float32:
        return np.asarray(self.weather.at(self.clock.tick).gust_kt)

    def shops_open(self, citizens: Cohort) -> Bools:
        """Return whether a store of the zone is open: by day, below the gust limit."""
        by_day = super().shops_open(citizens)
        if not by_day.any():
            return by_day
        zone = np.maximum(citizens["place"], 0)
        gust = self._gust()
        firms = self.firms
        is_open = np.bincount(firms["zone"][firms["open"]], minlength=len(gust)) > 0
        is_open &= gust < self.daily.gust_home
        return np.asarray(by_day & is_open[zone])

    def find_scheduled(self, citizens: Cohort) -> UInt8:
        """Return the scheduled activity, and rest in place of television without power."""
        scheduled = super().find_scheduled(citizens)
        dark = (scheduled == Activity.TELEVISION) & ~citizens["power"]
        return np.where(dark, np.uint8(Activity.REST), scheduled)

    def outdoors(self, citizens: Cohort) -> Bools:
        """Draw whether each citizen goes out, with a probability that falls with gusts.

        While gusts in any zone are above the limit, no citizen does: an outing may lead there.
        """
        low, high, gust = self.daily.gust_doubt, self.daily.gust_home, self._gust()
        if not (gust > low).any():
            return np.ones(len(citizens), np.bool_)
        if (gust >= high).any():
            return np.zeros(len(citizens), np.bool_)
        stays = np.clip((gust - low) / max(high - low, 1e-6), 0, 1)  # by zone
        zone = np.maximum(citizens["place"], 0)
        goes: Bools = self.chance.uniform(citizens, "outdoors") >= stays[zone]
        return goes
