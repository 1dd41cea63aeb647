"""Activation: base-level activation of ACT-R, which falls as a power of age and rises with use."""

from typing import Any, override

import numpy as np

from memopolis.sim.arrays import Float32
from memopolis.sim.memory.retrieval.measuring import measure_base_level
from memopolis.sim.memory.retrieval.terms.term import Memories, Search, Term


class Activation(Term):
    """Base-level activation of memories, about -7 for one of 100 years ago to 6 for much used ones.

    Only its differences between the memories of an agent matter in a sum.
    """

    @override
    def prepare(self, search: Search) -> tuple[Any, ...]:
        """Return the memory, whose clock and parameters activation depends on."""
        return (search.memory,)

    @override
    def by_numpy(self, memories: Memories, prepared: tuple[Any, ...]) -> Float32:
        return np.asarray(measure_base_level(prepared[0], memories.slots), np.float32)


TERMS = {"activation": Activation()}
