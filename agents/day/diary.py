"""Diaries: what each person does in the half hours of a day.

Work and school are drawn first, then sleep by the body clock, then meals and personal care,
outings and chores; what is left is television and other leisure. How many people do each, and for
how long, is that of people with the same working status, age and kind of day in the survey; how
much of it fits into a day depends on the time that work and sleep leave.
"""

from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd

from memopolis.agents.ages import ADULT
from memopolis.agents.day import body_clock
from memopolis.agents.day.calendar import find_day_kind, is_school_day
from memopolis.agents.day.time_use import (
    BANDS,
    FIRST_SLOT_HOUR,
    NAMES,
    SLOTS,
    Status,
    TimeUse,
    Use,
    find_band,
    find_status,
    read_time_use,
)
from memopolis.agents.day.work_hours import PREPARES, SCHOOL_START, WAY, Hours, Timetable
from memopolis.sim.arrays import Array, Bools, Float32, Float64, Floats, Intp, UInt8
from memopolis.sim.chance import Chance

USUAL_BEDTIME = 23.0 - body_clock.PHASE  # of adults, hours after the phase (illustrative)
WIND_DOWN = 1.0  # hours between the end of work and sleep (illustrative)
NEVER = 1e3  # hours until an alarm of people who set none
NOISE = 0.024  # standard deviation from day to day of the pressure at which sleep begins
FIXED = (Use.WORK, Use.EDUCATION, Use.COMMUTE, Use.PERSONAL_CARE, Use.EATING)
CARE_OF_OTHERS = 0.12  # share of people without children who care for others today (found)
# Share of adults who live with children by band of `BANDS` (computed, of the hurricane's citizens).
_PARENTS = np.array([0, 0, 0, 0, 0.39, 0.61, 0.28, 0.08, 0.15], np.float32)
# Minutes of housework and care of others, of women relative to all; women spend about 1.6 times
# those of men (recalled, American Time Use Survey).
WOMENS_SHARE = 1.23
# Share of the variance of bedtimes that members of a household have in common (illustrative;
# partners' times of sleep are correlated by about .3 to .5, recalled).
TOGETHER = 0.6
_OPPORTUNITY = Path(__file__).with_name("opportunity.csv")


@dataclass(frozen=True, eq=False)
class People:
    """What a person's diary depends on, each of shape (agents,)."""

    household: Array  # number of the household
    age: Array  # age in years
    female: Bools  # whether female
    employed: Bools  # whether employed
    part_time: Bools  # whether that is part-time work
    pupil: Bools  # whether of school age
    commutes: Bools  # whether work or school is in another zone than the home
    parent: Bools  # whether an adult in a household with children under 18
    closed: Bools  # whether work or school is closed, as they know when the day begins
    pressure: Floats  # sleep pressure when the day begins, in [0, 1]
    asleep: Bools  # whether asleep then
    debt: Floats  # sleep debt, hours


@cache
def read_opportunity() -> Float32:
    """Read how usual each use is by half hour of a diary, shape (uses, half hours).

    Illustrative; only the relative size within a use matters.
    """
    table = pd.read_csv(_OPPORTUNITY, index_col="hour")
    hour = (FIRST_SLOT_HOUR + 0.25 + 0.5 * np.arange(SLOTS)).astype(np.intp) % 24
    weights = np.zeros((len(Use), SLOTS), np.float32)
    for name in table:
        weights[NAMES[str(name)]] = table[name].to_numpy(np.float32)[hour]
    return weights


def find_care_share(share: Float32, band: Intp, parent: Bools) -> Float32:
    """Return the probability that people care for others today, shape (agents,).

    `share` is that of the group of each person, and remains its mean: parents do what others do
    not.
    """
    others = np.minimum(share, np.float32(CARE_OF_OTHERS))
    parents = np.maximum(_PARENTS[band], np.float32(0.01))
    rest = np.minimum((share - (1 - parents) * others) / parents, np.float32(1))
    return np.where(_PARENTS[band] == 0, share, np.where(parent, rest, others))


