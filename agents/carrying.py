"""Who carries out a step of a plan: the question "step".

A plan says what to do; each activity is carried out by one block, which looks for it by its
number. A mind that is asked may do something else that serves the plan too, at the same place
and for the same time, and with it choose another block or the same.
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from memopolis.agents.activities import PLANS, Activity
from memopolis.sim.block import Block
from memopolis.sim.mind.mind import Answer, Question
from memopolis.sim.population import Cohort

CARRIERS: Mapping[Activity, str] = {
    Activity.SLEEP: "needs",
    Activity.EAT: "needs",
    Activity.WORK: "work",
    Activity.SCHOOL: "needs",
    Activity.SHOP: "shop",
    Activity.MEET: "talk",
    Activity.MESSAGE: "talk",
    Activity.LEISURE: "needs",
    Activity.REST: "needs",
}
"""Block that carries out each activity of everyday life."""

INSTEAD: Mapping[Activity, tuple[Activity, ...]] = {
    Activity.SLEEP: (Activity.REST,),
    Activity.MEET: (Activity.MESSAGE,),
    Activity.LEISURE: (Activity.REST, Activity.MEET, Activity.MESSAGE),
    Activity.REST: (Activity.LEISURE, Activity.MESSAGE),
}
"""What may be done in place of an activity (illustrative); where there is nothing, no question
is asked."""

OPTIONS = tuple(f"{block}: {activity.name.lower()}" for activity, block in CARRIERS.items())
"""Block and activity of each option."""

_DOING = np.array(list(CARRIERS), np.uint8)
_PLACE = np.full(len(Activity), -1, np.int64)
_PLACE[_DOING] = np.arange(len(_DOING))
_POSSIBLE = np.array(
    [[other == one or other in INSTEAD.get(one, ()) for other in CARRIERS] for one in Activity]
)
_PLAN_NAMES = np.array([plan.name for plan in PLANS], object)


def carry_out(block: Block, citizens: Cohort) -> None:
    """Let those who have just begun a step, and have a choice, say what they do.

    Args:
        block: The block that lets them begin it; it asks.
        citizens: Who has begun a step.
    """
    possible = possible_steps(citizens.status.codes("doing"))
    choosing = possible.sum(axis=1) > 1
    if not choosing.any():
        return
    citizens, possible = citizens.where(choosing), possible[choosing]
    doing = citizens.status.codes("doing")
    known = {
        "plan": _PLAN_NAMES[citizens.status["plan"]],
        "step": np.array(OPTIONS, object)[_PLACE[doing]],
        "planned": _PLACE[doing][:, None],
        "possible": possible,
    }
    question = Question("step", citizens, "choice", as_planned, known=known, options=OPTIONS)
    chosen = block.society.ask(question, block=block.name).value
    there = (chosen >= 0) & (chosen < len(OPTIONS))
    number = np.where(there, chosen, 0).astype(np.intp)
    there &= possible[np.arange(len(number)), number]
    citizens.status["doing"] = np.where(there, _DOING[number], doing)


def possible_steps(doing: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """What may be done where an activity is planned.

    Args:
        doing: Number of each one's activity, shape (agents,).

    Returns:
        Shape (agents, options): the activity itself and what may take its place.
    """
    return np.asarray(_POSSIBLE[doing], np.bool_)


def as_planned(question: Question) -> Answer:
    """Do what the plan says: the rule of a step."""
    return Answer(question.known["planned"][:, 0].astype(np.float32))
