"""Activities of citizens, and the steps of which plans consist.

A plan has at most six steps. Each step is an activity at one kind of place for some hours, carried
out by one block. Blocks select citizens by the number of their activity.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import numpy as np

from memopolis.sim.arrays import Bools, Intp
from memopolis.sim.declarations import read_declarations


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
    HOUSEWORK = 16
    CARE = 17
    PERSONAL_CARE = 18
    TELEVISION = 19
    SPORT = 20
    RELIGION = 21
    TRAVEL = 22
    STUDY = 23
    IN_CARE = 24


class Where(IntEnum):
    """Kind of place where a step takes place."""

    HERE = 0
    HOME = 1
    WORKPLACE = 2
    SHOP = 3
    FRIEND = 4
    NEAR = 5


class Need(IntEnum):
    """Need that a step serves, in the order of AgentSociety 1.5.7.

    An intervention is more urgent than any other; when the others are served is scheduled.
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
    """A kind of step."""

    name: str  # name, also an option of the question "plan"
    need: Need  # need that it serves
    during: tuple[Activity, ...]  # scheduled activities during which it can be done
    doing: Activity  # activity
    where: Where  # kind of place
    # Usual length in whole hours, at most `LONGEST_STEP` (illustrative); or `AS_SCHEDULED` or
    # `INDEFINITELY`
    hours: int
    block: str = "needs"  # name of the block that carries it out
    # Templates of the memory that a completed step leaves: after an ordinary, a good and a bad
    # occasion, or one for all; () for no memory
    memories: tuple[str, ...] = ()
    topic: str = "activity"  # topic of that memory
    importance: float = 0.1  # importance of that memory, in [0, 1] (illustrative)
    valence: float = 0.1  # usual valence of that memory, in [-1, 1] (illustrative)
    # How well liked it is before any experience (illustrative, Theory of Planned Behaviour)
    attitude: float = 0.5
    norm: float = 0.5  # how usual it is before any experience (illustrative)
    description: str = ""  # what it is, for a mind that chooses who carries out a step


LONGEST_STEP = 12  # maximum length of a step in hours, of those with a fixed length
AS_SCHEDULED = 30  # in place of hours: until something else is scheduled
INDEFINITELY = 31  # in place of hours: until the plan is cancelled

NEVER_ENDS = int(np.iinfo(np.int32).max)
"""Tick at which a step ends that lasts as long as it is scheduled, or until it is cancelled."""


def _read_step(name: str, row: Mapping[str, Any]) -> Step:
    """Build a step from a row of steps.toml, in which members of enumerations are words."""
    kinds = {"need": Need, "doing": Activity, "where": Where}
    members = {key: kind[row[key].replace(" ", "_").upper()] for key, kind in kinds.items()}
    hours = {"as scheduled": AS_SCHEDULED, "indefinitely": INDEFINITELY}
    during = row.get("during", [row["doing"]])
    own = {
        "during": tuple(Activity[name.replace(" ", "_").upper()] for name in during),
        "hours": hours.get(row["hours"], row["hours"]),
        "memories": tuple(row.get("memories", ())),
    }
    return Step(name, **{**row, **members, **own})


STEPS = tuple(
    _read_step(name, row) for name, row in read_declarations(__file__, "steps.toml").items()
)
"""Kinds of steps by number."""

NUMBERS = {step.name: number for number, step in enumerate(STEPS)}  # number of each kind of step

EVERYDAY = NUMBERS["stock up"]
"""Steps below this number belong to everyday life; later ones are started by a scenario."""


def mark_activities(*activities: Activity) -> Bools:
    """Return whether each activity is one of some, by its number, shape (activities,)."""
    return np.isin(np.arange(len(Activity)), activities)


AT_WORKPLACE = mark_activities(Activity.WORK, Activity.SCHOOL)
"""Activities at the place of work or school, shape (activities,)."""

FIXED = AT_WORKPLACE | mark_activities(Activity.SLEEP)
"""Activities that begin when they are scheduled, whatever else is planned, (activities,)."""

EVERYDAY_ACTIVITIES = ~mark_activities(*(step.doing for step in STEPS[EVERYDAY:]))
"""Activities that are not only done in a disaster, shape (activities,)."""

CAN_SLEEP = EVERYDAY_ACTIVITIES | mark_activities(Activity.AWAY)
"""Activities during which people sleep when their diary says so, shape (activities,)."""

OUTINGS = mark_activities(Activity.SHOP, Activity.MEET, Activity.SPORT, Activity.RELIGION)
"""Activities away from home, the workplace and school, shape (activities,)."""

INTERRUPTIBLE = mark_activities(
    Activity.REST, Activity.TELEVISION, Activity.LEISURE, Activity.HOUSEWORK
)
"""Activities that people interrupt for a friend, shape (activities,)."""

PREVENTABLE = AT_WORKPLACE | OUTINGS
"""Activities that closures, the weather or absent friends may prevent, shape (activities,)."""

WHERE_OF_STEPS = np.array([step.where for step in STEPS], np.uint8)
"""Kind of place of each kind of step, shape (kinds,)."""

DOING_OF_STEPS = np.array([step.doing for step in STEPS], np.uint8)
"""Activity of each kind of step, shape (kinds,)."""

VISITS = WHERE_OF_STEPS == Where.FRIEND
"""Whether each kind of step is done where a friend is, shape (kinds,)."""

EATS = DOING_OF_STEPS == Activity.EAT
"""Whether each kind of step is a meal, shape (kinds,)."""

WITH_FRIEND = np.array([any("{actor}" in text for text in step.memories) for step in STEPS])
"""Whether each kind of step is shared with a friend, shape (kinds,)."""

NEEDS_OF_STEPS = np.array([step.need for step in STEPS], np.uint8)
"""Need that each kind of step serves, shape (kinds,)."""

BASIC_PLANS: dict[str, tuple[tuple[str, int], ...]] = {
    "prepare": (("stock up", 1), ("fuel", 1), ("secure home", 1)),
    "stock up and pack": (("stock up", 1), ("fuel", 1), ("pack", INDEFINITELY)),
    "refuel and pack": (("fuel", 1), ("pack", INDEFINITELY)),
}
"""Steps and hours of plans by purpose (illustrative); other plans begin with one step."""
BASIC_PLANS |= {
    f"{purpose} without a car": tuple(step for step in steps if step[0] != "fuel")
    for purpose, steps in BASIC_PLANS.items()
}


def replace_visit(eats: Bools) -> Intp:
    """Return the kind of step instead of a visit without a friend, whether to eat or not."""
    return np.where(eats, NUMBERS["eat at home"], NUMBERS["rest"])
