"""The calendar: weekdays, weekends and holidays, and days without school."""

from datetime import date
from enum import IntEnum
from functools import cache

import pandas as pd


class DayKind(IntEnum):
    """Kind of day, as time-use surveys distinguish them."""

    WEEKDAY = 0
    SATURDAY = 1
    SUNDAY = 2


SUMMER = (6, 8), (8, 19)  # month and day at which summer holidays begin and end (illustrative)
WINTER = (12, 21), (1, 3)  # the same of winter holidays (illustrative)


@cache
def _find_holidays(year: int) -> frozenset[date]:
    from pandas.tseries.holiday import USFederalHolidayCalendar

    first, last = pd.Timestamp(year, 1, 1), pd.Timestamp(year, 12, 31)
    return frozenset(day.date() for day in USFederalHolidayCalendar().holidays(first, last))


def is_holiday(day: date) -> bool:
    """Return whether a day is a federal holiday of the United States."""
    return day in _find_holidays(day.year)


def find_day_kind(day: date) -> DayKind:
    """Return the kind of a day; people spend holidays like Sundays, which is a simplification."""
    weekday = day.weekday()
    if weekday == 6 or is_holiday(day):
        return DayKind.SUNDAY
    return DayKind.SATURDAY if weekday == 5 else DayKind.WEEKDAY


def is_school_day(day: date) -> bool:
    """Return whether schools are open: on weekdays outside of holidays."""
    if find_day_kind(day) != DayKind.WEEKDAY:
        return False
    when = day.month, day.day
    in_summer = SUMMER[0] <= when < SUMMER[1]
    return not (in_summer or when >= WINTER[0] or when < WINTER[1])
