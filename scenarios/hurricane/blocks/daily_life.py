"""Daily life during a storm: closures, outings cancelled by wind, and homes without power."""

import numpy as np

from memopolis.agents.activities import Activity
from memopolis.agents.block_settings import PlanSettings
from memopolis.agents.blocks.diary import KeepDiary
from memopolis.agents.blocks.plan import MakePlan
from memopolis.scenarios.hurricane.orders import Closures
from memopolis.scenarios.hurricane.settings import DailyLifeSettings
from memopolis.sim.arrays import Bools, Float32, Intp, UInt8
from memopolis.sim.population import Cohort, Population
from memopolis.sim.world.weather import Weather

OFFICE_JOBS = ("professional", "office")  # occupations that stop if offices close (illustrative)


class Workplaces:
    """Workplaces and schools of citizens, which may be closed."""

    def __init__(self, citizens: Population, firms: Population, closures: Closures) -> None:
        status = citizens.memory.status
        jobs = [status.label(job) for job in OFFICE_JOBS]
        self.citizens = citizens
        self.firms = firms
        self.closures = closures
        self.office = np.isin(status.encoded("occupation"), jobs)
        self.pupil = citizens["pupil"]

    def find_closed(self, rows: Intp, tick: int) -> Bools:
        """Return whether the work or school of citizens is closed, shape (agents,)."""
        people = self.citizens
        zone, employer = people["workplace"][rows], people["employer"][rows]
        is_closed = self.pupil[rows] & self._closed("schools", tick)[zone]
        is_closed |= self.office[rows] & self._closed("offices", tick)[zone]
        is_closed |= (employer >= 0) & ~self.firms["open"][employer]
        return np.asarray(is_closed & (zone >= 0))

    def _closed(self, what: str, tick: int) -> Bools:
        closed: Bools = getattr(self.closures, what)
        if tick < len(closed):
            return np.asarray(closed[tick])
        return np.zeros(closed.shape[1], np.bool_)


class DailyLife(MakePlan):
    """Make daily plans, subject to closures, gusts and power failures."""

    reads = (*MakePlan.reads, "power")

    def __init__(
        self,
        diary: KeepDiary,
        plans: PlanSettings,
        *,
        daily: DailyLifeSettings,
        workplaces: Workplaces,
        weather: Weather,
    ) -> None:
        super().__init__(diary, plans)
        self.workplaces = workplaces
        self.firms = workplaces.firms
        self.daily = daily
        self.weather = weather

    def has_work(self, citizens: Cohort) -> Bools:
        """Return whether work or school is open."""
        possible = super().has_work(citizens)
        (at,) = possible.nonzero()
        if not len(at):
            return possible
        rows = citizens.rows[at]
        gust = self._gust()[self.population["workplace"][rows]]
        is_closed = self.workplaces.find_closed(rows, self.clock.tick)
        possible[at] = ~is_closed & (gust < self.daily.gust_home)
        return possible

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
