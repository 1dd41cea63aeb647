"""Keep a diary: what each citizen would do at each hour of the day, if nothing prevents it."""

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import ClassVar

import numpy as np

from memopolis.agents.activities import (
    AT_WORKPLACE,
    CAN_SLEEP,
    EVERYDAY_ACTIVITIES,
    FIXED,
    PREVENTABLE,
    Activity,
    mark_activities,
)
from memopolis.agents.ages import ADULT
from memopolis.agents.day.body_clock import (
    change_debt,
    change_pressure,
    find_needs,
    find_rise_times,
)
from memopolis.agents.day.diary import Diaries, People
from memopolis.agents.day.time_use import FIRST_HOUR, FIRST_SLOT_HOUR, SLOTS
from memopolis.sim.arrays import Bools, Float32, Intp, UInt8
from memopolis.sim.block import Block
from memopolis.sim.population import Cohort

_DAYS_BEFORE = 7  # days before the run whose diaries are drawn, so that debt has built up
_START_PRESSURE = 0.2  # sleep pressure at 4 h on the first of them, of people asleep
_ROWS_AT_ONCE = 20_000  # diaries that are drawn together, which bounds the memory for draws


class KeepDiary(Block):
    """Draw each citizen's diary of the day at 4 h, and note what it says about this step.

    `scheduled` is the activity around the middle of the step, and `doing_before` that of the half
    hour before, or what is done in a disaster instead. Other blocks carry them out, or find out
    that they are not possible. `find_closed` returns for rows and a tick whether work or school is
    closed, which people know when their day begins. The diaries of the week before the run are
    drawn as well, since sleep debt builds up over days.
    """

    reads: ClassVar[tuple[str, ...]] = (
        "scheduled", "age", "employer", "part_time", "pupil", "energy", "doing", "home",
        "workplace", "sleep_debt", "household", "gender",
    )  # fmt: skip
    writes = ("scheduled", "doing_before", "energy", "sleep_debt")
    state = ("days",)
    limits: ClassVar[Mapping[str, tuple[int, int]]] = {"days": (0, len(Activity) - 1)}

    def __init__(self, find_closed: Callable[[Intp, int], Bools] | None = None) -> None:
        self.find_closed = find_closed or (lambda rows, _: np.zeros(len(rows), np.bool_))

    def setup(self) -> None:
        """Allocate the diaries: the last half hour of yesterday, and those of today.

        Before they are drawn, all are `Activity.IDLE`, which no diary contains.
        """
        self.days: UInt8 = np.zeros((len(self.population), 1 + SLOTS), np.uint8)
        self.diaries = Diaries(self.society.chance)

    def step(self, citizens: Cohort) -> None:
        """Draw new diaries if a day begins, and set what is scheduled."""
        count = len(self.population)
        if not self.days[:1].any():
            self._begin()
        elif self._position < 2 * self.clock.hours:
            self._draw(np.arange(count), self.days[:, -1])
        if len(self.days) < count:
            new = np.arange(len(self.days), count)
            self._draw(new, np.full(len(new), Activity.SLEEP, np.uint8))
        before, doing = self.days[citizens.rows, self.slot], citizens["doing"]
        stays = EVERYDAY_ACTIVITIES[doing] | (CAN_SLEEP[doing] & (before == Activity.SLEEP))
        # What was not possible in the step before was not possible in the half hour after it.
        stays &= ~PREVENTABLE[before] | (before != citizens["scheduled"])
        citizens["doing_before"] = np.where(stays, before, doing)
        citizens["scheduled"] = self.days[citizens.rows, self.slot + 1]

    @property
    def slot(self) -> int:
        """Number of the half hour around the middle of this step, or of its first hour."""
        return int(self._position)

    @property
    def _position(self) -> float:
        """Half hours from the start of the diary to the middle of this step, or its first hour."""
        middle = self.clock.hour + min(self.clock.hours, 1.0) / 2
        return float((middle - FIRST_SLOT_HOUR) % 24 * 2)

    def has_work(self, rows: Intp) -> Bools:
        """Return whether work or school is scheduled at some hour of today, shape (agents,)."""
        return self._find_first(rows, AT_WORKPLACE, 0) < SLOTS + 1

    def is_at_work(self, rows: Intp) -> Bools:
        """Return whether now is between hours of work or school, breaks included, (agents,)."""
        begun = self._find_first(rows, AT_WORKPLACE, 0) <= self.slot + 1
        return begun & (self._find_first(rows, AT_WORKPLACE, self.slot + 1) < SLOTS + 1)

    def is_last(self, rows: Intp, activity: Activity) -> Bools:
        """Return whether an activity is not scheduled any more today, shape (agents,)."""
        return self._find_first(rows, mark_activities(activity), self.slot + 1) > SLOTS

    def _find_first(self, rows: Intp, kinds: Bools, start: int) -> Intp:
        """Return the first column of `days` from one on with an activity of some kinds, (agents,).

        It is SLOTS + 1 without any.
        """
        from memopolis.agents.day.diary_kernels import find_first

        columns: Intp = find_first(self.days, rows, kinds, start)
        return columns

    def find_next(self, rows: Intp) -> UInt8:
        """Return what is scheduled after the present activity, itself without any, (agents,)."""
        days = self.days[rows, self.slot + 1 :]
        change = (days != days[:, :1]).argmax(axis=1)
        return np.asarray(days[np.arange(len(rows)), change])

    def count_hours(self, rows: Intp) -> Float32:
        """Return the hours until sleep, work or school, or the end of the day, shape (agents,)."""
        slots = self._find_first(rows, FIXED, self.slot + 1) - (self.slot + 1)
        return (slots / 2).astype(np.float32)

    def _begin(self) -> None:
        """Draw the diaries of the day in which the run begins, from some days before on.

        Of days before yesterday, only sleep is needed.
        """
        people = self.population
        everyone = np.arange(len(people))
        pressure = np.full(len(everyone), _START_PRESSURE, np.float32)
        rise = find_rise_times(people["age"].astype(np.float32))
        last = np.full(len(everyone), Activity.SLEEP, np.uint8)
        for days_ago in range(_DAYS_BEFORE, -1, -1):
            people.cohort()["energy"] = 1 - pressure
            self._draw(everyone, last, days_ago=days_ago)
            last = self.days[:, -1]
            for slot in range(SLOTS if days_ago else self.slot):
                sleeps = (self.days[:, slot + 1] == Activity.SLEEP).astype(np.float32)
                pressure = change_pressure(pressure, sleeps, 0.5, rise)
        people.cohort()["energy"] = 1 - pressure

    def _draw(self, rows: Intp, last: UInt8, *, days_ago: int = 0) -> None:
        """Draw the diaries of some rows; `last` is their last half hour of the day before."""
        begins = self.clock.now - timedelta(hours=FIRST_HOUR)
        today = begins.date() - timedelta(days=days_ago)
        # Days are numbered from the first one before the run, so that no number is negative.
        number = (today - self.clock.start.date()).days + 1 + _DAYS_BEFORE
        days = np.zeros((len(self.population), 1 + SLOTS), np.uint8)
        days[: len(self.days)] = self.days
        days[rows, 0] = last
        for first in range(0, len(rows), _ROWS_AT_ONCE):
            part = slice(first, first + _ROWS_AT_ONCE)
            self._change_debt(rows[part], days[rows[part], 1:])
            people = self._describe(rows[part], last[part] == Activity.SLEEP)
            days[rows[part], 1:] = self.diaries.draw(
                rows[part], people, today, number, only_sleep=days_ago > 1
            )
        self.days = days

    def _change_debt(self, rows: Intp, yesterday: UInt8) -> None:
        """Change the sleep debt by the hours that were slept yesterday."""
        citizens = self.population.at(rows)
        need = find_needs(citizens["age"].astype(np.float32), self.diaries.draw_sleepers(rows))
        slept = np.count_nonzero(yesterday == Activity.SLEEP, axis=1) / 2
        debt = change_debt(citizens["sleep_debt"], slept, need)
        known = yesterday.any(axis=1)
        citizens["sleep_debt"] = np.where(known, debt, citizens["sleep_debt"])

    def _describe(self, rows: Intp, asleep: Bools) -> People:
        people = self.population
        age, debt, workplace = people["age"][rows], people["sleep_debt"][rows], people["workplace"]
        # The half hour until the diary begins, which energy does not contain yet.
        rise = find_rise_times(age.astype(np.float32))
        wake, household = 1 - people["energy"][rows], people["household"]
        with_children = np.isin(household[rows], household[people["age"] < ADULT])
        status = people.memory.status
        return People(
            household=household[rows],
            age=age,
            female=status.encoded("gender")[rows] == status.label("female"),
            employed=people["employer"][rows] >= 0,
            part_time=people["part_time"][rows],
            pupil=people["pupil"][rows],
            commutes=(workplace != people["home"])[rows] & (workplace[rows] >= 0),
            parent=(age >= ADULT) & with_children,
            closed=self.find_closed(rows, self.clock.tick),
            pressure=change_pressure(wake, asleep.astype(np.float32), 0.5, rise),
            debt=debt,
            asleep=asleep,
        )
