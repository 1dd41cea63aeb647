"""Compiled loops over related memories."""

import numpy as np
from numba import njit

from memopolis.sim.memory.vectors.text_likeness_kernels import NONE, line_of, longest

_BLOCK = 32
_FARTHEST = 65535


@njit(cache=True, nogil=True)
def _cut(part, high):  # type: ignore[no-untyped-def]
    """Take out what is too alike, and give the greatest of the rest."""
    top = NONE
    # The length is left open: a loop of known length would be unrolled, not vectorised.
    for j in range(len(part)):
        code = part[j] if part[j] < high else NONE
        part[j] = code
        top = max(top, code)
    return top


@njit(cache=True, nogil=True)
def _keep(line, x, low, high, back, tops):  # type: ignore[no-untyped-def]
    """Keep the most alike of the memories before x, the newer of those as alike first.

    The greatest cosine of each block of 32 is kept, so that the next best is found by
    looking at one block again.
    """
    line[x : x + _BLOCK] = NONE
    if x > _FARTHEST:
        line[: x - _FARTHEST] = NONE
    blocks = (x + _BLOCK - 1) // _BLOCK
    for b in range(blocks):
        tops[b] = _cut(line[b * _BLOCK : (b + 1) * _BLOCK], high)
    for place in range(len(back)):
        top = _cut(tops[:blocks], high)
        if top < low:
            return
        b = blocks - 1
        while tops[b] != top:
            b -= 1
        part = line[b * _BLOCK : (b + 1) * _BLOCK]
        j = _BLOCK - 1
        while part[j] != top:
            j -= 1
        back[place] = x - (b * _BLOCK + j)
        part[j] = NONE
        tops[b] = _cut(part, high)


@njit(cache=True, nogil=True)
def relate(  # type: ignore[no-untyped-def]
    form, order, asked, agent, place, held, held_starts, low, high, back
):
    """Find the memories most alike to some, among those before them of the same agent.

    Args:
        form: What tells how alike texts are; see `text_likeness.Group`.
        order: In which order they are taken; it changes nothing but how fast it goes.
        asked: Numbers of the texts of the memories, shape (m,).
        agent: Place of the agent of each.
        place: Place of each among the memories of its agent.
        held: Numbers of the texts of all memories, agent by agent, oldest first.
        held_starts: Where each agent's begin.
        low: Least cosine that is related, int16.
        high: Least cosine that is a duplicate, int16.
        back: Result, how many ids back each lies, 0 for none, uint16, shape (m, most).
    """
    room = longest(held_starts) + _BLOCK
    line = np.empty(room, np.int16)
    tops = np.empty(room // _BLOCK + 1, np.int16)
    left_out = max(form[0].shape[0], form[1].shape[0])
    for q in range(len(order)):
        a = order[q]
        if asked[a] != left_out:
            line_of(form, asked[a], held, held_starts[agent[a]], place[a], line)
            _keep(line, place[a], low, high, back[a], tops)
