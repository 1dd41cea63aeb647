"""Plans of citizens: choose and compose a plan, and follow it step by step."""

from typing import Any, ClassVar

import numpy as np

from memopolis.agents.activities import (
    EVERYDAY,
    LONGEST_STEP,
    NEEDS_OF_STEPS,
    NUMBERS,
    STEPS,
    Activity,
    Need,
)
from memopolis.agents.block_settings import PlanSettings
from memopolis.agents.composing import drop_impossible_steps
from memopolis.agents.dispatching import choose_blocks
from memopolis.agents.everyday import (
    NEEDS,
    QUERIES,
    draw_pleasantness,
    draw_quality,
    query_of,
    recall_steps,
)
from memopolis.agents.experience import Experience
from memopolis.agents.itinerary import Itinerary
from memopolis.agents.planned_behaviour import (
    ACTIVITIES,
    HAS_CHOICE,
    PLACES,
    POSSIBLE_PURPOSES,
    PURPOSES,
    choose_purpose,
    contains,
    describe_places,
    find_feasible_steps,
    find_possible_activities,
    select_plans,
    write_plan,
)
from memopolis.agents.plans import count_steps, describe_plan, find_step, kind_of
from memopolis.agents.thoughts import INTENTIONS
from memopolis.sim.arguments import find_distinct
from memopolis.sim.arrays import Bools, Float32, Int64, Intp, UInt8
from memopolis.sim.block import Block
from memopolis.sim.mind.mind import NO_OUTCOME, Decisions, Outcome, Question, Words
from memopolis.sim.population import Cohort
from memopolis.sim.recording.rows import select_recorded

_IMPORTANCE = np.array([step.importance for step in STEPS], np.float32)
_VALENCE = np.array([step.valence for step in STEPS], np.float32)
_ATTITUDE = np.array([step.attitude for step in STEPS[:EVERYDAY]], np.float32)
_NORM = np.array([step.norm for step in STEPS[:EVERYDAY]], np.float32)
_TOPICS = sorted({step.topic for step in STEPS if step.memories})
_TOPIC = np.array([_TOPICS.index(step.topic) if step.memories else -1 for step in STEPS])
# Template of each step after an ordinary, a good and a bad occasion.
_TEXTS = [text for one in STEPS for text in (*one.memories, *one.memories[:1] * 2)[:3] or ("",) * 3]
_VARIES = np.array([len(step.memories) > 1 for step in STEPS])
_WORK = NEEDS_OF_STEPS == Need.WORK
_WITH_FRIEND = np.array([any("{actor}" in text for text in step.memories) for step in STEPS])
_INTENDED = np.array([NUMBERS.get(name, 0) for name in INTENTIONS])
_INTENDED[_INTENDED >= EVERYDAY] = 0
_NEEDS = ("hunger", "energy", "safety", "social", "age")
_GOOD, _BAD = 0.3, -0.15
_QUERIES = tuple(QUERIES[need] for need in NEEDS)
_QUERY_OF_STEPS = query_of(NEEDS_OF_STEPS)
SHOP_HOURS = (7.0, 21.0)  # hours in which shops are open (illustrative)
CANDIDATES = 3  # number of friends that a citizen considers for a meeting or message (illustrative)


def is_night(hour: float, settings: PlanSettings) -> bool:
    """Return whether most people sleep at this hour."""
    return hour >= settings.night_from or hour < settings.night_until


