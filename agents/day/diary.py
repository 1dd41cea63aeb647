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

from memopolis.agents.day import body_clock
from memopolis.agents.day.calendar import DayKind, find_day_kind, is_school_day
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
from memopolis.agents.day.work_hours import Timetable
from memopolis.sim.arrays import Array, Bools, Float32, Float64, Floats, Intp, UInt8
from memopolis.sim.chance import Chance

NOISE = 0.03  # standard deviation from day to day of the pressure at which sleep begins
FIXED = (Use.WORK, Use.EDUCATION, Use.COMMUTE, Use.PERSONAL_CARE, Use.EATING)
CARE_OF_OTHERS = 0.12  # share of people without children who care for others today (found)
# Share of adults who live with children by band of `BANDS` (computed, of the hurricane's citizens).
_PARENTS = np.array([0, 0, 0, 0, 0.39, 0.61, 0.28, 0.08, 0.15], np.float32)
_OPPORTUNITY = Path(__file__).with_name("opportunity.csv")


@dataclass(frozen=True, eq=False)
class People:
    """What a person's diary depends on, each of shape (agents,)."""

    age: Array  # age in years
    employed: Bools  # whether employed
    part_time: Bools  # whether that is part-time work
    pupil: Bools  # whether of school age
    commutes: Bools  # whether work or school is in another zone than the home
    parent: Bools  # whether an adult in a household with children under 18
    pressure: Floats  # sleep pressure when the day begins, in [0, 1]
    asleep: Bools  # whether asleep then
    debt: Floats  # sleep debt


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

        kind, school = find_day_kind(today), is_school_day(today)
        status = find_status(people.age, people.employed, people.part_time, people.pupil)
        band = find_band(people.age)
        hours = self.timetable.draw(rows, status, band, kind, number, school=school)
        is_late = find_day_kind(today + timedelta(days=1)) != DayKind.WEEKDAY
        shape = (-1, len(Use))
        share = self.table.share[kind].reshape(shape)
        minutes = self.table.minutes[kind].reshape(shape)
        group = status * len(BANDS) + band
        care = find_care_share(share[group, Use.CARE], band, people.parent)
        mean = share * minutes
        free = mean[:, [use for use in Use if use not in FIXED]].sum(axis=1)
        days: UInt8 = compose(
            group, share, minutes, care, free, hours.start, hours.minutes,
            people.commutes, np.isin(status, (Status.STUDENT, Status.CHILD)),
            read_opportunity(), self._find_clocks(rows, people, number, is_late=is_late),
            people.pressure, people.asleep,
            self.chance.bits("diary person", rows), self.chance.bits("diary", rows, number),
            only_sleep,
        )  # fmt: skip
        return days

    def draw_sleepers(self, rows: Array) -> Float64:
        """Draw how long people sleep, standard normal, shape (agents,)."""
        return self.chance.normal("body clock need", rows)

    def _find_clocks(self, rows: Array, people: People, number: int, *, is_late: bool) -> Float32:
        """Return the five values of the body clock, shape (agents, 5)."""
        chronotype = self.chance.normal("body clock phase", rows)
        age = people.age.astype(np.float32)
        noise = NOISE * self.chance.normal("body clock today", rows, number)
        return np.stack(
            [
                body_clock.find_phases(age, chronotype),
                body_clock.find_lower_thresholds(age),
                body_clock.UPPER + noise + body_clock.STAYS_UP * is_late,
                body_clock.find_rise_times(age),
                people.debt,
            ],
            axis=1,
        ).astype(np.float32)
