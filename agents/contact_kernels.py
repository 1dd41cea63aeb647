"""The compiled pass of `contacts.py` over the ties of all citizens."""

import numpy as np
from numba import njit

from memopolis.agents.activities import Activity
from memopolis.sim.arrays import Bools, Float32, Int16, Int32, Int64, UInt8, UInt64
from memopolis.sim.inner_kernels import inner

_SLEEP = int(Activity.SLEEP)
_LAST_BIT = 63
_WORD = 1.0 / 4294967296.0  # of 32 random bits in [0, 1)
_STEP = 8  # bits by which the draws of the kinds of ties are rotated


@inner
def _word(bits, k):  # type: ignore[no-untyped-def]
    """Return 32 random bits for a kind of tie from the combined bits of a pair."""
    turned = np.uint64(_STEP * k)
    word = (bits >> turned) | (bits << ((np.uint64(64) - turned) & np.uint64(63)))
    return np.uint32(word & np.uint64(0xFFFFFFFF))


@inner
def _position(i, j, first, others):  # type: ignore[no-untyped-def]
    """Return the position of j among the contacts of i, -1 without a tie."""
    mine = others[first[i] : first[i + 1]]
    at = np.searchsorted(mine, j)
    return at if at < len(mine) and mine[at] == j else -1


@inner
def _find_slot(i, j, k, starts, contacts):  # type: ignore[no-untyped-def]
    """Return the number of the tie of i with j among those of the first k kinds, -1 for none."""
    slot = 0
    for n in range(k):
        at = _position(i, j, starts[n], contacts[n])
        if at >= 0:
            return slot + at
        slot += starts[n][i + 1] - starts[n][i]
    return -1


@inner
def _has_met(met, i, slot):  # type: ignore[no-untyped-def]
    """Return whether i has talked today with the contact of a tie, by the number of the tie."""
    return (met[i] >> np.uint64(min(slot, _LAST_BIT))) & np.uint64(1)


@inner
def _mark(i, j, k, slot, draw, starts, contacts, met, best, chosen, number):  # type: ignore[no-untyped-def]
    """Mark that i talks with j, unless they have today; choose the contact of the least draw.

    A person with ties of several kinds is marked as the first one.
    """
    if k > 0:
        earlier = _find_slot(i, j, k, starts, contacts)
        slot = slot if earlier < 0 else earlier
    if _has_met(met, i, slot):
        return
    met[i] |= np.uint64(1) << np.uint64(min(slot, _LAST_BIT))
    if draw < best[i]:
        best[i], chosen[i], number[i] = draw, j, k


@inner
def _meet_partners(k, words, offset, starts, contacts, people, marks):  # type: ignore[no-untyped-def]
    """Mark the contacts of citizens with the friends of their plans, ties of kind k."""
    doing, _, _, partner, alive, arranged = people
    met, best, chosen, number = marks
    first, others = starts[k], contacts[k]
    for i in range(len(doing)):
        if not arranged[doing[i]] or not alive[i]:
            continue
        j = np.int64(partner[i])
        if j < 0 or doing[j] == _SLEEP or not alive[j]:
            continue
        draw = np.float32((words[i] ^ words[j]) * _WORD)
        for one, other in ((i, j), (j, i)):
            at = _position(one, other, first, others)
            slot = offset[one] + at
            if at >= 0 and not _has_met(met, one, slot):
                _mark(one, other, k, slot, draw, starts, contacts, met, best, chosen, number)


@inner
def _meet_kind(k, words, offset, starts, contacts, people, marks, rules):  # type: ignore[no-untyped-def]
    """Mark the contacts of citizens along ties of kind k that are drawn."""
    doing, place, home, _, alive, _ = people
    met, best, chosen, number = marks
    together, apart, hourly, remote, at_home, travels = rules
    first, others = starts[k], contacts[k]
    limit = np.uint32(min(max(hourly[k], remote[k]) / _WORD, 4294967295.0))
    for i in range(len(doing)):
        here, what, word = place[i], doing[i], words[i]
        near = together[k, what] and (here == home[i] or not at_home[k])
        near &= here >= 0 or travels[k]
        far = apart[k, what]
        if not (near or far) or not alive[i]:
            continue
        begin, stop = first[i], first[i + 1]
        for at in range(begin, stop):
            j = np.int64(np.uint32(others[at]))
            other = word ^ words[j]
            if other > limit:
                continue
            share = np.float32(0.0)
            if here == place[j]:
                if near and together[k, doing[j]]:
                    share = hourly[k]
            elif far and apart[k, doing[j]]:
                share = remote[k]
            draw = np.float32(other * _WORD)
            if draw >= share or not alive[j]:
                continue
            slot = offset[i] + (at - begin)
            if not _has_met(met, i, slot):
                ratio = draw / share
                _mark(i, j, k, slot, ratio, starts, contacts, met, best, chosen, number)


@njit(cache=True, nogil=True)
def meet(
    starts: tuple[Int64, ...],
    contacts: tuple[Int32, ...],
    doing: UInt8,
    place: Int16,
    home: Int16,
    partner: Int64,
    alive: Bools,
    bits: UInt64,
    met: UInt64,
    chosen: Int32,
    number: UInt8,
    together: Bools,
    apart: Bools,
    hourly: Float32,
    remote: Float32,
    at_home: Bools,
    travels: Bools,
    arranged: Bools,
    friend: int,
) -> None:
    """Mark the contacts of a step, and choose a new one for each citizen; see `draw_contacts`.

    `friend` is the number of the kind of ties with the partners of plans, -1 for none; `number`
    gets the kind of the tie with the chosen contact.
    """
    count = len(doing)
    best, offset = np.full(count, np.float32(2.0)), np.zeros(count, np.int32)
    words = np.empty(count, np.uint32)
    people = doing, place, home, partner, alive, arranged
    marks = met, best, chosen, number
    rules = together, apart, hourly, remote, at_home, travels
    for k in range(len(starts)):
        for i in range(count):
            words[i] = _word(bits[i], k)
        if k == friend:
            _meet_partners(k, words, offset, starts, contacts, people, marks)
        _meet_kind(k, words, offset, starts, contacts, people, marks, rules)
        for i in range(count):
            offset[i] += starts[k][i + 1] - starts[k][i]
