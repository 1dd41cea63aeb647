"""Activities of citizens, and the steps of which plans consist.

A plan has at most six steps. Each step is an activity at one kind of place for some hours, carried
out by one block. Blocks select citizens by the number of their activity.
"""

from dataclasses import dataclass
from enum import IntEnum

import numpy as np


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
    DRIVE = 15


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
    """A kind of step.

    Attributes:
        name: Name, also an option of the question "plan".
        need: Need that it serves.
        doing: Activity.
        where: Kind of place.
        hours: Usual length in whole hours, at most `LONGEST_STEP` (illustrative); or
            `UNTIL_MORNING` or `INDEFINITELY`.
        block: Name of the block that carries it out.
        memories: Templates of the memory that a completed step leaves: after an ordinary, a good
            and a bad occasion, or one for all; () for no memory.
        topic: Topic of that memory.
        importance: Importance of that memory, in [0, 1] (illustrative).
        valence: Usual valence of that memory, in [-1, 1] (illustrative).
        attitude: How well liked it is before any experience (illustrative, Theory of Planned
            Behaviour).
        norm: How usual it is before any experience (illustrative).
        description: What it is, for a mind that chooses who carries out a step.
    """

    name: str
    need: Need
    doing: Activity
    where: Where
    hours: int
    block: str = "needs"
    memories: tuple[str, ...] = ()
    topic: str = "activity"
    importance: float = 0.1
    valence: float = 0.1
    attitude: float = 0.5
    norm: float = 0.5
    description: str = ""


LONGEST_STEP = 12
"""Maximum length of a step in hours, of those with a fixed length."""
UNTIL_MORNING = 30
"""In place of hours: until `itinerary.WAKE_UP`."""
INDEFINITELY = 31
"""In place of hours: until the plan is cancelled."""

