"""Read memories by slot in compiled loops."""

import numpy as np
from numba import njit

from memopolis.sim.memory.streams.encoding import SHARES
from memopolis.sim.memory.streams.layout import PAGE, PAGE_BYTES, PAGE_WORDS, places

_IMPORTANCE, _CONFIDENCE, _VALENCE, _TIME = places("importance", "confidence", "valence", "time")
_IMPORTANT, _CERTAIN, _PLEASANT = (
    np.float32(SHARES[name][1]) for name in ("importance", "confidence", "valence")
)


@njit(cache=True, nogil=True, inline="always")
def word_of(slot):  # type: ignore[no-untyped-def]
    """Return where the first word of a memory is."""
    return slot // PAGE * PAGE_WORDS + slot % PAGE


@njit(cache=True, nogil=True, inline="always")
def half_of(slot):  # type: ignore[no-untyped-def]
    """Return where the first half word of a memory is."""
    return slot // PAGE * (PAGE_BYTES // 2) + slot % PAGE


@njit(cache=True, nogil=True, inline="always")
def byte_of(slot):  # type: ignore[no-untyped-def]
    """Return where the first byte of a memory is."""
    return slot // PAGE * PAGE_BYTES + slot % PAGE


@njit(cache=True, nogil=True, inline="always")
def importance_of(halves, slot):  # type: ignore[no-untyped-def]
    """Return the importance of a memory, float32, 0..1."""
    return np.float32(halves[half_of(slot) + _IMPORTANCE]) / _IMPORTANT


@njit(cache=True, nogil=True, inline="always")
def confidence_of(small, slot):  # type: ignore[no-untyped-def]
    """Return the confidence of a memory, float32, 0..1."""
    return np.float32(small[byte_of(slot) + _CONFIDENCE]) / _CERTAIN


@njit(cache=True, nogil=True, inline="always")
def valence_of(words, small, slot, now, left):  # type: ignore[no-untyped-def]
    """Return the valence of a memory, float32, -1..1, of which a share is left.

    `now` and `left` are those of a `Fading`: unpacked here, references would be counted.
    """
    stored = np.float32(np.int8(small[byte_of(slot) + _VALENCE])) / _PLEASANT
    age = max(np.int64(now) - np.int64(words[word_of(slot) + _TIME]), 0)
    age = min(age, left.shape[1] - 1)
    return stored * left[np.uint64(stored > 0), np.uint64(age)]
