"""Choose and compose plans by the Theory of Planned Behaviour: the rules of the question "plan"."""

from collections.abc import Mapping

import numpy as np

from memopolis.agents.activities import (
    EVERYDAY,
    NEEDS_OF_STEPS,
    NUMBERS,
    STEPS,
    Activity,
    Need,
    Where,
)
from memopolis.agents.composing import compose_plans, pack_for_need, select_possible_steps
from memopolis.agents.plans import hours_of, kind_of, unpack_plans
from memopolis.sim.arrays import Array, Bools, Int64, Intp, Ints
from memopolis.sim.mind.mind import Answer, Decisions, Question, Words

PURPOSES = tuple(step.name for step in STEPS[:EVERYDAY])
"""Options of the question "plan": the main step of the plan."""

ACTIVITIES = tuple(
    activity.name.lower()
    for activity in Activity
    if any(step.doing == activity for step in STEPS[1:EVERYDAY])
)
"""Options of the question "plan", if steps are written."""
PLACES = tuple(where.name.lower() for where in Where)  # places of written steps

LONG_SLEEP = 5  # hours from which a written step of sleep lasts until the morning (illustrative)

_SIDE_STEPS = [NUMBERS["eat with a friend"], NUMBERS["eat at work"]]
_ACTIVITY = np.array([ACTIVITIES.index(one.doing.name.lower()) if n else 0
                      for n, one in enumerate(STEPS[:EVERYDAY])])  # fmt: skip
_PLACE = np.array([one.where for one in STEPS[:EVERYDAY]])
# Kind of step by activity and place; 0 where nothing can be done.
_KIND = np.zeros((len(ACTIVITIES), len(PLACES)), np.intp)
for _number in range(EVERYDAY - 1, 0, -1):
    _KIND[_ACTIVITY[_number], _PLACE[_number]] = _number


def find_feasible_steps(known: Mapping[str, Array]) -> Bools:
    """Return the steps that each agent can carry out now, whatever need they serve.

    The result has shape (agents, EVERYDAY). `known` has night, employed, works (work or school is
    open today), grown (old enough to shop), friends (has any), open (shops), outdoors (weather
    permits going out), each of shape (agents,).

    Source: Perceived behavioural control as a gate: Ajzen 1991, doi:10.1016/0749-5978(91)90020-T.
    """
    feasible = np.ones((len(known["night"]), EVERYDAY), np.bool_)
    trading = known["open"] & known["outdoors"]
    conditions = {
        "none": np.zeros(len(feasible), np.bool_),
        "sleep": known["night"],
        "nap": ~known["night"],
        "work": known["employed"] & known["works"],
        "school": ~known["employed"] & known["works"],
        "eat at work": known["works"],
        "shop": trading & known["grown"],
        "eat out": trading,
        "meet": known["outdoors"],
        "leisure": known["outdoors"],
        "eat with a friend": known["outdoors"] & known["friends"],
    }
    for name, condition in conditions.items():
        feasible[:, NUMBERS[name]] = condition
    return feasible


def find_possible_purposes(known: Mapping[str, Array]) -> Bools:
    """Return the feasible main steps that serve the current need, shape (agents, EVERYDAY).

    If no step serves it, rest is possible.
    """
    possible = find_feasible_steps(known)
    possible &= known["need"][:, None] == NEEDS_OF_STEPS[None, :EVERYDAY]
    possible[:, _SIDE_STEPS] = False
    nothing = ~possible.any(axis=1)
    possible[nothing, NUMBERS["rest"]] = True
    return np.asarray(possible)


GATES = ("night", "employed", "works", "grown", "friends", "open", "outdoors")
"""Conditions of steps, in the order of the bits of a situation's number, below the need."""
_SITUATIONS: dict[str, Array] = {"need": np.repeat(np.arange(len(Need)), 1 << len(GATES))}
for _bit, _gate in enumerate(GATES):
    _SITUATIONS[_gate] = np.arange(len(Need) << len(GATES)) >> _bit & 1 > 0

POSSIBLE_PURPOSES = find_possible_purposes(_SITUATIONS)
"""Possible main steps in every situation, by its number, shape (situations, EVERYDAY)."""

HAS_CHOICE = np.count_nonzero(POSSIBLE_PURPOSES, axis=1) > 1
"""Whether there are several, shape (situations,)."""


def find_possible_activities(known: Mapping[str, Array]) -> Bools:
    """Return the activities that written steps may contain, shape (agents, ACTIVITIES)."""
    # Sleep is possible at any hour: by day as a nap, later tonight in a plan for the evening.
    feasible = find_feasible_steps(known)
    return np.stack(
        [feasible[:, kinds].any(axis=1) for kinds in map(_kinds_of, range(len(ACTIVITIES)))], axis=1
    )


