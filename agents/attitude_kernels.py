"""Weights of recalled memories, and order of evidence, compiled."""

import numpy as np
from numba import njit

from memopolis.sim.memory.streams.layout import places
from memopolis.sim.memory.streams.page_kernels import (
    AGENTS_AHEAD,
    byte_of,
    confidence_of,
    importance_of,
    prefetch_values,
    strides,
    valence_of,
    word_of,
)

_TOPIC, _TIME = places("topic", "time")
_STRIDES = strides("topic", "valence", "time", "importance", "confidence")


@njit(cache=True, nogil=True)
def weigh_memories(view, fading, slots, scores, effects, decay):  # type: ignore[no-untyped-def]
    """Return the weight of each memory in an attitude, and its effect on it, float32, (agents, k).

    The weight is score * importance * confidence * the share by `decay` at its age in ticks; it
    is 0 without an effect. The effect is that of the topic, `effects`, times the valence.
    """
    _, words, halves, small = view
    now, left = fading
    weights, signed = np.zeros((2, *slots.shape), np.float32)
    for p in range(slots.shape[0]):
        if p + AGENTS_AHEAD < slots.shape[0]:
            prefetch_values(words, slots[p + AGENTS_AHEAD], _STRIDES)
        for j in range(slots.shape[1]):
            slot = slots[p, j]
            if slot < 0:
                continue
            valence = valence_of(words, small, slot, now, left)
            signed[p, j] = effects[small[byte_of(slot) + _TOPIC]] * valence
            if signed[p, j] != 0:
                age = max(np.int64(now) - words[word_of(slot) + _TIME], 0)
                weight = scores[p, j] * decay[age] * importance_of(halves, slot)
                weights[p, j] = weight * confidence_of(small, slot)
    return weights, signed


@njit(cache=True, nogil=True)
def sort_evidence(ids, weight, toward, lean):  # type: ignore[no-untyped-def]
    """Return the memories with a weight, first those toward the leaning of each agent, (agents, k).

    All others are -1.
    """
    ordered = np.full_like(ids, -1)
    for i in range(ids.shape[0]):
        place = 0
        for turn in (True, False):
            for j in range(ids.shape[1]):
                is_evidence = weight[i, j] > 0 and ids[i, j] >= 0
                agrees = is_evidence and toward[i, j] * lean[i] > 0
                if agrees == turn:
                    if is_evidence:
                        ordered[i, place] = ids[i, j]
                    place += 1
    return ordered
