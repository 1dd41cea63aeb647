"""The calendar: kinds of days, and days without school."""

from datetime import date, timedelta

import pytest

from memopolis.agents.day.calendar import DayKind, find_day_kind, is_holiday, is_school_day


@pytest.mark.parametrize(
    ("day", "kind"),
    [
        ("2019-08-30", DayKind.WEEKDAY),
        ("2019-08-31", DayKind.SATURDAY),
        ("2019-09-01", DayKind.SUNDAY),
        ("2019-09-02", DayKind.SUNDAY),  # Labor Day
        ("2019-09-03", DayKind.WEEKDAY),
        ("2019-07-04", DayKind.SUNDAY),
        ("2021-07-05", DayKind.SUNDAY),  # Independence Day, observed
        ("2019-11-28", DayKind.SUNDAY),  # Thanksgiving
        ("2020-02-29", DayKind.SATURDAY),
    ],
)
def test_days_are_weekdays_weekends_or_like_sundays(day: str, kind: DayKind) -> None:
    assert find_day_kind(date.fromisoformat(day)) == kind


def test_a_year_has_ten_or_eleven_federal_holidays() -> None:
    for year, count in ((2019, 10), (2022, 11)):  # Juneteenth since 2021
        days = [date(year, 1, 1) + timedelta(days=n) for n in range(365)]
        assert abs(sum(map(is_holiday, days)) - count) <= 1


@pytest.mark.parametrize(
    ("day", "is_open"),
    [
        ("2019-06-07", True),
        ("2019-06-10", False),
        ("2019-08-16", False),
        ("2019-08-19", True),
        ("2019-08-24", False),  # a Saturday
        ("2019-09-02", False),
        ("2019-09-03", True),
        ("2019-12-20", True),
        ("2019-12-23", False),
        ("2020-01-02", False),
        ("2020-01-03", True),
    ],
)
def test_schools_are_closed_on_holidays_and_in_summer(day: str, is_open: bool) -> None:  # noqa: FBT001
    assert is_school_day(date.fromisoformat(day)) == is_open
