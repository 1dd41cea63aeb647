"""Fact H-D1: everyday life without a storm, beside the diaries of a survey."""

import numpy as np

from memopolis.agents.ages import ADULT, INDEPENDENT_AGE
from memopolis.agents.day.calendar import DayKind
from memopolis.analysis.facts.fact import Fact, make_fact, read_facts
from memopolis.analysis.facts.reading import NONE
from memopolis.analysis.metrics.time_use import (
    NEEDED,
    SURVEYED_AGE,
    Days,
    compare_time_use,
    read_asleep,
    read_days,
)
from memopolis.analysis.run.run import Run


def everyday_life(run: Run) -> Fact:
    """H-D1: people sleep, work and spend the rest of the day like those of the survey."""
    if not all(run.has(table, *columns) for table, columns in NEEDED.items()):
        return make_fact("H-D1", dict.fromkeys(read_facts()["H-D1"]["numbers"], NONE))
    days = read_days(run)
    cells = compare_time_use(days)
    asleep = days.does("sleep")[days.people["age"].to_numpy() >= SURVEYED_AGE].mean(axis=0)
    by_hour = np.array([asleep[days.hour == hour].mean() for hour in range(24)])
    surveyed = read_asleep()
    numbers = {
        "cells within 25 % or 20 minutes of the survey": float(cells["close"].mean()),
        "asleep at 3 h": float(by_hour[3]),
        "asleep at 18 h": float(by_hour[18]),
        "largest gap of the share asleep by hour": float(
            np.abs(by_hour[surveyed.index] - surveyed).max()
        ),
        "employed who work on a weekday": _share_at_work(days, (DayKind.WEEKDAY,)),
        "employed who work on a weekend day": _share_at_work(
            days, (DayKind.SATURDAY, DayKind.SUNDAY)
        ),
        "eating in the busiest hour minus at 15 h": _compute_meal_peak(days),
        "hours that children under 12 are out alone": float(_count_lone_hours(days)),
    }
    return make_fact("H-D1", numbers)


def _share_at_work(days: Days, kinds: tuple[DayKind, ...]) -> float:
    """Return the share of the employed who work at some time of the kinds of days."""
    employed = (days.people["occupation"] != "none").to_numpy()
    works = days.does("work")[employed]
    per_day = round(24 / days.hours)
    whole = works.shape[1] // per_day * per_day
    by_day = works[:, :whole].reshape(len(works), -1, per_day).any(axis=2)
    chosen = np.isin(days.kind[:whole:per_day], kinds)
    return float(by_day[:, chosen].mean()) if chosen.any() and employed.any() else NONE


def _compute_meal_peak(days: Days) -> float:
    """Return the share that eats in the busiest hour minus that at 15 h."""
    eats = days.does("eat").mean(axis=0)
    by_hour = np.array([eats[days.hour == hour].mean() for hour in range(24)])
    return float(by_hour.max() - by_hour[15])


def _count_lone_hours(days: Days) -> int:
    """Count the hours in which a child is out of the home zone without an adult of its home."""
    people = days.people
    age, household = people["age"].to_numpy(), people["household"].to_numpy()
    zones = days.zone
    with_others = days.does("school", "sleep", "away", "drive") > 0
    away = (zones != zones[:, :1]) & ~with_others
    lone = 0
    for child in np.flatnonzero(age < INDEPENDENT_AGE):
        adults = np.flatnonzero((household == household[child]) & (age >= ADULT))
        with_adult = (zones[adults] == zones[child]).any(axis=0)
        lone += int((away[child] & ~with_adult).sum())
    return lone
