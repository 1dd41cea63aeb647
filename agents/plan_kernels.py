"""Compiled loops over plans, for `planned_behaviour.py` and `composing.py`."""

import numpy as np
from numba import njit

from memopolis.agents.activities import (
    EVERYDAY,
    LONGEST_STEP,
    NEEDS_OF_STEPS,
    NUMBERS,
    STEPS,
    UNTIL_MORNING,
    Need,
    Where,
)
from memopolis.agents.citizen import AGE_OF_REASON, SHOPPING_AGE
from memopolis.agents.plans import (
    ALL_STEPS,
    HOUR_BITS,
    KINDS,
    MAX_STEPS,
    NEED_AT,
    PLANS,
    STEP_BITS,
    build_plan,
    code_step,
)
from memopolis.sim.inner_kernels import inner

_HOURS, _STEP = (1 << HOUR_BITS) - 1, (1 << STEP_BITS) - 1

_BASIC = np.array([0, *(PLANS[step.name] for step in STEPS[1:EVERYDAY])], np.int64)
_CODES = np.array([0, *(code_step(step.name, step.hours) for step in STEPS[1:EVERYDAY])], np.int64)
_EAT_AT_HOME, _EAT_OUT, _WORK, _SHOP, _MEET, _LEISURE, _EAT_WITH_FRIEND, _EAT_AT_WORK = (
    NUMBERS[name]
    for name in ("eat at home", "eat out", "work", "shop", "meet", "leisure", "eat with a friend",
                 "eat at work")
)  # fmt: skip
_HUNGRY, _TIRED, _AT_WORK, _SAFE, _SOCIAL, _ANYTHING = (
    np.uint8(need) for need in (Need.HUNGRY, Need.TIRED, Need.WORK, Need.SAFE, Need.SOCIAL,
                                Need.ANYTHING)
)  # fmt: skip
_SLEEP, _NAP = NUMBERS["sleep"], NUMBERS["nap"]
_TRADES = np.isin(np.arange(len(STEPS)), [_SHOP, _EAT_OUT])
_WHERE = np.array([step.where for step in STEPS], np.uint8)
_DOING = np.array([step.doing for step in STEPS], np.uint8)
_OUTINGS = _WHERE >= Where.SHOP
_LUNCH_ENDS = 5
_OUT_FOR_LUNCH = build_plan([("work", 4), ("eat out", 1), ("work", 4)])


@njit(cache=True, nogil=True)
def choose_strongest(possible, intention):  # type: ignore[no-untyped-def]
    """Return the first possible step with the strongest intention, 0 without any, (agents,)."""
    chosen = np.zeros(len(possible), np.intp)
    for p in range(len(possible)):
        best = np.float32(-np.inf)
        for step in range(EVERYDAY):
            if possible[p, step] and intention[p, step] > best:
                chosen[p], best = step, intention[p, step]
    return chosen


@inner
def _steps_from(plan, start):  # type: ignore[no-untyped-def]
    """Return the steps of a plan from one on, that one in the lowest bits."""
    return (plan & ALL_STEPS) >> (STEP_BITS * np.int64(start))


@inner
def _has_kind(steps, kinds):  # type: ignore[no-untyped-def]
    """Return whether one of the steps has a kind for which a mask is true."""
    while steps:
        if kinds[KINDS[steps & _STEP]]:
            return True
        steps >>= STEP_BITS
    return False


@njit(cache=True, nogil=True)
def contains(plan, kinds, start):  # type: ignore[no-untyped-def]
    """Return whether plans contain one of some kinds, see `planned_behaviour.contains`."""
    has_kind = np.empty(len(plan), np.bool_)
    for p in range(len(plan)):
        first = min(max(np.int64(start[p]), 0), MAX_STEPS)
        has_kind[p] = _has_kind(_steps_from(plan[p], first), kinds)
    return has_kind


