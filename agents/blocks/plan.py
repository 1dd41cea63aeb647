"""Plans of citizens: choose how to do what is scheduled, and follow the plan step by step."""

from typing import Any, ClassVar

import numpy as np

from memopolis.agents.activities import (
    AT_WORKPLACE,
    DOING_OF_STEPS,
    EATS,
    EVERYDAY,
    FIXED,
    INTERRUPTIBLE,
    LONGEST_STEP,
    NEEDS_OF_STEPS,
    NEVER_ENDS,
    NUMBERS,
    OUTINGS,
    STEPS,
    VISITS,
    WHERE_OF_STEPS,
    WITH_FRIEND,
    Activity,
    Need,
    Where,
    mark_activities,
    replace_visit,
)
from memopolis.agents.ages import ADULT, AGE_OF_REASON, INDEPENDENT_AGE, SHOPPING_AGE
from memopolis.agents.block_settings import PlanSettings
from memopolis.agents.blocks.diary import KeepDiary
from memopolis.agents.day.calendar import DayKind, find_day_kind
from memopolis.agents.dispatching import choose_blocks
from memopolis.agents.everyday import (
    NEEDS,
    QUERIES,
    draw_pleasantness,
    draw_quality,
    find_mood,
    query_of,
    recall_steps,
)
from memopolis.agents.experience import Experience
from memopolis.agents.families import Families
from memopolis.agents.itinerary import Itinerary
from memopolis.agents.planned_behaviour import (
    ACTIVITIES,
    DURING,
    HAS_CHOICE,
    NEEDS_OF_ACTIVITIES,
    PLACES,
    POSSIBLE_PURPOSES,
    PURPOSES,
    choose_purpose,
    contains,
    describe_places,
    find_activity,
    find_possible_activities,
    number_situations,
    select_plans,
    write_plan,
)
from memopolis.agents.plans import (
    AS_SCHEDULED_PLANS,
    BRIEF_PLANS,
    count_steps,
    describe_plan,
    find_step,
    kind_of,
    need_of,
)
from memopolis.agents.thoughts import INTENTIONS
from memopolis.sim.arguments import find_distinct
from memopolis.sim.arrays import Array, Bools, Float32, Int64, Intp, Ints, UInt8
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
_TEXTS = [
    text for step in STEPS for text in (*step.memories, *step.memories[:1] * 2)[:3] or ("",) * 3
]
_VARIES = np.array([len(step.memories) > 1 for step in STEPS])
_WORK = NEEDS_OF_STEPS == Need.WORK
_REMEMBERED = (_TOPIC >= 0) & ~WITH_FRIEND
# Steps that children remember: those at home and at school.
_OF_CHILDREN = np.isin(WHERE_OF_STEPS, (Where.HOME, Where.WORKPLACE))
_OF_CHILDREN[EVERYDAY:] = False
_INTENDED = np.array([NUMBERS.get(name, 0) for name in INTENTIONS])
_INTENDED[_INTENDED >= EVERYDAY] = 0
_FAR = 10.0  # more than any liking: a friend in another zone is only met if there is no other
_QUERIES = tuple(QUERIES[need] for need in NEEDS)
_QUERY_OF_STEPS = query_of(NEEDS_OF_STEPS)
# Activities for which one of two places is chosen.
_CHOOSES_PLACE = (DURING & np.isin(WHERE_OF_STEPS[:EVERYDAY], (Where.SHOP, Where.NEAR))).any(axis=1)
# Scheduled activities in which people meet friends.
_HAS_TIME = INTERRUPTIBLE | mark_activities(Activity.MEET)
MEALS = (6.0, 23.0)  # hours in which hunger calls for a meal (illustrative)
DAY = (6.0, 20.0)  # hours in which young people are out alone; later if it is light (illustrative)
EVENING = (5.0, 24.0)  # the same of adults (illustrative)
_TRADES = mark_activities(Activity.SHOP)
_GOES_OUT = OUTINGS | mark_activities(Activity.LEISURE)
# What is scheduled when people do each activity as long as that is scheduled.
_AS_SCHEDULED = np.arange(len(Activity), dtype=np.uint8)
_AS_SCHEDULED[Activity.LEISURE] = Activity.REST
SHOP_HOURS = (7.0, 21.0)  # hours in which shops are open (illustrative)
CANDIDATES = 6  # number of friends that a citizen considers for a meeting or message (illustrative)


