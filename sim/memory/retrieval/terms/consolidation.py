"""Consolidation: accesses, age and time since the last update."""

from typing import Any, override

import numpy as np
from numba import njit

from memopolis.sim.arrays import Float32
from memopolis.sim.memory.night.consolidation import compute_consolidation
from memopolis.sim.memory.night.consolidation_kernels import consolidation_at
from memopolis.sim.memory.night.fading import current_tables, last_update_ticks, update_ticks
from memopolis.sim.memory.retrieval.terms.term import Memories, Search, Term
from memopolis.sim.memory.streams.layout import PAGE


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

    @override
    def fill(self, memories: Memories, prepared: tuple[Any, ...], out: Float32) -> None:
        tables, updates = prepared
        _fill(memories.chunk, tables, updates, out)


@njit(cache=True, nogil=True)
def _fill(chunk, tables, updates, out):  # type: ignore[no-untyped-def]
    table = chunk.pages[0]
    for j in range(len(chunk.rows)):
        for i in range(chunk.first[j], chunk.stop[j]):
            at = np.int64(table[chunk.rows[j], (i // PAGE) % table.shape[1]])
            consolidated = consolidation_at(chunk.pages, updates, at, i % PAGE, chunk.now, tables)
            out[chunk.start[j] + i - chunk.first[j]] = consolidated


TERMS = {"consolidation": Consolidation()}
