"""Plans: what presses most, what breaks a plan off, and what comes of one."""

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from memopolis import load_run
from memopolis.agents.activities import (
    EVERYDAY,
    INDEFINITELY,
    LONGEST_STEP,
    NUMBERS,
    STEPS,
    UNTIL_MORNING,
    Activity,
    Need,
)
from memopolis.agents.block_settings import PlanSettings
from memopolis.agents.blocks import economy, needs, social
from memopolis.agents.blocks.mobility import Mobility
from memopolis.agents.blocks.needs import RELIEFS, Needs
from memopolis.agents.blocks.plan import FollowPlan, MakePlan, is_night
from memopolis.agents.citizen import Citizen
from memopolis.agents.planned_behaviour import find_feasible_steps, find_possible_purposes
from memopolis.agents.plans import PLANS, build_plan, find_step, kind_of, list_steps, need_of
from memopolis.agents.thoughts import INTENTIONS
from memopolis.scenarios.hurricane import moving
from memopolis.scenarios.hurricane.blocks import count_purchases, drive_out, evacuate
from memopolis.scenarios.hurricane.scenario import Hurricane
from memopolis.sim.errors import MemopolisError, SchemaError, StateError
from memopolis.sim.mind.mind import Answer, Mind, Question
from memopolis.sim.population import attribute, snake_case

MakeVillage = Callable[..., Any]

CONTENT = {"hunger": 1.0, "energy": 1.0, "safety": 1.0, "social": 1.0}


def give(village: Any, **status: Any) -> None:
    for name, value in (CONTENT | status).items():
        village.citizens.cohort()[name] = value


def hours(society: Any, count: int) -> None:
    for _ in range(count):
        society.step()


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


# What there is


@pytest.mark.parametrize("one", STEPS[1:], ids=[one.name for one in STEPS[1:]])
def test_a_step_has_a_duration_and_a_memory_or_three(one: Any) -> None:
    assert 1 <= one.hours <= LONGEST_STEP or one.hours in (UNTIL_MORNING, INDEFINITELY)
    assert 0 <= one.importance <= 1
    assert -1 <= one.valence <= 1
    assert len(one.memories) in (0, 1, 3)
    for text in one.memories:
        assert "{" not in text.replace("{place}", "").replace("{actor}", "")


def test_numbers_name_steps() -> None:
    assert [STEPS[number].name for number in NUMBERS.values()] == list(NUMBERS)
    assert NUMBERS["none"] == 0
    assert len(NUMBERS) == len(STEPS) <= 32


def test_every_step_names_a_block_that_carries_it_out() -> None:
    modules = (count_purchases, drive_out, evacuate, economy, needs, social)
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
    for step in STEPS[1:]:
        assert f"Activity.{step.doing.name}" in blocks[step.block], step.name


def test_every_activity_belongs_to_a_step() -> None:
    assert {step.doing for step in STEPS} == set(Activity)


def test_everyday_steps_are_not_started_by_a_scenario() -> None:
    for number, step in enumerate(STEPS):
        assert (step.need != Need.INTERVENTION) == (number < EVERYDAY)


@pytest.mark.parametrize(
    ("hour", "night"), [(22, True), (0, True), (5.5, True), (6, False), (21.9, False)]
)
def test_most_agents_sleep_at_night(hour: float, night: bool) -> None:  # noqa: FBT001
    assert is_night(hour, PlanSettings()) == night


# The most urgent need


