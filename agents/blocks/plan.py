"""Plans: what a citizen sets out to do, and following it step by step."""

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from memopolis.agents.activities import PLANS, Activity, Need
from memopolis.agents.carrying import carry_out
from memopolis.agents.citizen import SHOPPING_AGE
from memopolis.agents.itinerary import Itinerary
from memopolis.agents.planned_behaviour import chosen_plans, planned_behaviour, possible_plans
from memopolis.sim.block import Block
from memopolis.sim.mind.mind import Decisions, Question
from memopolis.sim.population import Cohort
from memopolis.sim.settings import Field, SettingsGroup

_OPTIONS = tuple(plan.name for plan in PLANS)
_PLAN_NEED = np.array([plan.need for plan in PLANS], np.uint8)
_IMPORTANCE = np.array([plan.importance for plan in PLANS], np.float32)
_VALENCE = np.array([plan.valence for plan in PLANS], np.float32)
_TOPICS = sorted({plan.topic for plan in PLANS if plan.memory})
_TOPIC = np.array([_TOPICS.index(plan.topic) if plan.memory else -1 for plan in PLANS])


class PlanSettings(SettingsGroup):
    """When needs press and days begin."""

    hungry_at: float = Field(
        0.2, ge=0, le=1, origin="found", description="Hunger presses at or below"
    )
    tired_at: float = Field(
        0.2, ge=0, le=1, origin="found", description="Tiredness presses at or below"
    )
    unsafe_at: float = Field(
        0.2, ge=0, le=1, origin="found", description="Unsafety presses at or below"
    )
    lonely_at: float = Field(
        0.3, ge=0, le=1, origin="found", description="Loneliness presses at or below"
    )
    work_from: float = Field(
        7.0, ge=0, le=23, unit="h", origin="found", description="Start of the workday"
    )
    work_until: float = Field(
        11.0, ge=0, le=24, unit="h", origin="illustrative", description="Latest start of work"
    )
    resume_until: float = Field(
        17.0,
        ge=0,
        le=24,
        unit="h",
        origin="illustrative",
        description="Latest return to work that was broken off",
    )
    night_from: float = Field(
        22.0, ge=18, le=24, unit="h", origin="illustrative", description="Night begins"
    )
    night_until: float = Field(
        6.0, ge=0, le=10, unit="h", origin="illustrative", description="Night ends"
    )
    choice_noise: float = Field(
        0.35,
        ge=0,
        le=10,
        origin="illustrative",
        description="Spread of chance in the choice of a plan",
    )
    ask_steps: bool = Field(
        default=False,
        description="Whether the mind also says what is done in each step, and by which block",
    )


def is_night(hour: float, settings: PlanSettings) -> bool:
    """Whether most people sleep."""
    return hour >= settings.night_from or hour < settings.night_until


class MakePlan(Block):
    """Choose a plan for the most urgent need, after the Theory of Planned Behaviour.

    A running plan is only broken off by a more urgent need; what was carried out of it
    counts as credit.
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
        """Lay the plans out as arrays."""
        self.itinerary = Itinerary(self.society)

    def urgent(self, citizens: Cohort) -> NDArray[np.uint8]:
        """The most urgent need of each, shape (agents,)."""
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
        """Whether work or school waits today: not begun yet, or broken off; shape (agents,)."""
        status = citizens.status
        if self.is_day_off():
            return np.zeros(len(citizens), np.bool_)
        today = status["worked_on"] == self.clock.day
        fresh = ~today & (self.clock.hour < self.settings.work_until)
        broken_off = today & (status["paused_step"] >= 0)
        return np.asarray((status["workplace"] >= 0) & (fresh | broken_off))

    def is_day_off(self) -> bool:
        """Whether nobody works today: a weekend here, more in a scenario."""
        return self.clock.now.weekday() >= 5

    def who(self, citizens: Cohort) -> Cohort:
        """Those without a plan, and those whom a more urgent need interrupts."""
        plan = citizens.status["plan"]
        urgent = self.urgent(citizens)
        return citizens.where((plan == 0) | (urgent < _PLAN_NEED[plan]))

    def perceive(self, citizens: Cohort) -> Question:
        """Ask which of the plans that serve the most urgent need to follow."""
        status = citizens.status
        noise = self.settings.choice_noise * self._gumbel(citizens)
        known = {
            "need": self.urgent(citizens),
            "night": np.full(len(citizens), is_night(self.clock.hour, self.settings)),
            "employed": status["employer"] >= 0,
            "open": self.shops_open(citizens),
            "outdoors": self.outdoors(citizens),
            "noise": noise,
        }
        known["possible"] = possible_plans(known)
        return Question(
            "plan", citizens, "choice", planned_behaviour, known=known, options=_OPTIONS
        )

    def _gumbel(self, citizens: Cohort) -> NDArray[np.float32]:
        draws = [self.chance.uniform(citizens, "choice", n) for n in range(3)]
        # Three draws serve the options in turn: no need has more than three plans.
        gumbel = -np.log(-np.log(np.maximum(np.stack(draws, axis=1), 1e-12)))
        return np.asarray(gumbel[:, np.arange(len(PLANS)) % 3], np.float32)

    def shops_open(self, citizens: Cohort) -> NDArray[np.bool_]:
        """Whether shops are open for each, shape (agents,)."""
        return np.full(len(citizens), 7 <= self.clock.hour < 21)

    def outdoors(self, citizens: Cohort) -> NDArray[np.bool_]:
        """Whether the weather lets each go out, shape (agents,)."""
        return np.ones(len(citizens), np.bool_)

    def apply(self, citizens: Cohort, decisions: Decisions) -> None:
        """Credit the plan that is broken off, and begin the new one or take work up again."""
        status, tables = citizens.status, self.itinerary.tables
        self._break_off(citizens)
        plan = chosen_plans(decisions)
        working = tables.need[plan] == Need.WORK
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
            carry_out(self, citizens)

    def _break_off(self, citizens: Cohort) -> None:
        """Give partial credit for plans that end before their time; work can be resumed."""
        status, tables = citizens.status, self.itinerary.tables
        old, step = status["plan"], status["plan_step"]
        broken = old > 0
        share = step / np.maximum(tables.steps[old], 1)
        status["credit"] = np.where(broken, share, status["credit"])
        paused = broken & (tables.need[old] == Need.WORK)
        left = status["until"] - self.clock.tick
        status["paused_step"] = np.where(paused, step, status["paused_step"])
        status["paused_ticks"] = np.where(paused, np.maximum(left, 1), status["paused_ticks"])


class FollowPlan(Block):
    """Go on to the next step when one is over, and remember what was carried out."""

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
        """Lay the plans out as arrays."""
        self.itinerary = Itinerary(self.society)

    def step(self, citizens: Cohort) -> None:
        """Begin next steps; end plans whose last step is over."""
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
                carry_out(self, going)
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
        # Interned when needed: a number is only kept while somebody remembers its text.
        texts = self.society.texts.intern_many([plan.memory for plan in PLANS])
        citizens.memory.stream.add(
            topic,
            texts[plan],
            place=citizens.status["place"],
            importance=_IMPORTANCE[plan],
            valence=_VALENCE[plan],
        )