class Diaries:
    """Draws the diaries of people."""

    def __init__(self, chance: Chance) -> None:
        self.chance = chance
        self.table: TimeUse = read_time_use()
        self.timetable = Timetable(self.chance, self.table)

    def draw(
        self, rows: Array, people: People, today: date, number: int, *, only_sleep: bool = False
    ) -> UInt8:
        """Draw the activities of one day, by half hour from 4:15 on, shape (agents, 48).

        `number` is that of the day, from 0. The values are those of `Activity`. With `only_sleep`,
        sleep is the same, and what is done besides it and work is `Activity.REST`.
        """
        from memopolis.agents.day.diary_kernels import compose

        kind = find_day_kind(today)
        status = find_status(people.age, people.employed, people.part_time, people.pupil)
        band = find_band(people.age)
        hours = self._draw_hours(rows, status, band, today, number)
        following = today + timedelta(days=1)
        tomorrow = self._draw_hours(rows, status, band, following, number + 1)
        clocks = self._find_clocks(rows, people, number, hours)
        alarm = self._find_alarms(people, hours, today)
        next_alarm = 24 + self._find_alarms(people, tomorrow, following)
        shape = (-1, len(Use))
        share = self.table.share[kind].reshape(shape)
        minutes = self.table.minutes[kind].reshape(shape)
        group = status * len(BANDS) + band
        care = find_care_share(share[group, Use.CARE], band, people.parent)
        mean = share * minutes
        free = mean[:, [use for use in Use if use not in FIXED]].sum(axis=1)
        days: UInt8 = compose(
            group, share, minutes, care, free, hours.start,
            np.where(people.closed, np.float32(0), hours.minutes), people.commutes,
            np.isin(status, (Status.STUDENT, Status.CHILD)), read_opportunity(),
            np.column_stack([clocks, next_alarm, alarm]).astype(np.float32),
            people.pressure, people.asleep, self._find_burdens(people),
            self.chance.bits("diary household", people.household, number),
            self.chance.bits("diary person", rows), self.chance.bits("diary", rows, number),
            only_sleep,
        )  # fmt: skip
        return days

    def _draw_hours(self, rows: Array, status: Intp, band: Intp, day: date, number: int) -> Hours:
        kind, school = find_day_kind(day), is_school_day(day)
        return self.timetable.draw(rows, status, band, kind, number, school=school)

    def _draw_shared(self, purpose: str, rows: Array, household: Array, number: int = 0) -> Float64:
        """Draw standard normal numbers, of which members of a household share `TOGETHER`."""
        own = self.chance.normal(purpose, rows, number)
        shared = self.chance.normal(f"{purpose} of household", household, number)
        return np.asarray(np.sqrt(TOGETHER) * shared + np.sqrt(1 - TOGETHER) * own)

    @staticmethod
    def _find_burdens(people: People) -> Float32:
        """Return the minutes of housework and care relative to all of the group, (agents,)."""
        burden = np.where(people.female, WOMENS_SHARE, 2 - WOMENS_SHARE)
        return np.where(people.age < ADULT, 1, burden).astype(np.float32)

    def draw_sleepers(self, rows: Array) -> Float64:
        """Draw how long people sleep, standard normal, shape (agents,)."""
        return self.chance.normal("body clock need", rows)

    @staticmethod
    def _find_alarms(people: People, hours: Hours, day: date) -> Float64:
        """Return the time of the alarm in hours of the diary, `NEVER` for none, shape (agents,).

        Parents get up for school like their children.
        """
        works = (hours.minutes > 0) & ~people.closed
        start = np.where(people.parent & is_school_day(day), SCHOOL_START[0], NEVER)
        start = np.where(works, hours.start - WAY * people.commutes / 2, start)
        return np.asarray(start - PREPARES / 2 - FIRST_SLOT_HOUR)

    def _find_clocks(self, rows: Array, people: People, number: int, hours: Hours) -> Float64:
        """Return the first values of the body clock, shape (agents, 5); see `compose`.

        The clock of people whose work ends after their usual bedtime is later by as much.
        """
        chronotype = self._draw_shared("body clock phase", rows, people.household)
        age = people.age.astype(np.float32)
        today = self._draw_shared("body clock today", rows, people.household, number)
        noise = NOISE * np.clip(today, -2, 2)
        phase = body_clock.find_phases(age, chronotype)
        phase += np.maximum(hours.ends + WIND_DOWN - (phase + USUAL_BEDTIME), 0)
        return np.stack(
            [
                phase,
                body_clock.find_lower_thresholds(age, people.debt),
                body_clock.UPPER + noise,
                body_clock.find_rise_times(age),
                body_clock.find_needs(age, self.draw_sleepers(rows)),
            ],
            axis=1,
        )