# Durations, importances, attitudes and norms are illustrative; needs and the activities that serve
# them follow AgentSociety 1.5.7; meals at work and with friends are this project's.
STEPS: tuple[Step, ...] = (
    Step("none", Need.ANYTHING, Activity.IDLE, Where.HERE, 0),
    Step(
        "sleep",
        Need.TIRED,
        Activity.SLEEP,
        Where.HOME,
        UNTIL_MORNING,
        memories=("I slept at home.",),
        importance=0.04,
    ),
    Step(
        "nap",
        Need.TIRED,
        Activity.SLEEP,
        Where.HOME,
        2,
        memories=("I rested for a while at home.",),
        importance=0.04,
        description="Sleep at home for a while.",
    ),
    Step(
        "eat at home",
        Need.HUNGRY,
        Activity.EAT,
        Where.HOME,
        1,
        memories=(
            "I had a meal at home.",
            "I enjoyed a good meal at home.",
            "I had a poor meal at home.",
        ),
        importance=0.05,
        attitude=0.7,
        norm=0.7,
    ),
    Step(
        "eat out",
        Need.HUNGRY,
        Activity.EAT,
        Where.NEAR,
        1,
        memories=(
            "I went out to eat in {place}.",
            "I went out to eat in {place} and liked it.",
            "I went out to eat in {place} and did not like it.",
        ),
        topic="economy",
        importance=0.15,
        valence=0.3,
        attitude=0.4,
        norm=0.3,
    ),
    Step(
        "eat here",
        Need.HUNGRY,
        Activity.EAT,
        Where.HERE,
        1,
        memories=(
            "I ate something quickly in {place}.",
            "I had a tasty snack in {place}.",
            "I ate something bad in {place}.",
        ),
        importance=0.05,
        attitude=0.4,
    ),
    Step(
        "work",
        Need.WORK,
        Activity.WORK,
        Where.WORKPLACE,
        4,
        block="work",
        memories=(
            "I worked a day in {place}.",
            "I had a good day at work in {place}.",
            "I had a stressful day at work in {place}.",
        ),
        topic="economy",
        importance=0.15,
        valence=0.05,
    ),
    Step(
        "school",
        Need.WORK,
        Activity.SCHOOL,
        Where.WORKPLACE,
        7,
        memories=(
            "I was at school in {place}.",
            "I had a good day at school in {place}.",
            "I had a bad day at school in {place}.",
        ),
        importance=0.12,
    ),
    Step(
        "shop",
        Need.SAFE,
        Activity.SHOP,
        Where.SHOP,
        1,
        block="shop",
        memories=(
            "I went shopping in {place}.",
            "I went shopping in {place} and found what I wanted.",
            "I went shopping in {place}; it was crowded.",
        ),
        topic="economy",
        importance=0.12,
        valence=0.05,
    ),
    Step(
        "meet",
        Need.SOCIAL,
        Activity.MEET,
        Where.FRIEND,
        2,
        block="talk",
        memories=(
            "I met {actor} in {place}.",
            "I met {actor} in {place} and enjoyed it.",
            "I met {actor} in {place}, and we argued.",
        ),
        topic="social",
        importance=0.25,
        valence=0.4,
        norm=0.4,
        description="Meet a friend in person and talk.",
    ),
    Step(
        "message",
        Need.SOCIAL,
        Activity.MESSAGE,
        Where.HERE,
        1,
        block="talk",
        memories=(
            "I exchanged messages with {actor}.",
            "Messages from {actor} cheered me up.",
            "Messages from {actor} annoyed me.",
        ),
        topic="social",
        valence=0.2,
        attitude=0.6,
        norm=0.6,
        description="Exchange messages with a friend, without going out.",
    ),
    Step(
        "leisure",
        Need.ANYTHING,
        Activity.LEISURE,
        Where.NEAR,
        2,
        memories=(
            "I spent some free time in {place}.",
            "I spent some free time in {place} and enjoyed it.",
            "I spent some free time in {place} and was bored.",
        ),
        importance=0.12,
        valence=0.3,
        attitude=0.4,
        norm=0.4,
        description="Go out and spend free time nearby.",
    ),
    Step(
        "rest",
        Need.ANYTHING,
        Activity.REST,
        Where.HOME,
        2,
        memories=(
            "I stayed in for a while.",
            "I stayed in and enjoyed the peace.",
            "I stayed in and felt lonely.",
        ),
        importance=0.03,
        attitude=0.6,
        norm=0.6,
        description="Stay in and rest at home.",
    ),
    Step(
        "eat with a friend",
        Need.HUNGRY,
        Activity.EAT,
        Where.FRIEND,
        1,
        memories=(
            "I had a meal with {actor} in {place}.",
            "I had a good meal with {actor} in {place}.",
            "I had a meal with {actor} in {place}, and it was awkward.",
        ),
        topic="social",
        importance=0.2,
        valence=0.35,
        attitude=0.5,
        norm=0.4,
    ),
    Step(
        "eat at work",
        Need.HUNGRY,
        Activity.EAT,
        Where.WORKPLACE,
        1,
        attitude=0.5,
        norm=0.6,
    ),
    Step(
        "stock up",
        Need.INTERVENTION,
        Activity.STOCK_UP,
        Where.SHOP,
        1,
        block="shop",
    ),
    Step(
        "fuel",
        Need.INTERVENTION,
        Activity.FUEL,
        Where.HERE,
        1,
        block="count_purchases",
    ),
    Step(
        "secure home",
        Need.INTERVENTION,
        Activity.SECURE_HOME,
        Where.HOME,
        1,
        memories=(
            "I bought water and supplies, filled the tank and secured the house for the storm.",
        ),
        topic="preparation",
        importance=0.5,
    ),
    Step(
        "pack",
        Need.INTERVENTION,
        Activity.PACK,
        Where.HOME,
        INDEFINITELY,
    ),
    Step(
        "away",
        Need.INTERVENTION,
        Activity.AWAY,
        Where.HERE,
        INDEFINITELY,
        block="evacuate",
    ),
    Step(
        "drive",
        Need.INTERVENTION,
        Activity.DRIVE,
        Where.HERE,
        INDEFINITELY,
        block="drive_out",
    ),
)

NUMBERS = {step.name: number for number, step in enumerate(STEPS)}
"""Number of each kind of step."""

EVERYDAY = NUMBERS["eat at work"] + 1
"""Steps below this number belong to everyday life; later ones are started by a scenario."""

NEEDS_OF_STEPS = np.array([step.need for step in STEPS], np.uint8)
"""Need that each kind of step serves, shape (kinds,)."""

BASIC_PLANS: dict[str, tuple[tuple[str, int], ...]] = {
    "work": (("work", 4), ("eat at work", 1), ("work", 4)),
    "prepare": (("stock up", 1), ("fuel", 1), ("stock up", 1), ("secure home", 1)),
    "pack": (("stock up", 1), ("fuel", 1), ("pack", INDEFINITELY)),
    "pack at night": (("fuel", 1), ("pack", INDEFINITELY)),
}
"""Steps and hours of plans by purpose (illustrative); other plans begin with one step."""
