"""Activities of citizens, and the plans that consist of them.

A plan serves one need and has at most six steps. Each step is one activity at one kind of place
for some hours. Blocks select citizens by the number of their activity.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

MAX_STEPS = 6


class Activity(IntEnum):
    """Activity of a citizen in a step; stored in the attribute `doing`."""

    IDLE = 0
    SLEEP = 1
    EAT = 2
    WORK = 3
    SCHOOL = 4
    SHOP = 5
    MEET = 6
    MESSAGE = 7
    LEISURE = 8
    REST = 9
    STOCK_UP = 10
    FUEL = 11
    SECURE_HOME = 12
    PACK = 13
    AWAY = 14


class Where(IntEnum):
    """Kind of place where a step takes place."""

    HERE = 0
    HOME = 1
    WORKPLACE = 2
    SHOP = 3
    FRIEND = 4
    NEAR = 5


class Need(IntEnum):
    """Need that a plan serves, from most to least urgent.

    Source:
        Priorities of AgentSociety 1.5.7; treating school like work is this project's.
    """

    INTERVENTION = 0
    HUNGRY = 1
    TIRED = 2
    WORK = 3
    SAFE = 4
    SOCIAL = 5
    ANYTHING = 6


@dataclass(frozen=True)
class Step:
    """One step of a plan: an activity at a kind of place for some hours."""

    doing: Activity
    where: Where
    hours: float


@dataclass(frozen=True)
class Plan:
    """A plan that a citizen may choose.

    Attributes:
        name: Name, also an option of the question "plan".
        need: Need that it serves.
        steps: At most six steps.
        memory: Template of the memory that a completed plan leaves.
        topic: Topic of that memory.
        importance: Importance of that memory, in [0, 1] (illustrative).
        valence: Valence of that memory, in [-1, 1] (illustrative).
        attitude: How well liked it is (illustrative, Theory of Planned Behaviour).
        norm: How usual it is (illustrative).
    """

    name: str
    need: Need
    steps: tuple[Step, ...]
    memory: str
    topic: str = "activity"
    importance: float = 0.1
    valence: float = 0.1
    attitude: float = 0.5
    norm: float = 0.5


# Durations, importances, attitudes and norms are illustrative; needs and which plan serves
# them follow AgentSociety 1.5.7.
PLANS: tuple[Plan, ...] = (
    Plan("none", Need.ANYTHING, (), ""),
    Plan(
        "sleep",
        Need.TIRED,
        (Step(Activity.SLEEP, Where.HOME, 8),),
        "I slept at home.",
        importance=0.04,
    ),
    Plan(
        "nap",
        Need.TIRED,
        (Step(Activity.SLEEP, Where.HOME, 2),),
        "I rested for a while at home.",
        importance=0.04,
    ),
    Plan(
        "eat at home",
        Need.HUNGRY,
        (Step(Activity.EAT, Where.HOME, 1),),
        "I had a meal at home.",
        importance=0.05,
        attitude=0.7,
        norm=0.7,
    ),
    Plan(
        "eat out",
        Need.HUNGRY,
        (Step(Activity.EAT, Where.NEAR, 1),),
        "I went out to eat in {place}.",
        topic="economy",
        importance=0.15,
        valence=0.3,
        attitude=0.4,
        norm=0.3,
    ),
    Plan(
        "eat here",
        Need.HUNGRY,
        (Step(Activity.EAT, Where.HERE, 1),),
        "I ate something quickly in {place}.",
        importance=0.05,
        attitude=0.4,
        norm=0.5,
    ),
    Plan(
        "work",
        Need.WORK,
        (
            Step(Activity.WORK, Where.WORKPLACE, 4),
            Step(Activity.EAT, Where.WORKPLACE, 1),
            Step(Activity.WORK, Where.WORKPLACE, 4),
        ),
        "I worked a day in {place}.",
        topic="economy",
        importance=0.15,
        valence=0.05,
    ),
    Plan(
        "school",
        Need.WORK,
        (Step(Activity.SCHOOL, Where.WORKPLACE, 7),),
        "I was at school in {place}.",
        topic="activity",
        importance=0.12,
        valence=0.1,
    ),
    Plan(
        "shop",
        Need.SAFE,
        (Step(Activity.SHOP, Where.SHOP, 1),),
        "I went shopping in {place}.",
        topic="economy",
        importance=0.12,
        valence=0.05,
    ),
    Plan(
        "meet",
        Need.SOCIAL,
        (Step(Activity.MEET, Where.FRIEND, 2),),
        "I met friends in {place}.",
        topic="social",
        importance=0.25,
        valence=0.4,
        attitude=0.5,
        norm=0.4,
    ),
    Plan(
        "message",
        Need.SOCIAL,
        (Step(Activity.MESSAGE, Where.HERE, 1),),
        "I exchanged messages with friends.",
        topic="social",
        importance=0.1,
        valence=0.2,
        attitude=0.6,
        norm=0.6,
    ),
    Plan(
        "leisure",
        Need.ANYTHING,
        (Step(Activity.LEISURE, Where.NEAR, 2),),
        "I spent some free time in {place}.",
        topic="activity",
        importance=0.12,
        valence=0.3,
        attitude=0.4,
        norm=0.4,
    ),
    Plan(
        "rest",
        Need.ANYTHING,
        (Step(Activity.REST, Where.HOME, 2),),
        "I stayed in for a while.",
        importance=0.03,
        attitude=0.6,
        norm=0.6,
    ),
    Plan(
        "prepare",
        Need.INTERVENTION,
        (
            Step(Activity.STOCK_UP, Where.SHOP, 1),
            Step(Activity.FUEL, Where.HERE, 1),
            Step(Activity.STOCK_UP, Where.SHOP, 1),
            Step(Activity.SECURE_HOME, Where.HOME, 1),
        ),
        "I bought water and supplies, filled the tank and secured the house for the storm.",
        topic="preparation",
        importance=0.5,
        valence=0.1,
    ),
    Plan(
        "pack",
        Need.INTERVENTION,
        (
            Step(Activity.STOCK_UP, Where.SHOP, 1),
            Step(Activity.FUEL, Where.HERE, 1),
            Step(Activity.PACK, Where.HOME, 9_000),
        ),
        "",
        topic="evacuation",
        importance=0.5,
    ),
    Plan(
        "away",
        Need.INTERVENTION,
        (Step(Activity.AWAY, Where.HERE, 9_000),),
        "",
        topic="evacuation",
        importance=0.5,
    ),
)

PLAN_NEEDS = np.array([plan.need for plan in PLANS], np.uint8)
"""Need of each plan, shape (plans,)."""

PLAN_NUMBERS = {plan.name: number for number, plan in enumerate(PLANS)}
"""Number of each plan, as stored in the attribute `plan`."""


@dataclass(frozen=True)
class PlanTables:
    """All plans as arrays.

    Attributes:
        steps: Number of steps, shape (plans,).
        doing: Activity of each step, shape (plans, 6).
        where: Kind of place of each step, shape (plans, 6).
        ticks: Length of each step in ticks, shape (plans, 6).
    """

    steps: NDArray[np.uint8]
    doing: NDArray[np.uint8]
    where: NDArray[np.uint8]
    ticks: NDArray[np.int32]


def build_plan_tables(ticks: Callable[[float], int]) -> PlanTables:
    """Convert the plans to arrays by plan and step.

    Args:
        ticks: Converts hours to ticks, at least 1.
    """
    doing = np.zeros((len(PLANS), MAX_STEPS), np.uint8)
    where = np.zeros((len(PLANS), MAX_STEPS), np.uint8)
    length = np.ones((len(PLANS), MAX_STEPS), np.int32)
    for number, plan in enumerate(PLANS):
        for i, step in enumerate(plan.steps):
            doing[number, i] = step.doing
            where[number, i] = step.where
            length[number, i] = ticks(step.hours)
    return PlanTables(
        steps=np.array([len(plan.steps) for plan in PLANS], np.uint8),
        doing=doing,
        where=where,
        ticks=length,
    )
