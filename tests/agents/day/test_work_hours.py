"""Hours of work and school: as many people as in the survey, at hours that differ."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memopolis.agents.day.calendar import DayKind
from memopolis.agents.day.time_use import BANDS, Status, Use, read_time_use
from memopolis.agents.day.work_hours import (
    ATTENDANCE,
    SCHOOL_DAYS,
    Hours,
    Timetable,
    draw_part_time,
    find_work_probability,
    share_of_variable,
)
from memopolis.sim.chance import Chance

PEOPLE = 4_000
TABLE = read_time_use()
DAYS = {DayKind.WEEKDAY: (0, 1, 2, 3, 4, 7, 8), DayKind.SATURDAY: (5, 12), DayKind.SUNDAY: (6, 13)}


def draw(
    status: Status, band: str, kind: DayKind, day: int, *, school: bool = True, seed: int = 1
) -> Hours:
    rows = np.arange(PEOPLE)
    of = np.full(PEOPLE, status), np.full(PEOPLE, BANDS.index(band))
    return Timetable(Chance(seed), TABLE).draw(rows, *of, kind, day, school=school)


@pytest.mark.parametrize("kind", DayKind)
@pytest.mark.parametrize("status", [Status.FULL_TIME, Status.PART_TIME])
def test_as_many_work_for_as_long_as_in_the_survey(status: Status, kind: DayKind) -> None:
    drawn = [draw(status, "25-44", kind, day) for day in DAYS[kind]]
    minutes = np.array([hours.minutes for hours in drawn])
    of = kind, status, BANDS.index("25-44"), Use.WORK
    assert (minutes > 0).mean() == pytest.approx(TABLE.share[of], abs=0.03)
    assert minutes[minutes > 0].mean() == pytest.approx(TABLE.minutes[of], rel=0.05)
    assert np.array_equal(minutes == 0, np.isnan([hours.start for hours in drawn]))


@given(st.floats(0.2, 0.97), st.floats(0, 1))
def test_the_mean_probability_is_the_share_of_the_survey(weekday: float, ratio: float) -> None:
    share, of = np.full(2, weekday * ratio), np.full(2, weekday)
    other, variable = find_work_probability(share, of, np.array([False, True]))
    n = share_of_variable(of)[0]
    assert n * variable + (1 - n) * other == pytest.approx(share[0], abs=1e-6)
    assert 0 <= other <= max(ATTENDANCE, weekday) + 1e-6


def test_work_starts_at_different_hours_most_between_6_and_10() -> None:
    start = draw(Status.FULL_TIME, "25-44", DayKind.WEEKDAY, 1).start
    start = start[~np.isnan(start)]
    by_hour = np.bincount(start.astype(int), minlength=24) / len(start)
    assert 0.7 < by_hour[6:10].sum() < 0.98
    assert by_hour.max() < 0.45
    assert (by_hour[6:10] > 0.05).all()
    assert by_hour[13:21].sum() > 0.03  # shifts
    assert start.min() >= 4.5


def test_people_mostly_work_on_the_same_days_of_two_weeks() -> None:
    first, second = (
        draw(Status.FULL_TIME, "25-44", DayKind.SATURDAY, day).minutes > 0 for day in (5, 12)
    )
    assert second[first].mean() > 2 * second[~first].mean()
    starts = [draw(Status.FULL_TIME, "25-44", DayKind.WEEKDAY, day).start for day in (1, 2)]
    both = ~np.isnan(starts).any(axis=0)
    assert np.corrcoef(starts[0][both], starts[1][both])[0, 1] > 0.9


def test_pupils_go_to_school_when_it_is_open() -> None:
    hours = draw(Status.CHILD, "5-11", DayKind.WEEKDAY, 1)
    assert (hours.minutes > 0).mean() > 0.9
    assert ((hours.start > 6.5) & (hours.start < 9.5))[hours.minutes > 0].all()
    assert not draw(Status.CHILD, "5-11", DayKind.WEEKDAY, 1, school=False).minutes.any()
    assert SCHOOL_DAYS < 1


def test_more_women_and_more_young_and_old_people_work_part_time() -> None:
    rows = np.arange(PEOPLE)
    share = {
        (age, female): draw_part_time(
            np.full(PEOPLE, age), np.full(PEOPLE, female), rows, Chance(1)
        ).mean()
        for age in (17, 40, 70)
        for female in (True, False)
    }
    assert share[40, True] == pytest.approx(0.2, abs=0.03)
    assert share[40, False] == pytest.approx(0.07, abs=0.03)
    for female in (True, False):
        assert share[17, female] > share[40, female] < share[70, female]


def test_hours_depend_on_the_seed_and_not_on_other_people() -> None:
    timetable = Timetable(Chance(1), TABLE)
    everyone = draw(Status.PART_TIME, "18-24", DayKind.WEEKDAY, 3)
    rows = np.array([5, 900, 17])
    of = np.full(3, Status.PART_TIME), np.full(3, BANDS.index("18-24"))
    some = timetable.draw(rows, *of, DayKind.WEEKDAY, 3, school=True)
    assert np.array_equal(some.start, everyone.start[rows], equal_nan=True)
    assert np.array_equal(some.minutes, everyone.minutes[rows])
    other = draw(Status.PART_TIME, "18-24", DayKind.WEEKDAY, 3, seed=2)
    assert not np.array_equal(other.minutes, everyone.minutes)
