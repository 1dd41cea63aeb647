"""Compiled loops of `diary.py`: fill the half hours of a day with activities."""

import numpy as np
from numba import njit

from memopolis.agents.activities import Activity, mark_activities
from memopolis.agents.day.body_clock import (
    AMPLITUDE,
    EARLY,
    EXHAUSTED,
    FALLS,
    RESTED,
    circadian,
)
from memopolis.agents.day.time_use import FIRST_SLOT_HOUR, SLOTS, Use
from memopolis.agents.day.work_hours import PREPARES, WAY
from memopolis.sim.inner_kernels import inner

_FREE, _SLEEP = np.uint8(Activity.IDLE), np.uint8(Activity.SLEEP)
_WORK, _SCHOOL = np.uint8(Activity.WORK), np.uint8(Activity.SCHOOL)
_EAT, _TRAVEL = np.uint8(Activity.EAT), np.uint8(Activity.TRAVEL)
_TELEVISION, _LEISURE = np.uint8(Activity.TELEVISION), np.uint8(Activity.REST)
_PERSONAL_CARE = np.uint8(Activity.PERSONAL_CARE)
_U_EDUCATION, _U_EAT, _U_PERSONAL, _U_TRAVEL = (
    int(use) for use in (Use.EDUCATION, Use.EATING, Use.PERSONAL_CARE, Use.TRAVEL)
)
_U_TELEVISION, _U_LEISURE, _U_CARE, _U_HOUSEHOLD = (
    int(use) for use in (Use.TELEVISION, Use.LEISURE, Use.CARE, Use.HOUSEHOLD)
)
_OUTINGS = np.array([Use.RELIGION, Use.SHOPPING, Use.SPORT, Use.SOCIALISING])
_IS_OUTING = np.isin(np.arange(len(Use)), _OUTINGS)
_CHORES = np.array([Use.EDUCATION, Use.HOUSEHOLD, Use.CARE, Use.TELEPHONE])
# Activity of each use of time.
_DOING = np.zeros(len(Use), np.uint8)
_DOING[Use.RELIGION], _DOING[Use.SHOPPING] = Activity.RELIGION, Activity.SHOP
_DOING[Use.SPORT], _DOING[Use.SOCIALISING] = Activity.SPORT, Activity.MEET
_DOING[Use.HOUSEHOLD], _DOING[Use.CARE] = Activity.HOUSEWORK, Activity.CARE
_DOING[Use.TELEPHONE], _DOING[Use.EDUCATION] = Activity.MESSAGE, Activity.STUDY
_DOING[Use.TRAVEL] = Activity.TRAVEL
# Whether each activity may be moved to after a meal or before it; `IDLE` is not filled yet.
_ROUTINE = mark_activities(Activity.IDLE, Activity.WORK, Activity.SCHOOL, Activity.PERSONAL_CARE)
_PER_HOUR = 20
_CIRCADIAN = AMPLITUDE * circadian(np.arange(24 * _PER_HOUR) / _PER_HOUR)  # by time after the phase
_LUNCH_FROM = 10  # half hours of work or school from which there is a break for a meal
_LUNCH, _DINNER = 12.4, 18.6  # usual hours of meals (illustrative)
_MEALS_VARY = 2.2  # largest deviation of a meal from its usual hour, hours (illustrative)
_LONGEST_CHORE = 4  # half hours of one stretch of a chore (illustrative)
_MOST_STRETCH = 2.5  # most that a day with much free time stretches its agenda (illustrative)
_HABIT = 0.5  # probability that a person does today what he or she usually does (illustrative)
_SPREAD = 0.6  # greatest relative deviation of the minutes of a use (illustrative)


@inner
def _next(state):  # type: ignore[no-untyped-def]
    """Return the next uniform draw, and the state after it.

    Source: SplitMix64; Steele, Lea and Flood 2014, doi:10.1145/2660193.2660195.
    """
    state += np.uint64(0x9E3779B97F4A7C15)
    z = state
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z ^= z >> np.uint64(31)
    return np.float64(z >> np.uint64(11)) / 9007199254740992.0, state


@inner
def _round(value, u):  # type: ignore[no-untyped-def]
    """Return a whole number whose mean over draws `u` is `value`."""
    low = int(value)
    return low + (1 if u < value - low else 0)


