"""Consolidation: accesses, age and time since the last update."""

from dataclasses import dataclass
from typing import Self, override

import numpy as np

from memopolis.sim.arrays import Float32
from memopolis.sim.memory.retention.consolidation import Tables, compute_consolidation
from memopolis.sim.memory.retrieval.measuring import current_tables, last_update_ticks
from memopolis.sim.memory.retrieval.terms.term import Memories, Search, Term


@dataclass(frozen=True, slots=True, eq=False)
class Consolidation(Term):
    """Consolidation of memories, in [0, 1]."""

    tables: Tables

    @override
    @classmethod
    def prepare(cls, search: Search) -> Self:
        return cls(current_tables(search.memory))

    @override
    def by_numpy(self, memories: Memories) -> Float32:
        now, created = np.int32(memories.request.now), memories.column("time")
        updated = last_update_ticks(memories.streams, memories.slots)
        accesses, topic = memories.column("accesses"), memories.column("topic")
        return compute_consolidation(accesses, now - created, now - updated, topic, self.tables)


TERMS = {"consolidation": Consolidation}
