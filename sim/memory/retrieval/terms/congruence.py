"""Terms of the match of a memory with the moment of recall: its tags and its feeling."""

from dataclasses import dataclass
from typing import Self, override

import numpy as np
from numpy.typing import ArrayLike

from memopolis.sim.arrays import Float32, Int8, UInt16
from memopolis.sim.errors import ParameterError
from memopolis.sim.memory.context_tags import asked_tags
from memopolis.sim.memory.retrieval.terms.term import Memories, Search, Term, take

_HALF, _1 = np.float32(0.5), np.float32(1)


@dataclass(frozen=True, slots=True, eq=False)
class Feeling(Term):
    """Match of memories and feeling, 0..1."""

    feeling: Float32  # of each agent, shape (n,)

    @override
    @classmethod
    def prepare(cls, search: Search) -> Self | None:
        if search.feeling is None:
            return None
        return cls(check_feeling(search.feeling, len(search.request.rows)))

    @override
    def by_numpy(self, memories: Memories) -> Float32:
        return feeling_match(memories.column("valence"), self.feeling[memories.agent])


def feeling_match(valence: Int8, feeling: Float32) -> Float32:
    """Return 1 - |valence - feeling| / 2 of encoded valences and feelings of -1..1, shape (m,).

    Source:
        Mood-congruent recall: Bower 1981, doi:10.1037/0003-066X.36.2.129; the line, this project.
    """
    distance = np.abs((valence / 127).astype(np.float32) - feeling)
    return np.asarray(_1 - distance * _HALF, np.float32)


def check_feeling(value: ArrayLike, agents: int) -> Float32:
    """Return a feeling of -1..1 for each agent, from one or one per agent."""
    try:
        feeling = np.asarray(value, np.float64)
    except (TypeError, ValueError, OverflowError):
        raise ParameterError("feeling must be a number from -1 to 1, or one per agent") from None
    if feeling.shape not in {(), (agents,)}:
        raise ParameterError(f"feeling has shape {feeling.shape}; one or ({agents},) is needed")
    if not ((feeling >= -1) & (feeling <= 1)).all():
        raise ParameterError(f"feeling must be between -1 and 1, given {feeling}")
    return np.broadcast_to(feeling, (agents,)).astype(np.float32)


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


TERMS = {"context": Context, "feeling": Feeling}
