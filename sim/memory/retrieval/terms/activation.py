"""Activation: base-level activation of ACT-R, which falls as a power of age and rises with use."""

from dataclasses import dataclass
from typing import Self, override

import numpy as np

from memopolis.sim.arrays import Float32
from memopolis.sim.memory.interface import Memory
from memopolis.sim.memory.retrieval.measuring import measure_base_level
from memopolis.sim.memory.retrieval.terms.term import Memories, Search, Term


@dataclass(frozen=True, slots=True, eq=False)
class Activation(Term):
    """Base-level activation of memories, about -7 for one of 100 years ago to 6 for much used ones.

    Only its differences between the memories of an agent matter in a sum.
    """

    memory: Memory  # activation depends on its clock and parameters

    @override
    @classmethod
    def prepare(cls, search: Search) -> Self:
        return cls(search.memory)

    @override
    def by_numpy(self, memories: Memories) -> Float32:
        return np.asarray(measure_base_level(self.memory, memories.slots), np.float32)


TERMS = {"activation": Activation}