class MakePlan(Block):
    """Make a plan to do what the diary schedules, or what an urgent need calls for in free time.

    How it is done, where and with whom is chosen by the Theory of Planned Behaviour. A plan lasts
    as long as the diary schedules the same, and nothing prevents it; a written plan is interrupted
    by sleep, work and school, and earns credit for its completed steps.
    """

    reads: ClassVar[tuple[str, ...]] = (
        "hunger",
        "safety",
        "social",
        "plan",
        "plan_step",
        "age",
        "employer",
        "workplace",
        "until",
        "place",
        "home",
        "intention",
        "scheduled",
        "follows",
        "doing",
        "doing_before",
        "household",
    )
    writes = ("plan", "partner", "plan_step", "until", "credit", "doing", "target", "follows")
    by_row = True

    def __init__(self, diary: KeepDiary, settings: PlanSettings | None = None) -> None:
        self.diary = diary
        self.settings = settings or PlanSettings()

    def setup(self) -> None:
        """Prepare the lengths of steps."""
        self.itinerary = Itinerary(self.society)
        self.families = Families(self.population)

    def has_work(self, citizens: Cohort) -> Bools:
        """Return whether work or school is open, shape (agents,)."""
        return np.asarray(citizens["workplace"] >= 0)

    def who(self, citizens: Cohort) -> Cohort:
        """Select citizens without a plan, and those whose plan has to give way."""
        plan = citizens["plan"]
        selected = plan == 0
        selected |= self._find_prevented(citizens)
        if self.settings.write_steps:
            scheduled = citizens["scheduled"]
            kind = kind_of(find_step(plan, citizens["plan_step"]))
            other = ~DURING[scheduled, np.minimum(kind, EVERYDAY - 1)]
            written = (need_of(plan) != Need.INTERVENTION) & (citizens["until"] != NEVER_ENDS)
            selected |= written & FIXED[scheduled] & other
        return citizens.where(selected)

    def _find_prevented(self, citizens: Cohort) -> Bools:
        """Return whether closures or the weather prevent what agents do as scheduled, (agents,)."""
        prevented = np.zeros(len(citizens), np.bool_)
        doing = citizens["doing"]
        lasting = (citizens["until"] == NEVER_ENDS) & (
            _AS_SCHEDULED[doing] == citizens["scheduled"]
        )
        for activities, is_possible in (
            (AT_WORKPLACE, self.has_work),
            (_TRADES, self.shops_open),
            (_GOES_OUT, self.outdoors),
        ):
            (at,) = (lasting & activities[doing]).nonzero()
            if len(at):
                prevented[at] |= ~is_possible(citizens.at(citizens.rows[at]))
        prevented |= lasting & _GOES_OUT[doing] & self._find_minders()[citizens.rows]
        return prevented

    def perceive(self, citizens: Cohort) -> Question:
        """Ask for a plan for what is scheduled."""
        known = self._describe_situation(citizens)
        situation = number_situations(known)
        purposes = POSSIBLE_PURPOSES.take(situation, axis=0)  # faster than an index
        chooses, need = HAS_CHOICE[situation], known["need"]
        recalls = chooses | _CHOOSES_PLACE[known["activity"]]
        experience = self._recall(citizens, np.where(recalls, query_of(need), -1))
        known["intention"] = self._form_intentions(citizens, experience, chooses)
        if not self.settings.write_steps:
            return Question(
                "plan", citizens, "choice", choose_purpose, memories=experience.recalled,
                known=known | {"possible": purposes}, options=PURPOSES,
            )  # fmt: skip
        known |= self._count_hours(citizens, known["open"])
        activities = find_possible_activities(known)
        return Question(
            "plan", citizens, "steps", write_plan, memories=experience.recalled,
            known=known | {"purposes": purposes, "possible": activities}, options=ACTIVITIES,
            descriptions=describe_places(), places=PLACES, low=1, high=LONGEST_STEP,
        )  # fmt: skip

    def _describe_situation(self, citizens: Cohort) -> dict[str, Any]:
        """Return what plans depend on; see `find_feasible_steps`."""
        s, hour, rows = self.settings, self.clock.hour, citizens.rows
        scheduled, age = self.find_scheduled(citizens), citizens["age"]
        is_open, friends = self.shops_open(citizens), self._has_friends(citizens)
        place, workplace = citizens["place"], citizens["workplace"]
        facts = {
            "hungry": (citizens["hunger"] <= s.hungry_at) & (MEALS[0] <= hour < MEALS[1]),
            "unsafe": (citizens["safety"] <= s.unsafe_at) & (age >= SHOPPING_AGE) & is_open,
            "lonely": (citizens["social"] <= s.lonely_at) & (age >= AGE_OF_REASON) & friends,
        }
        activity = find_activity(scheduled, **facts)
        return facts | {
            "activity": activity,
            "brief": activity != scheduled,
            "need": NEEDS_OF_ACTIVITIES[activity],
            "works": self.diary.has_work(rows) & self.has_work(citizens),
            "employed": citizens["employer"] >= 0,
            "grown": age >= SHOPPING_AGE,
            "independent": self._is_independent(age) & ~self._find_minders()[rows],
            "friends": friends,
            "open": is_open,
            "outdoors": self.outdoors(citizens),
            "at_work": (place == workplace) & AT_WORKPLACE[citizens["follows"]],
            "at_home": place == citizens["home"],
            "worship": np.full(len(rows), find_day_kind(self.clock.now.date()) == DayKind.SUNDAY),
        }

    def _count_hours(self, citizens: Cohort, is_open: Bools) -> dict[str, Array]:
        """Return how long written steps may last: until sleep or work, and until shops close."""
        closing = np.where(is_open, SHOP_HOURS[1] - self.clock.hour, 0.0)
        return {"hours": self.diary.count_hours(citizens.rows), "shop_hours": closing}

    def _is_independent(self, age: Array) -> Bools:
        """Return whether people are out alone at this hour, by age, shape (agents,)."""
        hour, place = self.clock.hour, self.society.place
        sunset = 0.0 if place is None else place.find_daylight(self.clock.now.date())[1]
        by_day = DAY[0] <= hour < max(DAY[1], sunset)
        in_time = EVENING[0] <= hour < EVENING[1]
        return (age >= ADULT) & in_time | (age >= INDEPENDENT_AGE) & by_day

    def _find_minders(self) -> Bools:
        """Return which adults stay at home with children who are due to sleep, shape (people,).

        It is one of each household: one who sleeps, if possible, or else is not due to go out.
        """
        people, families = self.population, self.families
        minders = np.zeros(len(people), np.bool_)
        asleep = people["scheduled"][families.children] == Activity.SLEEP
        if asleep.any():
            scheduled = people["scheduled"][families.adults]
            rank = np.where(scheduled == Activity.SLEEP, 3, 2)
            rank[OUTINGS[scheduled] | (scheduled == Activity.TRAVEL)] = 1
            rank[self.diary.is_at_work(families.adults)] = 0
            adults = families.choose_adults(asleep, rank)
            minders[adults[adults >= 0]] = True
        return minders

    def _has_friends(self, citizens: Cohort) -> Bools:
        ties = self.population.ties
        if "friend" not in ties:
            return np.zeros(len(citizens), np.bool_)
        return np.asarray(ties["friend"].count(citizens.rows) > 0)

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

    def find_scheduled(self, citizens: Cohort) -> UInt8:
        """Return the scheduled activity, or another one in place of it, shape (agents,)."""
        return np.asarray(citizens["scheduled"])

    def shops_open(self, citizens: Cohort) -> Bools:
        """Return whether shops are open, shape (agents,)."""
        return np.full(len(citizens), SHOP_HOURS[0] <= self.clock.hour < SHOP_HOURS[1])

    def outdoors(self, citizens: Cohort) -> Bools:
        """Return whether the weather permits going out, shape (agents,)."""
        return np.ones(len(citizens), np.bool_)

    def apply(self, citizens: Cohort, decisions: Decisions) -> Outcome | None:
        """Credit interrupted plans, and begin new plans."""
        known = decisions.question.known
        self._interrupt(citizens)
        plan, remarks = select_plans(decisions)
        step = np.zeros(len(plan), np.uint8)
        if self.settings.choose_blocks:
            plan = choose_blocks(self, citizens, plan, step, reachable=known["friends"])
        recalled = decisions.question.memories
        assert recalled is not None  # noqa: S101 - `perceive` gives it
        experience = Experience(citizens, recalled)
        social = contains(plan, WITH_FRIEND) & known["friends"]
        visits = contains(plan, VISITS)
        # Without a way in the diary, outings are near, and visits for meals if possible.
        near = citizens["doing_before"] != Activity.TRAVEL
        near &= not self.settings.write_steps
        partner = self._choose_partners(
            citizens, plan, social, experience, near & contains(plan, EATS)
        )
        plan = _replace_visits(plan, visits & (partner < 0), known["brief"])
        citizens["partner"] = partner

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

        self.itinerary.begin(citizens, plan, step, self.chance, recall, near=near)
        self._set_off(citizens.where(citizens["doing"] == Activity.TRAVEL))
        record = self.society.settings.record
        if self.society.recorder is None or not select_recorded(decisions, NO_OUTCOME, record):
            return None
        plans, number = np.unique(plan, return_inverse=True)
        return Outcome(
            choice=Words(number, tuple(describe_plan(int(row)) for row in plans)), note=remarks
        )

    def _set_off(self, travellers: Cohort) -> None:
        """Let travellers go to where the next activity is: to work, home, or still unknown."""
        if not len(travellers):
            return
        following = self.diary.find_next(travellers.rows)
        workplace = travellers["workplace"]
        target = np.where(OUTINGS[following], travellers["place"], travellers["home"])
        at_work = AT_WORKPLACE[following] & (workplace >= 0)
        travellers["target"] = np.where(at_work, workplace, target)

    def _choose_partners(
        self, citizens: Cohort, plan: Int64, social: Bools, experience: Experience, near: Bools
    ) -> Int64:
        """Choose a friend of social citizens, by tie strength and remembered encounters.

        The friend is awake, and for visits in the region with time for the same; one that is due
        to meet friends as well is preferred, and one in the same zone if it is to be `near`.
        Returns rows, -1 for none, shape (agents,).
        """
        partner = np.full(len(citizens), -1, np.int64)
        some = citizens.where(social)
        if not len(some):
            return partner
        friends = self.population.ties["friend"]
        known = experience.where(social)
        draws = self.chance.uniforms(some, CANDIDATES, "whom")
        pick = friends.one_of(some.rows[:, None], draws)
        other = friends.contacts[pick]
        liked = known.mean_of("actor", self.population.ids[other])
        score = friends.strength[pick] + self.settings.experience * liked
        score += self.population["scheduled"][other] == Activity.MEET
        is_present = self._is_available(other, plan[social][:, None])
        place = self.population["place"]
        is_near = place[other] == place[some.rows][:, None]
        score[near[social][:, None] & ~is_near] -= _FAR
        # Who slept in the half hour before has not been on the way to another zone.
        visits = contains(plan[social], VISITS) & (some["doing_before"] == Activity.SLEEP)
        is_present &= ~visits[:, None] | is_near
        score[~is_present] = -np.inf
        best = np.arange(len(some)), score.argmax(axis=1)
        partner[social] = np.where(is_present[best], other[best], -1)
        return partner

    def _is_available(self, rows: Ints, plan: Int64) -> Bools:
        """Return whether friends can be written to or, for visits, be met, shape of `rows`.

        `plan` is the plan of those who would meet them, shape (agents, 1).
        """
        people = self.population
        scheduled, doing = people["scheduled"][rows], people["doing"][rows]
        gone = (doing == Activity.AWAY) | (doing == Activity.DRIVE) | (people["place"][rows] < 0)
        eats, visits = (contains(plan[:, 0], kinds)[:, None] for kinds in (EATS, VISITS))
        has_time = np.where(eats, scheduled == Activity.EAT, _HAS_TIME[scheduled])
        asleep = scheduled == Activity.SLEEP
        return np.asarray(people["alive"][rows] & ~asleep & ~(visits & (gone | ~has_time)))

    @staticmethod
    def _interrupt(citizens: Cohort) -> None:
        """Credit the completed share of interrupted plans."""
        citizens = citizens.where(citizens["plan"] > 0)
        if len(citizens):
            step = citizens["plan_step"]
            citizens["credit"] = (step / count_steps(citizens["plan"])).astype(np.float32)


