"""Which plan a citizen chooses, after the Theory of Planned Behaviour: the rule of "plan"."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memopolis.agents.activities import NUMBER, PLANS, Need
from memopolis.sim.mind.mind import Answer, Decisions, Question

_INTENTION = np.array([plan.attitude + plan.norm for plan in PLANS], np.float32)
_PLAN_NEED = np.array([plan.need for plan in PLANS], np.uint8)


def feasible_plans(known: Mapping[str, NDArray[Any]]) -> NDArray[np.bool_]:
    """Which plans are under one's control, whatever need they serve.

    Args:
        known: Whether it is night, one is employed, shops are open and the weather lets one
            out: night, employed, open, outdoors; each of shape (agents,).

    Returns:
        Shape (agents, plans); never those that a scenario starts, nor none.

    Source:
        Perceived behavioural control as a gate: Ajzen 1991, doi:10.1016/0749-5978(91)90020-T.
    """
    feasible = np.tile(_PLAN_NEED > Need.INTERVENTION, (len(known["night"]), 1))
    feasible[:, 0] = False
    feasible[:, NUMBER["sleep"]] &= known["night"]
    feasible[:, NUMBER["nap"]] &= ~known["night"]
    feasible[:, NUMBER["work"]] &= known["employed"]
    feasible[:, NUMBER["school"]] &= ~known["employed"]
    for name in ("shop", "eat out"):
        feasible[:, NUMBER[name]] &= known["open"] & known["outdoors"]
    for name in ("meet", "leisure"):
        feasible[:, NUMBER[name]] &= known["outdoors"]
    return feasible


def possible_plans(known: Mapping[str, NDArray[Any]]) -> NDArray[np.bool_]:
    """Which feasible plans serve the need.

    Args:
        known: As in `feasible_plans`, and need, its number, shape (agents,).

    Returns:
        Shape (agents, plans), true at least once for each: rest, where nothing else serves.
    """
    possible = feasible_plans(known) & (known["need"][:, None] == _PLAN_NEED[None, :])
    nothing = ~possible.any(axis=1)
    possible[nothing, NUMBER["rest"]] = True
    return np.asarray(possible)


def chosen_plans(decisions: Decisions) -> NDArray[np.uint8]:
    """Number of the plan each begins: what was decided, or the rule's where that cannot be.

    A mind may serve another need than the most urgent one, but not do what is not feasible.
    """
    question, plan = decisions.question, decisions.value
    there = (plan >= 0) & (plan < len(PLANS))
    number = np.where(there, plan, 0).astype(np.uint8)
    rows = np.arange(len(number))
    wrong = ~question.known["possible"][rows, number]
    if wrong.any():
        wrong &= ~feasible_plans(question.known)[rows, number]
        number = np.where(wrong, planned_behaviour(question).value, number).astype(np.uint8)
    return number


def planned_behaviour(question: Question) -> Answer:
    """Choose the plan with the strongest intention among those that are possible.

    Intention = attitude + subjective norm + chance, if perceived control allows the plan.

    Source:
        Ajzen 1991, doi:10.1016/0749-5978(91)90020-T; equal weights are this project's.
    """
    intention = _INTENTION[None, :] + question.known["noise"]
    possible = question.known["possible"]
    return Answer(np.where(possible, intention, -np.inf).argmax(axis=1).astype(np.float32))
