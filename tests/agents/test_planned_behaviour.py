"""Steps of written plans: which can be carried out at their time."""

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from memopolis.agents.activities import (
    AS_SCHEDULED,
    EVERYDAY,
    LONGEST_STEP,
    NUMBERS,
    Activity,
    Need,
    Where,
)
from memopolis.agents.planned_behaviour import (
    GATES,
    POSSIBLE_PURPOSES,
    find_feasible_steps,
    find_possible_purposes,
    number_situations,
    pack_for_need,
    select_possible_steps,
)
from memopolis.agents.plans import (
    MAX_STEPS,
    PLANS,
    count_steps,
    describe_plan,
    list_steps,
    need_of,
    unpack_plans,
)


def situation(**changes: Any) -> dict[str, NDArray[Any]]:
    """Describe one agent who is at home in free time, ten hours before sleep."""
    facts = dict.fromkeys(GATES, True) | {"at_work": False, "activity": Activity.REST}
    facts |= {"hours": 10.0, "shop_hours": 9.0} | changes
    return {name: np.array([value]) for name, value in facts.items()}


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
    assert select(["rest"], [40]) == f"rest {LONGEST_STEP} h"
    assert select(["work"], [4], works=False) == "none"
    assert select(["leisure", "rest"], [1, 1], independent=False) == "rest"


@st.composite
def situations(draw: st.DrawFn) -> dict[str, NDArray[Any]]:
    gates = {name: draw(st.booleans()) for name in GATES}
    left, shops = draw(st.floats(0, 16)), draw(st.floats(0, 16))
    hours = {"hours": left, "shop_hours": shops if gates["open"] else 0.0}
    return situation(activity=draw(st.sampled_from(Activity)), **gates, **hours)


@given(
    st.lists(st.integers(0, EVERYDAY - 1), min_size=6, max_size=6),
    st.lists(st.integers(-3, 99), min_size=6, max_size=6),
    situations(),
)
def test_selected_steps_are_in_range_and_outings_end_before_sleep_and_work(
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
        assert 1 <= length <= LONGEST_STEP or (step.name, length) == ("sleep", AS_SCHEDULED)
        if step.where >= Where.SHOP and elapsed:
            assert elapsed + length <= known["hours"][0]
        elapsed += length


@given(situations())
def test_the_table_of_situations_has_what_is_possible_in_each(
    known: dict[str, NDArray[Any]],
) -> None:
    table = POSSIBLE_PURPOSES[number_situations(known)]
    assert np.array_equal(table, find_possible_purposes(known))
    assert table.any()


def test_a_plan_serves_the_most_urgent_need_if_a_step_does() -> None:
    eat = unpack_plans(np.array([PLANS["eat at home"]]))
    assert need_of(pack_for_need(eat, np.array([Need.HUNGRY])))[0] == Need.HUNGRY
    assert need_of(pack_for_need(eat, np.array([Need.TIRED])))[0] == Need.HUNGRY
    rest = unpack_plans(np.array([PLANS["rest"]]))
    assert need_of(pack_for_need(rest, np.array([Need.HUNGRY])))[0] == Need.ANYTHING
