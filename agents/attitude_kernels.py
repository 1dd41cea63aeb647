"""Weights of recalled memories, and order of evidence, compiled."""

import numpy as np
from numba import njit

from memopolis.sim.memory.streams.encoding import SHARES
from memopolis.sim.memory.streams.layout import PAGE, PAGE_BYTES, PAGE_WORDS, places
from memopolis.sim.memory.streams.prefetch_kernels import prefetch_values, strides

_READ = ("topic", "valence", "time", "importance", "confidence")
_TOPIC, _VALENCE, _TIME, _IMPORTANCE, _CONFIDENCE = places(*_READ)
_STRIDES = strides(*_READ)
_PLEASANT, _IMPORTANT, _CERTAIN = (
    np.float32(SHARES[name][1]) for name in ("valence", "importance", "confidence")
)
_AGENTS_AHEAD = 3


@njit(cache=True, nogil=True)
def weigh_memories(view, slots, scores, effects, left, now):  # type: ignore[no-untyped-def]
    """Return the weight of each memory in an attitude, and its effect on it, float32, (agents, k).

    The weight is score * importance * confidence * the share that is `left` at its age in ticks; it
    is 0 without an effect. The effect is that of the topic, `effects`, times the valence.
    """
    _, words, halves, small = view
    weights, signed = np.zeros((2, *slots.shape), np.float32)
    for p in range(slots.shape[0]):
        if p + _AGENTS_AHEAD < slots.shape[0]:
            prefetch_values(words, slots[p + _AGENTS_AHEAD], _STRIDES)
        for j in range(slots.shape[1]):
            page, q = slots[p, j] // PAGE, slots[p, j] % PAGE
            if slots[p, j] < 0:
                continue
            valence = np.float32(np.int8(small[page * PAGE_BYTES + _VALENCE + q])) / _PLEASANT
            signed[p, j] = effects[small[page * PAGE_BYTES + _TOPIC + q]] * valence
            if signed[p, j] != 0:
                age = max(now - words[page * PAGE_WORDS + _TIME + q], 0)
                importance = np.float32(halves[page * 2 * PAGE_WORDS + _IMPORTANCE + q])
                confidence = np.float32(small[page * PAGE_BYTES + _CONFIDENCE + q]) / _CERTAIN
                weights[p, j] = scores[p, j] * left[age] * (importance / _IMPORTANT) * confidence
    return weights, signed


@njit(cache=True, nogil=True)
def put_first(ids, chosen):  # type: ignore[no-untyped-def]
    """Return ids with the chosen ones of each agent first, otherwise in order, (agents, k)."""
    ordered = np.empty_like(ids)
    for i in range(ids.shape[0]):
        place = 0
        for turn in (True, False):
            for j in range(ids.shape[1]):
                if chosen[i, j] == turn:
                    ordered[i, place] = ids[i, j]
                    place += 1
    return ordered