@pytest.mark.parametrize(
    ("hour", "levels", "need"),
    [
        (15, {}, Need.ANYTHING),
        (15, {"social": 0.3}, Need.SOCIAL),
        (15, {"social": 0.3, "safety": 0.2}, Need.SAFE),
        (15, {"social": 0.1, "safety": 0.1, "energy": 0.2}, Need.TIRED),
        (15, {"energy": 0.1, "hunger": 0.2}, Need.HUNGRY),
        (23, {"social": 0.1, "safety": 0.1, "energy": 0.91}, Need.ANYTHING),
        (23, {"energy": 0.9}, Need.TIRED),
    ],
)
def test_the_most_urgent_need_comes_first(
    village: MakeVillage, hour: int, levels: dict[str, float], need: Need
) -> None:
    made = village(start=f"2026-01-03 {hour}:00")  # a Saturday
    block = MakePlan()
    made.give(made.citizens, block)
    give(made, **levels)
    assert set(block.urgent(made.citizens.cohort()).tolist()) == {need}


def test_work_is_more_urgent_than_company_and_less_than_hunger(village: MakeVillage) -> None:
    made = village(start="2026-01-05 07:00")  # a Monday
    block = MakePlan()
    made.give(made.citizens, block)
    give(made, social=0.1)
    everyone = made.citizens.cohort()
    employed = status(made, "employer") >= 0
    assert set(block.urgent(everyone)[employed].tolist()) == {Need.WORK}
    give(made, hunger=0.1)
    assert set(block.urgent(everyone).tolist()) == {Need.HUNGRY}


# Working


