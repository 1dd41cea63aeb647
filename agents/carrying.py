"""Choose the activity that carries out a step of a plan: the question "step".

A plan names an activity for each step, and one block carries out each activity. A mind may replace
the activity by another one that serves the plan, at the same place and for the same time.
"""

from collections.abc import Mapping

import numpy as np

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
"""Activities that may replace another one (illustrative). Others are never asked about."""

OPTIONS = tuple(f"{block}: {activity.name.lower()}" for activity, block in CARRIERS.items())
"""Block and activity of each option."""

POSSIBLE = np.array(
    [[other == one or other in INSTEAD.get(one, ()) for other in CARRIERS] for one in Activity]
)
"""Whether each option may carry out each planned activity, shape (activities, options)."""

_DOING = np.array(list(CARRIERS), np.uint8)
_PLACE = np.full(len(Activity), -1, np.int64)
_PLACE[_DOING] = np.arange(len(_DOING))
_PLAN_NAMES = np.array([plan.name for plan in PLANS], object)


def choose_activity(block: Block, citizens: Cohort) -> None:
    """Ask citizens that begin a step which activity they carry out, if they have a choice.

    Args:
        block: The block that asks.
        citizens: Citizens that begin a step.
    """
    possible = POSSIBLE[citizens.status.codes("doing")]
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
    question = Question("step", citizens, "choice", follow_plan, known=known, options=OPTIONS)
    chosen = block.society.ask(question, block=block.name).value
    valid = (chosen >= 0) & (chosen < len(OPTIONS))
    number = np.where(valid, chosen, 0).astype(np.intp)
    valid &= possible[np.arange(len(number)), number]
    citizens.status["doing"] = np.where(valid, _DOING[number], doing)


def follow_plan(question: Question) -> Answer:
    """Choose the planned activity: the rule of the question "step"."""
    return Answer(question.known["planned"][:, 0].astype(np.float32))
