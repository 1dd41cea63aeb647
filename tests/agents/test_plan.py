"""Plans: how what is scheduled is done, with whom and where, and what comes of it."""

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.agents.scheduled import Scheduled

from memopolis import load_run
from memopolis.agents import contacts
from memopolis.agents.activities import (
    AS_SCHEDULED,
    EVERYDAY,
    INDEFINITELY,
    LONGEST_STEP,
    NEVER_ENDS,
    NUMBERS,
    STEPS,
    Activity,
    Need,
)
from memopolis.agents.block_settings import PlanSettings
from memopolis.agents.blocks import accompany, economy, needs, plan, social
from memopolis.agents.blocks.mobility import Mobility
from memopolis.agents.blocks.plan import FollowPlan, MakePlan
from memopolis.agents.citizen import Citizen
from memopolis.agents.planned_behaviour import (
    DURING,
    find_activity,
    find_feasible_steps,
    find_possible_purposes,
)
from memopolis.agents.plans import (
    AS_SCHEDULED_PLANS,
    PLANS,
    find_step,
    kind_of,
    list_steps,
)
from memopolis.agents.thoughts import INTENTIONS
from memopolis.scenarios.hurricane import moving
from memopolis.scenarios.hurricane.blocks import count_purchases, drive_out, evacuate
from memopolis.scenarios.hurricane.scenario import Hurricane
from memopolis.sim.errors import MemopolisError, SchemaError
from memopolis.sim.mind.mind import Answer, Mind, Question
from memopolis.sim.population import attribute, snake_case

MakeVillage = Callable[..., Any]

CONTENT = {"hunger": 1.0, "energy": 1.0, "safety": 1.0, "social": 1.0}
SATURDAY = "2026-01-03 15:00"


def give(village: Any, **status: Any) -> None:
    for name, value in (CONTENT | status).items():
        village.citizens.cohort()[name] = value


def status(society: Any, name: str) -> NDArray[Any]:
    values: NDArray[Any] = society.citizens.cohort()[name]
    return values


def main_steps(society: Any) -> NDArray[Any]:
    """Name of the first step of each plan."""
    first = kind_of(find_step(status(society, "plan"), np.zeros(len(society.citizens), int)))
    return np.array([step.name for step in STEPS])[first]


def current_steps(society: Any) -> NDArray[Any]:
    """Kind of the current step of each plan."""
    return kind_of(find_step(status(society, "plan"), status(society, "plan_step")))


def planning(
    village: MakeVillage, scheduled: Any, before: Activity | None = None, **changes: Any
) -> Any:
    """A village whose content citizens make and follow plans for one schedule."""
    made = village(**{"start": SATURDAY} | changes)
    diary = Scheduled(scheduled, before)
    made.give(made.citizens, diary, FollowPlan(diary), MakePlan(diary), Mobility())
    give(made)
    return made


# Steps


@pytest.mark.parametrize("step", STEPS[1:], ids=[step.name for step in STEPS[1:]])
def test_a_step_has_a_duration_and_a_memory_or_three(step: Any) -> None:
    assert 1 <= step.hours <= LONGEST_STEP or step.hours in (AS_SCHEDULED, INDEFINITELY)
    assert 0 <= step.importance <= 1
    assert -1 <= step.valence <= 1
    assert len(step.memories) in (0, 1, 3)
    for text in step.memories:
        assert "{" not in text.replace("{place}", "").replace("{actor}", "")


def test_numbers_name_steps() -> None:
    assert [STEPS[number].name for number in NUMBERS.values()] == list(NUMBERS)
    assert NUMBERS["none"] == 0
    assert len(NUMBERS) == len(STEPS) <= 32


def test_every_step_names_a_block_that_carries_it_out() -> None:
    modules = (accompany, count_purchases, drive_out, evacuate, economy, needs, plan, social)
    blocks = {
        snake_case(name): inspect.getsource(block)
        for module in modules
        for name, block in inspect.getmembers(module, inspect.isclass)
        if block.__module__ == module.__name__
    }
    # The reliefs of needs are a table; households are moved by functions.
    blocks["needs"] += inspect.getsource(needs)
    for name in ("drive_out", "evacuate"):
        blocks[name] += inspect.getsource(moving)
    blocks["count_purchases"] += inspect.getsource(count_purchases)
    blocks["talk"] += inspect.getsource(contacts)
    for step in STEPS[1:]:
        assert f"Activity.{step.doing.name}" in blocks[step.block], step.name


