"""Chunks: the memories of a range of agents, as the compiled loops of the terms read them."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.memory.streams.layout import PAGE

LEAD = PAGE + 2
"""Values before and after the memories of an agent. Whole pages are read, so that every loop has
the same fixed length and vectorises; neighbours need two values more."""


class Chunk(NamedTuple):
    """Memories of n agents; memory i of agent j is at `start[j] + i - first[j]` of an array.

    Attributes:
        pages: Page table of the streams, and their pages as words, half words and bytes.
        now: Tick of the search.
        begin: Index in the search of the first agent.
        rows: Rows of the agents, int64, shape (n,).
        first: Id of each agent's oldest memory, int64, shape (n,).
        stop: Id after its newest, int64, shape (n,).
        start: Position of its oldest memory, int64, shape (n,).
        text: Number of the text of each memory, int32.
        gate: 0 for a memory that passes the filter, -inf for another, float32.
    """

    pages: tuple[NDArray[Any], ...]
    now: np.int32
    begin: int
    rows: NDArray[np.int64]
    first: NDArray[np.int64]
    stop: NDArray[np.int64]
    start: NDArray[np.int64]
    text: NDArray[np.int32]
    gate: NDArray[np.float32]


def positions(chunk: Chunk) -> NDArray[np.int64]:
    """Return the positions of all memories of a chunk, agent by agent, shape (m,)."""
    spans = chunk.stop - chunk.first
    before = np.cumsum(spans) - spans
    return np.asarray(np.arange(spans.sum()) + np.repeat(chunk.start - before, spans))
