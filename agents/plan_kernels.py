"""Compiled loops over plans, for `planned_behaviour.py` and `itinerary.py`."""

import numpy as np
from numba import njit

from memopolis.agents.activities import (
    AS_SCHEDULED,
    DOING_OF_STEPS,
    EVERYDAY,
    LONGEST_STEP,
    NEVER_ENDS,
    NUMBERS,
    STEPS,
    WHERE_OF_STEPS,
    Where,
)
from memopolis.agents.plans import ALL_STEPS, HOUR_BITS, KINDS, MAX_STEPS, STEP_BITS
from memopolis.sim.inner_kernels import inner

_HOURS, _STEP = (1 << HOUR_BITS) - 1, (1 << STEP_BITS) - 1


_SLEEP = NUMBERS["sleep"]
_TRADES = np.isin(np.arange(len(STEPS)), [NUMBERS["shop"], NUMBERS["eat out"]])
_OUTINGS = WHERE_OF_STEPS >= Where.SHOP


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
def find_last(rows, plan, step, kinds):  # type: ignore[no-untyped-def]
    """Return the kind of the current step of each row, and whether another step follows, (n,).

    The kind, int64, is -1 if it is not one of some kinds. `plan` and `step` are columns.
    """
    kinds_of_steps, more = np.full(len(rows), -1, np.int64), np.empty(len(rows), np.bool_)
    for p in range(len(rows)):
        steps = _steps_from(plan[rows[p]], step[rows[p]])
        kind = KINDS[steps & _STEP]
        if kinds[kind]:
            kinds_of_steps[p] = kind
        more[p] = (steps >> STEP_BITS) > 0
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


@njit(cache=True, nogil=True)
def select_possible_steps(kinds, hours, feasible, night, closing):  # type: ignore[no-untyped-def]
    """Return the steps that can be carried out, see `planned_behaviour.select_possible_steps`."""
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
            if not can or (elapsed > 0 and late):
                continue
            length = AS_SCHEDULED if kind == _SLEEP else end - elapsed
            codes[p, count] = (kind << HOUR_BITS) | length
            count, elapsed = count + 1, end
            if kind == _SLEEP:
                break
    return codes


@njit(cache=True, nogil=True)
def begin_steps(rows, plan, step, ticks, now, place, home, workplace):  # type: ignore[no-untyped-def]
    """Return activity, end, kind of place and zone of the steps that agents begin, (agents,) each.

    `ticks` are the lengths of steps by hours, `NEVER_ENDS` or more for those without an end, and
    `now` is the current tick. `place`, `home` and `workplace` are zones by row. The zone of a step
    is home, workplace, or else the present place. Types: uint8, int32, uint8, int16.
    """
    doing, until = np.empty(len(rows), np.uint8), np.empty(len(rows), np.int32)
    where, zones = np.empty(len(rows), np.uint8), np.empty(len(rows), np.int16)
    for p in range(len(rows)):
        row, code = rows[p], _steps_from(plan[p], step[p]) & _STEP
        kind, length = KINDS[code], ticks[code & _HOURS]
        doing[p] = DOING_OF_STEPS[kind]
        until[p] = NEVER_ENDS if length >= NEVER_ENDS else now + length
        where[p] = WHERE_OF_STEPS[kind]
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
