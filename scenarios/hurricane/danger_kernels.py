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

DANGER, RELIEF, PAST, ORDER, FORECAST, INVITATION = 1, 2, 4, 8, 16, 32
"""Bits of the subjects of a topic, see `StayOrGo`."""

_TOPIC, _TIME, _PLACE = places("topic", "time", "place")
_STRIDES = strides("topic", "valence", "time", "importance", "confidence", "place")


@njit(cache=True, nogil=True)
def read_dangers(  # type: ignore[no-untyped-def]
    view, fading, slots, scores, homes, subjects, impact, hours_left, fresh, own
):
    """Read what recalled memories, shape (agents, k), report of danger.

    `fading` is `Memory.fading`, and `subjects` are the bits of each topic. A forecast stands for
    the `impact` at home, (ticks, zones), that was forecast when it was heard; without such a table,
    of length 0, for minus its valence, as other dangers and earlier storms: one that did no harm
    lets expect less of the next. Dangers and orders from before an all-clear no longer count.

    Returns:
    - the weight of each report: score * importance * confidence, float32, (agents, k); that of a
      forecast halves every `fresh` ticks, since a new one replaces it, and that of an earlier
      storm is multiplied by `own`,
    - its harm, (agents, k),
    - which memories are of danger, an order or an earlier storm, (agents, k),
    - the importance of the strongest order for the home zone, 0 without one, shape (agents,),
    - the hours from the newest forecast until gales, `hours_left` (ticks, zones) when it was heard,
      and its tick; -1 and 0 without a forecast, shape (2, agents),
    - whether there is an all-clear, a bad memory of an earlier storm, and an invitation, shape
      (3, agents).
    """
    _, words, halves, small = view
    now, left = fading
    weights, harms = np.zeros(slots.shape, np.float32), np.zeros(slots.shape, np.float32)
    dangerous = np.zeros(slots.shape, np.bool_)
    order = np.zeros(len(slots), np.float32)
    newest = np.zeros((2, len(slots)), np.float32)
    flags = np.zeros((3, len(slots)), np.bool_)
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
            if about & RELIEF and valence > 0:
                flags[0, p] = True
                lifted = max(lifted, words[word_of(slot) + _TIME])
            flags[1, p] |= (about & PAST) > 0 and valence < 0
            flags[2, p] |= (about & INVITATION) > 0
        latest = -1
        for j in range(slots.shape[1]):
            slot = slots[p, j]
            if slot < 0:
                continue
            about = subjects[small[byte_of(slot) + _TOPIC]]
            time = words[word_of(slot) + _TIME]
            is_past = about & PAST > 0
            if not is_past and (about & DANGER == 0 or time <= lifted):
                continue
            dangerous[p, j] = True
            importance = importance_of(halves, slot)
            weights[p, j] = scores[p, j] * importance * confidence_of(small, slot)
            harms[p, j] = max(-valence_of(words, small, slot, now, left), np.float32(0))
            if is_past:
                weights[p, j] *= own
                # What an earlier storm did stays known when the feeling has faded.
                felt = valence_of(words, small, slot, time, left)
                harms[p, j] = max(-felt, np.float32(0))
            if about & FORECAST and 0 <= time < len(impact):
                harms[p, j] = impact[time, homes[p]]
                weights[p, j] *= np.float32(0.5 ** ((now - time) / fresh))
                latest = max(latest, time)
            if about & ORDER:
                # It says who has to leave; what it means at home depends on exposure.
                weights[p, j] = 0
                if halves[half_of(slot) + _PLACE] == homes[p]:
                    order[p] = max(order[p], importance)
        newest[0, p] = hours_left[latest, homes[p]] if latest >= 0 else np.float32(-1)
        newest[1, p] = max(latest, 0)
    return weights, harms, dangerous, order, newest, flags
