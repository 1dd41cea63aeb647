"""Composed plans: steps that serve the next needs on the way."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from memopolis.agents.activities import EVERYDAY, LONGEST_STEP, NUMBERS, STEPS, Need, Where
from memopolis.agents.composing import compose_plans, pack_for_need, select_possible_steps
from memopolis.agents.planned_behaviour import find_feasible_steps
from memopolis.agents.plans import (
    MAX_STEPS,
    PLANS,
    count_steps,
    describe_plan,
    list_steps,
    need_of,
    unpack_plans,
)

FACTS: dict[str, Any] = {
    "hungry": False,
    "unsafe": False,
    "lonely": False,
    "grown": True,
    "friends": True,
    "open": True,
    "outdoors": True,
    "night": False,
    "employed": True,
    "works": True,
    "hours": 10.0,
    "shop_hours": 9.0,
}


def situation(**changes: Any) -> dict[str, NDArray[Any]]:
    """Describe one agent."""
    known = {name: np.array([value]) for name, value in (FACTS | changes).items()}
    known.setdefault("intention", np.zeros((1, EVERYDAY), np.float32))
    return known


def compose(purpose: str, **changes: Any) -> str:
    plan = compose_plans(np.array([NUMBERS[purpose]]), situation(**changes))
    return describe_plan(int(plan[0])).replace(" 1 h", "")


@pytest.mark.parametrize(
    ("purpose", "changes", "plan"),
    [
        ("eat at home", {}, "eat at home"),
        ("eat at home", {"unsafe": True}, "shop, eat at home"),
        ("eat at home", {"unsafe": True, "grown": False}, "eat at home"),
        ("eat at home", {"unsafe": True, "open": False}, "eat at home"),
        ("eat at home", {"unsafe": True, "outdoors": False}, "eat at home"),
        ("eat at home", {"unsafe": True, "hours": 1.5}, "eat at home"),
        ("eat here", {"unsafe": True, "lonely": True}, "eat here"),
        ("eat out", {"lonely": True}, "eat out, meet 2 h"),
        ("meet", {"hungry": True}, "meet 2 h, eat with a friend"),
        ("meet", {"hungry": True, "friends": False}, "meet 2 h"),
        ("meet", {"hungry": True, "unsafe": True}, "meet 2 h, eat with a friend, shop"),
        ("leisure", {"lonely": True, "hungry": True}, "leisure 2 h, meet 2 h, eat at home"),
        ("leisure", {"lonely": True, "hours": 3.0}, "leisure 2 h"),
        ("shop", {"hungry": True}, "shop, eat at home"),
        ("shop", {"unsafe": True}, "shop"),
        ("work", {"hungry": True}, "work 4 h, eat at work, work 4 h"),
        ("work", {"unsafe": True, "hours": 12.0, "shop_hours": 11.0},
         "work 4 h, eat at work, work 4 h, shop, eat at home"),
        ("work", {"unsafe": True}, "work 4 h, eat at work, work 4 h"),  # shops close before
        ("sleep", {"hungry": True, "unsafe": True, "lonely": True}, "sleep"),
        ("rest", {"hungry": True, "unsafe": True, "lonely": True}, "rest 2 h"),
        ("message", {"unsafe": True}, "message"),
    ],
)  # fmt: skip
def test_steps_are_added_for_the_next_needs(
    purpose: str, changes: dict[str, Any], plan: str
) -> None:
    assert compose(purpose, **changes) == plan


def test_lunch_is_out_for_those_who_intend_it() -> None:
    likes = np.zeros((1, EVERYDAY), np.float32)
    likes[0, NUMBERS["eat out"]] = 1
    out = "work 4 h, eat out, work 4 h"
    assert compose("work") == out.replace("eat out", "eat at work")
    plan = compose_plans(np.array([NUMBERS["work"]]), situation() | {"intention": likes})
    assert describe_plan(int(plan[0])).replace(" 1 h", "") == out
    closed = situation(open=False) | {"intention": likes}
    assert compose_plans(np.array([NUMBERS["work"]]), closed)[0] == PLANS["work"]


purposes = st.integers(1, EVERYDAY - 1)
hours = st.floats(0, 16)


@st.composite
def situations(draw: st.DrawFn) -> dict[str, NDArray[Any]]:
    names = [name for name, value in FACTS.items() if isinstance(value, bool)]
    known = situation(**{name: draw(st.booleans()) for name in names})
    left = 0.0 if known["night"][0] else draw(hours)
    known["hours"] = np.array([left])
    known["shop_hours"] = np.array([min(left, draw(hours)) if known["open"][0] else 0.0])
    intentions = st.lists(st.floats(-2, 2, width=32), min_size=EVERYDAY, max_size=EVERYDAY)
    known["intention"] = np.array([draw(intentions)], np.float32)
    return known


@given(purposes, situations())
def test_a_composed_plan_is_short_feasible_and_ends_at_home_after_a_meal_there(
    purpose: int, known: dict[str, NDArray[Any]]
) -> None:
    plan = compose_plans(np.array([purpose]), known)
    steps = list_steps(int(plan[0]))
    main = list_steps(PLANS[STEPS[purpose].name])
    assert 1 <= len(steps) <= 5 < MAX_STEPS
    # It serves the need of its purpose, whose steps it contains.
    assert need_of(plan)[0] == STEPS[purpose].need
    names = [step.name for step, _ in steps]
    basic = [step.name for step, _ in main]
    assert basic[0] in names
    # Everything that is added is possible, and ends before the night.
    feasible = {STEPS[n].name for n in np.flatnonzero(find_feasible_steps(known)[0])}
    added = [name for name in names if name not in basic]
    assert set(added) <= feasible
    if len(steps) > len(main):
        assert sum(length for _, length in steps) <= known["hours"][0]
    # No outing follows a meal at home.
    assert "eat at home" not in names[:-1]


@given(st.lists(purposes, min_size=1, max_size=8), situations())
def test_agents_do_not_depend_on_each_other(
    several: list[int], known: dict[str, NDArray[Any]]
) -> None:
    many = {name: np.repeat(values, len(several), axis=0) for name, values in known.items()}
    together = compose_plans(np.array(several), many)
    alone = [compose_plans(np.array([one]), known)[0] for one in several]
    assert together.tolist() == alone


# Written plans


def select(kinds: list[str], lengths: list[int], **changes: Any) -> str:
    known = situation(**changes)
    number = np.zeros((1, MAX_STEPS), np.intp)
    number[0, : len(kinds)] = [NUMBERS[kind] for kind in kinds]
    length = np.ones((1, MAX_STEPS), np.intp)
    length[0, : len(lengths)] = lengths
    codes = select_possible_steps(number, length, find_feasible_steps(known), known)
    return describe_plan(int(pack_for_need(codes, np.array([Need.HUNGRY]))[0])).replace(" 1 h", "")


def test_steps_that_are_not_possible_at_their_time_are_left_out() -> None:
    assert select(["shop", "eat at home"], [1, 1]) == "shop, eat at home"
    assert select(["rest", "shop", "eat at home"], [9, 1, 1]) == "rest 9 h, eat at home"
    assert select(["shop", "rest"], [1, 2], open=False) == "rest 2 h"
    assert select(["meet", "school", "rest"], [2, 7, 1]) == "meet 2 h, rest"
    assert select(["rest", "leisure"], [9, 2]) == "rest 9 h"
    assert select(["sleep", "rest"], [8, 1]) == "rest"  # by day
    assert select(["rest", "sleep", "leisure"], [10, 8, 1]) == "rest 10 h, sleep"
    assert select(["nap", "nap"], [2, 40]) == f"nap 2 h, nap {LONGEST_STEP} h"
    assert select(["work"], [4], works=False) == "none"


@given(
    st.lists(st.integers(0, EVERYDAY - 1), min_size=6, max_size=6),
    st.lists(st.integers(-3, 99), min_size=6, max_size=6),
    situations(),
)
def test_selected_steps_are_in_range_and_outings_end_before_night(
    kinds: list[int], lengths: list[int], known: dict[str, NDArray[Any]]
) -> None:
    codes = select_possible_steps(
        np.array([kinds]), np.array([lengths]), find_feasible_steps(known), known
    )
    count = np.count_nonzero(codes)
    assert not codes[0, count:].any()
    assert codes.max() < 1 << 10
    plan = pack_for_need(codes, np.array([Need.SAFE]))
    assert count_steps(plan)[0] == count
    assert unpack_plans(plan).tolist() == codes.tolist()
    elapsed = 0
    for step, length in list_steps(int(plan[0])):
        assert 1 <= length <= LONGEST_STEP or step.name == "sleep"
        if step.where >= Where.SHOP and elapsed:
            assert elapsed + length <= known["hours"][0]
        elapsed += length


def test_a_plan_serves_the_most_urgent_need_if_a_step_does() -> None:
    eat = unpack_plans(np.array([PLANS["eat at home"]]))
    assert need_of(pack_for_need(eat, np.array([Need.HUNGRY])))[0] == Need.HUNGRY
    assert need_of(pack_for_need(eat, np.array([Need.TIRED])))[0] == Need.HUNGRY
    rest = unpack_plans(np.array([PLANS["rest"]]))
    assert need_of(pack_for_need(rest, np.array([Need.HUNGRY])))[0] == Need.ANYTHING
