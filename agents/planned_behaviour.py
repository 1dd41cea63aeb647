"""Choose a plan by the Theory of Planned Behaviour: the rule of the question "plan"."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memopolis.agents.activities import PLAN_NEEDS, PLAN_NUMBERS, PLANS, Need
from memopolis.sim.mind.mind import Answer, Decisions, Question

_INTENTION = np.array([plan.attitude + plan.norm for plan in PLANS], np.float32)


def find_feasible_plans(known: Mapping[str, NDArray[Any]]) -> NDArray[np.bool_]:
    """Return the plans that each agent can carry out, whatever need they serve.

    Args:
        known: night, employed, open (shops), outdoors (weather permits going out), each boolean
            of shape (agents,).

    Returns:
        Shape (agents, plans); excludes the empty plan and plans that only a scenario starts.

    Source:
        Perceived behavioural control as a gate: Ajzen 1991, doi:10.1016/0749-5978(91)90020-T.
    """
    feasible = np.tile(PLAN_NEEDS > Need.INTERVENTION, (len(known["night"]), 1))
    feasible[:, 0] = False
    feasible[:, PLAN_NUMBERS["sleep"]] &= known["night"]
    feasible[:, PLAN_NUMBERS["nap"]] &= ~known["night"]
    feasible[:, PLAN_NUMBERS["work"]] &= known["employed"]
    feasible[:, PLAN_NUMBERS["school"]] &= ~known["employed"]
    for name in ("shop", "eat out"):
        feasible[:, PLAN_NUMBERS[name]] &= known["open"] & known["outdoors"]
    for name in ("meet", "leisure"):
        feasible[:, PLAN_NUMBERS[name]] &= known["outdoors"]
    return feasible


def find_possible_plans(known: Mapping[str, NDArray[Any]]) -> NDArray[np.bool_]:
    """Return the feasible plans that serve the current need.

    Args:
        known: As in `find_feasible_plans`, and need, the number of the need, shape (agents,).

    Returns:
        Shape (agents, plans), at least one per agent: rest, if no other plan serves the need.
    """
    possible = find_feasible_plans(known) & (known["need"][:, None] == PLAN_NEEDS[None, :])
    nothing = ~possible.any(axis=1)
    possible[nothing, PLAN_NUMBERS["rest"]] = True
    return np.asarray(possible)


def select_plans(decisions: Decisions) -> NDArray[np.uint8]:
    """Return the number of each decided plan, with infeasible plans replaced by the rule's choice.

    A mind may choose a plan for another need than the most urgent one.
    """
    question, plan = decisions.question, decisions.value
    valid = (plan >= 0) & (plan < len(PLANS))
    number = np.where(valid, plan, 0).astype(np.uint8)
    rows = np.arange(len(number))
    wrong = ~question.known["possible"][rows, number]
    if wrong.any():
        wrong &= ~find_feasible_plans(question.known)[rows, number]
        number = np.where(wrong, choose_plan(question).value, number).astype(np.uint8)
    return number


def choose_plan(question: Question) -> Answer:
    """Choose the possible plan with the strongest intention.

    Intention = attitude + subjective norm + noise, if perceived control allows the plan.

    Source:
        Ajzen 1991, doi:10.1016/0749-5978(91)90020-T; equal weights are this project's.
    """
    intention = _INTENTION[None, :] + question.known["noise"]
    possible = question.known["possible"]
    return Answer(np.where(possible, intention, -np.inf).argmax(axis=1).astype(np.float32))
