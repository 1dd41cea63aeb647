"""Sums over recalled memories of everyday steps, compiled."""

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def sum_steps(reported, steps, text, actor, times, weight, valence):  # type: ignore[no-untyped-def]
    """Sum what each agent remembers of each step, in the order of its memories.

    `reported` is the step that each text reports, plus `steps` for the step of another, -1 for
    none. Text (-1 for none), actor, occasions, weight and valence of each memory have shape
    (agents, k). Returns by agent and step, each float64 of shape (agents, steps): weight and
    weighted valence of own memories, and occasions on which others took the step.
    """
    total, pleasant, count = np.zeros((3, len(text), steps), np.float64)
    for p in range(text.shape[0]):
        for j in range(text.shape[1]):
            step = reported[text[p, j]] if text[p, j] >= 0 else -1
            if step < 0:
                continue
            is_own = step < steps
            if is_own:
                total[p, step] += weight[p, j]
                pleasant[p, step] += weight[p, j] * valence[p, j]
            if not is_own or actor[p, j] >= 0:
                count[p, step % steps] += times[p, j]
    return total, pleasant, count
