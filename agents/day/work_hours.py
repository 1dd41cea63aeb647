"""Hours of work and school: who works today, from when, and for how long."""

from dataclasses import dataclass

import numpy as np

from memopolis.agents.day.calendar import DayKind
from memopolis.agents.day.time_use import Status, TimeUse, Use
from memopolis.sim.arrays import Array, Bools, Float32, Float64, Intp
from memopolis.sim.chance import Chance

ATTENDANCE = 0.95  # share of their working days on which people with regular hours come (recalled)
VARIABLE_DAYS = 0.7  # share of weekdays on which people with variable hours work, 5 of 7 (recalled)
SCHOOL_DAYS = 0.85  # share of the survey's weekdays on which schools are open (illustrative)
# Share of part-time work among the employed by age, of women and men (recalled, Bureau of Labor
# Statistics, Current Population Survey).
PART_TIME_AGES = (16, 20, 25, 55, 65, 75)
PART_TIME = np.array([[0.70, 0.40, 0.20, 0.20, 0.45, 0.55], [0.60, 0.30, 0.07, 0.09, 0.33, 0.45]])
# Start of work: mean and standard deviation in hours, and share, of people with regular hours and
# of the shifts of those with variable hours (recalled: about 84 % work by day, 4 % at night).
REGULAR_START = 7.7, 1.1
SHIFT_STARTS = np.array([[8.6, 1.8], [14.5, 1.6], [20.0, 1.0]])
SHIFT_SHARES = (0.58, 0.24, 0.18)
MOST_MINUTES = 720.0  # longest day of work (illustrative)
WAY = 1  # half hours of the way to work in another zone
PREPARES = 3  # half hours between an alarm and the way to work (illustrative)
EARLIEST_START = 4.5  # hour
LATEST_START = 20.0  # hour: a shift of eight hours ends when the day of a diary does
SCHOOL_START = 8.0, 0.3  # mean and standard deviation of the start of school, hours (recalled)
JITTER = 0.2  # standard deviation of today's start, hours (illustrative)
SAME_PERSON = (
    0.8  # correlation of a person's working on the same weekday of two weeks (illustrative)
)


@dataclass(frozen=True, eq=False)
class Hours:
    """Hours of work or school of people on one day, each of shape (agents,)."""

    start: Float32  # hour at which work or school begins, NaN for a day off
    minutes: Float32  # length without a break, 0 for a day off
    ends: Float32  # hour at which work usually ends, also on a day off, beyond 24 at night


def draw_part_time(age: Array, female: Bools, rows: Intp, chance: Chance) -> Bools:
    """Draw whether people that are employed work part time, shape (agents,)."""
    band = np.searchsorted(PART_TIME_AGES, age, side="right") - 1
    share = PART_TIME[np.where(female, 0, 1), np.maximum(band, 0)]
    return np.asarray(chance.uniform("person part time", rows) < share)


def share_of_variable(weekday: Float64) -> Float64:
    """Return the share of people with variable hours, by the share that works on a weekday.

    The others work on `ATTENDANCE` of the weekdays.
    """
    return np.clip((ATTENDANCE - weekday) / (ATTENDANCE - VARIABLE_DAYS), 0.0, 1.0)


def find_work_probability(share: Float64, weekday: Float64, variable: Bools) -> Float64:
    """Return the probability of working on a day, so that its mean is `share`, shape (agents,).

    `share` is that of the kind of day and `weekday` that of a weekday, of the group of each person.
    """
    n = share_of_variable(weekday)
    # The variable share works as much as it takes to reach `share`; the others the rest.
    most = np.where(n > 0, np.minimum(share / np.maximum(n, 1e-9), VARIABLE_DAYS), 0.0)
    most = np.where(n >= 1, share, most)
    rest = np.where(n < 1, (share - n * most) / np.maximum(1 - n, 1e-9), 0.0)
    return np.where(variable, most, np.clip(rest, 0, 1))


class Timetable:
    """Draws who works or goes to school on a day, and when."""

    def __init__(self, chance: Chance, table: TimeUse) -> None:
        self.chance = chance
        self.table = table

    def draw(
        self, rows: Intp, status: Intp, band: Intp, kind: DayKind, day: int, *, school: bool
    ) -> Hours:
        """Draw the hours of people on one day.

        `day` counts from the start of the run, negative before it; `school` is whether schools are
        open. `status` and `band` are those of `time_use`, shape (agents,).
        """
        use = np.where(np.isin(status, (Status.STUDENT, Status.CHILD)), Use.EDUCATION, Use.WORK)
        share = self.table.share[kind, status, band, use].astype(np.float64)
        weekday = self.table.share[DayKind.WEEKDAY, status, band, use].astype(np.float64)
        minutes = self.table.minutes[kind, status, band, use]
        works = use == Use.WORK
        variable = works & (self._draw("variable hours", rows) < share_of_variable(weekday))
        attends = np.minimum(share / SCHOOL_DAYS, 0.97) * school
        probability = np.where(works, find_work_probability(share, weekday, variable), attends)
        goes = self._draw_days(rows, day) < probability
        spread = self._spread(kind, works)
        # Log-normal with the mean minutes of the survey.
        length = minutes * np.exp(spread * self._normal("length", rows, day) - spread**2 / 2)
        length = np.minimum(length, MOST_MINUTES)
        usual = self._draw_starts(rows, works, variable)
        start = usual + JITTER * self._normal("start today", rows, day) * works
        start = np.clip(start, EARLIEST_START, LATEST_START)
        ends = np.clip(usual, EARLIEST_START, LATEST_START) + minutes / 60
        return Hours(
            np.where(goes, start, np.nan).astype(np.float32),
            np.where(goes, length, 0.0).astype(np.float32),
            np.where(works, ends, 0.0).astype(np.float32),
        )

    @staticmethod
    def _spread(kind: DayKind, works: Bools) -> Float64:
        """Return the standard deviation of the log of the length (illustrative)."""
        return np.where(works, 0.18 if kind == DayKind.WEEKDAY else 0.35, 0.06)

    def _draw_days(self, rows: Intp, day: int) -> Float64:
        """Draw a number in [0, 1) that is alike on the same weekday of two weeks."""
        from scipy.special import ndtr

        own = self._normal("working day", rows, (day % 7) + 1)
        today = self._normal("attendance", rows, day)
        return np.asarray(ndtr(SAME_PERSON**0.5 * own + (1 - SAME_PERSON) ** 0.5 * today))

    def _draw_starts(self, rows: Intp, works: Bools, variable: Bools) -> Float64:
        """Draw when the days of work or school of people usually start, hours."""
        own = self._normal("start", rows)
        shift = np.searchsorted(np.cumsum(SHIFT_SHARES)[:-1], self._draw("shift", rows))
        start = np.where(variable, SHIFT_STARTS[shift, 0], REGULAR_START[0])
        spread = np.where(variable, SHIFT_STARTS[shift, 1], REGULAR_START[1])
        return np.where(works, start + spread * own, SCHOOL_START[0] + SCHOOL_START[1] * own)

    def _draw(self, purpose: str, rows: Intp) -> Float64:
        return self.chance.uniform(f"timetable {purpose}", rows)

    def _normal(self, purpose: str, rows: Intp, day: int = 0) -> Float64:
        return self.chance.normal(f"timetable {purpose}", rows, day)