class MakePlan(Block):
    """Make a plan for the most urgent need, which may serve the next ones on the way.

    Its main step is chosen by the Theory of Planned Behaviour. A running plan is interrupted only
    by a need that is more urgent than its own and that of its current step. An interrupted plan
    earns credit for its completed steps.
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
        "paused_plan",
        "paused_step",
        "paused_ticks",
        "place",
        "home",
        "intention",
    )
    writes = (
        "plan",
        "partner",
        "plan_step",
        "until",
        "credit",
        "doing",
        "target",
        "worked_on",
        "paused_plan",
        "paused_step",
        "paused_ticks",
    )
    by_row = True

    def __init__(self, settings: PlanSettings | None = None) -> None:
        self.settings = settings or PlanSettings()

    def setup(self) -> None:
        """Prepare the lengths of steps."""
        self.itinerary = Itinerary(self.society)

    def urgent(self, citizens: Cohort, works: Bools | None = None) -> UInt8:
        """Return the most urgent need of each citizen, shape (agents,).

        `works` is the result of `has_work`, computed if None.
        """
        from memopolis.agents.plan_kernels import find_urgent

        s, hour = self.settings, self.clock.hour
        night = is_night(hour, s)
        if not s.work_from <= hour < s.resume_until:
            works = np.zeros(len(citizens), np.bool_)
        elif works is None:
            works = self.has_work(citizens)
        tired_at = 0.9 if night else s.tired_at
        limits = np.array([s.hungry_at, tired_at, s.unsafe_at, s.lonely_at], np.float32)
        need: UInt8 = find_urgent(
            works, not night, limits, *(citizens[name] for name in _NEEDS)
        )  # fmt: skip
        return need

    def has_work(self, citizens: Cohort) -> Bools:
        """Return whether work or school can be begun or resumed today, shape (agents,)."""
        if self.is_day_off():
            return np.zeros(len(citizens), np.bool_)
        return self._find_workers(citizens)[0]

    def is_day_off(self) -> bool:
        """Return whether today is a day off: a weekend here; scenarios add others."""
        return self.clock.now.weekday() >= 5

    def who(self, citizens: Cohort) -> Cohort:
        """Select citizens without a plan and those with a more urgent need."""
        from memopolis.agents.plan_kernels import find_interrupted

        people, need = self.population, self.urgent(citizens)
        plan, step = people["plan"], people["plan_step"]
        return citizens.where(find_interrupted(citizens.rows, plan, step, need))

    def perceive(self, citizens: Cohort) -> Question:
        """Ask for a plan for the most urgent need."""
        works = self.has_work(citizens)
        need = self.urgent(citizens, works)
        known, situation = self._describe_situation(citizens, need, works)
        purposes = POSSIBLE_PURPOSES.take(situation, axis=0)  # faster than an index
        works_now = need == Need.WORK
        resumes = works_now & self._resumes(citizens) if works_now.any() else works_now
        # Those who begin a day of work choose where to have lunch.
        begins = works_now & known["employed"] & ~resumes
        chooses = begins | HAS_CHOICE[situation]
        recalls = chooses | (need == Need.SAFE)  # which chooses a shop
        experience = self._recall(citizens, np.where(recalls, query_of(need), -1))
        known["intention"] = self._form_intentions(citizens, experience, chooses)
        if not self.settings.write_steps:
            return Question(
                "plan", citizens, "choice", choose_purpose, memories=experience.recalled,
                known=known | {"possible": purposes}, options=PURPOSES,
            )  # fmt: skip
        activities = find_possible_activities(known)
        # Interrupted work is resumed as it was planned.
        activities[resumes] &= np.isin(ACTIVITIES, ("work", "school"))
        return Question(
            "plan", citizens, "steps", write_plan, memories=experience.recalled,
            known=known | {"purposes": purposes, "possible": activities}, options=ACTIVITIES,
            descriptions=describe_places(), places=PLACES, low=1, high=LONGEST_STEP,
        )  # fmt: skip

    def _resumes(self, citizens: Cohort) -> Bools:
        """Return who interrupted today's work or school, shape (agents,)."""
        return self._find_workers(citizens)[1]

    def _find_workers(self, citizens: Cohort) -> tuple[Bools, Bools]:
        from memopolis.agents.plan_kernels import may_work

        people = self.population
        workers: tuple[Bools, Bools] = may_work(
            citizens.rows, people["workplace"], people["worked_on"], people["paused_step"],
            self.clock.day, self.clock.hour < self.settings.work_until,
        )  # fmt: skip
        return workers

    def _describe_situation(
        self, citizens: Cohort, need: UInt8, works: Bools
    ) -> tuple[dict[str, Any], Intp]:
        """Return what plans depend on, and the number of each situation.

        See `compose_plans`, `find_feasible_steps` and `POSSIBLE_PURPOSES`.
        """
        from memopolis.agents.plan_kernels import describe

        s, hour, people = self.settings, self.clock.hour, self.population
        n, night, ties = len(citizens), is_night(hour, s), self.population.ties
        starts = ties["friend"].starts if "friend" in ties else np.zeros(ties.agents + 1, np.int64)
        is_open, goes = self.shops_open(citizens), self.outdoors(citizens)
        facts, situation = describe(
            citizens.rows, people["hunger"], people["safety"], people["social"], people["age"],
            people["employer"], starts, np.float32(s.combine_at), need, night, works, is_open,
            goes,
        )  # fmt: skip
        hungry, unsafe, lonely, grown, has_friend, employed = facts
        known = {
            "need": need,
            "works": works,
            "hungry": hungry,
            "unsafe": unsafe,
            "lonely": lonely,
            "grown": grown,
            "friends": has_friend,
            "employed": employed,
            "open": is_open,
            "outdoors": goes,
            "night": np.full(n, night),
            "hours": np.full(n, 0.0 if night else s.night_from - hour),
            "shop_hours": np.where(is_open, SHOP_HOURS[1] - hour, 0.0),
        }
        return known, situation

    def _recall(self, citizens: Cohort, query: Intp) -> Experience:
        """Recall what matters for the need, given its query, or -1 to recall nothing."""
        recalls, k = query >= 0, self.settings.memories
        some = citizens.where(recalls)
        recalled = some.stream.search(_QUERIES, k=k, profile="act", each=query[recalls])
        if len(some) < len(query):
            recalled = recalled.spread(citizens.rows, recalls)
        return Experience(citizens, recalled)

    def _form_intentions(self, citizens: Cohort, experience: Experience, chooses: Bools) -> Float32:
        """Return attitude plus norm plus noise of each step, shape (agents, EVERYDAY).

        Those of citizens that have no choice are not used, and have no noise.
        """
        from memopolis.agents.plan_kernels import form_intentions

        s, some = self.settings, citizens.where(chooses)
        liking, usual = recall_steps(some, experience.where(chooses))
        intended = _INTENDED[some["intention"]]
        weights = np.array([s.experience, s.intention, s.conformity, s.choice_noise], np.float32)
        draws = self.chance.uniforms(some, 3, "choice")
        gumbel = -np.log(-np.log(np.maximum(draws, 1e-12)))
        intention: Float32 = form_intentions(
            chooses, _ATTITUDE, _NORM, gumbel, liking, usual, intended, weights
        )
        return intention

    def shops_open(self, citizens: Cohort) -> Bools:
        """Return whether shops are open, shape (agents,)."""
        return np.full(len(citizens), SHOP_HOURS[0] <= self.clock.hour < SHOP_HOURS[1])

    def outdoors(self, citizens: Cohort) -> Bools:
        """Return whether the weather permits going out, shape (agents,)."""
        return np.ones(len(citizens), np.bool_)

    def apply(self, citizens: Cohort, decisions: Decisions) -> Outcome | None:
        """Credit interrupted plans, and begin new plans or resume work."""
        known = decisions.question.known
        self._interrupt(citizens)
        plan, remarks = select_plans(decisions)
        step = np.zeros(len(plan), np.uint8)
        again = self._resumes(citizens)
        if again.any():
            again &= _WORK[kind_of(find_step(plan, step))]
        if again.any():
            plan[again], step[again] = self._find_paused(decisions, again)
            # Another step begins if the interrupted one is an errand that is no longer possible.
            again &= find_step(plan, step) == find_step(citizens["paused_plan"], step)
        if self.settings.choose_blocks:
            plan = choose_blocks(self, citizens, plan, step, reachable=known["friends"])
        working = contains(plan, _WORK)
        if working.any():
            workers = citizens.where(working)
            workers["worked_on"], workers["paused_step"] = self.clock.day, -1
        recalled = decisions.question.memories
        assert recalled is not None  # noqa: S101 - `perceive` gives it
        experience = Experience(citizens, recalled)
        social = contains(plan, _WITH_FRIEND) & known["friends"]
        citizens["partner"] = self._choose_partners(citizens, social, experience)

        def recall(mask: Bools) -> Experience:
            # Places of errands are recalled for their own need, such as a shop before a meal at
            # home.
            (at,) = mask.nonzero()
            query = _QUERY_OF_STEPS[kind_of(find_step(plan[at], step[at]))]
            other = query != query_of(known["need"][at])
            some = experience.where(mask)
            if not other.any():
                return some
            errands = self._recall(citizens.where(mask), np.where(other, query, -1))
            return some.replace(errands.recalled, other)

        self.itinerary.begin(citizens, plan, step, self.chance, recall)
        if again.any():
            resumed = citizens.where(again)
            resumed["until"] = self.clock.tick + resumed["paused_ticks"]
        record = self.society.settings.record
        if self.society.recorder is None or not select_recorded(decisions, NO_OUTCOME, record):
            return None
        plans, number = np.unique(plan, return_inverse=True)
        return Outcome(
            choice=Words(number, tuple(describe_plan(int(one)) for one in plans)), note=remarks
        )

    def _find_paused(self, decisions: Decisions, again: Bools) -> tuple[Int64, UInt8]:
        """Return the interrupted plans of some citizens, and the step at which they resume.

        Work is resumed as planned; errands that are no longer possible are left out.
        """
        question = decisions.question
        resuming = question.cohort.where(again)
        step = resuming["paused_step"].astype(np.uint8)
        known = {name: values[again] for name, values in question.known.items() if values.ndim == 1}
        hours = resuming["paused_ticks"] * self.clock.hours
        feasible = find_feasible_steps(known) | _WORK[:EVERYDAY]
        return drop_impossible_steps(resuming["paused_plan"], step, hours, feasible, known), step

    def _choose_partners(self, citizens: Cohort, social: Bools, experience: Experience) -> Int64:
        """Choose a friend of social citizens, by tie strength and remembered encounters.

        Returns rows, -1 for the others, shape (agents,).
        """
        partner = np.full(len(citizens), -1, np.int64)
        some = citizens.where(social)
        if not len(some):
            return partner
        friends = self.population.ties["friend"]
        alive = self.population["alive"]
        known = experience.where(social)
        draws = self.chance.uniforms(some, CANDIDATES, "whom")
        pick = friends.one_of(some.rows[:, None], draws)
        other = friends.contacts[pick]
        liked = known.mean_of("actor", self.population.ids[other])
        score = friends.strength[pick] + self.settings.experience * liked
        is_present = alive[other]
        score[~is_present] = -np.inf
        best = np.arange(len(some)), score.argmax(axis=1)
        partner[social] = np.where(is_present[best], other[best], -1)
        return partner

    def _interrupt(self, citizens: Cohort) -> None:
        """Credit the completed share of interrupted plans, and mark work as paused."""
        citizens = citizens.where(citizens["plan"] > 0)
        if not len(citizens):
            return
        old, step = citizens["plan"], citizens["plan_step"]
        citizens["credit"] = (step / count_steps(old)).astype(np.float32)
        is_paused = contains(old, _WORK, step)
        if is_paused.any():
            paused = citizens.where(is_paused)
            paused["paused_plan"], paused["paused_step"] = old[is_paused], step[is_paused]
            paused["paused_ticks"] = np.maximum(paused["until"] - self.clock.tick, 1)


