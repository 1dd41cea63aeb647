"""Means over recalled memories, compiled."""

import numpy as np
from numba import njit

from memopolis.sim.memory.streams.encoding import SHARES
from memopolis.sim.memory.streams.layout import PAGE, PAGE_BYTES, PAGE_WORDS, places
from memopolis.sim.memory.streams.prefetch_kernels import prefetch

_TEXT, _ACTOR, _IMPORTANCE, _VALENCE = places("text", "actor", "importance", "valence")
_IMPORTANT, _PLEASANT = (np.float32(SHARES[name][1]) for name in ("importance", "valence"))

_AGENTS_AHEAD = 3
"""Agents by which memories are prefetched, since pages are scattered."""


@njit(cache=True, nogil=True, inline="always")
def _read(halves, small, occasions, slot, score):  # type: ignore[no-untyped-def]
    """Return the weight of a memory, see `Experience.weights`, its valence and occasions."""
    page, q = slot // PAGE, slot % PAGE
    importance = np.float32(halves[page * 2 * PAGE_WORDS + _IMPORTANCE + q])
    valence = np.float32(np.int8(small[page * PAGE_BYTES + _VALENCE + q])) / _PLEASANT
    times = occasions[slot] if len(occasions) > 0 else 1
    return np.float32(np.float64(score * (importance / _IMPORTANT)) * times), valence, times


@njit(cache=True, nogil=True, inline="always")
def _prefetch(halves, small, occasions, slot):  # type: ignore[no-untyped-def]
    """Prefetch what `_read` reads."""
    page, q = slot // PAGE, slot % PAGE
    prefetch(halves, page * 2 * PAGE_WORDS + _IMPORTANCE + q)  # type: ignore[call-arg]
    prefetch(small, page * PAGE_BYTES + _VALENCE + q)
    if len(occasions) > 0:
        prefetch(occasions, slot)


@njit(cache=True, nogil=True)
def average_valence(  # type: ignore[no-untyped-def]
    view, occasions, slots, scores, values, is_word, place
):
    """Return the mean valence of memories with each value of a column, float32, shape of `values`.

    Each agent has its own values, (agents, values). The column is at `place` of the words or half
    words of a page. See `compute_mean_valence`, and for other arguments `average_steps`.
    """
    _, words, halves, small = view
    means = np.zeros(values.shape, np.float32)
    total, pleasant = np.empty((2, values.shape[1]), np.float32)
    for p in range(slots.shape[0]):
        if p + _AGENTS_AHEAD < slots.shape[0]:
            for slot in slots[p + _AGENTS_AHEAD]:
                page, q = max(slot, 0) // PAGE, max(slot, 0) % PAGE
                if is_word:
                    prefetch(words, page * PAGE_WORDS + place + q)  # type: ignore[call-arg]
                else:
                    prefetch(halves, page * 2 * PAGE_WORDS + place + q)  # type: ignore[call-arg]
                _prefetch(halves, small, occasions, max(slot, 0))
        total[:], pleasant[:] = 0, 0
        for slot, score in zip(slots[p], scores[p]):  # noqa: B905
            if slot < 0:
                continue
            page, q = slot // PAGE, slot % PAGE
            if is_word:
                own = np.int64(words[page * PAGE_WORDS + place + q])
            else:
                own = np.int64(halves[page * 2 * PAGE_WORDS + place + q])
            for n in range(values.shape[1]):
                if own == values[p, n]:
                    weight, valence, _ = _read(halves, small, occasions, slot, score)
                    total[n] += weight
                    pleasant[n] += weight * valence
        for n in range(values.shape[1]):
            if total[n] > 0:
                means[p, n] = min(max(pleasant[n] / total[n], np.float32(-1)), np.float32(1))
    return means


@njit(cache=True, nogil=True)
def average_steps(  # type: ignore[no-untyped-def]
    view, occasions, slots, scores, reported, steps
):
    """Return valence and frequency of each step, see `recall_steps`, float32, (agents, steps).

    `reported` is the step that each text reports, plus `steps` for the step of another, -1 for
    none. Slots (-1 for none) and scores of the memories have shape (agents, k), `occasions` are
    `Streams.times`.
    """
    _, words, halves, small = view
    valences, shares = np.empty((2, len(slots), steps), np.float32)
    # Weight and weighted valence of own memories, and occasions on which others took the step.
    total, pleasant, count = np.empty((3, steps), np.float64)
    for p in range(slots.shape[0]):
        if p + _AGENTS_AHEAD < slots.shape[0]:
            for slot in slots[p + _AGENTS_AHEAD]:
                at = max(slot, 0) // PAGE * PAGE_WORDS + max(slot, 0) % PAGE
                prefetch(words, at + _TEXT)  # type: ignore[call-arg]
                prefetch(words, at + _ACTOR)
                _prefetch(halves, small, occasions, max(slot, 0))
        total[:], pleasant[:], count[:] = 0, 0, 0
        for j in range(slots.shape[1]):
            slot = slots[p, j]
            if slot < 0:
                continue
            at = slot // PAGE * PAGE_WORDS + slot % PAGE
            step = reported[words[at + _TEXT]]
            if step < 0:
                continue
            weight, valence, times = _read(halves, small, occasions, slot, scores[p, j])
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
