"""Consolidation: accesses, age and time since the last update."""

from typing import Any, override

import numpy as np

from memopolis.sim.arrays import Float32
from memopolis.sim.memory.retention.consolidation import compute_consolidation
from memopolis.sim.memory.retrieval.measuring import (
    current_tables,
    last_update_ticks,
    update_ticks,
)
from memopolis.sim.memory.retrieval.terms.term import Memories, Search, Term


class Consolidation(Term):
    """Consolidation of memories, in [0, 1]."""

    @override
    def prepare(self, search: Search) -> tuple[Any, ...]:
        """Return the tables of consolidation, and the tick of the last update by slot."""
        return current_tables(search.memory), update_ticks(search.memory.streams)

    @override
    def by_numpy(self, memories: Memories, prepared: tuple[Any, ...]) -> Float32:
        now, created = np.int32(memories.request.now), memories.column("time")
        updated = last_update_ticks(memories.streams, memories.slots)
        accesses, topic = memories.column("accesses"), memories.column("topic")
        return compute_consolidation(accesses, now - created, now - updated, topic, prepared[0])


TERMS = {"consolidation": Consolidation()}
