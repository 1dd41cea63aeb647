"""Context: the share of the tags of the current moment that a memory has."""

from dataclasses import dataclass
from typing import Self, override

import numpy as np

from memopolis.sim.arrays import Float32, UInt16
from memopolis.sim.memory.context_tags import asked_tags
from memopolis.sim.memory.retrieval.terms.term import Memories, Search, Term, take


@dataclass(frozen=True, slots=True, eq=False)
class Context(Term):
    """Match of memories and context, 0..1."""

    tags: UInt16  # of each agent's context: those of the filter, else of time and query, (n,)

    @override
    @classmethod
    def prepare(cls, search: Search) -> Self | None:
        memory, agents = search.memory, len(search.request.rows)
        if search.tags is not None:
            return cls(np.full(agents, memory.tags.known(search.tags), np.uint16))
        if memory.extractor is None:
            return None
        query = take(search.request.query, np.arange(agents))
        return cls(np.asarray(asked_tags(memory, search.texts or [""]), np.uint16)[query])

    @override
    def by_numpy(self, memories: Memories) -> Float32:
        return context_match(memories.column("tags"), self.tags[memories.agent])


def context_match(tags: UInt16, context: UInt16) -> Float32:
    """Return the share of the context's tags that a memory has, 0 without tags; bits, shape (m,).

    Source:
        memtool's contextual search: match = overlap / tags given.
    """
    both, counts = (np.bitwise_count(bits).astype(np.float32) for bits in (tags & context, context))
    return np.asarray(both / np.maximum(counts, np.float32(1)), np.float32)


TERMS = {"context": Context}
