"""Danger that citizens recall, compiled."""

import numpy as np
from numba import njit

from memopolis.sim.memory.streams.layout import places
from memopolis.sim.memory.streams.page_kernels import (
    AGENTS_AHEAD,
    byte_of,
    confidence_of,
    half_of,
    importance_of,
    prefetch_values,
    strides,
    valence_of,
    word_of,
)

DANGER, RELIEF, PAST, ORDER = 1, 2, 4, 8  # bits of the subjects of a topic, see `StayOrGo`

_TOPIC, _TIME, _PLACE = places("topic", "time", "place")
_STRIDES = strides("topic", "valence", "time", "importance", "confidence", "place")


@njit(cache=True, nogil=True)
def read_dangers(view, fading, slots, scores, homes, subjects, relief):  # type: ignore[no-untyped-def]
    """Read what recalled memories, shape (agents, k), report of danger.

    `fading` is `Memory.fading`, `subjects` are the bits of each topic, and `relief` is the weight
    of all-clears. Returns

    - the weight of each memory in a threat: score * importance * confidence * danger, float32,
    - which memories are of danger,
    - the importance of the strongest order for the home zone that is newer than all all-clears, 0
      without one, shape (agents,),
    - whether there is an all-clear, and a bad memory of an earlier storm, shape (agents,).
    """
    _, words, halves, small = view
    now, left = fading
    weights, dangerous = np.zeros(slots.shape, np.float32), np.zeros(slots.shape, np.bool_)
    order = np.zeros(len(slots), np.float32)
    passed, past = np.zeros((2, len(slots)), np.bool_)
    for p in range(slots.shape[0]):
        if p + AGENTS_AHEAD < slots.shape[0]:
            prefetch_values(words, slots[p + AGENTS_AHEAD], _STRIDES)
        lifted = -(2**30)
        for j in range(slots.shape[1]):
            slot = slots[p, j]
            if slot < 0:
                continue
            about = subjects[small[byte_of(slot) + _TOPIC]]
            valence = valence_of(words, small, slot, now, left)
            danger = np.float32(0)
            if about & DANGER:
                dangerous[p, j] = True
                danger = max(-valence, danger)
            if about & RELIEF and valence > 0:
                passed[p] = True
                lifted = max(lifted, words[word_of(slot) + _TIME])
                danger -= relief * valence
            past[p] |= (about & PAST) > 0 and valence < 0
            weight = scores[p, j] * importance_of(halves, slot) * confidence_of(small, slot)
            weights[p, j] = weight * danger
        for j in range(slots.shape[1]):
            slot = slots[p, j]
            if (
                slot >= 0
                and subjects[small[byte_of(slot) + _TOPIC]] & ORDER
                and halves[half_of(slot) + _PLACE] == homes[p]
                and words[word_of(slot) + _TIME] > lifted
            ):
                order[p] = max(order[p], importance_of(halves, slot))
    return weights, dangerous, order, passed, past
