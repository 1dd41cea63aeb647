"""The clock: ticks, dates and what it refuses."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from memopolis.sim.clock import MONTH_HOURS, Clock, MonthClock, date_after, parse_date
from memopolis.sim.errors import ParameterError


@pytest.fixture
def clock() -> Clock:
    return Clock(datetime(2019, 8, 28, 6, 30), timedelta(hours=1))


def test_now_hour_and_day_follow_the_tick(clock: Clock) -> None:
    clock.tick = 18
    assert clock.now == datetime(2019, 8, 29, 0, 30)
    assert clock.hour == 0.5
    assert clock.day == 1


def test_a_day_begins_at_midnight_not_at_the_start_of_the_run(clock: Clock) -> None:
    clock.tick = 17
    assert clock.day == 0
    assert clock.hour == 23.5


@pytest.mark.parametrize("tick", [-3, 0, 1, 1000])
def test_tick_and_date_are_inverse(clock: Clock, tick: int) -> None:
    assert clock.tick_of(clock.date_of(tick)) == tick


def test_a_time_within_a_tick_belongs_to_it(clock: Clock) -> None:
    assert clock.tick_of("2019-08-28 07:29") == 0
    assert clock.tick_of("2019-08-28 07:30") == 1
    assert clock.tick_of("2019-08-28 06:29") == -1
    assert clock.tick_of("2019-08-29") == 17


def test_hours_are_converted_to_ticks() -> None:
    quarter = Clock(datetime(2026, 1, 1), timedelta(minutes=15))
    assert quarter.hours == 0.25
    assert quarter.ticks(1) == 4
    assert quarter.ticks(0.3) == 1
    assert quarter.ticks(0) == 1
    assert quarter.ticks(0.375) == 2
    assert quarter.ticks_of_days(2) == 192


@pytest.mark.parametrize("text", ["tomorrow", "", "2019-13-01", "2019-08-28T06:00+02:00"])
def test_a_date_with_a_time_zone_is_refused(clock: Clock, text: str) -> None:
    with pytest.raises(ParameterError):
        clock.tick_of(text)


def test_a_clock_without_step_or_with_a_time_zone_is_refused() -> None:
    with pytest.raises(ParameterError, match="must be above 0"):
        Clock(datetime(2026, 1, 1), timedelta(0))
    with pytest.raises(ParameterError, match="time zone"):
        Clock(datetime.fromisoformat("2026-01-01T00:00Z"), timedelta(hours=1))


@pytest.mark.parametrize("hours", [-1, float("nan"), float("inf")])
def test_an_invalid_duration_is_refused(clock: Clock, hours: float) -> None:
    with pytest.raises(ParameterError, match="at least 0"):
        clock.ticks(hours)


def test_parse_date_reads_text_and_keeps_dates() -> None:
    moment = datetime(2019, 9, 2, 12)
    assert parse_date(" 2019-09-02 12:00 ") == moment
    assert parse_date(moment) is moment


@pytest.mark.parametrize("year", [1, 1699, 2151, 9999])
def test_years_that_tables_cannot_date_are_refused(year: int) -> None:
    with pytest.raises(ParameterError, match="1700 to 2150"):
        Clock(datetime(year, 1, 1), timedelta(hours=1))


@pytest.mark.parametrize("when", [3, None, 2.5])
def test_an_invalid_date_is_refused(when: Any) -> None:
    with pytest.raises(ParameterError, match="is not a date"):
        Clock(datetime(2026, 1, 1), timedelta(hours=1)).tick_of(when)


def test_an_hour_of_the_day_and_a_period_begin_in_one_tick() -> None:
    clock = Clock(datetime(2026, 1, 1, 3, 30), timedelta(hours=1))
    hours, periods = [], []
    for clock.tick in range(48):
        hours += [clock.tick] if clock.is_hour(12) else []
        periods += [clock.tick] if clock.is_every(18) else []
    assert hours == [8, 32]
    assert periods == [0, 18, 36]


def test_a_clock_of_months_counts_calendar_months() -> None:
    clock = MonthClock(datetime(2019, 1, 1), timedelta(hours=720))
    assert [clock.date_of(tick) for tick in (1, 2, 14)] == [
        datetime(2019, 2, 1), datetime(2019, 3, 1), datetime(2020, 3, 1),
    ]  # fmt: skip
    assert clock.date_of(120) == datetime(2029, 1, 1), "ten years end ten years later"
    assert clock.ticks_of_days(3600) == 120
    for when, tick in (
        ("2019-01-31", 0),
        ("2019-02-01", 1),
        ("2020-02-29", 13),
        ("2018-12-31", -1),
    ):
        assert clock.tick_of(when) == tick
    with pytest.raises(ParameterError, match="first day of a month"):
        MonthClock(datetime(2019, 1, 15), timedelta(hours=720))


def test_dates_after_ticks_of_a_mean_month_are_those_of_the_calendar() -> None:
    assert date_after(datetime(2019, 1, 1), MONTH_HOURS, 96) == datetime(2027, 1, 1)
    assert date_after(datetime(2019, 1, 1), 720.0, 1) == datetime(2019, 1, 31)
