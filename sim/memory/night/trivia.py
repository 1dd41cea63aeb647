"""Trivia, unimportant events, whose exact repeats become one memory with a count."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from memopolis.sim.arguments import check_range
from memopolis.sim.arrays import Int64
from memopolis.sim.memory.interface import Memory
from memopolis.sim.memory.night.forgetting import find_queued
from memopolis.sim.memory.retention.strength import load_strength
from memopolis.sim.memory.streams import encoding


@dataclass(frozen=True, slots=True)
class Trivia:
    """Which memories are trivial."""

    importance: float = 0.25  # greatest importance, 0..1 (illustrative)
    # Emotional strength from which a memory is not trivial, 0..1 (illustrative).
    emotion: float = 0.75

    def __post_init__(self) -> None:
        for name in ("importance", "emotion"):
            check_range(name, getattr(self, name))


class Limits(NamedTuple):
    """Number of repeats that are merged, and limits of trivial memories, as stored."""

    repeats: int
    importance: np.int16
    emotion: np.float32


def merge_trivia(memory: Memory, rows: Int64, trivia: Trivia, repeats: int) -> Int64:
    """Merge trivial memories that repeat exactly into the newest one.

    Repeats have the same topic, text, actor and place, and are merged if there are at least
    `repeats`. The newest memory takes the number of occasions, the tick of the
    first one, the greatest importance, the mean valence and confidence, all tags, and the accesses
    of all, at once; the others are forgotten. Returns the merged memories as
    index into `rows` << 32 | id, agent by agent.
    """
    from memopolis.sim.memory.night import trivia_kernels

    memory.settle()
    streams = memory.streams
    limits = Limits(
        repeats,
        np.int16(encoding.share("importance", trivia.importance)),
        np.float32(trivia.emotion),
    )
    streams.changes += 1
    merged: Int64
    merged, kept, slots, counts = trivia_kernels.merge(
        streams.view, streams.occasion_columns, streams.count, rows,
        np.sort(find_queued(memory, rows)), limits, load_strength(memory.tags),
    )  # fmt: skip
    if len(merged):
        streams.put_occasions(slots, counts[:, 0], counts[:, 1])
        memory.pending.forgets.append((rows[merged >> 32], (merged & 0xFFFFFFFF).astype(np.int32)))
        if memory.store is not None:
            memory.store.queue(changed=[(rows[kept >> 32], kept & 0xFFFFFFFF)])
        memory.settle()
    return merged