@njit(cache=True, nogil=True)
def find_last(rows, plan, step, kinds, once):  # type: ignore[no-untyped-def]
    """Return the kind of the current step of each row, and whether another step follows, (n,).

    The kind, int64, is -1 if it is not one of some kinds. A step of one of the kinds `once` counts
    only if no other one follows. `plan` and `step` are columns.
    """
    kinds_of_steps, more = np.full(len(rows), -1, np.int64), np.empty(len(rows), np.bool_)
    for p in range(len(rows)):
        steps = _steps_from(plan[rows[p]], step[rows[p]])
        kind, following = KINDS[steps & _STEP], steps >> STEP_BITS
        if kinds[kind] and not (once[kind] and _has_kind(following, once)):
            kinds_of_steps[p] = kind
        more[p] = following > 0
    return kinds_of_steps, more


@njit(cache=True, nogil=True)
def form_intentions(  # type: ignore[no-untyped-def]
    chooses, attitude, norm, noise, liking, usual, intended, weights
):
    """Return attitude plus norm plus noise of each step, float32, (agents, EVERYDAY).

    `attitude` and `norm` are those before any experience, (EVERYDAY,), and all that counts for
    agents for which `chooses` is false. The other arguments are only of agents that choose:
    `liking` and `usual` what memories report, (n, EVERYDAY); `noise` three draws, (n, 3), of which
    no two steps of a choice use the same one; `intended` the step that an agent intends, 0 for
    none. `weights` are those of liking, of the intended step, of what is usual, and of noise.
    """
    intention = np.empty((len(chooses), EVERYDAY), np.float32)
    i = 0
    for p in range(len(chooses)):
        for step in range(EVERYDAY):
            if chooses[p]:
                liked = liking[i, step] * weights[0]
                if step > 0 and step == intended[i]:
                    liked += weights[1]
                belief = (attitude[step] + liked) + (norm[step] + usual[i, step] * weights[2])
                intention[p, step] = belief + weights[3] * np.float32(noise[i, step % 3])
            else:
                intention[p, step] = attitude[step] + norm[step]
        i += chooses[p]
    return intention


@inner
def _hours_of(plan):  # type: ignore[no-untyped-def]
    """Return the hours of all steps of a plan."""
    steps, hours = plan & ALL_STEPS, 0
    while steps:
        hours += steps & _HOURS
        steps >>= STEP_BITS
    return hours


@inner
def _end_with(plan, kind, latest):  # type: ignore[no-untyped-def]
    """Return a plan with a step at its end, if that ends after at most `latest` hours."""
    if _hours_of(plan) + (_CODES[kind] & _HOURS) > latest:
        return plan
    end = 0
    while (plan & ALL_STEPS) >> end:
        end += STEP_BITS
    return plan | (_CODES[kind] << end)


@njit(cache=True, nogil=True)
def compose(  # type: ignore[no-untyped-def]
    purpose, hungry, unsafe, lonely, grown, friends, is_open, outdoors, night, closing, intention
):
    """Return the plan of each agent for its purpose, see `compose_plans`, int64, (agents,)."""
    plans = _BASIC[purpose]
    for p in range(len(purpose)):
        main, plan = purpose[p], plans[p]
        trades, meets = is_open[p] and outdoors[p], friends[p] and outdoors[p]
        buys = trades and unsafe[p] and grown[p]
        if main == _WORK and trades and closing[p] >= _LUNCH_ENDS:
            if intention[p, _EAT_OUT] > intention[p, _EAT_AT_WORK]:
                plan = _OUT_FOR_LUNCH
        elif main == _EAT_AT_HOME and buys:
            shopping = _CODES[_SHOP] & _HOURS
            if _hours_of(plan) + shopping <= night[p] and shopping <= closing[p]:
                steps = plan & ALL_STEPS
                plan = (plan - steps) | (steps << STEP_BITS) | _CODES[_SHOP]
        elif main == _MEET and hungry[p] and meets:
            plan = _end_with(plan, _EAT_WITH_FRIEND, night[p])
        elif main in (_LEISURE, _EAT_OUT) and lonely[p] and meets:
            plan = _end_with(plan, _MEET, night[p])
        before = plan
        if buys and main in (_WORK, _MEET, _LEISURE, _EAT_OUT):
            plan = _end_with(plan, _SHOP, min(night[p], closing[p]))
        if (main == _WORK and plan != before) or (main in (_SHOP, _LEISURE) and hungry[p]):
            plan = _end_with(plan, _EAT_AT_HOME, night[p])
        plans[p] = plan
    return plans


