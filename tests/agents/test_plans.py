"""Plans as numbers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memopolis.agents.activities import AS_SCHEDULED, EVERYDAY, INDEFINITELY, NUMBERS, STEPS, Need
from memopolis.agents.planned_behaviour import contains
from memopolis.agents.plans import (
    AS_SCHEDULED_PLANS,
    BRIEF_PLANS,
    MAX_STEPS,
    PLANS,
    build_plan,
    code_step,
    count_steps,
    describe_plan,
    find_step,
    hours_of,
    kind_of,
    list_steps,
    need_of,
    set_step,
    unpack_plans,
)
from memopolis.sim.errors import ParameterError

steps = st.lists(
    st.tuples(st.sampled_from(list(NUMBERS)[1:]), st.integers(1, 31)), min_size=1, max_size=6
)


@given(steps, st.sampled_from(Need))
def test_a_number_holds_the_steps_and_the_need(given_: list[tuple[str, int]], need: Need) -> None:
    plan = build_plan(given_, need)
    assert [(step.name, hours) for step, hours in list_steps(plan)] == given_
    array = np.array([plan, 0])
    assert need_of(array)[0] == need
    assert count_steps(array).tolist() == [len(given_), 0]
    for at, (name, hours) in enumerate(given_):
        code = find_step(array, np.array([at, at]))
        assert (kind_of(code)[0], hours_of(code)[0]) == (NUMBERS[name], hours)
        assert (code > 0).tolist() == [True, False]
    assert find_step(array, np.array([len(given_)] * 2)).tolist() == [0, 0]


@given(steps, steps)
def test_equal_plans_have_equal_numbers(
    one: list[tuple[str, int]], other: list[tuple[str, int]]
) -> None:
    assert (build_plan(one, Need.SAFE) == build_plan(other, Need.SAFE)) == (one == other)


@given(steps, st.data())
def test_one_step_can_be_replaced(given_: list[tuple[str, int]], data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(given_) - 1))
    other = data.draw(st.sampled_from(list(NUMBERS)[1:]))
    changed = set_step(
        np.array([build_plan(given_, Need.SAFE)]), np.array([at]), np.array([code_step(other, 3)])
    )
    expected = [*given_[:at], (other, 3), *given_[at + 1 :]]
    assert changed[0] == build_plan(expected, Need.SAFE)


@given(steps, st.integers(-1, MAX_STEPS + 2))
def test_contains_looks_at_later_steps_only(given_: list[tuple[str, int]], start: int) -> None:
    kinds = np.array([step.need == Need.HUNGRY for step in STEPS])
    names = [name for name, _ in given_[max(start, 0) :]]
    expected = any(STEPS[NUMBERS[name]].need == Need.HUNGRY for name in names)
    assert contains(np.array([build_plan(given_)]), kinds, np.array([start]))[0] == expected


def test_plans_have_one_to_six_steps() -> None:
    for number in (0, MAX_STEPS + 1):
        with pytest.raises(ParameterError, match="allowed are 1 to 6"):
            build_plan([("rest", 1)] * number)
    assert (count_steps(np.array(list(PLANS.values()))) <= MAX_STEPS).all()


def test_a_number_of_no_kind_counts_as_none() -> None:
    # A kind that a later version may know.
    assert kind_of(np.array([31 << 5])).tolist() == [0]
    assert unpack_plans(np.array([0])).tolist() == [[0] * MAX_STEPS]


def test_plans_are_described_by_their_steps() -> None:
    assert describe_plan(0) == "none"
    assert describe_plan(build_plan([("shop", 1), ("sleep", AS_SCHEDULED)])) == "shop 1 h, sleep"
    assert describe_plan(PLANS["prepare"]) == ("stock up 1 h, fuel 1 h, secure home 1 h")
    assert describe_plan(PLANS["stock up and pack"]) == "stock up 1 h, fuel 1 h, pack"
    assert list_steps(PLANS["away"])[0][1] == INDEFINITELY


def test_everyday_plans_have_one_step_for_an_hour_or_as_scheduled() -> None:
    for kind in range(1, EVERYDAY):
        assert list_steps(int(BRIEF_PLANS[kind])) == [(STEPS[kind], 1)]
        assert list_steps(int(AS_SCHEDULED_PLANS[kind])) == [(STEPS[kind], AS_SCHEDULED)]
    assert BRIEF_PLANS[0] == AS_SCHEDULED_PLANS[0] == 0


def test_basic_plans_serve_the_need_of_their_purpose() -> None:
    for name, need in (("work", Need.WORK), ("prepare", Need.INTERVENTION), ("shop", Need.SAFE)):
        assert need_of(np.array([PLANS[name]]))[0] == need
