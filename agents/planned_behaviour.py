"""Choose plans by the Theory of Planned Behaviour: the rules of the question "plan"."""

from collections.abc import Mapping

import numpy as np

from memopolis.agents.activities import (
    EVERYDAY,
    NEEDS_OF_STEPS,
    NUMBERS,
    STEPS,
    Activity,
    Where,
    mark_activities,
)
from memopolis.agents.plans import (
    AS_SCHEDULED_PLANS,
    BRIEF_PLANS,
    HOUR_BITS,
    pack_plans,
)
from memopolis.sim.arrays import Array, Bools, Int64, Intp, Ints, UInt8
from memopolis.sim.mind.mind import Answer, Decisions, Question, Words

RULE_HOURS = 4  # most hours of a step that the rule writes (illustrative)

type Known = Mapping[str, Array]

PURPOSES = tuple(step.name for step in STEPS[:EVERYDAY])
"""Options of the question "plan": the main step of the plan."""

ACTIVITIES = tuple(
    activity.name.lower().replace("_", " ")
    for activity in Activity
    if any(step.doing == activity for step in STEPS[1:EVERYDAY])
)
"""Options of the question "plan", if steps are written."""
PLACES = tuple(where.name.lower() for where in Where)  # places of written steps

_ACTIVITY = np.array([ACTIVITIES.index(step.doing.name.lower().replace("_", " ")) if n else 0
                      for n, step in enumerate(STEPS[:EVERYDAY])])  # fmt: skip
_PLACE = np.array([step.where for step in STEPS[:EVERYDAY]])
# Kind of step by activity and place; 0 where nothing can be done.
_KIND = np.zeros((len(ACTIVITIES), len(PLACES)), np.intp)
for _number in range(EVERYDAY - 1, 0, -1):
    _KIND[_ACTIVITY[_number], _PLACE[_number]] = _number

DURING = np.zeros((len(Activity), EVERYDAY), np.bool_)
"""Steps that can be done during each scheduled activity, shape (activities, EVERYDAY)."""
for _number, _step in enumerate(STEPS[1:EVERYDAY], 1):
    DURING[list(_step.during), _number] = True

NEEDS_OF_ACTIVITIES = NEEDS_OF_STEPS[DURING.argmax(axis=1)]
"""Need that each scheduled activity serves, shape (activities,)."""

FREE = mark_activities(Activity.TELEVISION, Activity.REST)
"""Whether each scheduled activity gives way to an urgent need, shape (activities,)."""


def find_activity(scheduled: UInt8, hungry: Bools, unsafe: Bools, lonely: Bools) -> UInt8:
    """Return the activity that each agent takes up: the scheduled one, or one for an urgent need.

    Source: Priorities of needs of AgentSociety 1.5.7, within free time.
    """
    activity = scheduled.copy()
    is_free = FREE[scheduled]
    for urgent, instead in (
        (lonely, Activity.MEET), (unsafe, Activity.SHOP), (hungry, Activity.EAT)
    ):  # fmt: skip
        activity[is_free & urgent] = instead
    return activity


def find_feasible_steps(known: Known) -> Bools:
    """Return the steps that each agent can carry out now, whatever is scheduled.

    The result has shape (agents, EVERYDAY). `known` has activity (scheduled), employed, works (work
    or school is open today), grown (old enough to shop), independent (old enough to be out
    alone now), friends (has any), open (shops), outdoors (weather permits going out), at_work and
    at_home (is there now), worship (whether there are services today), each of shape (agents,).

    Source: Perceived behavioural control as a gate: Ajzen 1991, doi:10.1016/0749-5978(91)90020-T.
    """
    feasible = np.ones((len(known["activity"]), EVERYDAY), np.bool_)
    goes = known["outdoors"] & known["independent"]
    trading = known["open"] & goes
    conditions = {
        "none": np.zeros(len(feasible), np.bool_),
        "sleep": known["activity"] == Activity.SLEEP,
        "work": known["employed"] & known["works"],
        "school": ~known["employed"] & known["works"],
        "eat at work": known["at_work"],
        "eat at home": ~known["at_work"],
        "eat here": ~known["at_work"] & ~known["at_home"],
        "shop": trading & known["grown"],
        # Pupils have their meals at school.
        "eat out": trading & (known["employed"] | ~known["at_work"]),
        "meet": goes & known["friends"],
        "message": known["friends"],
        "leisure": goes,
        "eat with a friend": goes & known["friends"] & ~known["at_work"],
        "sport": goes,
        "worship": goes & known["worship"],
        "volunteer": goes & ~known["worship"],
        "travel": goes,
        "in care": np.zeros(len(feasible), np.bool_),
    }
    for name, condition in conditions.items():
        feasible[:, NUMBERS[name]] = condition
    return feasible


def find_possible_purposes(known: Known) -> Bools:
    """Return the feasible steps for the activity of each agent, shape (agents, EVERYDAY).

    If there is none, rest is possible.
    """
    possible = find_feasible_steps(known) & DURING[known["activity"]]
    possible[~possible.any(axis=1), NUMBERS["rest"]] = True
    return np.asarray(possible)


GATES = (
    "works", "employed", "grown", "independent", "friends", "open", "outdoors", "at_work",
    "at_home", "worship",
)  # fmt: skip
"""Conditions of steps, in the order of the bits of a situation's number, below the activity."""
_SITUATIONS: dict[str, Array] = {"activity": np.repeat(np.arange(len(Activity)), 1 << len(GATES))}
for _bit, _gate in enumerate(GATES):
    _SITUATIONS[_gate] = np.arange(len(Activity) << len(GATES)) >> _bit & 1 > 0