class FollowPlan(Block):
    """Advance plans whose step has ended, and remember completed steps."""

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
        "partner",
    )
    writes = ("plan", "plan_step", "until", "credit", "doing", "target")

    def __init__(self, settings: PlanSettings | None = None) -> None:
        self.settings = settings or PlanSettings()

    def setup(self) -> None:
        """Prepare the lengths of steps and the quality of places."""
        self.itinerary = Itinerary(self.society)
        place = self.society.place
        zones = 0 if place is None else len(place.population)
        self.quality = draw_quality(np.arange(zones * len(STEPS)), self.society.chance)

    def step(self, citizens: Cohort) -> None:
        """Begin next steps, and finish plans after their last step."""
        plan = citizens["plan"]
        over = (plan > 0) & (citizens["until"] <= self.clock.tick)
        if not over.any():
            return
        ended = citizens.where(over)
        kind, _ = _find_remembered(ended)
        kinds, _ = find_distinct(kind)
        kinds = kinds[kinds >= 0]
        if len(kinds):
            # Declared before parts need them, in an order that does not depend on the parts.
            # Only now: a text is only kept while an agent remembers it.
            self.society.texts.intern_many(_TEXTS)
            self.population.memory.number_topics(_TOPICS, _TOPIC[kinds])
        self.in_parts(ended, self._advance)

    def _advance(self, ended: Cohort) -> None:
        """Begin the next step of citizens whose step has ended, or finish their plan."""
        kind, more = _find_remembered(ended)
        done = kind >= 0
        if done.any():
            self._remember(ended.where(done), kind[done])
        if more.any():
            going = ended.where(more)
            self._continue(going, going["plan"], going["plan_step"] + np.uint8(1))
        if not more.all():
            finished = ended.where(~more)
            finished["credit"] = 1.0
            finished["plan"] = 0
            finished["doing"] = Activity.IDLE

    def _continue(self, citizens: Cohort, plan: Int64, step: UInt8) -> None:
        if self.settings.choose_blocks:
            reachable = citizens["partner"] >= 0
            plan = choose_blocks(self, citizens, plan, step, reachable=reachable)

        def recall(mask: Bools) -> Experience:
            query = _QUERY_OF_STEPS[kind_of(find_step(plan[mask], step[mask]))]
            numbers, each = find_distinct(query)
            queries = tuple(_QUERIES[one] for one in numbers)
            k = self.settings.memories
            return Experience.recall(citizens.where(mask), queries, k=k, each=each)

        self.itinerary.begin(citizens, plan, step, self.chance, recall)

    def _remember(self, citizens: Cohort, kind: Int64) -> None:
        """Remember completed steps of some kinds."""
        partner = np.where(_WITH_FRIEND[kind], citizens["partner"], -1)
        place, valence = citizens["place"], _VALENCE[kind]
        varies = np.flatnonzero(_VARIES[kind])
        valence[varies] = draw_pleasantness(
            citizens.at(citizens.rows[varies]),
            kind[varies],
            place=place[varies],
            partner=partner[varies],
            usual=valence[varies],
            quality=self.quality,
            chance=self.society.chance,
            tick=self.clock.tick,
        )
        mood = (valence >= _GOOD) + 2 * (valence <= _BAD)
        texts = self.society.texts.intern_many(_TEXTS)
        text = texts[3 * kind + mood]
        actor = np.full(len(partner), -1, np.int64)
        (met,) = (partner >= 0).nonzero()
        actor[met] = self.population.ids[partner[met]]
        importance = np.minimum(_IMPORTANCE[kind] * (1 + np.abs(valence)), 1)
        topic = self.population.memory.number_topics(_TOPICS, _TOPIC[kind])
        citizens.stream.add(
            topic, text, actor=actor, place=place, importance=importance, valence=valence
        )


def _find_remembered(ended: Cohort) -> tuple[Int64, Bools]:
    """Return the kind of the step that each citizen remembers, and whether another one follows.

    The kind is -1 for none; work is remembered once a day.
    """
    from memopolis.agents.plan_kernels import find_last

    people = ended.population
    plan, step = people["plan"], people["plan_step"]
    remembered: tuple[Int64, Bools] = find_last(ended.rows, plan, step, _TOPIC >= 0, _WORK)
    return remembered
