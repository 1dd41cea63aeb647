"""Send each step of a plan to a block that can carry it out: the question "step".

The rule sends a step to the block of its kind (`STEPS`). A mind chooses among functions, each a
block and what it does, with a description. The function replaces the kind of the step, not its
hours.
"""

from collections.abc import Mapping

import numpy as np

from memopolis.agents.activities import NUMBERS, STEPS
from memopolis.agents.plans import HOUR_BITS, describe_plan, find_step, hours_of, kind_of, set_step
from memopolis.sim.arrays import Bools, Int64, Ints
from memopolis.sim.block import Block
from memopolis.sim.mind.mind import Answer, Question
from memopolis.sim.population import Cohort

INSTEAD: Mapping[str, tuple[str, ...]] = {
    "meet": ("message",),
    "leisure": ("message", "rest"),
    "rest": ("message",),
}
"""Kinds of steps that may carry out another one: none of them goes out (illustrative)."""

KINDS = tuple(NUMBERS[step.name] for step in STEPS if step.description)
FUNCTIONS = tuple(f"{STEPS[kind].block}.{STEPS[kind].name}" for kind in KINDS)
"""Options of the question "step": block and kind of step."""

POSSIBLE = np.array(
    [
        [kind == other or STEPS[other].name in INSTEAD.get(one.name, ()) for other in KINDS]
        for kind, one in enumerate(STEPS)
    ]
)
"""Whether each function can carry out each kind of step, shape (kinds, functions)."""

_DESCRIPTIONS = tuple(STEPS[kind].description for kind in KINDS)
_NUMBERS = np.array(KINDS, np.int64)
_PLACE = np.array([KINDS.index(kind) if kind in KINDS else -1 for kind in range(len(STEPS))])
_MESSAGE = KINDS.index(NUMBERS["message"])


def choose_blocks(
    block: Block, citizens: Cohort, plan: Int64, step: Ints, *, reachable: Bools
) -> Int64:
    """Return plans, after asking citizens which function carries out the step that they begin.

    Only those with several possible functions are asked. `reachable` marks those who have a friend
    to write to.
    """
    kind = kind_of(find_step(plan, step))
    possible = POSSIBLE[kind]
    possible[:, _MESSAGE] &= reachable | (kind == NUMBERS["message"])
    asked = np.count_nonzero(possible, axis=1) > 1
    if not asked.any():
        return plan
    kind, possible = kind[asked], possible[asked]
    plans, number = np.unique(plan[asked], return_inverse=True)
    known = {
        "plan": np.array([describe_plan(int(one)) for one in plans], object)[number],
        "step": np.array([one.name for one in STEPS], object)[kind],
        "planned": _PLACE[kind][:, None],
        "possible": possible,
    }
    question = Question(
        "step", citizens.where(asked), "choice", follow_plan, known=known, options=FUNCTIONS,
        descriptions=_DESCRIPTIONS,
    )  # fmt: skip
    chosen = block.society.questions.ask(question, block=block.name).value
    valid = (chosen >= 0) & (chosen < len(KINDS))
    function = np.where(valid, chosen, 0).astype(np.intp)
    valid &= possible[np.arange(len(function)), function]
    code = find_step(plan[asked], step[asked])
    other = (_NUMBERS[function] << HOUR_BITS) | hours_of(code)
    changed = plan.copy()
    changed[asked] = set_step(plan[asked], step[asked], np.where(valid, other, code))
    return changed


def follow_plan(question: Question) -> Answer:
    """Choose the function of the planned step: the rule of the question "step"."""
    return Answer(question.known["planned"][:, 0].astype(np.float32))
