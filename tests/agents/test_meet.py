"""Friends who meet are at one place, and both remember it."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from memopolis.agents.activities import DOING_OF_STEPS, NEVER_ENDS, NUMBERS, Activity
from memopolis.agents.blocks.meet import Meet
from memopolis.agents.plans import AS_SCHEDULED_PLANS, PLANS

MakeVillage = Callable[..., Any]


def gathering(village: MakeVillage, plans: dict[int, tuple[str, int]], agents: int = 6) -> Any:
    """Some citizens follow a plan with a friend, by row; all others rest at home."""
    made = village(agents=agents, start="2026-01-01 18:00")
    people = made.citizens.cohort()
    people["place"] = people["target"] = people["home"]
    people["scheduled"] = people["follows"] = int(Activity.REST)
    people["until"] = NEVER_ENDS
    for name in ("plan", "doing"):
        table = AS_SCHEDULED_PLANS if name == "plan" else DOING_OF_STEPS
        people[name] = np.full(agents, table[NUMBERS["rest"]])
    people["partner"] = -1
    for row, (step, friend) in plans.items():
        one = made.citizens.at(np.array([row]))
        one["plan"], one["doing"] = AS_SCHEDULED_PLANS[NUMBERS[step]], DOING_OF_STEPS[NUMBERS[step]]
        one["partner"] = friend
    made.give(made.citizens, Meet())
    return made


def memories(made: Any, row: int) -> list[Any]:
    return list(made.citizens.agents[row].memory.observed.stream.read(range(99)))


def doing(made: Any, row: int) -> Activity:
    return Activity(int(made.citizens["doing"][row]))


def test_a_guest_comes_and_both_remember_the_same(village: MakeVillage) -> None:
    made = gathering(village, {0: ("meet", 1)})
    made.step()
    one, other = made.citizens.agents[:2]
    assert doing(made, 0) == doing(made, 1) == Activity.MEET
    assert one.target == other.target == other.home
    assert (one.partner, other.partner) == (1, 0)
    (mine,), (theirs,) = memories(made, 0), memories(made, 1)
    assert (mine.actor, theirs.actor) == (other.unique_id, one.unique_id)
    assert mine.template.startswith("I met {actor} in {place}")
    for name in ("template", "place", "time", "valence", "importance"):
        assert getattr(mine, name) == getattr(theirs, name)
    made.step()
    assert len(memories(made, 0)) == len(memories(made, 1)) == 1  # one occasion


def test_messages_are_remembered_by_both_who_go_on_with_what_they_do(village: MakeVillage) -> None:
    made = gathering(village, {0: ("message", 1)})
    made.step()
    made.step()
    assert doing(made, 1) == Activity.REST
    (mine,), (theirs,) = memories(made, 0), memories(made, 1)
    assert mine.template == theirs.template
    assert theirs.actor == made.citizens.agents[0].unique_id


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("doing", int(Activity.SLEEP)),
        ("doing", int(Activity.WORK)),
        ("doing", int(Activity.AWAY)),
        ("doing", int(Activity.EAT)),
        ("place", -1),
        ("age", 11),
        ("plan", PLANS["prepare"]),
    ],
)
def test_a_friend_without_time_is_not_met(village: MakeVillage, name: str, value: int) -> None:
    made = gathering(village, {0: ("meet", 1)})
    made.citizens.at(np.array([1]))[name] = value
    before = doing(made, 1)
    made.step()
    assert doing(made, 0) == Activity.REST
    assert made.citizens["target"][0] == made.citizens["home"][0]
    assert made.citizens["partner"][0] == -1
    assert doing(made, 1) == before
    assert not memories(made, 0)
    assert not memories(made, 1)


def test_a_friend_who_eats_is_joined_for_a_meal(village: MakeVillage) -> None:
    made = gathering(village, {0: ("eat with a friend", 1)})
    made.citizens.at(np.array([1]))["doing"] = int(Activity.EAT)
    made.step()
    assert doing(made, 0) == doing(made, 1) == Activity.EAT
    assert memories(made, 1)[0].template.startswith("I had a ")


@pytest.mark.parametrize(
    "plans",
    [
        {0: ("meet", 1), 1: ("meet", 0)},
        {0: ("meet", 1), 2: ("meet", 1)},
        {0: ("meet", 1), 1: ("meet", 2), 2: ("meet", 0)},
    ],
)
def test_a_company_of_several_is_at_one_place(
    village: MakeVillage, plans: dict[int, tuple[str, int]]
) -> None:
    made = gathering(village, plans)
    made.step()
    meeting = [row for row in range(6) if doing(made, row) == Activity.MEET]
    assert len(meeting) in (2, 3)
    assert len({int(made.citizens["target"][row]) for row in meeting}) == 1
    ids = made.citizens.ids
    met = [(int(ids[row]), event.actor) for row in range(6) for event in memories(made, row)]
    pairs = set(met)
    assert pairs
    assert len(met) == len(pairs)  # also if two seek each other
    assert pairs == {(other, one) for one, other in pairs}


def test_a_guest_whose_host_leaves_goes_home(village: MakeVillage) -> None:
    made = gathering(village, {0: ("meet", 1)})
    made.step()
    host = made.citizens.at(np.array([1]))
    host["plan"], host["doing"] = AS_SCHEDULED_PLANS[NUMBERS["care"]], int(Activity.CARE)
    made.step()
    assert doing(made, 0) == Activity.REST
    assert made.citizens["target"][0] == made.citizens["home"][0]


def test_a_host_turns_to_the_guest_who_stays(village: MakeVillage) -> None:
    made = gathering(village, {0: ("meet", 1), 2: ("meet", 1)})
    made.step()
    first = int(made.citizens["partner"][1])
    other = 2 - first
    leaving = made.citizens.at(np.array([first]))
    leaving["plan"], leaving["doing"] = AS_SCHEDULED_PLANS[NUMBERS["care"]], int(Activity.CARE)
    made.step()
    assert made.citizens["partner"][1] == other
    assert doing(made, 1) == doing(made, other) == Activity.MEET
    assert len(memories(made, 1)) == 2


def test_both_remember_what_occupied_the_guest(village: MakeVillage) -> None:
    made = gathering(village, {0: ("meet", 1), 3: ("meet", 4)})
    made.citizens.agents[0].memory.stream.add("disaster", "A tree fell.", importance=0.8)
    made.citizens.memory.flush()
    made.step()
    for row in (0, 1):
        assert memories(made, row)[-1].template.endswith(" We talked about the storm.")
    assert "talked" not in memories(made, 3)[0].template
