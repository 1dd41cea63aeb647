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
# Levels from which the dominant feeling is named, and for relief (this project, illustrative)
_NOTABLE, _JOYFUL, _FEARLESS = np.float32(5.2), np.float32(5.5), np.float32(4.9)
_IMPORTANT, _PLEASANT = np.float32(IMPORTANCE), np.float32(127)


@njit(cache=True, nogil=True)
def add_impulses(impulse, rows, topics, kinds, importance, valence, effects):  # type: ignore[no-untyped-def]
    """Add events to the impulses on feelings, shape (feelings, agents), in place.

    Events of the same agent, topic and sign are summed first. `effects` are the weights of
    feelings by topic and sign, shape (topics, 2, feelings); the other arrays have shape (events,).
    """
    weights = np.zeros(len(rows), np.float32)
    present = np.zeros((len(effects), 2), np.bool_)
    for i in range(len(rows)):
        if kinds[i] & 1 == 0:
            share = np.float32(importance[i]) / _IMPORTANT
            weights[i] = share * (np.float32(valence[i]) / _PLEASANT)
            if weights[i] != 0:
                present[topics[i], int(weights[i] > 0)] = True
    total = np.zeros(impulse.shape[1])
    for topic in range(len(effects)):
        for sign in range(2):
            if not present[topic, sign]:
                continue
            for i in range(len(rows)):
                if topics[i] == topic and weights[i] != 0 and int(weights[i] > 0) == sign:
                    total[rows[i]] += abs(np.float64(weights[i]))
            for i in range(len(rows)):
                row = rows[i]
                if topics[i] == topic and int(weights[i] > 0) == sign and total[row] > 0:
                    for feeling in range(effects.shape[2]):
                        impulse[feeling, row] += np.float32(
                            effects[topic, sign, feeling] * total[row]
                        )
                    total[row] = 0


@njit(cache=True, nogil=True)
def move_feelings(levels, impulse, share, rows, calm):  # type: ignore[no-untyped-def]
    """Change the feelings of some agents in place; return the emotion word of each, (rows,).

    `levels` are the columns of the feelings, which change as in `appraisal.update_feeling`.
    `impulse` of all agents, (feelings, agents), is reset to 0 for these; `share` is
    `appraisal.compute_share` of theirs, (feelings, rows).
    """
    words = np.empty(len(rows), np.uint8)
    for i in range(len(rows)):
        row = rows[i]
        strongest = 0
        for j in range(len(levels)):
            calmer = levels[j][row] + calm * (_BASELINE - levels[j][row])
            way = _HIGHEST - calmer if impulse[j, row] >= 0 else -calmer
            levels[j][row] = min(max(calmer + share[j, i] * way, _LOWEST), _HIGHEST)
            impulse[j, row] = 0
            if levels[j][row] > levels[strongest][row]:
                strongest = j
        words[i] = _DOMINANT[strongest]
        if levels[_JOY][row] > _JOYFUL and levels[_FEAR][row] < _FEARLESS:
            words[i] = _RELIEF
        if levels[strongest][row] < _NOTABLE:
            words[i] = _HOPE
    return words