@njit(cache=True, nogil=True)
def select_possible_steps(kinds, hours, feasible, night, closing):  # type: ignore[no-untyped-def]
    """Return the steps that can be carried out, see `composing.select_possible_steps`."""
    codes = np.zeros((len(kinds), MAX_STEPS), np.int64)
    for p in range(len(kinds)):
        elapsed = count = 0
        for at in range(kinds.shape[1]):
            kind = np.int64(kinds[p, at])
            end = elapsed + min(max(hours[p, at], 1), LONGEST_STEP)
            is_night = elapsed >= night[p]
            can = kind > 0 and (is_night if kind == _SLEEP else feasible[p, kind])
            # Whether the first step is possible now does not depend on when it ends.
            late = (_OUTINGS[kind] and end > night[p]) or (_TRADES[kind] and end > closing[p])
            if not can or (elapsed > 0 and late) or (kind == _NAP and is_night):
                continue
            length = UNTIL_MORNING if kind == _SLEEP else end - elapsed
            codes[p, count] = (kind << HOUR_BITS) | length
            count, elapsed = count + 1, end
            if kind == _SLEEP:
                break
    return codes


@njit(cache=True, nogil=True)
def begin_steps(  # type: ignore[no-untyped-def]
    rows, plan, step, ticks, now, morning, place, home, workplace
):
    """Return activity, end, kind of place and zone of the steps that agents begin, (agents,) each.

    `ticks` are the lengths of steps by hours, `now` is the current tick, and `morning` the number
    of ticks until sleep ends. `place`, `home` and `workplace` are zones by row. The zone of a step
    is home, workplace, or else the present place. Types: uint8, int32, uint8, int16.
    """
    doing, until = np.empty(len(rows), np.uint8), np.empty(len(rows), np.int32)
    where, zones = np.empty(len(rows), np.uint8), np.empty(len(rows), np.int16)
    for p in range(len(rows)):
        row, code = rows[p], _steps_from(plan[p], step[p]) & _STEP
        kind, hours = KINDS[code], code & _HOURS
        doing[p] = _DOING[kind]
        length = ticks[hours]
        until[p] = now + (morning if hours == UNTIL_MORNING else length)
        where[p] = _WHERE[kind]
        here, at_home, at_work = place[row], home[row], workplace[row]
        here = at_home if where[p] == Where.HOME else here
        zones[p] = at_work if where[p] == Where.WORKPLACE else here
    return doing, until, where, zones


@njit(cache=True, nogil=True)
def choose_zones(edges, rows, place, u, other):  # type: ignore[no-untyped-def]
    """Return the zones at points of cumulative shares by origin, int16, and the largest origin.

    The origins are `place` of the rows, negative ones count as 0. `other` are zones that are left
    out, -1 for none. If an origin is no zone, no zones are chosen.
    """
    last, count = 0, edges.shape[1]
    for p in range(len(rows)):
        last = max(last, place[rows[p]], other[p])
    zones = np.zeros(len(u), np.int16)
    for p in range(len(u) if last < len(edges) else 0):
        origin, left_out, at = max(place[rows[p]], 0), other[p], u[p]
        if left_out >= 0:
            begin = edges[origin, left_out - 1] if left_out > 0 else 0.0
            size = edges[origin, left_out] - begin
            at *= 1 - size
            if at >= begin:
                at += size
        # Without branches, since they would be mispredicted.
        for zone in range(count - 1):
            zones[p] += at >= edges[origin, zone]
    return zones, last


