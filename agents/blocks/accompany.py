"""Accompany: children are with an adult of the household, at school, in day care or asleep."""

from typing import ClassVar

import numpy as np

from memopolis.agents.activities import (
    AT_WORKPLACE,
    DOING_OF_STEPS,
    NEVER_ENDS,
    NUMBERS,
    WHERE_OF_STEPS,
    WITH_FRIEND,
    Activity,
    Where,
    mark_activities,
)
from memopolis.agents.ages import ADULT, INDEPENDENT_AGE
from memopolis.agents.blocks.diary import KeepDiary
from memopolis.agents.plans import AS_SCHEDULED_PLANS, find_step, kind_of
from memopolis.sim.arrays import Bools, Intp
from memopolis.sim.block import Block
from memopolis.sim.population import Cohort

_SETTLED = mark_activities(Activity.SLEEP, Activity.SCHOOL, Activity.AWAY, Activity.DRIVE)
_AT_SCHOOL = AS_SCHEDULED_PLANS[NUMBERS["eat at work"]]  # the plan of a meal at school
# Activities of adults to which they take no children.
_ALONE = AT_WORKPLACE | mark_activities(Activity.AWAY, Activity.DRIVE)
_IS_OUT = mark_activities(
    Activity.SHOP, Activity.MEET, Activity.LEISURE, Activity.SPORT, Activity.RELIGION,
    Activity.TRAVEL, Activity.STOCK_UP, Activity.FUEL,
)  # fmt: skip
_COPIED = ("plan", "plan_step", "doing", "target", "place", "until")


class Accompany(Block):
    """Let children under `INDEPENDENT_AGE` stay with an adult of the household who is at home.

    If all adults are out, children go along with one of them that is not at work; if there is none,
    they are in day care.
    """

    reads: ClassVar[tuple[str, ...]] = (
        "age", "household", "home", "place", "doing", "target", "plan", "plan_step", "until",
        "scheduled", "doing_before",
    )  # fmt: skip
    writes = (*_COPIED, "follows", "doing_before")

    def __init__(self, diary: KeepDiary) -> None:
        self.diary = diary

    def setup(self) -> None:
        """Pair each child with each adult of its household."""
        people = self.population
        age, household = people["age"], people["household"]
        (children,) = (age < INDEPENDENT_AGE).nonzero()
        (adults,) = (age >= ADULT).nonzero()
        order = np.argsort(household[adults], kind="stable")
        self.adults: Intp = adults[order]
        homes = household[self.adults]
        self.children: Intp = children
        self.first: Intp = np.searchsorted(homes, household[children])
        self.count: Intp = np.searchsorted(homes, household[children], side="right") - self.first

    def step(self, citizens: Cohort) -> None:
        """Find an adult for each child that is awake and not at school."""
        people = self.population
        doing = people["doing"]
        free = ~_SETTLED[doing[self.children]] & (people["plan"][self.children] != _AT_SCHOOL)
        free &= (self.count > 0) & people["alive"][self.children]
        if not free.any():
            return
        rows, guardian = self.children[free], self._choose_guardians(free)
        with_adult = guardian >= 0
        at_home = np.zeros(len(rows), np.bool_)
        at_home[with_adult] = self._is_home(guardian[with_adult])
        goes = with_adult & ~at_home
        self._go_along(citizens.at(rows[goes]), guardian[goes])
        self._stay_in(citizens.at(rows[at_home]))
        self._go_to_care(citizens.at(rows[~with_adult]))

    def _is_home(self, rows: Intp) -> Bools:
        """Return whether adults are at home, not out within their home zone."""
        people = self.population
        in_zone = people["target"][rows] == people["home"][rows]
        return np.asarray(in_zone & ~_IS_OUT[people["doing"][rows]])

    def _is_busy(self, rows: Intp) -> Bools:
        """Return whether adults are at work or school, breaks for meals included."""
        people = self.population
        kind = kind_of(find_step(people["plan"][rows], people["plan_step"][rows]))
        where = WHERE_OF_STEPS[kind]
        at_work = (where == Where.WORKPLACE) | _ALONE[people["doing"][rows]]
        (out,) = ((where != Where.HOME) & ~at_work).nonzero()
        at_work[out] = self.diary.is_at_work(rows[out])
        return np.asarray(at_work)

    def _choose_guardians(self, free: Bools) -> Intp:
        """Return the row of an adult for each free child, -1 for none.

        An adult at home is preferred to one that is out; adults at work are not disturbed.
        """
        first, count = self.first[free], self.count[free]
        chosen = np.full(len(first), -1, np.intp)
        best = np.zeros(len(first), np.int8)
        for number in range(int(count.max(initial=0))):
            has = number < count
            rows = self.adults[np.minimum(first + number, len(self.adults) - 1)]
            rank = np.where(self._is_home(rows), 2, 1).astype(np.int8)
            rank[self._is_busy(rows)] = 0
            better = has & (rank > best)
            chosen[better], best[better] = rows[better], rank[better]
        return chosen

    def _go_along(self, children: Cohort, guardian: Intp) -> None:
        for name in _COPIED:
            children[name] = self.population[name][guardian]
        self._share_half_hour(children, guardian)
        children["follows"] = children["scheduled"]
        # The friend is that of the adult.
        kind = kind_of(find_step(children["plan"], children["plan_step"]))
        self._begin(children.where(WITH_FRIEND[kind]), "leisure")

    def _share_half_hour(self, children: Cohort, guardian: Intp) -> None:
        """Let children be on the way with their guardian in the half hour before."""
        before = children["doing_before"]
        travels = self.population["doing_before"][guardian] == Activity.TRAVEL
        travels &= before != Activity.SLEEP
        children["doing_before"] = np.where(travels, Activity.TRAVEL, before)

    def _stay_in(self, children: Cohort) -> None:
        """Let children who were out or in care come home and rest."""
        doing = children["doing"]
        is_out = _IS_OUT[doing] | (doing == Activity.DAY_CARE)
        out = children.where((children["target"] != children["home"]) | is_out)
        self._begin(out, "rest")
        out["target"] = out["home"]

    def _go_to_care(self, children: Cohort) -> None:
        self._begin(children, "day care")
        children["target"] = children["home"]

    def _begin(self, children: Cohort, step: str) -> None:
        if not len(children):
            return
        children["plan"], children["plan_step"] = AS_SCHEDULED_PLANS[NUMBERS[step]], 0
        children["doing"] = DOING_OF_STEPS[NUMBERS[step]]
        children["until"] = NEVER_ENDS
        children["follows"] = children["scheduled"]
