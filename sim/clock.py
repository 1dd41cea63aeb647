"""Ticks and dates: the only clock of a simulation.

Ticks count steps since the start; tick t covers the time from `date_of(t)` to before
`date_of(t + 1)`. Times are local and without time zone.
"""

from dataclasses import dataclass
from datetime import datetime, time, timedelta

from memopolis.sim.errors import ParameterError

FIRST_YEAR, LAST_YEAR = 1700, 2150
"""Years in which a run may start, so that nanosecond dates (1678 to 2261) cover all of it."""
MOST_TICKS = 1_000_000  # maximum number of steps of a run
MONTH_HOURS = 730.5  # mean length of a calendar month: a twelfth of 365.25 days
_HOUR = timedelta(hours=1)
_DAY = timedelta(days=1)


@dataclass
class Clock:
    """The current time of a run.

    Attributes:
        start: Local date and time at which tick 0 begins, in the years 1700 to 2150.
        step: Length of a tick, > 0.
        tick: Steps since the start, set by the society.
    """

    start: datetime
    step: timedelta
    tick: int = 0

    def __post_init__(self) -> None:
        if self.step <= timedelta(0):
            raise ParameterError(f"the step of a clock is {self.step}; it must be above 0")
        _refuse_zone(self.start)
        if not FIRST_YEAR <= self.start.year <= LAST_YEAR:
            raise ParameterError(
                f"a clock starts at {self.start}; allowed are the years {FIRST_YEAR} to "
                f"{LAST_YEAR}, since dates in tables cannot be much earlier or later"
            )

    @property
    def hours(self) -> float:
        """Length of a tick in hours."""
        return self.step / _HOUR

    @property
    def mean_hours(self) -> float:
        """Mean distance of the dates of two ticks in hours, by which tables compute dates."""
        return self.hours

    @property
    def now(self) -> datetime:
        """Local date and time at which the current tick begins."""
        return self.date_of(self.tick)

    @property
    def hour(self) -> float:
        """Hour of the day at which the current tick begins, in [0, 24)."""
        now = self.now
        return (now - datetime.combine(now, time())) / _HOUR

    @property
    def day(self) -> int:
        """Number of midnights since the start: 0 on the first calendar day."""
        return (self.now.date() - self.start.date()).days

    def date_of(self, tick: int) -> datetime:
        """Return the local date and time at which a tick begins."""
        return self.start + self.step * int(tick)

    def tick_of(self, when: datetime | str) -> int:
        """Return the tick that covers a date, as in `parse_date`; negative before the start."""
        return (parse_date(when) - self.start) // self.step

    def ticks(self, hours: float) -> int:
        """Return the number of ticks nearest to a duration, at least 1; halves are rounded up."""
        if not 0 <= hours < float("inf"):
            raise ParameterError(f"a duration is {hours} hours; it must be finite and at least 0")
        return max(1, int(hours / self.hours + 0.5))

    def is_hour(self, hour: int) -> bool:
        """Return whether the current tick covers the beginning of an hour of its day, 0 to 23."""
        return self.tick_of(self.now.replace(hour=hour, minute=0)) == self.tick

    def is_every(self, hours: float) -> bool:
        """Return whether a period of some hours, counted from the start, begins in this tick."""
        return self.tick % self.ticks(hours) == 0

    def ticks_of_days(self, days: float) -> int:
        """Return the number of ticks in a number of days, at least 1."""
        return self.ticks(days * (_DAY / _HOUR))


class MonthClock(Clock):
    """A clock whose ticks are calendar months of 28 to 31 days, from the first day of one.

    `step` remains the nominal length of a month, which durations are measured in.
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.start != datetime(self.start.year, self.start.month, 1):
            raise ParameterError(
                f"a clock of calendar months starts at {self.start}; it must be the first day of a "
                "month at midnight"
            )

    @property
    def mean_hours(self) -> float:
        """Mean length of a calendar month in hours."""
        return MONTH_HOURS

    def date_of(self, tick: int) -> datetime:
        """Return the first day of a tick's month."""
        year, month = divmod(self._months_of(self.start) + int(tick), 12)
        return datetime(year, month + 1, 1)

    def tick_of(self, when: datetime | str) -> int:
        """Return the tick whose month contains a date; negative before the start."""
        return self._months_of(parse_date(when)) - self._months_of(self.start)

    @staticmethod
    def _months_of(date: datetime) -> int:
        return 12 * date.year + date.month - 1


def date_after(start: datetime, hours: float, ticks: int) -> datetime:
    """Return the date after ticks of a mean length in hours; `MONTH_HOURS` are calendar months."""
    is_month = hours == MONTH_HOURS
    clock = (MonthClock if is_month else Clock)(start, timedelta(hours=hours))
    return clock.date_of(ticks)


def parse_date(when: datetime | str) -> datetime:
    """Read a naive datetime, or ISO text such as "2019-09-02 12:00" or "2019-09-02"."""
    if isinstance(when, str):
        try:
            when = datetime.fromisoformat(when.strip())
        except ValueError:
            raise ParameterError(
                f"{when!r} is not a date; write it as 2019-09-02 or 2019-09-02 12:00"
            ) from None
    if not isinstance(when, datetime):
        raise ParameterError(
            f"{when!r} is not a date; give a datetime or a text such as 2019-09-02"
        )
    _refuse_zone(when)
    return when


def _refuse_zone(when: datetime) -> None:
    if when.tzinfo is not None:
        raise ParameterError(
            f"{when.isoformat()} has a time zone; omit it, since times are local to the place"
        )
