"""Compose plans: add steps to a purpose that serve the next most urgent needs on the way.

A purpose comes from the Theory of Planned Behaviour (`planned_behaviour.py`). Which steps are
added, and when, is this project's and illustrative.
"""

from collections.abc import Mapping

import numpy as np

from memopolis.agents.activities import NEEDS_OF_STEPS
from memopolis.agents.plans import (
    HOUR_BITS,
    MAX_STEPS,
    hours_of,
    kind_of,
    need_of,
    pack_plans,
    unpack_plans,
)
from memopolis.sim.arrays import Array, Bools, Floats, Int64, Ints

type Known = Mapping[str, Array]

_FACTS = ("hungry", "unsafe", "lonely", "grown", "friends", "open", "outdoors", "hours",
          "shop_hours", "intention")  # fmt: skip


def compose_plans(purpose: Ints, known: Known) -> Int64:
    """Compose the plan of each agent for its purpose, a number below `EVERYDAY`, shape (agents,).

    - A meal at home begins with shopping if supplies are low as well.
    - Lunch at work is out if the agent intends that more than a meal at work.
    - A meeting ends with a meal together, if the agent is nearly hungry.
    - Free time and meals out are followed by a meeting, if the agent is nearly lonely.
    - Any outing, work included, ends with shopping if supplies are low.
    - After work with errands, or after shopping and free time if nearly hungry, the agent eats at
      home.

    `known` has, of shape (agents,): hungry, unsafe and lonely (whether each need may be served on
    the way), grown (old enough to shop), friends (has any), open (shops), outdoors (weather permits
    going out), shop_hours and hours (until shops close, until night); intention of each step, of
    shape (agents, EVERYDAY).
    """
    from memopolis.agents.plan_kernels import compose

    plan: Int64 = compose(purpose, *(known[name] for name in _FACTS))
    return plan


def drop_impossible_steps(
    plan: Int64, step: Ints, left: Floats, feasible: Bools, known: Known
) -> Int64:
    """Return interrupted plans without the remaining steps that are no longer possible.

    `step` is the number of the step at which each plan resumes, `left` its hours that are left.
    """
    codes = unpack_plans(plan)
    at = np.arange(MAX_STEPS)
    # Steps from the resumed one on, in front.
    shifted = np.minimum(at + step[:, None], MAX_STEPS - 1)
    rest = np.where(at + step[:, None] < MAX_STEPS, np.take_along_axis(codes, shifted, axis=1), 0)
    hours = hours_of(rest)
    hours[:, 0] = np.ceil(left)
    possible = select_possible_steps(kind_of(rest), hours, feasible, known)
    stays = kind_of(possible[:, 0]) == kind_of(rest[:, 0])
    possible[stays, 0] = rest[stays, 0]
    back = np.maximum(at - step[:, None], 0)
    resumed = np.take_along_axis(possible, back, axis=1)
    return pack_plans(np.where(at < step[:, None], codes, resumed), need_of(plan))


def select_possible_steps(kinds: Ints, hours: Ints, feasible: Bools, known: Known) -> Int64:
    """Return the ten bits of the steps of written plans that can be carried out, in their order.

    A step that is not possible at its time is left out: an outing at night, a visit to a closed
    shop, sleep before the night. Sleep lasts until the morning, and nothing follows it. Steps have
    shape (agents, 6), `feasible`, whether each kind is possible now, (agents, EVERYDAY).
    """
    from memopolis.agents.plan_kernels import select_possible_steps as select

    codes: Int64 = select(kinds, hours, feasible, known["hours"], known["shop_hours"])
    return codes


def pack_for_need(codes: Int64, need: Ints) -> Int64:
    """Return the numbers of plans, for the need if a step serves it, else for the first."""
    needs = NEEDS_OF_STEPS[codes >> HOUR_BITS]
    serves = ((needs == need[:, None]) & (codes > 0)).any(axis=1)
    return pack_plans(codes, np.where(serves, need, needs[:, 0]))
