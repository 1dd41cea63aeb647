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
    begin, stop = first[i], first[i + 1]
    for at in range(begin, stop):
        if others[at] == j:
            return at - begin
    return -1


@inner
def _has_met(met, i, slot):  # type: ignore[no-untyped-def]
    """Return whether i has talked today with the contact of a tie, by the number of the tie."""
    return (met[i] >> np.uint64(min(slot, _LAST_BIT))) & np.uint64(1)


@inner
def _note(talks, size, i, j, slot, draw):  # type: ignore[no-untyped-def]
    """Note that i may talk with j for the first time today, and return the number of notes."""
    rows, others, slots, draws = talks
    rows[size], others[size], slots[size], draws[size] = i, j, slot, draw
    return size + 1


@inner
def _note_partners(words, offset, first, others, people, met, talks):  # type: ignore[no-untyped-def]
    """Note the contacts of citizens with the friends of their plans, and return their number."""
    doing, place, _, partner, alive, arranged = people
    size = 0
    for i in range(len(doing)):
        meets, writes = arranged[0, doing[i]], arranged[1, doing[i]]
        j = np.int64(partner[i])
        if j < 0 or not (meets or writes) or not alive[i]:
            continue
        if doing[j] == _SLEEP or not alive[j] or (meets and place[i] != place[j]):
            continue
        draw = np.float32((words[i] ^ words[j]) * _WORD)
        for one, other in ((i, j), (j, i)):
            at = _position(one, other, first, others)
            slot = offset[one] + at
            if at >= 0 and not _has_met(met, one, slot):
                size = _note(talks, size, one, other, slot, draw)
    return size


@inner
def _note_kind(k, words, offset, first, others, people, met, talks, size, rules):  # type: ignore[no-untyped-def]
    """Note the contacts along ties of kind k that are drawn, and return the number of notes.

    Each pair is drawn once, so the contacts of a citizen are noted in the order of their rows.
    """
    doing, place, home, _, alive, _ = people
    together, apart, hourly, remote, at_home, travels = rules
    limit = np.uint32(min(max(hourly[k], remote[k]) / _WORD, 4294967295.0))
    for i in range(len(doing)):
        here, what, word = place[i], doing[i], words[i]
        near = together[k, what] and (here >= 0 or travels[k])
        far = apart[k, what]
        if not (near or far) or not alive[i]:
            continue
        begin, stop = first[i], first[i + 1]
        for at in range(begin, stop):
            j = np.int64(np.uint32(others[at]))
            if j <= i:
                continue
            other = word ^ words[j]
            if other > limit:
                continue
            share, meets = np.float32(0.0), here == place[j]
            if meets:
                if near and together[k, doing[j]]:
                    share = hourly[k]
            elif far and apart[k, doing[j]]:
                share = remote[k]
            draw = np.float32(other * _WORD)
            if draw >= share or not alive[j]:
                continue
            draw /= share
            slot = offset[i] + (at - begin)
            if (here == home[i] or not (at_home[k] and meets)) and not _has_met(met, i, slot):
                size = _note(talks, size, i, j, slot, draw)
            back = _position(j, i, first, others)
            slot = offset[j] + back
            can = back >= 0 and (here == home[j] or not (at_home[k] and meets))
            if can and not _has_met(met, j, slot):
                size = _note(talks, size, j, i, slot, draw)
    return size


@inner
def _find_earlier(k, talks, size, starts, contacts):  # type: ignore[no-untyped-def]
    """Replace the ties of contacts by those of an earlier kind with the same person."""
    rows, others, slots, _ = talks
    before = np.zeros(size, np.int32)  # number of ties of earlier kinds
    is_open = np.ones(size, np.bool_)
    for n in range(k):
        first, tied = starts[n], contacts[n]
        for m in range(size):
            i = rows[m]
            at = _position(i, others[m], first, tied)
            if at >= 0 and is_open[m]:
                slots[m], is_open[m] = before[m] + at, False
            before[m] += first[i + 1] - first[i]


@njit(cache=True, nogil=True)
def meet(
    starts: tuple[Int32, ...],
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
    due: Bools,
) -> None:
    """Mark the contacts of a step, and choose a new one for each citizen; see `draw_contacts`.

    `friend` is the number of the kind of ties with the partners of plans, -1 for none; `number`
    gets the kind of the tie with the chosen contact. Other contacts are drawn for `due` kinds.
    """
    count = len(doing)
    best, offset = np.full(count, np.float32(2.0)), np.zeros(count, np.int32)
    words = np.empty(count, np.uint32)
    people = doing, place, home, partner, alive, arranged
    rules = together, apart, hourly, remote, at_home, travels
    for k in range(len(starts)):
        first, others = starts[k], contacts[k]
        if due[k] or k == friend:
            most = len(others) + 2 * count
            rows, whom, slots = np.empty((3, most), np.int32)
            talks = rows, whom, slots, np.empty(most, np.float32)
            for i in range(count):
                words[i] = _word(bits[i], k)
            size = 0
            if k == friend:
                size = _note_partners(words, offset, first, others, people, met, talks)
            if due[k]:
                size = _note_kind(k, words, offset, first, others, people, met, talks, size, rules)
            _find_earlier(k, talks, size, starts, contacts)
            for m in range(size):
                i = rows[m]
                if not _has_met(met, i, slots[m]):
                    met[i] |= np.uint64(1) << np.uint64(min(slots[m], _LAST_BIT))
                    if talks[3][m] < best[i]:
                        best[i], chosen[i], number[i] = talks[3][m], whom[m], k
        for i in range(count):
            offset[i] += first[i + 1] - first[i]
