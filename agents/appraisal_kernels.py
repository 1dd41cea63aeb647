"""Feelings after events, compiled."""

import numpy as np
from numba import njit

from memopolis.agents import appraisal
from memopolis.sim.memory.streams.encoding import EMOTION_WORDS, IMPORTANCE

_LOWEST, _BASELINE, _HIGHEST = np.float32(0), np.float32(appraisal.BASELINE), np.float32(10)
_DOMINANT = np.array(
    [EMOTION_WORDS.index(name) for name in ("Distress", "Joy", "Fear", "Distress", "Anger", "Hope")]
)
_RELIEF, _HOPE = EMOTION_WORDS.index("Relief"), EMOTION_WORDS.index("Hope")
_JOY, _FEAR = appraisal.FEELINGS.index("joy"), appraisal.FEELINGS.index("fear")
# Levels from which the dominant feeling is named, and of joy and fear for relief, which takes fear
# that has not quite gone (this project, illustrative)
_NOTABLE, _JOYFUL = np.float32(5.2), np.float32(5.5)
_LINGERS, _FRIGHTENS = np.float32(5.03), np.float32(5.6)
_IMPORTANT, _PLEASANT = np.float32(IMPORTANCE), np.float32(127)


@njit(cache=True, nogil=True)
def add_impulses(impulse, rows, topics, kinds, importance, valence, effects):  # type: ignore[no-untyped-def]
    """Add events to the impulses on feelings, shape (feelings, agents), in place.

    Events of the same agent, topic and sign are summed first. `effects` are the weights of
    feelings by topic and sign, shape (topics, 2, feelings); the other arrays have shape (events,).
    """
    weights = np.zeros(len(rows), np.float32)
    # 1 + 2 * topic + (1 if good); 0 if the event has no effect
    groups = np.zeros(len(rows), np.int16)
    starts = np.zeros(2 * len(effects) + 2, np.int64)
    for i in range(len(rows)):
        if kinds[i] & 1 == 0:
            share = np.float32(importance[i]) / _IMPORTANT
            weights[i] = share * (np.float32(valence[i]) / _PLEASANT)
            if weights[i] != 0:
                groups[i] = 2 * topics[i] + 1 + (weights[i] > 0)
                starts[groups[i] + 1] += 1
    starts = np.cumsum(starts)
    ends, order = starts.copy(), np.empty(starts[-1], np.int64)
    for i in range(len(rows)):
        if groups[i] > 0:
            order[ends[groups[i]]] = i
            ends[groups[i]] += 1
    total = np.zeros(impulse.shape[1])
    for group in range(1, len(starts) - 1):
        events = order[starts[group] : ends[group]]
        for i in events:
            total[rows[i]] += abs(np.float64(weights[i]))
        for i in events:
            row = rows[i]
            if total[row] > 0:
                for feeling in range(effects.shape[2]):
                    weight = effects[(group - 1) // 2, (group - 1) % 2, feeling]
                    impulse[feeling, row] += np.float32(weight * total[row])
                total[row] = 0


@njit(cache=True, nogil=True)
def move_feelings(levels, impulse, share, rows, calm):  # type: ignore[no-untyped-def]
    """Change the feelings of some agents in place; return the emotion word of each, (rows,).

    `levels` are the feelings of all agents from the first to the last of `rows`, which ascend; they
    change as in `appraisal.update_feeling`. `impulse` of all agents, (feelings, agents), is reset
    to 0 for these. `share` is `appraisal.compute_share` of the same agents as `levels`.
    """
    words = np.empty(len(rows), np.uint8)
    first, agents = rows[0], rows[-1] + 1 - rows[0]
    feels = np.zeros(agents, np.bool_)
    for row in rows:
        feels[row - first] = True
    strongest, most = np.zeros(agents, np.uint8), np.zeros(agents, np.float32)
    # One feeling at a time, without branches, so that LLVM vectorises the loops.
    for j in range(len(levels)):
        level, pushes, moved = levels[j], impulse[j, first:], share[j]
        for i in range(agents):
            calmer = level[i] + calm * (_BASELINE - level[i])
            way = _HIGHEST - calmer if pushes[i] >= 0 else min(_BASELINE - calmer, _LOWEST)
            new = min(max(calmer + moved[i] * way, _LOWEST), _HIGHEST)
            level[i] = new if feels[i] else level[i]
            pushes[i] = _LOWEST if feels[i] else pushes[i]
        for i in range(agents):
            strongest[i] = j if level[i] > most[i] else strongest[i]
            most[i] = max(most[i], level[i])
    for i in range(len(rows)):
        at = rows[i] - first
        words[i] = _DOMINANT[strongest[at]]
        fear = levels[_FEAR][at]
        if levels[_JOY][at] > _JOYFUL and fear > _LINGERS and fear < _FRIGHTENS:
            words[i] = _RELIEF
        if most[at] < _NOTABLE:
            words[i] = _HOPE
    return words
