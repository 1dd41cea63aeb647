"""Trivia, unimportant events: repeats become one with a count, and faded ones are forgotten."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from memopolis.sim.arguments import check_range
from memopolis.sim.arrays import Int64
from memopolis.sim.memory.interface import Memory
from memopolis.sim.memory.night.fading import current_tables, update_ticks
from memopolis.sim.memory.night.replay import load_strength
from memopolis.sim.memory.streams import encoding
from memopolis.sim.memory.streams.forgetting import find_queued


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
    """Number of repeats that are merged, and limits of trivial and of faded memories, as stored."""

    repeats: int
    importance: np.int16
    emotion: np.float32
    retention: np.float32


def review_trivia(
    memory: Memory, rows: Int64, trivia: Trivia, *, repeats: int, below: float
) -> tuple[Int64, Int64]:
    """Merge trivial memories that repeat exactly into the newest one, and find those that faded.

    Repeats have the same topic, text, actor and place, and are merged if there are at least
    `repeats`, or never if it is 0. The newest memory takes the number of occasions, the tick of the
    first one, the greatest importance, the mean valence and confidence, all tags, and the accesses
    of all, at once; the others are forgotten. Returns the merged memories and those with a
    retention below a share, as index into `rows` << 32 | id, agent by agent.
    """
    from memopolis.sim.memory.night import trivia_kernels

    memory.settle()
    streams = memory.streams
    limits = Limits(
        repeats,
        np.int16(encoding.share("importance", trivia.importance)),
        np.float32(trivia.emotion),
        np.float32(below),
    )
    streams.changes += 1
    merged, kept, faded, slots, counts = trivia_kernels.sift(
        streams.view, update_ticks(streams), streams.occasion_columns, streams.next, streams.limit,
        rows, np.sort(find_queued(memory, rows)), limits, load_strength(memory.tags), memory.now,
        current_tables(memory),
    )  # fmt: skip
    if len(merged):
        streams.put_occasions(slots, counts[:, 0], counts[:, 1])
        memory.pending.forgets.append((rows[merged >> 32], (merged & 0xFFFFFFFF).astype(np.int32)))
        if memory.store is not None:
            memory.store.queue(changed=[(rows[kept >> 32], kept & 0xFFFFFFFF)])
        memory.settle()
    return merged, faded
