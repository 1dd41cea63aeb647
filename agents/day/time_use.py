"""What people do with a day, by kind of day, working status and age: the diaries of a survey.

`time_use.csv` has the share of people who did an activity on a day, and the minutes of all people.
Source: American Time Use Survey 2003 to 2016, 181,335 diaries of people of 15 or more, weighted,
groups of at least 150 diaries (Bureau of Labor Statistics; public domain). The rows of younger
people, `time_use_of_children.csv`, are recalled.
"""

from dataclasses import dataclass
from enum import IntEnum
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd

from memopolis.agents.ages import SCHOOL_AGES
from memopolis.agents.day.calendar import DayKind
from memopolis.sim.arrays import Array, Bools, Float32, Intp

DATA = Path(__file__).parent
TABLES = tuple(DATA / f"time_use{of}.csv" for of in ("", "_of_children"))


class Status(IntEnum):
    """Working status of a person."""

    FULL_TIME = 0
    PART_TIME = 1
    STUDENT = 2
    NOT_EMPLOYED = 3
    CHILD = 4


class Use(IntEnum):
    """Use of time that surveys distinguish, apart from sleep."""

    WORK = 0
    EDUCATION = 1
    COMMUTE = 2
    PERSONAL_CARE = 3
    EATING = 4
    RELIGION = 5
    SHOPPING = 6
    SPORT = 7
    SOCIALISING = 8
    HOUSEHOLD = 9
    CARE = 10
    TELEPHONE = 11
    TRAVEL = 12
    TELEVISION = 13
    LEISURE = 14


NAMES = {
    "travel to work": Use.COMMUTE,
    "religion and volunteering": Use.RELIGION,
    "shopping and services": Use.SHOPPING,
    "other travel": Use.TRAVEL,
    "other leisure": Use.LEISURE,
} | {use.name.lower().replace("_", " "): use for use in Use}
"""Uses by their names in the tables."""

FIRST_AGES = (0, SCHOOL_AGES[0], 12, 15, 18, 25, 45, 65, 75)
"""First age in years of each age band."""
BANDS = (*(f"{low}-{high - 1}" for low, high in pairwise(FIRST_AGES)), f"{FIRST_AGES[-1]}+")

FIRST_HOUR = 4  # hour at which the day of a diary begins, as in the survey
SLOTS = 48  # half hours of a diary
FIRST_SLOT_HOUR = 4.25  # when the first one begins, so that every second is around half past


@dataclass(frozen=True, eq=False)
class TimeUse:
    """Tables by kind of day, `Status`, age band and `Use`, each of shape (3, 5, bands, uses).

    Groups without diaries have the values of the nearest age band of their status.
    """

    share: Float32  # share of people that did it on a day
    minutes: Float32  # mean minutes of those who did it; 0 for no people
    sleep: Float32  # mean minutes of sleep, shape (3, 5, bands)

    @property
    def mean(self) -> Float32:
        """Mean minutes of all people."""
        return self.share * self.minutes


def find_band(age: Array) -> Intp:
    """Return the number of the age band of ages in years, shape (agents,)."""
    return np.searchsorted(FIRST_AGES, age, side="right") - 1


def find_status(age: Array, employed: Bools, part_time: Bools, pupil: Bools) -> Intp:
    """Return the working status of people, shape (agents,)."""
    status = np.where(pupil, Status.STUDENT, Status.NOT_EMPLOYED)
    status = np.where(employed, np.where(part_time, Status.PART_TIME, Status.FULL_TIME), status)
    return np.where(np.asarray(age) < FIRST_AGES[3], Status.CHILD, status).astype(np.intp)


@cache
def read_time_use() -> TimeUse:
    """Read the tables that ship."""
    shape = (len(DayKind), len(Status), len(BANDS), len(Use))
    share, mean = np.zeros(shape), np.zeros(shape)
    present, sleep = np.zeros(shape[:3], np.bool_), np.zeros(shape[:3])
    table = pd.concat([pd.read_csv(path) for path in TABLES])
    day = table["day"].str.upper().map(DayKind.__members__).to_numpy(np.intp)
    status = table["status"].str.upper().str.replace(" ", "_").map(Status.__members__)
    band = table["age_band"].map(BANDS.index).to_numpy(np.intp)
    group = day, status.to_numpy(np.intp), band
    present[group] = True
    asleep = (table["activity"] == "sleep").to_numpy()
    sleep[tuple(of[asleep] for of in group)] = table["minutes"][asleep]
    use = table["activity"][~asleep].map(NAMES).to_numpy(np.intp)
    at = *(of[~asleep] for of in group), use
    share[at], mean[at] = table["share"][~asleep], table["minutes"][~asleep]
    for kind, of, missing in np.argwhere(~present):
        near = np.flatnonzero(present[kind, of])
        if len(near):
            source = near[np.abs(near - missing).argmin()]
            share[kind, of, missing] = share[kind, of, source]
            mean[kind, of, missing] = mean[kind, of, source]
            sleep[kind, of, missing] = sleep[kind, of, source]
    minutes = np.divide(mean, share, out=np.zeros(shape), where=share > 0)
    return TimeUse(*(values.astype(np.float32) for values in (share, minutes, sleep)))
