"""Accompany: children are with an adult of the household, at school, or in the care of others."""

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
from memopolis.agents.blocks.diary import KeepDiary
from memopolis.agents.families import Families
from memopolis.agents.plans import AS_SCHEDULED_PLANS, find_step, kind_of
from memopolis.sim.arrays import Bools, Int8, Intp
from memopolis.sim.block import Block
from memopolis.sim.population import Cohort

_SETTLED = mark_activities(Activity.SCHOOL, Activity.AWAY, Activity.DRIVE)
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
    kin, neighbours or day care look after them, by day and by night.
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
        self.families = Families(self.population)

    def step(self, citizens: Cohort) -> None:
        """Find an adult for each child that is not at school."""
        people, families = self.population, self.families
        children = families.children
        free = ~_SETTLED[people["doing"][children]] & (people["plan"][children] != _AT_SCHOOL)
        free &= (families.count > 0) & people["alive"][children]
        if not free.any():
            return
        rows, guardian = children[free], families.choose_adults(free, self._rank_adults())
        with_adult = guardian >= 0
        at_home = np.zeros(len(rows), np.bool_)
        at_home[with_adult] = self._is_home(guardian[with_adult])
        # Who slept in the half hour before has not been on the way to an adult elsewhere.
        far = people["place"][rows] != people["place"][guardian]
        with_adult &= at_home | ~far | (people["doing_before"][rows] != Activity.SLEEP)
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

    def _rank_adults(self) -> Int8:
        """Return 2 for adults at home, 1 for those that are out, and 0 for those at work."""
        rows = self.families.adults
        rank = np.where(self._is_home(rows), 2, 1).astype(np.int8)
        rank[self._is_busy(rows)] = 0
        return rank

    def _go_along(self, children: Cohort, guardian: Intp) -> None:
        self._share_half_hour(children, guardian)
        for name in _COPIED:
            children[name] = self.population[name][guardian]
        children["follows"] = children["scheduled"]
        # The friend is that of the adult.
        kind = kind_of(find_step(children["plan"], children["plan_step"]))
        self._begin(children.where(WITH_FRIEND[kind]), "leisure")

    def _share_half_hour(self, children: Cohort, guardian: Intp) -> None:
        """Let children be on the way with or to their guardian in the half hour before."""
        people, before = self.population, children["doing_before"]
        travels = people["doing_before"][guardian] == Activity.TRAVEL
        travels |= people["place"][guardian] != children["place"]
        travels &= before != Activity.SLEEP
        children["doing_before"] = np.where(travels, Activity.TRAVEL, before)

    def _stay_in(self, children: Cohort) -> None:
        """Let children who were out or in care come home, and rest or sleep."""
        doing = children["doing"]
        is_out = _IS_OUT[doing] | (doing == Activity.IN_CARE)
        out = children.where((children["target"] != children["home"]) | is_out)
        asleep = out["scheduled"] == Activity.SLEEP
        self._begin(out.where(asleep), "sleep")
        self._begin(out.where(~asleep), "rest")
        out["target"] = out["home"]

    def _go_to_care(self, children: Cohort) -> None:
        self._begin(children, "in care")
        children["target"] = children["home"]

    def _begin(self, children: Cohort, step: str) -> None:
        if not len(children):
            return
        children["plan"], children["plan_step"] = AS_SCHEDULED_PLANS[NUMBERS[step]], 0
        children["doing"] = DOING_OF_STEPS[NUMBERS[step]]
        children["until"] = NEVER_ENDS
        children["follows"] = children["scheduled"]