POSSIBLE_PURPOSES = find_possible_purposes(_SITUATIONS)
"""Possible main steps in every situation, by its number, shape (situations, EVERYDAY)."""

HAS_CHOICE = np.count_nonzero(POSSIBLE_PURPOSES, axis=1) > 1
"""Whether there are several, shape (situations,)."""


def number_situations(known: Known) -> Intp:
    """Return the number of each agent's situation, shape (agents,)."""
    number = known["activity"].astype(np.intp) << len(GATES)
    for bit, gate in enumerate(GATES):
        number |= known[gate].astype(np.intp) << bit
    return number


def find_possible_activities(known: Known) -> Bools:
    """Return the activities that written steps may contain, shape (agents, ACTIVITIES)."""
    feasible = find_feasible_steps(known)
    # Sleep can be planned for later today.
    feasible[:, NUMBERS["sleep"]] = True
    return np.stack(
        [feasible[:, kinds].any(axis=1) for kinds in map(_kinds_of, range(len(ACTIVITIES)))], axis=1
    )


def _kinds_of(activity: int) -> Intp:
    return 1 + np.flatnonzero(_ACTIVITY[1:] == activity)


def describe_places() -> tuple[str, ...]:
    """Return the places where each of `ACTIVITIES` can be done."""
    return tuple(
        ", ".join(PLACES[_PLACE[kind]] for kind in _kinds_of(number))
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
    """Write the step that the rule chooses, for at most four hours.

    It ends before sleep, work or school; a step for an urgent need lasts an hour.
    """
    kinds = choose_purpose(question).value.astype(np.intp)
    most = np.where(question.known["brief"], 1, RULE_HOURS)
    hours = np.clip(np.ceil(question.known["hours"]), 1, most)
    steps = np.full((len(kinds), 6, 3), -1, np.int16)
    steps[:, 0] = np.stack([_ACTIVITY[kinds], _PLACE[kinds], hours], axis=1)
    return Answer(steps[:, 0, 0].astype(np.float32), steps=steps)


def _complete(purpose: Ints, known: Known) -> Int64:
    """Return the plan of each purpose: for an hour where it serves an urgent need."""
    return np.where(known["brief"], BRIEF_PLANS[purpose], AS_SCHEDULED_PLANS[purpose])


def select_plans(decisions: Decisions) -> tuple[Int64, Words]:
    """Return the number of the plan of each decision, and why it is not as decided.

    A mind may choose another purpose than those for the scheduled activity. Infeasible purposes,
    and written plans without a feasible step, are replaced by the plan of the rule.
    """
    if decisions.question.form == "steps":
        return _read_plans(decisions)
    question, value = decisions.question, decisions.value
    valid = (value >= 0) & (value < EVERYDAY)
    purpose = np.where(valid, value, 0).astype(np.intp)
    at = np.arange(len(purpose)) * EVERYDAY + purpose
    wrong = ~question.known["possible"].ravel()[at]  # faster than two indices
    if wrong.any():
        feasible = find_feasible_steps(question.known)
        wrong &= ~feasible[np.arange(len(purpose)), purpose]
        purpose = np.where(wrong, choose_purpose(question).value, purpose).astype(np.intp)
    remarks = ("", "not possible now, replaced by the rule")
    return _complete(purpose, question.known), Words(wrong.astype(np.uint8), remarks)


def _read_plans(decisions: Decisions) -> tuple[Int64, Words]:
    """Convert written steps to plans, without the steps that are not possible."""
    question, steps = decisions.question, decisions.steps
    written = (steps >= 0).all(axis=2)
    what, where, hours = (np.where(written, steps[:, :, at], 0) for at in range(3))
    kinds = np.where(written, _KIND[what, where], 0)
    codes = select_possible_steps(kinds, hours, find_feasible_steps(question.known), question.known)
    plan = pack_for_need(codes, question.known["need"])
    none = codes[:, 0] == 0
    if none.any():
        purpose = choose_purpose(question).value.astype(np.intp)
        plan = np.where(none, _complete(purpose, question.known), plan)
    left_out = np.count_nonzero(written, axis=1) - np.count_nonzero(codes, axis=1)
    remarks = ("", *(f"steps left out, not possible then: {n}" for n in range(1, 7)),
               "no step was possible, replaced by the rule")  # fmt: skip
    return plan, Words(np.where(none, len(remarks) - 1, left_out).astype(np.uint8), remarks)


def select_possible_steps(kinds: Ints, hours: Ints, feasible: Bools, known: Known) -> Int64:
    """Return the ten bits of the steps of written plans that can be carried out, in their order.

    A step that is not possible at its time is left out: an outing when sleep or work is due, a
    visit to a closed shop, sleep before it is due. Sleep lasts as scheduled, and nothing follows
    it. Steps have shape (agents, 6), `feasible`, whether each kind is possible now, (agents,
    EVERYDAY). `known` has hours and shop_hours: until sleep, work or school, and until shops close.
    """
    from memopolis.agents.plan_kernels import select_possible_steps as select

    codes: Int64 = select(kinds, hours, feasible, known["hours"], known["shop_hours"])
    return codes


def pack_for_need(codes: Int64, need: Ints) -> Int64:
    """Return the numbers of plans, for the need if a step serves it, else for the first."""
    needs = NEEDS_OF_STEPS[codes >> HOUR_BITS]
    serves = ((needs == need[:, None]) & (codes > 0)).any(axis=1)
    return pack_plans(codes, np.where(serves, need, needs[:, 0]))
