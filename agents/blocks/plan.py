"""Plans of citizens: choose a plan, and follow it step by step."""

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from memopolis.agents.activities import PLAN_NEEDS, PLANS, Activity, Need
from memopolis.agents.block_settings import PlanSettings
from memopolis.agents.carrying import choose_activity
from memopolis.agents.citizen import SHOPPING_AGE
from memopolis.agents.itinerary import Itinerary
from memopolis.agents.planned_behaviour import choose_plan, find_possible_plans, select_plans
from memopolis.sim.block import Block
from memopolis.sim.mind.mind import Decisions, Question
from memopolis.sim.population import Cohort

_OPTIONS = tuple(plan.name for plan in PLANS)
_IMPORTANCE = np.array([plan.importance for plan in PLANS], np.float32)
_VALENCE = np.array([plan.valence for plan in PLANS], np.float32)
_TOPICS = sorted({plan.topic for plan in PLANS if plan.memory})
_TOPIC = np.array([_TOPICS.index(plan.topic) if plan.memory else -1 for plan in PLANS])


def is_night(hour: float, settings: PlanSettings) -> bool:
    """Return whether most people sleep at this hour."""
    return hour >= settings.night_from or hour < settings.night_until


class MakePlan(Block):
    """Choose a plan for the most urgent need, by the Theory of Planned Behaviour.

    A running plan is interrupted only by a more urgent need. An interrupted plan earns credit for
    its completed steps.
    """

    reads: ClassVar[tuple[str, ...]] = (
        "hunger",
        "energy",
        "safety",
        "social",
        "plan",
        "plan_step",
        "age",
        "employer",
        "worked_on",
        "workplace",
        "until",
        "paused_step",
        "paused_ticks",
        "place",
        "home",
    )
    writes = (
        "plan",
        "plan_step",
        "until",
        "credit",
        "doing",
        "target",
        "worked_on",
        "paused_step",
        "paused_ticks",
    )

    def __init__(self, settings: PlanSettings | None = None) -> None:
        self.settings = settings or PlanSettings()

    def setup(self) -> None:
        """Convert the plans to arrays."""
        self.itinerary = Itinerary(self.society)

    def urgent(self, citizens: Cohort) -> NDArray[np.uint8]:
        """Return the most urgent need of each citizen, shape (agents,)."""
        s, status = self.settings, citizens.status
        hour = self.clock.hour
        night = is_night(hour, s)
        need = np.full(len(citizens), Need.ANYTHING, np.uint8)
        grown = status["age"] >= SHOPPING_AGE
        need[(status["social"] <= s.lonely_at) & (not night)] = Need.SOCIAL
        need[(status["safety"] <= s.unsafe_at) & grown & (not night)] = Need.SAFE
        if s.work_from <= hour < s.resume_until:
            need[self.has_work(citizens)] = Need.WORK
        tired = status["energy"] <= (0.9 if night else s.tired_at)
        need[tired] = Need.TIRED
        need[status["hunger"] <= s.hungry_at] = Need.HUNGRY
        return need

    def has_work(self, citizens: Cohort) -> NDArray[np.bool_]:
        """Return whether work or school can be begun or resumed today, shape (agents,)."""
        status = citizens.status
        if self.is_day_off():
            return np.zeros(len(citizens), np.bool_)
        today = status["worked_on"] == self.clock.day
        fresh = ~today & (self.clock.hour < self.settings.work_until)
        interrupted = today & (status["paused_step"] >= 0)
        return np.asarray((status["workplace"] >= 0) & (fresh | interrupted))

    def is_day_off(self) -> bool:
        """Return whether today is a day off: a weekend here; scenarios add others."""
        return self.clock.now.weekday() >= 5

    def who(self, citizens: Cohort) -> Cohort:
        """Select citizens without a plan and those with a more urgent need."""
        plan = citizens.status["plan"]
        urgent = self.urgent(citizens)
        return citizens.where((plan == 0) | (urgent < PLAN_NEEDS[plan]))

    def perceive(self, citizens: Cohort) -> Question:
        """Ask which plan to follow among those that serve the most urgent need."""
        status = citizens.status
        noise = self.settings.choice_noise * self._draw_noise(citizens)
        known = {
            "need": self.urgent(citizens),
            "night": np.full(len(citizens), is_night(self.clock.hour, self.settings)),
            "employed": status["employer"] >= 0,
            "open": self.shops_open(citizens),
            "outdoors": self.outdoors(citizens),
            "noise": noise,
        }
        known["possible"] = find_possible_plans(known)
        return Question("plan", citizens, "choice", choose_plan, known=known, options=_OPTIONS)

    def _draw_noise(self, citizens: Cohort) -> NDArray[np.float32]:
        draws = [self.chance.uniform(citizens, "choice", n) for n in range(3)]
        # Three draws are reused in turn: no need has more than three plans.
        gumbel = -np.log(-np.log(np.maximum(np.stack(draws, axis=1), 1e-12)))
        return np.asarray(gumbel[:, np.arange(len(PLANS)) % 3], np.float32)

    def shops_open(self, citizens: Cohort) -> NDArray[np.bool_]:
        """Return whether shops are open, shape (agents,)."""
        return np.full(len(citizens), 7 <= self.clock.hour < 21)

    def outdoors(self, citizens: Cohort) -> NDArray[np.bool_]:
        """Return whether the weather permits going out, shape (agents,)."""
        return np.ones(len(citizens), np.bool_)

    def apply(self, citizens: Cohort, decisions: Decisions) -> None:
        """Credit interrupted plans, and begin new plans or resume work."""
        status = citizens.status
        self._interrupt(citizens)
        plan = select_plans(decisions)
        working = PLAN_NEEDS[plan] == Need.WORK
        again = working & (status["worked_on"] == self.clock.day) & (status["paused_step"] >= 0)
        step = np.where(again, status["paused_step"], 0).astype(np.uint8)
        status["plan"] = plan
        status["plan_step"] = step
        status["worked_on"] = np.where(working, self.clock.day, status["worked_on"])
        self.itinerary.begin(citizens, plan, step, self.chance)
        left = self.clock.tick + status["paused_ticks"]
        status["until"] = np.where(again, left, status["until"])
        status["paused_step"] = np.where(working, -1, status["paused_step"])
        if self.settings.ask_steps:
            choose_activity(self, citizens)

    def _interrupt(self, citizens: Cohort) -> None:
        """Credit the completed share of interrupted plans, and mark work as paused."""
        status = citizens.status
        old, step = status["plan"], status["plan_step"]
        interrupted = old > 0
        share = step / np.maximum(self.itinerary.tables.steps[old], 1)
        status["credit"] = np.where(interrupted, share, status["credit"])
        paused = interrupted & (PLAN_NEEDS[old] == Need.WORK)
        left = status["until"] - self.clock.tick
        status["paused_step"] = np.where(paused, step, status["paused_step"])
        status["paused_ticks"] = np.where(paused, np.maximum(left, 1), status["paused_ticks"])