def test_every_activity_belongs_to_a_step() -> None:
    assert {step.doing for step in STEPS} == set(Activity)


def test_everyday_steps_are_not_started_by_a_scenario() -> None:
    for number, step in enumerate(STEPS):
        assert (step.need != Need.INTERVENTION) == (number < EVERYDAY)


def test_every_activity_of_daily_life_can_be_scheduled() -> None:
    everyday = {step.doing for step in STEPS[1:EVERYDAY]} - {Activity.LEISURE}
    assert {Activity(int(number)) for number in np.flatnonzero(DURING.any(axis=1))} == everyday


# What an agent takes up


@pytest.mark.parametrize(
    ("scheduled", "urgent", "activity"),
    [
        (Activity.REST, "", Activity.REST),
        (Activity.REST, "lonely", Activity.MEET),
        (Activity.TELEVISION, "lonely unsafe", Activity.SHOP),
        (Activity.REST, "lonely unsafe hungry", Activity.EAT),
        (Activity.WORK, "hungry", Activity.WORK),
        (Activity.SLEEP, "lonely unsafe hungry", Activity.SLEEP),
        (Activity.CARE, "hungry", Activity.CARE),
    ],
)
def test_an_urgent_need_is_served_in_free_time_only(
    scheduled: Activity, urgent: str, activity: Activity
) -> None:
    facts = {name: np.array([name in urgent]) for name in ("hungry", "unsafe", "lonely")}
    assert find_activity(np.array([scheduled], np.uint8), **facts).tolist() == [activity]


def test_possible_plans_equal_a_hand_made_table() -> None:
    def known(activity: Activity, **changes: bool) -> dict[str, NDArray[Any]]:
        names = ("employed", "works", "grown", "independent", "friends", "open", "outdoors")
        places = {"at_work": False, "at_home": True, "worship": False}
        facts = dict.fromkeys(names, True) | places | changes
        return {"activity": np.array([activity])} | {k: np.array([v]) for k, v in facts.items()}

    def purposes(activity: Activity, **changes: bool) -> set[str]:
        return names(find_possible_purposes(known(activity, **changes)))

    def names(table: NDArray[np.bool_]) -> set[str]:
        return {STEPS[number].name for number in np.flatnonzero(table[0])}

    assert purposes(Activity.MEET) == {"meet", "message"}
    assert purposes(Activity.MEET, outdoors=False) == {"message"}
    assert purposes(Activity.MEET, independent=False) == {"message"}
    assert purposes(Activity.MEET, friends=False) == {"rest"}
    assert purposes(Activity.SHOP, open=False) == purposes(Activity.SHOP, grown=False) == {"rest"}
    assert purposes(Activity.SLEEP) == {"sleep"}
    assert purposes(Activity.RELIGION) == {"volunteer"}
    assert purposes(Activity.RELIGION, worship=True) == {"worship"}
    assert purposes(Activity.WORK) == {"work"}
    assert purposes(Activity.WORK, works=False) == {"rest"}
    assert purposes(Activity.SCHOOL, employed=False) == {"school"}
    assert purposes(Activity.EAT) == {"eat at home", "eat out", "eat with a friend"}
    assert purposes(Activity.EAT, at_work=True) == {"eat at work", "eat out"}
    assert "eat here" in purposes(Activity.EAT, at_home=False)
    assert purposes(Activity.REST) == {"rest", "leisure"}
    assert purposes(Activity.REST, independent=False) == {"rest"}
    assert not names(find_feasible_steps(known(Activity.REST))) & {"none", "sleep", "school"}
    assert {"work", "meet", "shop", "care"} <= names(find_feasible_steps(known(Activity.REST)))


def test_hunger_is_served_in_free_time_for_an_hour(village: MakeVillage) -> None:
    free, working = (planning(village, of) for of in (Activity.REST, Activity.WORK))
    for made in (free, working):
        give(made, hunger=0.1)
        made.step()
    assert set(status(free, "doing").tolist()) == {Activity.EAT}
    assert set(status(free, "until").tolist()) == {1}
    assert Activity.EAT not in status(working, "doing")
    give(free)
    free.step()
    assert Activity.EAT not in status(free, "doing")


# Working

WORKDAY = {0: Activity.SLEEP, 7: Activity.PERSONAL_CARE, 8: Activity.WORK, 12: Activity.EAT,
           13: Activity.WORK, 17: Activity.REST, 22: Activity.SLEEP}  # fmt: skip