@inner
def _place_work(day, start, length, kind, way, u):  # type: ignore[no-untyped-def]
    """Enter work or school with a break and the ways there and back; return their half hours.

    `start` is an hour, and `length` and `way` are in half hours; the result is the first half hour,
    and the one after the last, -1 for a day off.
    """
    if length <= 0:
        return -1, -1
    breaks = 1 if length >= _LUNCH_FROM else 0
    # A shift that would go on after the diary begins earlier, so that it ends with the way home.
    latest = max(SLOTS - length - breaks - way, 1)
    first = min(max(round((start - FIRST_SLOT_HOUR) * 2), 1), latest)
    last = min(first + length + breaks, SLOTS)
    for slot in range(first, last):
        day[slot] = kind
    if breaks:
        # Around noon if that is at work, otherwise in the middle.
        noon = int((_LUNCH - 1.1 + 2.2 * u - FIRST_SLOT_HOUR) * 2)
        middle = (first + last) // 2
        day[noon if first + 3 <= noon < last - 2 else middle] = _EAT
    begin, end = max(first - way, 0), min(last + way, SLOTS)
    for slot in range(begin, first):
        day[slot] = _TRAVEL
    for slot in range(last, end):
        day[slot] = _TRAVEL
    return begin, end


@inner
def _sleep(day, pressure, asleep, clock, alarm, begin, end):  # type: ignore[no-untyped-def]
    """Enter the hours of sleep, which an alarm ends, and before and during work there is none.

    `alarm` is a half hour, beyond the day for none.
    """
    phase, lower, upper, rise, need, tomorrow = clock
    rises, falls = np.exp(-0.5 / rise), np.exp(-0.5 / FALLS)
    offset = int((FIRST_SLOT_HOUR - phase) * _PER_HOUR) + 48 * _PER_HOUR
    for slot in range(SLOTS):
        c = _CIRCADIAN[(offset + slot * (_PER_HOUR // 2)) % (24 * _PER_HOUR)]
        at_work = begin <= slot < end
        if asleep:
            asleep = not (pressure <= max(lower + c, RESTED) or slot == alarm or at_work)
        elif not at_work and not alarm <= slot < begin:
            lacking = max(need - (tomorrow - 0.5 * slot), 0.0)
            asleep = pressure >= min(upper + c - EARLY * lacking, EXHAUSTED)
        if asleep:
            day[slot] = _SLEEP
            pressure = pressure * falls
        else:
            pressure = 1 - (1 - pressure) * rises


@inner
def _count(day, kind):  # type: ignore[no-untyped-def]
    """Return the number of half hours of a kind."""
    count = 0
    for slot in range(len(day)):
        count += day[slot] == kind
    return count


@inner
def _fill_near(day, slot, kind):  # type: ignore[no-untyped-def]
    """Enter an activity in the free half hour nearest to a slot, within two hours; say whether."""
    for away in range(5):
        for side in range(-1, 2, 2):
            at = slot + side * away
            if 0 <= at < SLOTS and day[at] == _FREE:
                day[at] = kind
                return True
    return False


@inner
def _find_waking(day):  # type: ignore[no-untyped-def]
    """Return the first half hour of the day that is spent awake, or the number of all."""
    for slot in range(SLOTS):
        if day[slot] != _SLEEP:
            return slot
    return SLOTS


@inner
def _find_bedtime(day):  # type: ignore[no-untyped-def]
    """Return the first half hour of the sleep with which the day ends, or the number of all."""
    slot = SLOTS
    while slot > 0 and day[slot - 1] == _SLEEP:
        slot -= 1
    return slot


@inner
def _draw_meal(hour, state):  # type: ignore[no-untyped-def]
    """Draw the half hour of a meal around an hour."""
    u, state = _next(state)
    v, state = _next(state)
    return int((hour + _MEALS_VARY * (u + v - 1) - FIRST_SLOT_HOUR) * 2), state


@inner
def _eat(day, count, household, state):  # type: ignore[no-untyped-def]
    """Enter meals: of three, those that the count allows, and then longer ones.

    A household has dinner at the same time, drawn from the state `household`.
    """
    count -= _count(day, _EAT)
    u, state = _next(state)
    lunch, state = _draw_meal(_LUNCH, state)
    dinner, _ = _draw_meal(_DINNER, household)
    breakfast = _find_waking(day) + 1
    has_lunch = _count(day, _EAT) > 0
    for turn in range(6):
        if count <= 0:
            break
        meal = turn % 3
        if turn < 3 and count < 3 and u > 0.6 and meal < 2:
            meal = 1 - meal  # some have lunch rather than dinner
        if turn < 3 and count < 3 and 0.45 < u < 0.6 and meal > 0:
            meal = 3 - meal  # some have breakfast rather than lunch
        if meal == 1 and has_lunch:
            continue
        slot = dinner if meal == 0 else (lunch if meal == 1 else breakfast)
        count -= _fill_near(day, min(slot, SLOTS - 1), _EAT)
    return state


@inner
def _begins(slot, step):  # type: ignore[no-untyped-def]
    """Return whether a stretch may begin with a half hour, see `_choose_start`."""
    return slot % 2 == 1 if step < 0 else slot % step == 0


@inner
def _choose_start(day, length, step, weights, u):  # type: ignore[no-untyped-def]
    """Choose among free stretches by the weights of their first half hours, -1 without any.

    With `step` 2, stretches begin with the half hour around the middle of an hour, and with -2
    with the one before.
    """
    total, free = 0.0, 0
    for slot in range(SLOTS - 1, -1, -1):
        free = free + 1 if day[slot] == _FREE else 0
        if free >= length and _begins(slot, step):
            total += weights[slot]
    edge, free, chosen = u * total, 0, -1
    for slot in range(SLOTS - 1, -1, -1):
        free = free + 1 if day[slot] == _FREE else 0
        if free >= length and _begins(slot, step) and weights[slot] > 0:
            edge -= weights[slot]
            chosen = slot
            if edge <= 0:
                break
    return chosen


@inner
def _go_out(day, use, hours, weights, ways, state):  # type: ignore[no-untyped-def]
    """Enter an outing of whole hours, and the ways there and back if `ways` are left today.

    An outing without ways is near. Returns the pairs of ways that are left, and the state.
    """
    for length in range(min(hours, 5), 0, -1):
        u, state = _next(state)
        if ways > 0:
            way = _choose_start(day, 2 * length + 2, -2, weights, u)
            if way >= 0:
                last = way + 2 * length + 1
                day[way], day[last] = _TRAVEL, _TRAVEL
                day[way + 1 : last] = _DOING[use]
                return ways - 1, state
        first = _choose_start(day, 2 * length, 2, weights, u)
        if first >= 0:
            day[first : first + 2 * length] = _DOING[use]
            break
    return ways, state


@inner
def _do_chore(day, use, length, weights, state):  # type: ignore[no-untyped-def]
    """Enter a chore in stretches of at most two hours."""
    for _ in range(12):
        if length <= 0:
            break
        u, state = _next(state)
        v, state = _next(state)
        size = min(length, 1 + int(u * _LONGEST_CHORE))
        first = _choose_start(day, size, 1, weights, v)
        if first < 0:
            size = 1
            first = _choose_start(day, 1, 1, weights, v)
            if first < 0:
                break
        for slot in range(first, first + size):
            day[slot] = _DOING[use]
        length -= size
    return state


@inner
def _rest(day, television, leisure, weights, state):  # type: ignore[no-untyped-def]
    """Fill what is left with television and other leisure, in stretches, by their minutes."""
    total = television + leisure
    share = television / total if total > 0 else 0.5
    mean, free = 0.0, 0
    for slot in range(SLOTS):
        if day[slot] == _FREE:
            mean, free = mean + weights[slot], free + 1
    mean = mean / free if free else 1.0
    last = _FREE
    for slot in range(SLOTS):
        if day[slot] != _FREE:
            continue
        u, state = _next(state)
        v, state = _next(state)
        if last == _FREE or v < 0.4:
            likely = share * weights[slot] / max(mean, 1e-6)
            # What cannot be above 1 in the evening is spread over the day.
            last = _TELEVISION if u < max(likely, 1 - (1 - share) * 1.3) else _LEISURE
        day[slot] = last
    return state


@inner
def _draw_agenda(share, minutes, care, persons, state, agenda):  # type: ignore[no-untyped-def]
    """Draw the minutes of each use today, 0 if it is not done, into `agenda`, (uses,).

    `care` is the probability to care for others, and `share` that of the other uses.

    Whether a person does it is drawn once for all days, from the state `persons`, or for today
    alone. Only people who travel today have outings, so many people do not go out on a day.
    """
    travels = False
    for number in range(-1, len(share)):
        use = _U_TRAVEL if number < 0 else number
        usual, persons = _next(persons)
        today, state = _next(state)
        u, state = _next(state)
        v, state = _next(state)
        if number == _U_TRAVEL:
            continue
        likely = care if use == _U_CARE else share[use]
        if _IS_OUTING[use]:
            likely = min(likely / max(share[_U_TRAVEL], 0.01), 1.0) if travels else 0.0
        does = (usual if u < _HABIT else today) < likely
        agenda[use] = minutes[use] * (1 + _SPREAD * (2 * v - 1)) if does else 0.0
        if number < 0:
            travels = does
    return state


@inner
def _get_ready(day, count):  # type: ignore[no-untyped-def]
    """Enter personal care after waking, of some half hours of it; return those that are left."""
    return count - _fill_near(day, min(_find_waking(day), SLOTS - 1), _PERSONAL_CARE)


@inner
def _go_out_today(day, agenda, stretch, weights, state):  # type: ignore[no-untyped-def]
    """Enter the outings of the day; return the ways there and back that are left, and the state."""
    u, state = _next(state)
    ways = _round(stretch * agenda[_U_TRAVEL] / 60, u)
    for use in _OUTINGS:
        u, state = _next(state)
        hours = _round(stretch * agenda[use] / 60, u)
        if hours > 0:
            ways, state = _go_out(day, use, hours, weights[use], ways, state)
    return ways, state


@inner
def _keep_up(day, agenda, care, household, state):  # type: ignore[no-untyped-def]
    """Enter meals, and half hours of personal care before going to bed and after getting up."""
    v, state = _next(state)
    for turn in range(care):
        slot = _find_bedtime(day) - 1 - int(3 * v) if turn % 2 == 0 else _find_waking(day) + 2
        _fill_near(day, min(max(slot, 0), SLOTS - 1), _PERSONAL_CARE)
    u, state = _next(state)
    return _eat(day, _round(agenda[_U_EAT] / 30, u), household, state)


@inner
def _go_to_meals(day, ways, state):  # type: ignore[no-untyped-def]
    """Enter ways there and back around recorded meals; the rest are trips that come up later."""
    u, state = _next(state)
    for number in range(SLOTS):
        slot = (int(u * SLOTS) + number) % SLOTS
        is_meal = slot % 2 == 0 and day[slot] == _EAT and 0 < slot < SLOTS - 1
        if ways > 0 and is_meal and day[slot - 1] == _FREE and day[slot + 1] == _FREE:
            day[slot - 1], day[slot + 1] = _TRAVEL, _TRAVEL
            ways -= 1
    return state


@inner
def _fill_free(day, agenda, mean, stretch, ways, weights, state):  # type: ignore[no-untyped-def]
    """Fill the half hours that are free: ways, chores, and then television and leisure.

    `mean` are the mean minutes of each use in the group.
    """
    state = _go_to_meals(day, ways, state)
    for use in _CHORES:
        u, state = _next(state)
        state = _do_chore(day, use, _round(stretch * agenda[use] / 30, u), weights[use], state)
    # What is usual in the group counts as much as today's wish, since all that is left is filled.
    television = agenda[_U_TELEVISION] + mean[_U_TELEVISION]
    leisure = agenda[_U_LEISURE] + mean[_U_LEISURE]
    return _rest(day, television, leisure, weights[_U_TELEVISION], state)


@inner
def _gives_way(day, slot, other):  # type: ignore[no-untyped-def]
    """Return whether a meal may change places with the half hour `other` next to it."""
    if not 0 <= other < SLOTS or not _ROUTINE[day[other]]:
        return False
    beyond = 2 * slot - other
    within = 0 <= beyond < SLOTS and day[beyond] == day[other]
    return within or (day[other] != _WORK and day[other] != _SCHOOL)


@inner
def _spread_meals(day, state):  # type: ignore[no-untyped-def]
    """Shift meals by half an hour so that hours record half of them, and at least one.

    An hour records what is done around its middle: every second half hour from the first one on.
    """
    u, state = _next(state)
    meals, recorded = _count(day, _EAT), _count(day[::2], _EAT)
    wanted = max(meals // 2, min(meals, 1))
    for number in range(SLOTS):
        slot = (int(u * SLOTS) + number) % SLOTS
        if recorded == wanted:
            break
        if day[slot] != _EAT or (slot % 2 == 0) != (recorded > wanted):
            continue
        for side in range(-1, 2, 2):
            other = slot + side
            if _gives_way(day, slot, other):
                day[slot], day[other] = day[other], _EAT
                recorded += 1 if recorded < wanted else -1
                break
    return state


@njit(cache=True, nogil=True)
def compose(  # type: ignore[no-untyped-def]
    group, share, minutes, cares, free_of, start, length, commutes, is_school, weights, clocks,
    pressure, asleep, burdens, households, persons, seeds, only_sleep,
):  # fmt: skip
    """Return the diaries of agents, uint8, (agents, SLOTS).

    Args:
        group: Number of each agent's group, (agents,).
        share: Share of people that spend time on each use today, (groups, uses).
        minutes: Mean minutes of those who do, (groups, uses).
        cares: Probability that an agent cares for others today, (agents,).
        free_of: Mean minutes without sleep, work, meals and personal care, (groups,).
        start: Hour at which work or school begins, NaN for none, (agents,).
        length: Its minutes, 0 for none, (agents,).
        commutes: Whether it is in another zone than the home, (agents,).
        is_school: Whether it is school, (agents,).
        weights: How usual each use is by half hour, (uses, SLOTS).
        clocks: Phase, lower and upper threshold, and time constant of the rise of the body clock,
            the hours of sleep needed, and from the start of the day those until tomorrow's alarm,
            and until that of today on a day without work and school, (agents, 7).
        pressure: Sleep pressure when the day begins, (agents,).
        asleep: Whether the agent is asleep when the day begins, (agents,).
        burdens: Minutes of housework and care relative to those of the group, (agents,).
        households: Random bits of each agent's household on this day, (agents,).
        persons: Random bits of each agent, the same on all days, (agents,).
        seeds: Random bits of each agent on this day, (agents,).
        only_sleep: Whether to enter no more than work, the ways to it and sleep, which nothing
            that is entered later changes; rest then stands for all the rest.
    """
    days = np.zeros((len(group), SLOTS), np.uint8)
    agenda = np.empty(share.shape[1], np.float64)
    for p in range(len(days)):
        day, state, g = days[p], seeds[p], group[p]
        state = _draw_agenda(share[g], minutes[g], cares[p], persons[p], state, agenda)
        agenda[_U_HOUSEHOLD] *= burdens[p]
        agenda[_U_CARE] *= burdens[p]
        u, state = _next(state)
        v, state = _next(state)
        half_hours = _round(length[p] / 30, u)
        kind, way = _WORK, WAY * commutes[p]
        if is_school[p]:
            kind = _SCHOOL
            if half_hours > 0 and agenda[_U_TRAVEL] > 0:
                # In the survey, ways to school are other travel.
                way, agenda[_U_TRAVEL] = WAY, max(agenda[_U_TRAVEL] - 60.0 * WAY, 0.0)
        begin, end = _place_work(day, start[p], half_hours, kind, way, v)
        clock = (
            clocks[p, 0], clocks[p, 1], clocks[p, 2], clocks[p, 3], clocks[p, 4], clocks[p, 5]
        )  # fmt: skip
        alarm = max(begin - PREPARES, 0) if begin >= 0 else int(2 * clocks[p, 6])
        _sleep(day, pressure[p], asleep[p], clock, alarm, begin, end)
        if only_sleep:
            for slot in range(SLOTS):
                if day[slot] == _FREE:
                    day[slot] = _LEISURE
            continue
        kept_up = agenda[_U_PERSONAL] + agenda[_U_EAT] - 30 * _count(day, _EAT)
        free = 30.0 * _count(day, _FREE) - kept_up
        stretch = min(max(free, 0.0) / max(free_of[g], 60.0), _MOST_STRETCH)
        if is_school[p] and half_hours:
            agenda[_U_EDUCATION] = 0.0  # homework is only done on other days
        u, state = _next(state)
        care = _round(agenda[_U_PERSONAL] / 30, u)
        if care > 0:
            care = _get_ready(day, care)
        ways, state = _go_out_today(day, agenda, stretch, weights, state)
        state = _spread_meals(day, _keep_up(day, agenda, care, households[p], state))
        _fill_free(day, agenda, share[g] * minutes[g], stretch, ways, weights, state)
    return days


@njit(cache=True, nogil=True)
def find_first(days, rows, kinds, start):  # type: ignore[no-untyped-def]
    """Return the first column from `start` on whose activity is of some kinds, (agents,).

    It is the number of columns without any, and for rows beyond those of `days`, whose diaries are
    not drawn yet. Activities are not checked: `kinds` has a value for each.
    """
    columns = np.full(len(rows), days.shape[1], np.intp)
    for p in range(len(rows)):
        if rows[p] >= len(days):
            continue
        for column in range(start, days.shape[1]):
            if kinds[days[rows[p], column]]:
                columns[p] = column
                break
    return columns