@njit(cache=True, nogil=True)
def find_urgent(  # type: ignore[no-untyped-def]
    works, is_day, limits, hunger, energy, safety, social, age
):
    """Return the most urgent need of each agent, uint8, (agents,).

    `limits` are the levels at which hunger, energy, safety and social needs are urgent.
    """
    hungry, tired, unsafe, lonely = limits[0], limits[1], limits[2], limits[3]
    urgent = np.empty(len(works), np.uint8)
    for p in range(len(works)):
        # From the least urgent need on, without branches, since they would be mispredicted.
        need = _ANYTHING
        need = _SOCIAL if is_day & (social[p] <= lonely) & (age[p] >= AGE_OF_REASON) else need
        need = _SAFE if is_day & (safety[p] <= unsafe) & (age[p] >= SHOPPING_AGE) else need
        need = _AT_WORK if works[p] else need
        need = _TIRED if energy[p] <= tired else need
        urgent[p] = _HUNGRY if hunger[p] <= hungry else need
    return urgent


@njit(cache=True, nogil=True)
def find_interrupted(rows, plan, step, urgent):  # type: ignore[no-untyped-def]
    """Return which agents have no plan, or a need more urgent than those of plan and step, (n,).

    `plan` and `step` are columns, `urgent` is the need of each of the rows.
    """
    interrupted = np.empty(len(rows), np.bool_)
    for p in range(len(rows)):
        own = plan[rows[p]]
        kind = KINDS[_steps_from(own, step[rows[p]]) & _STEP]
        urgency = min(own >> NEED_AT, np.int64(NEEDS_OF_STEPS[kind]))
        interrupted[p] = (own == 0) | (urgent[p] < urgency)
    return interrupted


@njit(cache=True, nogil=True)
def may_work(rows, workplace, worked_on, paused_step, today, begins):  # type: ignore[no-untyped-def]
    """Return which agents of some rows may work or go to school now, and which may resume it, (n,).

    They may begin it if `begins`, and have not yet done so. The other arguments are columns.
    """
    works, resumes = np.empty((2, len(rows)), np.bool_)
    for p in range(len(rows)):
        row = rows[p]
        worked = worked_on[row] == today
        resumes[p] = worked & (paused_step[row] >= 0)
        works[p] = (workplace[row] >= 0) & ((begins & ~worked) | resumes[p])
    return works, resumes


@njit(cache=True, nogil=True)
def describe(  # type: ignore[no-untyped-def]
    rows, hunger, safety, social, age, employer, starts, level, need, night, works, trades, goes
):
    """Return facts about the agents of some rows, bool, (6, n), and their situations, int64, (n,).

    The facts are: hungry, unsafe, lonely (needs of at most `level`), old enough to shop, has a
    friend, is employed. The arguments before `starts` are columns; `starts` is where the friends of
    each row start, (all agents + 1,); those from `need` on have one value per row, except `night`.
    A situation is numbered by need and facts in the order of `planned_behaviour.GATES`, the first
    in the lowest bit.
    """
    facts, numbers = np.empty((6, len(rows)), np.bool_), np.empty(len(rows), np.int64)
    for p in range(len(rows)):
        row = rows[p]
        facts[0, p] = hunger[row] <= level
        facts[1, p] = safety[row] <= level
        facts[2, p] = social[row] <= level
        facts[3, p] = grown = age[row] >= SHOPPING_AGE
        facts[4, p] = has_friend = starts[row + 1] > starts[row]
        facts[5, p] = employed = employer[row] >= 0
        number = np.int64(need[p])
        for gate in (goes[p], trades[p], has_friend, grown, works[p], employed, night):
            number = number << 1 | gate
        numbers[p] = number
    return facts, numbers
