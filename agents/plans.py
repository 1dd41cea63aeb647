"""Plans as numbers: up to six steps, and the need that they serve, in 64 bits.

Ten bits hold a step: its kind (the number in `STEPS`) times 32, plus its hours. The first step is
in the lowest bits, the need in the three highest. Equal plans are equal numbers, and 0 is no plan,
so a plan is a status attribute like any other.
"""

from collections.abc import Sequence

import numpy as np

from memopolis.agents.activities import (
    AS_SCHEDULED,
    BASIC_PLANS,
    EVERYDAY,
    LONGEST_STEP,
    NUMBERS,
    STEPS,
    Need,
    Step,
)
from memopolis.sim.arrays import Int64, Intp, Ints, UInt8
from memopolis.sim.errors import ParameterError
from memopolis.sim.mind.mind import MOST_STEPS

MAX_STEPS = MOST_STEPS
STEP_BITS = 10
HOUR_BITS = 5
NEED_AT = MAX_STEPS * STEP_BITS
_STEP, _HOURS = (1 << STEP_BITS) - 1, (1 << HOUR_BITS) - 1
ALL_STEPS = (1 << NEED_AT) - 1
_FIRST = 1 << (STEP_BITS * np.arange(MAX_STEPS))  # smallest plan with 1, 2, ... steps

# By the ten bits of a step; unknown kinds count as none.
KINDS = np.arange(1 << STEP_BITS) >> HOUR_BITS
KINDS = np.where(len(STEPS) > KINDS, KINDS, 0).astype(np.uint8)


def code_step(name: str, hours: int) -> int:
    """Return the ten bits of a step."""
    return (NUMBERS[name] << HOUR_BITS) | hours


def build_plan(steps: Sequence[tuple[str, int]], need: Need | None = None) -> int:
    """Return the number of a plan of named steps with hours, for the need of its first step.

    Raises ParameterError if there are no steps or too many.
    """
    if not 1 <= len(steps) <= MAX_STEPS:
        raise ParameterError(f"a plan has {len(steps)} steps; allowed are 1 to {MAX_STEPS}")
    codes = np.zeros((1, MAX_STEPS), np.int64)
    codes[0, : len(steps)] = [code_step(*step) for step in steps]
    if need is None:
        need = STEPS[NUMBERS[steps[0][0]]].need
    return int(pack_plans(codes, np.array([need]))[0])


def pack_plans(codes: Ints, need: Ints) -> Int64:
    """Return the numbers of plans by their steps, shape (agents, 6), and needs; 0 without steps.

    No step may follow an empty one, 0.
    """
    plan = np.zeros(len(codes), np.int64)
    for at in range(MAX_STEPS):
        plan |= codes[:, at].astype(np.int64) << (STEP_BITS * at)
    return np.where(plan > 0, plan | (need.astype(np.int64) << NEED_AT), 0)


def unpack_plans(plan: Int64) -> Int64:
    """Return the steps of plans, 0 for none, shape (agents, 6)."""
    return (plan[:, None] >> (STEP_BITS * np.arange(MAX_STEPS))) & _STEP


def find_step(plan: Int64, at: Ints) -> Int64:
    """Return the ten bits of one step of each plan, 0 for none, shape (agents,)."""
    return np.asarray((plan & ALL_STEPS) >> (STEP_BITS * at.astype(np.int64))) & _STEP


def set_step(plan: Int64, at: Ints, code: Ints) -> Int64:
    """Return plans with one step replaced by the step of the given ten bits."""
    shift = STEP_BITS * at.astype(np.int64)
    return np.asarray((plan & ~(_STEP << shift)) | (code.astype(np.int64) << shift))


def kind_of(code: Ints) -> UInt8:
    """Return the kind of steps from their ten bits."""
    return np.asarray(KINDS[code])


def hours_of(code: Ints) -> Ints:
    """Return the hours of steps from their ten bits."""
    return code & _HOURS


def count_steps(plan: Int64) -> Intp:
    """Return the number of steps of plans, shape (agents,)."""
    return np.searchsorted(_FIRST, plan & ALL_STEPS, side="right")


def need_of(plan: Int64) -> UInt8:
    """Return the need that plans serve, shape (agents,)."""
    return (plan >> NEED_AT).astype(np.uint8)


def list_steps(plan: int) -> list[tuple[Step, int]]:
    """Return the kind and hours of each step of a plan."""
    codes = unpack_plans(np.array([plan]))[0]
    return [(STEPS[int(kind_of(code))], int(hours_of(code))) for code in codes if code]


def describe_plan(plan: int) -> str:
    """Describe the steps of a plan, as in "shop 1 h, eat at home 1 h"; "none" for no plan."""
    parts = (
        f"{step.name} {hours} h" if hours <= LONGEST_STEP else step.name
        for step, hours in list_steps(plan)
    )
    return ", ".join(parts) or "none"


AS_SCHEDULED_PLANS = np.array(
    [0, *(build_plan([(step.name, AS_SCHEDULED)]) for step in STEPS[1:EVERYDAY])], np.int64
)
"""Number of the plan to do one everyday step as long as the diary schedules the same."""

BRIEF_PLANS = np.array([0, *(build_plan([(step.name, 1)]) for step in STEPS[1:EVERYDAY])], np.int64)
"""Number of the plan to do one everyday step for an hour."""

PLANS: dict[str, int] = {step.name: build_plan([(step.name, step.hours)]) for step in STEPS[1:]} | {
    name: build_plan(steps) for name, steps in BASIC_PLANS.items()
}
"""Number of the basic plan of each purpose."""
