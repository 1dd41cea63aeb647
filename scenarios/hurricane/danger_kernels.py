"""Danger that citizens recall, compiled."""

import numpy as np
from numba import njit

from memopolis.sim.memory.streams.encoding import SHARES
from memopolis.sim.memory.streams.layout import PAGE, PAGE_BYTES, PAGE_WORDS, places
from memopolis.sim.memory.streams.prefetch_kernels import prefetch_values, strides

DANGER, RELIEF, PAST, ORDER = 1, 2, 4, 8  # bits of the subjects of a topic, see `StayOrGo`

_READ = ("topic", "valence", "time", "importance", "confidence", "place")
_TOPIC, _VALENCE, _TIME, _IMPORTANCE, _CONFIDENCE, _PLACE = places(*_READ)
_STRIDES = strides(*_READ)
_PLEASANT, _IMPORTANT, _CERTAIN = (
    np.float32(SHARES[name][1]) for name in ("valence", "importance", "confidence")
)
_AGENTS_AHEAD = 3


@njit(cache=True, nogil=True)
def read_dangers(view, slots, scores, homes, subjects, relief):  # type: ignore[no-untyped-def]
    """Read what recalled memories, shape (agents, k), report of danger.

    `subjects` are the bits of each topic, and `relief` is the weight of all-clears. Returns

    - the weight of each memory in a threat: score * importance * confidence * danger, float32,
    - which memories are of danger,
    - the importance of the strongest order for the home zone that is newer than all all-clears, 0
      without one, shape (agents,),
    - whether there is an all-clear, and a bad memory of an earlier storm, shape (agents,).
    """
    _, words, halves, small = view
    weights, dangerous = np.zeros(slots.shape, np.float32), np.zeros(slots.shape, np.bool_)
    order = np.zeros(len(slots), np.float32)
    passed, past = np.zeros((2, len(slots)), np.bool_)
    for p in range(slots.shape[0]):
        if p + _AGENTS_AHEAD < slots.shape[0]:
            prefetch_values(words, slots[p + _AGENTS_AHEAD], _STRIDES)
        lifted = -(2**30)
        for j in range(slots.shape[1]):
            page, q = slots[p, j] // PAGE, slots[p, j] % PAGE
            if slots[p, j] < 0:
                continue
            about = subjects[small[page * PAGE_BYTES + _TOPIC + q]]
            valence = np.float32(np.int8(small[page * PAGE_BYTES + _VALENCE + q])) / _PLEASANT
            danger = np.float32(0)
            if about & DANGER:
                dangerous[p, j] = True
                danger = max(-valence, danger)
            if about & RELIEF and valence > 0:
                passed[p] = True
                lifted = max(lifted, words[page * PAGE_WORDS + _TIME + q])
                danger -= relief * valence
            past[p] |= (about & PAST) > 0 and valence < 0
            importance = np.float32(halves[page * 2 * PAGE_WORDS + _IMPORTANCE + q]) / _IMPORTANT
            confidence = np.float32(small[page * PAGE_BYTES + _CONFIDENCE + q]) / _CERTAIN
            weights[p, j] = scores[p, j] * importance * confidence * danger
        for j in range(slots.shape[1]):
            page, q = slots[p, j] // PAGE, slots[p, j] % PAGE
            if (
                slots[p, j] >= 0
                and subjects[small[page * PAGE_BYTES + _TOPIC + q]] & ORDER
                and halves[page * 2 * PAGE_WORDS + _PLACE + q] == homes[p]
                and words[page * PAGE_WORDS + _TIME + q] > lifted
            ):
                strength = np.float32(halves[page * 2 * PAGE_WORDS + _IMPORTANCE + q])
                order[p] = max(order[p], strength / _IMPORTANT)
    return weights, dangerous, order, passed, past