def _kinds_of(activity: int) -> Intp:
    return 1 + np.flatnonzero(_ACTIVITY[1:] == activity)


def describe_places() -> tuple[str, ...]:
    """Return the places where each of `ACTIVITIES` can be done."""
    return tuple(
        ", ".join(PLACES[_PLACE[kind]] for kind in _kinds_of(number) if kind != NUMBERS["nap"])
        for number in range(len(ACTIVITIES))
    )


def contains(plan: Int64, kinds: Bools, start: Ints | int = 0) -> Bools:
    """Return whether plans contain a step of the kinds for which a mask is true, from a step on."""
    from memopolis.agents import plan_kernels

    first = np.full(len(plan), min(max(start, 0), 255), np.uint8) if np.ndim(start) == 0 else start
    has_kind: Bools = plan_kernels.contains(plan, kinds, first)
    return has_kind


def choose_purpose(question: Question) -> Answer:
    """Choose the possible main step with the strongest intention.

    Intention = attitude + subjective norm + noise, if perceived control allows the step. Attitudes
    and norms of agents that recall nothing are those of `STEPS`.

    Source: Ajzen 1991, doi:10.1016/0749-5978(91)90020-T; equal weights are this project's.
    """
    from memopolis.agents.plan_kernels import choose_strongest

    possible = question.known["purposes" if question.form == "steps" else "possible"]
    return Answer(choose_strongest(possible, question.known["intention"]).astype(np.float32))


def write_plan(question: Question) -> Answer:
    """Write the steps of the plan that the rule composes."""
    plan = _compose(question)
    codes = unpack_plans(plan)
    kinds = kind_of(codes)
    steps = np.stack(
        [_ACTIVITY[kinds], _PLACE[kinds], np.minimum(hours_of(codes), question.high)], axis=2
    )
    steps = np.where((codes > 0)[:, :, None], steps, -1).astype(np.int16)
    return Answer(steps[:, 0, 0].astype(np.float32), steps=steps)


def _compose(question: Question) -> Int64:
    return compose_plans(choose_purpose(question).value.astype(np.intp), question.known)


def select_plans(decisions: Decisions) -> tuple[Int64, Words]:
    """Return the number of the plan of each decision, and why it is not as decided.

    A mind may choose a purpose for another need than the most urgent one. Infeasible purposes, and
    written plans without a feasible step, are replaced by the plan of the rule.
    """
    return _read_plans(decisions) if decisions.question.form == "steps" else _complete(decisions)


def _complete(decisions: Decisions) -> tuple[Int64, Words]:
    """Compose the plan for each chosen purpose."""
    question, value = decisions.question, decisions.value
    valid = (value >= 0) & (value < EVERYDAY)
    purpose = np.where(valid, value, 0).astype(np.intp)
    at = np.arange(len(purpose)) * EVERYDAY + purpose
    wrong = ~question.known["possible"].ravel()[at]  # faster than two indices
    if wrong.any():
        feasible = find_feasible_steps(question.known)
        feasible[:, _SIDE_STEPS] = False
        wrong &= ~feasible[np.arange(len(purpose)), purpose]
        purpose = np.where(wrong, choose_purpose(question).value, purpose).astype(np.intp)
    remarks = ("", "not possible now, replaced by the rule")
    return compose_plans(purpose, question.known), Words(wrong.astype(np.uint8), remarks)


def _read_plans(decisions: Decisions) -> tuple[Int64, Words]:
    """Convert written steps to plans, without the steps that are not possible."""
    question, steps = decisions.question, decisions.steps
    written = (steps >= 0).all(axis=2)
    what, where, hours = (np.where(written, steps[:, :, at], 0) for at in range(3))
    kinds = np.where(written, _KIND[what, where], 0)
    naps = (kinds == NUMBERS["sleep"]) & (hours < LONG_SLEEP)
    kinds = np.where(naps, NUMBERS["nap"], kinds)
    codes = select_possible_steps(kinds, hours, find_feasible_steps(question.known), question.known)
    plan = pack_for_need(codes, question.known["need"])
    none = codes[:, 0] == 0
    if none.any():
        plan = np.where(none, _compose(question), plan)
    left_out = np.count_nonzero(written, axis=1) - np.count_nonzero(codes, axis=1)
    remarks = ("", *(f"steps left out, not possible then: {n}" for n in range(1, 7)),
               "no step was possible, replaced by the rule")  # fmt: skip
    return plan, Words(np.where(none, len(remarks) - 1, left_out).astype(np.uint8), remarks)
