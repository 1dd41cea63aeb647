"""Context: the share of the tags of the current moment that a memory has."""

from typing import Any, override

import numpy as np
from numba import njit

from memopolis.sim.arrays import Float32, UInt8, UInt16
from memopolis.sim.memory.retrieval.terms.term import Memories, Search, Term
from memopolis.sim.memory.streams.layout import OFFSETS, PAGE, PAGE_WORDS
from memopolis.sim.memory.text.context_tags import asked_tags

# Number of bits set in each byte, shape (256,).
BITS: UInt8 = np.array([code.bit_count() for code in range(256)], np.uint8)
_COLUMN = OFFSETS["tags"] // 2


class Context(Term):
    """Match of memories and context, 0..1."""

    @override
    def prepare(self, search: Search) -> tuple[Any, ...] | None:
        """Return the tags of each agent's context: those of the filter, else of time and query."""
        memory, agents = search.memory, len(search.query)
        if search.tags is not None:
            return (np.full(agents, memory.tags.known(search.tags), np.uint16),)
        if memory.extractor is None:
            return None
        return (np.asarray(asked_tags(memory, search.texts or [""]), np.uint16)[search.query],)

    @override
    def by_numpy(self, memories: Memories, prepared: tuple[Any, ...]) -> Float32:
        return context_match(memories.column("tags"), prepared[0][memories.agent])

    @override
    def fill(self, memories: Memories, prepared: tuple[Any, ...], out: Float32) -> None:
        _fill(memories.chunk, prepared[0], out)


def context_match(tags: UInt16, context: UInt16) -> Float32:
    """Return the share of the context's tags that a memory has, 0 without tags; bits, shape (m,).

    Source:
        memtool's contextual search: match = overlap / tags given.
    """
    both, counts = (np.bitwise_count(bits).astype(np.float32) for bits in (tags & context, context))
    return np.asarray(both / np.maximum(counts, np.float32(1)), np.float32)


@njit(cache=True, nogil=True)
def _fill(chunk, tags, out):  # type: ignore[no-untyped-def]
    table, _, halves, _ = chunk.pages
    for j in range(len(chunk.rows)):
        context = np.int64(tags[chunk.begin + j])
        count = np.float32(max(BITS[context & 255] + BITS[context >> 8], 1))
        for i in range(chunk.first[j], chunk.stop[j]):
            at = np.int64(table[chunk.rows[j], (i // PAGE) % table.shape[1]])
            both = np.int64(halves[at * 2 * PAGE_WORDS + _COLUMN + i % PAGE]) & context
            match = np.float32(BITS[both & 255] + BITS[both >> 8]) / count
            out[chunk.start[j] + i - chunk.first[j]] = match


TERMS = {"context": Context()}
