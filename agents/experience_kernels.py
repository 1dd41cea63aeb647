"""Means over recalled memories, compiled."""

import numpy as np
from numba import njit

from memopolis.sim.memory.streams.layout import places
from memopolis.sim.memory.streams.page_kernels import (
    AGENTS_AHEAD,
    byte_of,
    half_of,
    importance_of,
    prefetch_early,
    valence_of,
    word_of,
)

_TEXT, _ACTOR, _TIME = places("text", "actor", "time")
_IMPORTANCE, _VALENCE = places("importance", "valence")


@njit(cache=True, nogil=True, inline="always")
def _read(words, halves, small, occasions, now, left, slot, score):  # type: ignore[no-untyped-def]
    """Return the weight of a memory, see `Experience.weights`, its valence and occasions."""
    times = occasions[slot] if len(occasions) > 0 else 1
    weight = np.float32(np.float64(score * importance_of(halves, slot)) * times)
    return weight, valence_of(words, small, slot, now, left), times


@njit(cache=True, nogil=True, inline="always")
def _prefetch(words, halves, small, occasions, slot):  # type: ignore[no-untyped-def]
    """Prefetch what `_read` reads."""
    prefetch_early(words, word_of(slot) + _TIME)  # type: ignore[call-arg]
    prefetch_early(halves, half_of(slot) + _IMPORTANCE)
    prefetch_early(small, byte_of(slot) + _VALENCE)
    if len(occasions) > 0:
        prefetch_early(occasions, slot)


@njit(cache=True, nogil=True)
def average_valence(  # type: ignore[no-untyped-def]
    view, occasions, fading, slots, scores, values, is_word, place
):
    """Return the mean valence of memories with each value of a column, float32, shape of `values`.

    Each agent has its own values, (agents, values). The column is at `place` of the words or half
    words of a page. See `compute_mean_valence`, and for other arguments `average_steps`.
    """
    _, words, halves, small = view
    now, left = fading
    means = np.zeros(values.shape, np.float32)
    total, pleasant = np.empty((2, values.shape[1]), np.float32)
    for p in range(slots.shape[0]):
        if p + AGENTS_AHEAD < slots.shape[0]:
            for slot in slots[p + AGENTS_AHEAD]:
                if is_word:
                    prefetch_early(words, word_of(max(slot, 0)) + place)  # type: ignore[call-arg]
                else:
                    prefetch_early(halves, half_of(max(slot, 0)) + place)  # type: ignore[call-arg]
                _prefetch(words, halves, small, occasions, max(slot, 0))
        total[:], pleasant[:] = 0, 0
        for slot, score in zip(slots[p], scores[p]):  # noqa: B905
            if slot < 0:
                continue
            if is_word:
                own = np.int64(words[word_of(slot) + place])
            else:
                own = np.int64(halves[half_of(slot) + place])
            for n in range(values.shape[1]):
                if own == values[p, n]:
                    weight, valence, _ = _read(
                        words, halves, small, occasions, now, left, slot, score
                    )
                    total[n] += weight
                    pleasant[n] += weight * valence
        for n in range(values.shape[1]):
            if total[n] > 0:
                means[p, n] = min(max(pleasant[n] / total[n], np.float32(-1)), np.float32(1))
    return means


@njit(cache=True, nogil=True)
def average_steps(  # type: ignore[no-untyped-def]
    view, occasions, fading, slots, scores, reported, steps
):
    """Return valence and frequency of each step, see `recall_steps`, float32, (agents, steps).

    `reported` is the step that each text reports, plus `steps` for the step of another, -1 for
    none. Slots (-1 for none) and scores of the memories have shape (agents, k), `occasions` are
    `Streams.times`, and `fading` is `Memory.fading`.
    """
    _, words, halves, small = view
    now, left = fading
    valences, shares = np.empty((2, len(slots), steps), np.float32)
    # Weight and weighted valence of own memories, and occasions on which others took the step.
    total, pleasant, count = np.empty((3, steps), np.float64)
    for p in range(slots.shape[0]):
        if p + AGENTS_AHEAD < slots.shape[0]:
            for slot in slots[p + AGENTS_AHEAD]:
                at = word_of(max(slot, 0))
                prefetch_early(words, at + _TEXT)  # type: ignore[call-arg]
                prefetch_early(words, at + _ACTOR)
                _prefetch(words, halves, small, occasions, max(slot, 0))
        total[:], pleasant[:], count[:] = 0, 0, 0
        for j in range(slots.shape[1]):
            slot = slots[p, j]
            if slot < 0:
                continue
            at = word_of(slot)
            step = reported[words[at + _TEXT]]
            if step < 0:
                continue
            weight, valence, times = _read(
                words, halves, small, occasions, now, left, slot, scores[p, j]
            )
            is_own = step < steps
            if is_own:
                total[step] += weight
                pleasant[step] += weight * valence
            if not is_own or words[at + _ACTOR] >= 0:
                count[step % steps] += times
        every = max(count.sum(), 1.0)
        for step in range(steps):
            valences[p, step] = pleasant[step] / (total[step] if total[step] > 0 else 1.0)
            shares[p, step] = count[step] / every
    return valences, shares