def workday(village: MakeVillage, days: int, start: str = "2026-01-05", **changes: Any) -> Any:
    made = village(start=start, **changes)
    made.give(made.citizens, Needs(), FollowPlan(), MakePlan(), Mobility())
    begun = np.zeros((days, len(made.citizens)), int)
    at_work = np.zeros((days, len(made.citizens)), int)
    before = status(made, "plan")
    for tick in range(24 * days):
        made.step()
        now = status(made, "plan")
        begun[tick // 24] += (main_steps(made) == "work") & (now != before)
        at_work[tick // 24] += status(made, "doing") == Activity.WORK
        before = now
    return made, begun, at_work


def test_workers_go_to_work_once_a_workday(village: MakeVillage) -> None:
    made, begun, at_work = workday(village, 7)
    employed = status(made, "employer") >= 0
    # A meal may break it off, and it is taken up again.
    assert begun[:5][:, employed].max() <= 3
    assert (begun[:5][:, employed] > 0).mean() > 0.9
    assert not begun[:, ~employed].any()
    # No agent works from Saturday on.
    assert not begun[5:].any()
    assert at_work.max() <= 8


def test_a_meal_does_not_end_the_workday(village: MakeVillage) -> None:
    made, _, at_work = workday(village, 5)
    employed = status(made, "employer") >= 0
    assert at_work[:, employed].mean() > 6


def test_a_day_of_work_is_remembered(village: MakeVillage) -> None:
    made, _, at_work = workday(village, 2)
    worker = made.citizens.agents[int(at_work[0].argmax())]
    assert at_work[0].max() == 8
    memories = [m.template for m in worker.memory.observed.stream.search("a day of work", k=50)]
    assert set(memories) & set(STEPS[NUMBERS["work"]].memories)


# Following


def follow(village: MakeVillage, **status_: Any) -> Any:
    made = village(start="2026-01-03 12:00", agents=1)
    made.give(made.citizens, FollowPlan(), MakePlan(), Mobility())
    give(made, **status_)
    return made


def begin(made: Any, name: str, step: int = 0, until: int = 100) -> Any:
    one = made.citizens.agents[0]
    one.plan, one.plan_step, one.until = PLANS[name], step, until
    one.doing = list_steps(PLANS[name])[step][0].doing
    return one


def test_a_plan_is_not_interrupted_without_an_urgent_need(village: MakeVillage) -> None:
    made = follow(village)
    one = begin(made, "leisure")
    hours(made, 5)
    assert one.plan == PLANS["leisure"]
    assert one.credit == 0


@pytest.mark.parametrize(
    ("name", "levels", "broken"),
    [
        ("leisure", {"hunger": 0.1}, True),
        ("meet", {"hunger": 0.1}, True),
        ("meet", {"safety": 0.1}, True),
        ("shop", {"social": 0.1}, False),
        ("nap", {"social": 0.1, "safety": 0.1}, False),
        ("nap", {"hunger": 0.1}, True),
        ("eat at home", {"energy": 0.1}, False),
        ("eat at home", {"hunger": 0.1}, False),
        ("prepare", {"hunger": 0.0, "energy": 0.0, "social": 0.0}, False),
        ("pack", {"hunger": 0.0, "energy": 0.0}, False),
        ("away", {"hunger": 0.0, "energy": 0.0}, False),
    ],
)
def test_only_a_more_urgent_need_interrupts_a_plan(
    village: MakeVillage,
    name: str,
    levels: dict[str, float],
    broken: bool,  # noqa: FBT001
) -> None:
    made = follow(village, **levels)
    one = begin(made, name)
    made.step()
    assert (one.plan != PLANS[name]) == broken


@pytest.mark.parametrize(("step", "credit"), [(0, 0.0), (2, 2 / 3)])
def test_completed_steps_of_a_plan_give_credit(
    village: MakeVillage, step: int, credit: float
) -> None:
    made = follow(village, hunger=0.1)
    one = begin(made, "work", step)
    made.step()
    assert need_of(np.array(one.plan)) == Need.HUNGRY
    assert one.credit == pytest.approx(credit)
    assert one.plan_step == 0
    assert one.paused_plan == PLANS["work"]


def test_a_meal_that_is_part_of_a_plan_is_not_interrupted_by_hunger(village: MakeVillage) -> None:
    made = follow(village, hunger=0.1)
    one = begin(made, "work", 1)
    made.step()
    assert (one.plan, one.plan_step) == (PLANS["work"], 1)


def test_a_finished_plan_gives_full_credit_and_a_memory(village: MakeVillage) -> None:
    made = follow(village)
    one = begin(made, "message", until=0)
    made.step()
    assert one.credit == 1
    (memory,) = one.memory.observed.stream.read(range(9))
    assert memory.template in STEPS[NUMBERS["message"]].memories


def test_an_interrupted_plan_leaves_no_memory(village: MakeVillage) -> None:
    made = follow(village, hunger=0.1)
    one = begin(made, "meet", until=50)
    made.step()
    assert len(one.memory.stream) == 0


def test_steps_follow_one_another(village: MakeVillage) -> None:
    made = follow(village)
    one = begin(made, "prepare", until=1)
    seen = []
    for _ in range(4):
        made.step()
        seen.append((one.plan_step, Activity(one.doing)))
    assert seen == [
        (0, Activity.STOCK_UP),
        (1, Activity.FUEL),
        (2, Activity.STOCK_UP),
        (3, Activity.SECURE_HOME),
    ]


def test_an_interrupted_plan_gives_way_to_one_that_serves_the_need(village: MakeVillage) -> None:
    made = follow(village, hunger=0.05)
    one = begin(made, "leisure")
    made.step()
    assert Activity(one.doing) == Activity.EAT


def test_night_ends_at_seven(village: MakeVillage) -> None:
    made = village(start="2026-01-03 23:00", agents=12)
    made.give(made.citizens, FollowPlan(), MakePlan(), Mobility())
    give(made, energy=0.1)
    made.step()
    assert set(status(made, "doing").tolist()) == {Activity.SLEEP}
    assert {made.clock.date_of(t).hour for t in status(made, "until").tolist()} == {7}


def test_agents_always_do_what_their_plan_contains(lived: MakeVillage) -> None:
    made = lived(30, agents=60)
    activities = np.array([step.doing for step in STEPS])
    assert np.array_equal(status(made, "doing"), activities[current_steps(made)])
    assert current_steps(made)[status(made, "plan") > 0].all()


# Needs and ways


def test_needs_stay_in_range_and_are_met_over_time(lived: MakeVillage) -> None:
    made = lived(24 * 4, agents=60)
    for need in CONTENT:
        level = status(made, need)
        assert ((level >= 0) & (level <= 1)).all()
    assert status(made, "hunger").mean() > 0.2
    assert status(made, "energy").mean() > 0.2


@pytest.mark.parametrize("relief", RELIEFS, ids=[f"{r.doing.name} {r.need}" for r in RELIEFS])
def test_an_activity_satisfies_its_need(village: MakeVillage, relief: Any) -> None:
    made = village(agents=1)
    made.give(made.citizens, Needs())
    one = made.citizens.agents[0]
    setattr(one, relief.need, 0.2)
    one.doing = relief.doing
    made.step()
    assert getattr(one, relief.need) == pytest.approx(min(0.2 + relief.hourly, 1), abs=1e-6)


class ShortPlan(Citizen):
    """A citizen whose plans are declared without their type."""

    plan: int = attribute(0)


def test_plans_need_a_column_of_64_bits(village: MakeVillage) -> None:
    made = village(agents=3)
    made.give(made.populate(ShortPlan, 2), MakePlan())
    with pytest.raises(SchemaError, match="a plan has 64 bits"):
        made.step()


def test_an_unknown_activity_is_refused(village: MakeVillage) -> None:
    made = village(agents=3)
    made.give(made.citizens, Needs())
    made.citizens.agents[1].doing = 200
    with pytest.raises(StateError, match="activity 200 is unknown"):
        made.step()


def test_two_half_hour_steps_equal_one_hour(village: MakeVillage) -> None:
    levels = []
    for tick in (0.5, 1.0):
        made = village(tick=tick)
        made.give(made.citizens, Needs())
        give(made)
        hours(made, round(2 / tick))
        levels.append(status(made, "hunger"))
    assert levels[0] == pytest.approx(levels[1], abs=1e-5)


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


def test_a_feasible_plan_chosen_by_a_mind_is_followed(village: MakeVillage) -> None:
    class Lazy(Mind):
        def answer(self, question: Question) -> Answer:
            return Answer(np.full(len(question.cohort), question.options.index("rest")))

    made = follow(village, hunger=0.0)
    made.mind = Lazy()
    made.step()
    assert main_steps(made).tolist() == ["rest"]


class Insists(Mind):
    """Wants to do one thing."""

    def __init__(self, plan: float) -> None:
        self.plan = plan
        self.asked: list[Question] = []

    def answer(self, question: Question) -> Answer:
        self.asked.append(question)
        return Answer(np.full(len(question.cohort), self.plan))


def test_an_infeasible_plan_is_replaced_by_the_rule(village: MakeVillage) -> None:
    for wrong in ("work", "none", "pack", "eat at work", 255.0, -1.0, np.nan):
        made = follow(village, hunger=0.0)
        made.citizens.cohort()["employer"] = -1
        ruled = follow(village, hunger=0.0)
        ruled.citizens.cohort()["employer"] = -1
        number = NUMBERS[wrong] if isinstance(wrong, str) else wrong
        made.mind = Insists(number)
        for one in (made, ruled):
            one.step()
        assert status(made, "plan").tolist() == status(ruled, "plan").tolist()


def test_the_question_lists_possible_plans(village: MakeVillage) -> None:
    made = village(start="2026-01-03 15:00")  # a Saturday
    made.give(made.citizens, MakePlan())
    give(made, hunger=0.1)
    give_one = made.citizens.cohort().where(np.arange(len(made.citizens)) < 1)
    give_one["hunger"] = 1.0
    made.mind = Insists(NUMBERS["rest"])
    made.step()
    (asked,) = made.mind.asked
    possible = [
        {option for option, can in zip(asked.options, row, strict=True) if can}
        for row in asked.known["possible"]
    ]
    assert possible[1] == {"eat at home", "eat out", "eat here"}
    assert possible[0] == {step.name for step in STEPS[1:] if step.need == Need.ANYTHING}


def test_possible_plans_equal_a_hand_made_table() -> None:
    def known(**changes: Any) -> dict[str, NDArray[Any]]:
        facts: dict[str, Any] = {
            "need": Need.SOCIAL,
            "night": False,
            "employed": True,
            "works": True,
            "grown": True,
            "friends": True,
            "open": True,
            "outdoors": True,
        }
        return {name: np.array([value]) for name, value in (facts | changes).items()}

    def names(table: NDArray[np.bool_]) -> set[str]:
        return {STEPS[number].name for number in np.flatnonzero(table[0])}

    assert names(find_possible_purposes(known())) == {"meet", "message"}
    assert names(find_possible_purposes(known(outdoors=False))) == {"message"}
    assert names(find_possible_purposes(known(need=Need.SAFE, open=False))) == {"rest"}
    assert names(find_possible_purposes(known(need=Need.TIRED, night=True))) == {"sleep"}
    assert names(find_possible_purposes(known(need=Need.WORK, employed=False))) == {"school"}
    assert names(find_possible_purposes(known(need=Need.HUNGRY))) == {
        "eat at home",
        "eat out",
        "eat here",
    }
    assert not names(find_feasible_steps(known())) & {"none", "sleep", "school"}
    assert {"work", "meet", "shop", "nap", "eat at work"} <= names(find_feasible_steps(known()))
    assert "eat with a friend" not in names(find_feasible_steps(known(friends=False)))
    assert not names(find_feasible_steps(known(works=False))) & {"work", "eat at work"}


def test_recorded_plans_name_their_steps(tmp_path: Path) -> None:
    society = Hurricane(
        agents=40, days=0.5, rng=2, start="2019-08-28T06:00", storm="none", record={"plans": True}
    )
    run = load_run(society.run(tmp_path / "run"))
    plans = run.decisions.query("kind == 'plan'")
    assert set(plans["mind"]) == {"rule"}
    assert "work 4 h, eat at work 1 h, work 4 h" in set(plans["choice"])
    assert any(plan.startswith("shop 1 h, eat at home 1 h") for plan in plans["choice"])


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
    """Plans that 200 citizens in need of company choose after some experience."""
    made = village(agents=200, start="2026-01-03 15:00")
    for name, value in valence.items():
        remember(made, name, value)
    made.give(made.citizens, MakePlan())
    give(made, social=0.1, hunger=0.9, energy=0.9, safety=0.9)
    made.step()
    return (main_steps(made) == "meet").mean()


def test_citizens_prefer_what_they_remember_with_pleasure(village: MakeVillage) -> None:
    neutral = choices(village)
    assert choices(village, meet=0.9, message=-0.9) > neutral + 0.2
    assert choices(village, meet=-0.9, message=0.9) < neutral - 0.2


def test_citizens_share_plans_with_friends_they_remember_well(village: MakeVillage) -> None:
    made = village(
        agents=60,
        start="2026-01-03 15:00",
    )
    people = made.citizens.agents
    liked = {}
    for one in people:
        friends = one.ties("friend")
        if len(friends) > 1:
            liked[one.row] = friends[0].row
            for friend in friends:
                one.memory.stream.add(
                    "social",
                    "I met {actor} in {place}.",
                    actor=friend,
                    importance=0.5,
                    valence=1.0 if friend is friends[0] else -1.0,
                )
    made.citizens.memory.flush()
    made.give(made.citizens, MakePlan())
    give(made, social=0.1, hunger=0.9, energy=0.9, safety=0.9)
    made.step()
    partner = made.citizens.cohort()["partner"]
    chosen = [partner[row] == friend for row, friend in liked.items()]
    by_chance = [1 / len(people[row].ties("friend")) for row in liked]
    assert np.mean(chosen) > np.mean(by_chance) + 0.15


def test_citizens_avoid_places_where_shelves_were_empty(village: MakeVillage) -> None:
    targets = {}
    for remembered in (False, True):
        made = village(agents=300, start="2026-01-03 15:00")
        if remembered:
            for _ in range(5):
                made.citizens.cohort().memory.stream.add(
                    "shortage", "A store in {place} had sold out.", place=0,
                    importance=0.6, valence=-0.9,
                )  # fmt: skip
            made.citizens.memory.flush()
        made.give(made.citizens, MakePlan())
        give(made, safety=0.1, social=0.9, hunger=0.9, energy=0.9)
        made.step()
        status = made.citizens.cohort()
        shopping = main_steps(made) == "shop"
        assert shopping.sum() > 50
        targets[remembered] = (status["target"][shopping] == 0).mean()
    assert targets[False] > 0.2
    assert targets[True] == 0


def test_the_shop_before_a_meal_is_chosen_by_memories_of_shopping(village: MakeVillage) -> None:
    targets = {}
    for remembered in (False, True):
        made = village(agents=300, start="2026-01-03 15:00")
        if remembered:
            stream = made.citizens.cohort().memory.stream
            stream.add(
                "shortage", "A store in {place} had sold out.", place=0, importance=0.6,
                valence=-0.9,
            )  # fmt: skip
            for n in range(PlanSettings().memories):
                meal = STEPS[NUMBERS["eat at home"]].memories[n % 2]
                stream.add("activity", f"{meal} {n}", importance=0.9, valence=0.3)
            made.citizens.memory.flush()
        made.give(made.citizens, MakePlan())
        give(made, hunger=0.1, safety=0.25)
        made.step()
        shopping = main_steps(made) == "shop"
        assert shopping.sum() > 50
        targets[remembered] = (status(made, "target")[shopping] == 0).mean()
    assert targets[False] > 0.2
    assert targets[True] == 0


@pytest.mark.parametrize(("hour", "left", "kept"), [(15, 3, True), (16, 5, False)])
def test_errands_are_checked_again_when_work_is_resumed(
    village: MakeVillage, hour: int, left: int, *, kept: bool
) -> None:
    made = village(agents=1, start=f"2026-01-05 {hour}:00")
    made.give(made.citizens, MakePlan())
    give(made)
    one = made.citizens.agents[0]
    one.workplace, one.employer, one.worked_on = 0, 0, made.clock.day
    steps = [("work", 4), ("eat at work", 1), ("work", 4), ("shop", 1), ("eat at home", 1)]
    one.paused_plan, one.paused_step, one.paused_ticks = build_plan(steps), 2, left
    made.step()
    # Shops close at 21.
    names = [step.name for step, _ in list_steps(one.plan)]
    assert names == [name for name, _ in steps if kept or name != "shop"]
    assert (one.plan_step, one.doing, one.until) == (2, Activity.WORK, left)


def test_an_errand_that_is_no_longer_possible_is_not_resumed(village: MakeVillage) -> None:
    made = village(agents=1, start="2026-01-05 06:00")
    made.give(made.citizens, MakePlan(PlanSettings(work_from=5.0)))
    give(made)
    one = made.citizens.agents[0]
    one.workplace, one.employer, one.worked_on = 0, 0, made.clock.day
    one.paused_plan, one.paused_step, one.paused_ticks = (
        build_plan([("shop", 1), ("work", 4)]),
        0,
        1,
    )
    made.step()
    assert one.plan == build_plan([("work", 4)], Need.SAFE)
    assert (one.doing, one.until) == (Activity.WORK, 4)


def test_an_intention_raises_the_chance_of_its_plan(village: MakeVillage) -> None:
    shares = []
    for intention in ("none", "meet"):
        made = village(agents=300, start="2026-01-03 15:00")
        made.give(made.citizens, MakePlan())
        give(made, social=0.1, hunger=0.9, energy=0.9, safety=0.9)
        number = INTENTIONS.index(intention)
        made.citizens.cohort()["intention"] = np.full(300, number, np.uint8)
        made.step()
        shares.append((main_steps(made) == "meet").mean())
    assert shares[1] > shares[0] + 0.05