def test_workers_are_at_work_as_long_as_scheduled_and_remember_the_day_once(
    village: MakeVillage,
) -> None:
    made = planning(village, WORKDAY, start="2026-01-05 04:00")
    employed = status(made, "employer") >= 0
    at_work = np.zeros((24, len(employed)), bool)
    for hour in range(24):
        made.step()
        working = status(made, "doing") == Activity.WORK
        assert np.array_equal(status(made, "place")[working], status(made, "workplace")[working])
        at_work[(hour + 4) % 24] = working
    hours = [8, 9, 10, 11, 13, 14, 15, 16]
    assert at_work[:, employed].all(axis=1).nonzero()[0].tolist() == hours
    assert not at_work[:, ~employed].any()
    texts = [m.template for m in made.citizens.agents[0].memory.observed.stream.read(range(99))]
    assert len(set(texts) & set(STEPS[NUMBERS["work"]].memories)) == 1
    assert sum(text in STEPS[NUMBERS["work"]].memories for text in texts) == 1


def test_travellers_go_to_work_and_home_again(village: MakeVillage) -> None:
    scheduled = {0: Activity.SLEEP, 7: Activity.TRAVEL, 8: Activity.WORK, 16: Activity.TRAVEL,
                 17: Activity.REST}  # fmt: skip
    made = planning(village, scheduled, start="2026-01-05 06:00")
    employed = status(made, "employer") >= 0
    made.step()
    made.step()
    assert set(status(made, "doing").tolist()) == {Activity.TRAVEL}
    assert np.array_equal(status(made, "place")[employed], status(made, "workplace")[employed])
    for _ in range(9):
        made.step()
    assert set(status(made, "doing").tolist()) == {Activity.TRAVEL}
    assert np.array_equal(status(made, "place"), status(made, "home"))


# Following


def begin(made: Any, name: str, step: int = 0, until: int = 100) -> Any:
    agent = made.citizens.agents[0]
    agent.plan, agent.plan_step, agent.until = PLANS[name], step, until
    agent.doing = list_steps(PLANS[name])[step][0].doing
    return agent


def test_a_plan_lasts_as_long_as_the_same_is_scheduled(village: MakeVillage) -> None:
    made = planning(village, {0: Activity.REST, 18: Activity.HOUSEWORK})
    made.step()
    first = status(made, "plan")
    assert set(first.tolist()) == {AS_SCHEDULED_PLANS[NUMBERS[n]] for n in ("rest", "leisure")}
    for _ in range(2):
        made.step()
        assert np.array_equal(status(made, "plan"), first)
    made.step()
    assert set(main_steps(made).tolist()) == {"housework"}


@pytest.mark.parametrize("name", ["prepare", "pack", "away"])
def test_what_a_scenario_started_is_not_interrupted(village: MakeVillage, name: str) -> None:
    made = planning(village, {0: Activity.REST, 16: Activity.SLEEP}, agents=1)
    give(made, hunger=0.0)
    agent = begin(made, name, until=NEVER_ENDS)
    for _ in range(3):
        made.step()
    assert (agent.plan, agent.plan_step) == (PLANS[name], 0)


def test_a_finished_plan_gives_full_credit_and_a_memory(village: MakeVillage) -> None:
    made = planning(village, Activity.REST, agents=1)
    agent = begin(made, "television", until=0)
    made.step()
    assert agent.credit == 1
    (memory,) = agent.memory.observed.stream.read(range(9))
    assert memory.template in STEPS[NUMBERS["television"]].memories


def test_a_plan_that_is_not_finished_leaves_no_memory(village: MakeVillage) -> None:
    made = planning(village, Activity.REST, agents=1)
    agent = begin(made, "leisure", until=50)
    made.step()
    assert len(agent.memory.stream) == 0


def test_steps_follow_one_another(village: MakeVillage) -> None:
    made = planning(village, Activity.REST, agents=1)
    agent = begin(made, "prepare", until=1)
    seen = []
    for _ in range(3):
        made.step()
        seen.append((agent.plan_step, Activity(agent.doing)))
    assert seen == [(0, Activity.STOCK_UP), (1, Activity.FUEL), (2, Activity.SECURE_HOME)]


def test_agents_sleep_at_home_as_scheduled(village: MakeVillage) -> None:
    made = planning(village, {0: Activity.SLEEP, 7: Activity.REST, 23: Activity.SLEEP},
                    start="2026-01-03 22:00", agents=12)  # fmt: skip
    asleep = []
    for _ in range(10):
        made.step()
        at_home = status(made, "place") == status(made, "home")
        asleep.append(((status(made, "doing") == Activity.SLEEP) & at_home).mean())
    assert asleep == [0, *[1] * 8, 0]