class FollowPlan(Block):
    """Advance plans whose step has ended, and remember completed plans."""

    reads = (
        "plan",
        "plan_step",
        "until",
        "place",
        "home",
        "workplace",
        "credit",
        "doing",
        "target",
    )
    writes = ("plan", "plan_step", "until", "credit", "doing", "target")

    def __init__(self, settings: PlanSettings | None = None) -> None:
        self.settings = settings or PlanSettings()

    def setup(self) -> None:
        """Convert the plans to arrays."""
        self.itinerary = Itinerary(self.society)

    def step(self, citizens: Cohort) -> None:
        """Begin next steps, and finish plans after their last step."""
        status = citizens.status
        plan = status["plan"]
        over = (plan > 0) & (status["until"] <= self.clock.tick)
        if not over.any():
            return
        ended = citizens.where(over)
        plan = plan[over]
        step = ended.status["plan_step"] + np.uint8(1)
        more = step < self.itinerary.tables.steps[plan]
        if more.any():
            going = ended.where(more)
            going.status["plan_step"] = step[more]
            self.itinerary.begin(going, plan[more], step[more], self.chance)
            if self.settings.ask_steps:
                choose_activity(self, going)
        if not more.all():
            self._finish(ended.where(~more), plan[~more])

    def _finish(self, citizens: Cohort, plan: NDArray[np.uint8]) -> None:
        status = citizens.status
        status["credit"] = np.ones(len(plan), np.float32)
        status["plan"] = np.zeros(len(plan), np.uint8)
        status["doing"] = np.full(len(plan), Activity.IDLE, np.uint8)
        for number, topic in enumerate(_TOPICS):
            mask = _TOPIC[plan] == number
            if mask.any():
                self._remember(citizens.where(mask), plan[mask], topic)

    def _remember(self, citizens: Cohort, plan: NDArray[np.uint8], topic: str) -> None:
        # Interned when needed: a text is only kept while an agent remembers it.
        texts = self.society.texts.intern_many([plan.memory for plan in PLANS])
        citizens.memory.stream.add(
            topic,
            texts[plan],
            place=citizens.status["place"],
            importance=_IMPORTANCE[plan],
            valence=_VALENCE[plan],
        )
