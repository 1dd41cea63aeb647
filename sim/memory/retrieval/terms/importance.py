"""Importance: as stored, 0..1."""

from typing import override

import numpy as np

from memopolis.sim.arrays import Float32
from memopolis.sim.memory.retrieval.terms.term import IMPORTANCE, Memories, Term
from memopolis.sim.memory.streams.encoding import IMPORTANCE as MOST

# Importance of code 1; that of a code is their product in float32.
STEP = np.float32(1 / MOST)


class Importance(Term):
    """Importance of memories, 0..1."""

    code = IMPORTANCE

    @override
    def by_numpy(self, memories: Memories) -> Float32:
        return np.asarray(memories.column("importance").astype(np.float32) * STEP, np.float32)


TERMS = {"importance": Importance}