def test_agents_always_do_what_their_plan_contains(lived: MakeVillage) -> None:
    made = lived(30, agents=60)
    activities = np.array([step.doing for step in STEPS])
    assert np.array_equal(status(made, "doing"), activities[current_steps(made)])
    assert current_steps(made)[status(made, "plan") > 0].all()


class ShortPlan(Citizen):
    """A citizen whose plans are declared without their type."""

    plan: int = attribute(0)


def test_plans_need_a_column_of_64_bits(village: MakeVillage) -> None:
    made = village(agents=3)
    diary = Scheduled(Activity.REST)
    made.give(made.populate(ShortPlan, 2), diary, MakePlan(diary))
    with pytest.raises(SchemaError, match="a plan has 64 bits"):
        made.step()


# Trips


def test_trips_lead_to_the_place_of_the_plan(lived: MakeVillage) -> None:
    made = lived(12, agents=60, start="2026-01-05")
    place, doing = status(made, "place"), status(made, "doing")
    assert np.array_equal(place, status(made, "target"))
    asleep = doing == Activity.SLEEP
    assert np.array_equal(place[asleep], status(made, "home")[asleep])
    working = doing == Activity.WORK
    assert working.any()
    assert np.array_equal(place[working], status(made, "workplace")[working])


def test_a_trip_takes_travel_time(village: MakeVillage) -> None:
    made = village(agents=3)
    made.give(made.citizens, Mobility())
    made.citizens.cohort()["target"] = np.array([0, 2, -1], np.int16)
    made.step()
    assert status(made, "trips").tolist() == [0, 1, 0]
    assert status(made, "place").tolist() == [0, 2, 2]
    minutes = made.place.travel_minutes[1, 2]
    assert status(made, "travel_minutes") == pytest.approx([0, minutes, 0])
    made.step()
    assert status(made, "trips").sum() == 0


# Minds


class Insists(Mind):
    """Wants to do one thing."""

    def __init__(self, plan: float) -> None:
        self.plan = plan
        self.asked: list[Question] = []

    def answer(self, question: Question) -> Answer:
        self.asked.append(question)
        return Answer(np.full(len(question.cohort), self.plan))


def test_a_feasible_plan_chosen_by_a_mind_is_followed(village: MakeVillage) -> None:
    made = planning(village, Activity.EAT)
    made.mind = Insists(NUMBERS["rest"])
    made.step()
    assert set(status(made, "plan").tolist()) == {AS_SCHEDULED_PLANS[NUMBERS["rest"]]}


def test_an_infeasible_plan_is_replaced_by_the_rule(village: MakeVillage) -> None:
    for wrong in ("work", "none", "pack", "eat at work", 255.0, -1.0, np.nan):
        made, ruled = (planning(village, Activity.EAT, agents=1) for _ in range(2))
        for society in (made, ruled):
            society.citizens.cohort()["employer"] = -1
        made.mind = Insists(NUMBERS[wrong] if isinstance(wrong, str) else wrong)
        for society in (made, ruled):
            society.step()
        assert status(made, "plan").tolist() == status(ruled, "plan").tolist()


def test_the_question_lists_possible_plans(village: MakeVillage) -> None:
    made = planning(village, Activity.REST)
    give(made, hunger=0.1)
    made.citizens.agents[0].hunger = 1.0
    made.mind = Insists(NUMBERS["rest"])
    made.step()
    (asked,) = made.mind.asked
    possible = [
        {option for option, can in zip(asked.options, row, strict=True) if can}
        for row in asked.known["possible"]
    ]
    assert possible[1] == {"eat at home", "eat out", "eat with a friend"}
    assert possible[0] == {"rest", "leisure"}
    assert asked.known["brief"][:2].tolist() == [False, True]
    assert set(main_steps(made).tolist()) == {"rest"}
    assert status(made, "until")[1] == 1  # it is only an hour where a need is urgent


def test_recorded_plans_name_their_steps(tmp_path: Path) -> None:
    society = Hurricane(
        agents=40, days=0.5, rng=2, start="2019-08-28T06:00", storm="none", record={"plans": True}
    )
    run = load_run(society.run(tmp_path / "run"))
    plans = run.decisions.query("kind == 'plan'")
    assert set(plans["mind"]) == {"rule"}
    assert {"sleep", "work", "eat at work", "television"} <= set(plans["choice"])