def _replace_visits(plan: Int64, alone: Bools, brief: Bools) -> Int64:
    """Return plans in which those without anyone to visit rest or eat at home instead."""
    (at,) = alone.nonzero()
    if not len(at):
        return plan
    instead = replace_visit(contains(plan[at], EATS))
    replaced = plan.copy()
    replaced[at] = np.where(brief[at], BRIEF_PLANS[instead], AS_SCHEDULED_PLANS[instead])
    return replaced


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
        "scheduled",
        "follows",
        "age",
    )
    writes = ("plan", "plan_step", "until", "credit", "doing", "target", "follows")

    def __init__(self, diary: KeepDiary, settings: PlanSettings | None = None) -> None:
        self.diary = diary
        self.settings = settings or PlanSettings()

    def setup(self) -> None:
        """Prepare the lengths of steps and the quality of places."""
        self.itinerary = Itinerary(self.society)
        place = self.society.place
        zones = 0 if place is None else len(place.population)
        self.quality = draw_quality(np.arange(zones * len(STEPS)), self.society.chance)

    def step(self, citizens: Cohort) -> None:
        """Begin next steps, and finish plans after their last step."""
        plan, until = citizens["plan"], citizens["until"]
        over = until <= self.clock.tick
        changes = (until == NEVER_ENDS) & (need_of(plan) != Need.INTERVENTION)
        over |= changes & (citizens["scheduled"] != citizens["follows"])
        over &= plan > 0
        if not over.any():
            return
        ended = citizens.where(over)
        kind, _ = self._find_remembered(ended)
        kinds, _ = find_distinct(kind)
        kinds = kinds[kinds >= 0]
        if len(kinds):
            # Declared before parts need them, in an order that does not depend on the parts.
            # Only now: a text is only kept while an agent remembers it.
            self.society.texts.intern_many(
                [_TEXTS[3 * kind + n] for kind in kinds for n in range(3)]
            )
            self.population.memory.number_topics(_TOPICS, _TOPIC[kinds])
        self.in_parts(ended, self._advance)

    def _advance(self, ended: Cohort) -> None:
        """Begin the next step of citizens whose step has ended, or finish their plan."""
        kind, more = self._find_remembered(ended)
        kind[(ended["age"] < INDEPENDENT_AGE) & ~_OF_CHILDREN[kind]] = -1
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
            queries = tuple(_QUERIES[number] for number in numbers)
            k = self.settings.memories
            return Experience.recall(citizens.where(mask), queries, k=k, each=each)

        self.itinerary.begin(citizens, plan, step, self.chance, recall)

    def _remember(self, citizens: Cohort, kind: Int64) -> None:
        """Remember completed steps of some kinds."""
        place, valence = citizens["place"], _VALENCE[kind]
        varies = np.flatnonzero(_VARIES[kind])
        valence[varies] = draw_pleasantness(
            citizens.at(citizens.rows[varies]),
            kind[varies],
            place=place[varies],
            usual=valence[varies],
            quality=self.quality,
            chance=self.society.chance,
            tick=self.clock.tick,
        )
        texts = self.society.texts.find_many(_TEXTS)
        text = texts[3 * kind + find_mood(valence)]
        importance = np.minimum(_IMPORTANCE[kind] * (1 + np.abs(valence)), 1)
        topic = self.population.memory.number_topics(_TOPICS, _TOPIC[kind])
        citizens.stream.add(topic, text, place=place, importance=importance, valence=valence)

    def _find_remembered(self, ended: Cohort) -> tuple[Int64, Bools]:
        """Return the kind of the step that each citizen remembers, and whether another one follows.

        The kind is -1 for none; work is remembered once a day. What friends do together is
        remembered by both when it begins; see `Meet`.
        """
        from memopolis.agents.plan_kernels import find_last

        people = ended.population
        kind, more = find_last(ended.rows, people["plan"], people["plan_step"], _REMEMBERED)
        (working,) = _WORK[kind].nonzero()
        for activity in (Activity.WORK, Activity.SCHOOL):
            at = working[DOING_OF_STEPS[kind[working]] == activity]
            kind[at[~self.diary.is_last(ended.rows[at], activity)]] = -1
        return kind, more