def test_settings_are_checked() -> None:
    with pytest.raises(MemopolisError):
        PlanSettings(hungry_at=2)


# Experience


def remember(made: Any, name: str, valence: float, times: int = 6) -> None:
    """Let all citizens remember a plan with a valence."""
    step = STEPS[NUMBERS[name]]
    for _ in range(times):
        made.citizens.cohort().memory.stream.add(
            step.topic, step.memories[0], importance=0.5, valence=valence
        )
    made.citizens.memory.flush()


def choices(village: MakeVillage, **valence: float) -> Any:
    """Share of 200 citizens due to socialise that meet after some experience."""
    made = planning(village, Activity.MEET, agents=200)
    for name, value in valence.items():
        remember(made, name, value)
    made.step()
    return (main_steps(made) == "meet").mean()


def test_citizens_prefer_what_they_remember_with_pleasure(village: MakeVillage) -> None:
    neutral = choices(village)
    assert choices(village, meet=0.9, message=-0.9) > neutral + 0.05
    assert choices(village, meet=-0.9, message=0.9) < neutral - 0.3


def test_citizens_share_plans_with_friends_they_remember_well(village: MakeVillage) -> None:
    made = planning(village, Activity.MEET, agents=60)
    people = made.citizens.agents
    liked = {}
    for agent in people:
        friends = agent.ties("friend")
        if len(friends) > 1:
            liked[agent.row] = friends[0].row
            for friend in friends:
                agent.memory.stream.add(
                    "social",
                    "I met {actor} in {place}.",
                    actor=friend,
                    importance=0.5,
                    valence=1.0 if friend is friends[0] else -1.0,
                )
    made.citizens.memory.flush()
    made.step()
    partner = status(made, "partner")
    chosen = [partner[row] == friend for row, friend in liked.items()]
    by_chance = [1 / len(people[row].ties("friend")) for row in liked]
    assert np.mean(chosen) > np.mean(by_chance) + 0.15


@pytest.mark.parametrize(
    ("activity", "topic", "text"),
    [
        (Activity.SHOP, "shortage", "A store in {place} had sold out."),
        (Activity.SPORT, "activity", STEPS[NUMBERS["sport"]].memories[2]),
        (Activity.RELIGION, "activity", STEPS[NUMBERS["worship"]].memories[2]),
    ],
)
def test_citizens_avoid_places_that_they_remember_badly(
    village: MakeVillage, activity: Activity, topic: str, text: str
) -> None:
    targets = {}
    for remembered in (False, True):
        made = planning(village, activity, Activity.TRAVEL, agents=300)
        if remembered:
            for _ in range(5):
                made.citizens.cohort().memory.stream.add(
                    topic, text, place=0, importance=0.6, valence=-0.9
                )
            made.citizens.memory.flush()
        made.step()
        assert set(status(made, "doing").tolist()) == {activity}
        targets[remembered] = (status(made, "target") == 0).mean()
    assert targets[False] > 0.2
    assert targets[True] == 0


@pytest.mark.parametrize("before", [Activity.TRAVEL, Activity.REST])
def test_without_a_way_there_an_outing_is_near(village: MakeVillage, before: Activity) -> None:
    made = planning(village, Activity.SPORT, before, agents=100)
    made.step()
    is_elsewhere = status(made, "target") != status(made, "home")
    assert is_elsewhere.any() == (before == Activity.TRAVEL)
    assert (status(made, "trips") == is_elsewhere).all()


def test_a_trip_takes_the_half_hour_before_unless_asleep(village: MakeVillage) -> None:
    for before in (Activity.HOUSEWORK, Activity.SLEEP, Activity.EAT):
        made = planning(village, Activity.WORK, before, agents=50)
        made.step()
        moved = status(made, "trips") > 0
        kept = before == Activity.SLEEP
        assert moved.any()
        assert not moved.all()
        expected = np.where(moved & ~np.array(kept), Activity.TRAVEL, before)
        assert (status(made, "doing_before") == expected).all()


def test_an_intention_raises_the_chance_of_its_plan(village: MakeVillage) -> None:
    shares = []
    for intention in ("none", "meet"):
        made = planning(village, Activity.MEET, agents=300)
        number = INTENTIONS.index(intention)
        made.citizens.cohort()["intention"] = np.full(300, number, np.uint8)
        made.step()
        shares.append((main_steps(made) == "meet").mean())
    assert shares[1] > shares[0] + 0.05
