"""Trivia, unimportant events: repeats become one with a count, and faded ones are forgotten."""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from memopolis.sim.arrays import Int32, Int64
from memopolis.sim.errors import ParameterError
from memopolis.sim.memory.interface import Memory
from memopolis.sim.memory.night.fading import current_tables, update_ticks
from memopolis.sim.memory.night.replay import load_strength
from memopolis.sim.memory.streams import encoding
from memopolis.sim.memory.streams.forgetting import find_queued
from memopolis.sim.whole_numbers import check_range


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
    """Greatest importance, as stored; least emotional strength and retention of others."""

    importance: np.int16
    emotion: np.float32
    retention: np.float32


def count_repeats(memory: Memory, rows: Int64, at_least: int, trivia: Trivia) -> Int32:
    """Merge trivial memories that repeat exactly into the newest one; count them by agent, (n,).

    Repeats have the same topic, text, actor and place. The newest memory takes the number of
    occasions, the tick of the first one, the greatest importance, the mean valence and confidence,
    all tags, and the accesses of all, at once; the others are forgotten.
    """
    from memopolis.sim.memory.night import replay_kernels

    if at_least < 2:
        raise ParameterError(f"at_least is {at_least}; a repeat needs at least 2 memories")
    places, ids = _find_trivial(memory, rows, trivia)
    newest = np.empty(len(ids), np.int64)
    size = 1 << (2 * int(np.bincount(places, minlength=1).max())).bit_length()
    streams = memory.streams
    replay_kernels.find_repeats(streams.view, rows, places, ids, size, newest)
    repeats = newest >= 0
    places, ids, newest = places[repeats], ids[repeats], newest[repeats]
    # Repeats that were merged into an abstract memory this night are counted there.
    left = ~np.isin(places << 32 | ids, find_queued(memory, rows))
    places, ids, newest = places[left], ids[left], newest[left]
    keys, group, sizes = np.unique(places << 32 | newest, return_inverse=True, return_counts=True)
    enough = sizes + 1 >= at_least
    chosen = enough[group]
    places, ids, group = places[chosen], ids[chosen], group[chosen]
    if len(places):
        kept = keys[enough]
        owners, kept_ids = rows[kept >> 32], kept & 0xFFFFFFFF
        numbers = (np.cumsum(enough) - 1)[group]
        slots = streams.slots(rows[places], ids)
        _merge(memory, streams.slots(owners, kept_ids), slots, numbers)
        memory.pending.forgets.append((rows[places], ids.astype(np.int32)))
        if memory.store is not None:
            memory.store.queue(changed=[(owners, kept_ids)])
        memory.settle()
    return np.bincount(places, minlength=len(rows)).astype(np.int32)


def _merge(memory: Memory, newest: Int64, repeats: Int64, group: Int64) -> None:
    """Write the values of merged memories to the newest of each group, by slot."""
    from memopolis.sim.memory.night import replay_kernels

    streams = memory.streams
    streams.changes += 1
    times, since = streams.occasions(np.concatenate([newest, repeats]))
    replay_kernels.merge(streams.view, newest, repeats, group, times)
    first = since[: len(newest)].copy()
    np.minimum.at(first, group, since[len(newest) :])
    total = times[: len(newest)] + np.bincount(group, times[len(newest) :]).astype(np.int64)
    streams.put_occasions(newest, total, first)


def find_faded_trivia(memory: Memory, rows: Int64, below: float, trivia: Trivia) -> Int64:
    """Find the trivial memories with a retention below a share: index into `rows` << 32 | id."""
    places, ids = _find_trivial(memory, rows, trivia, below)
    return places << 32 | ids


def _find_trivial(
    memory: Memory, rows: Int64, trivia: Trivia, below: float = math.inf
) -> tuple[Int64, Int64]:
    """Return index into `rows` and id of each trivial memory with a retention below a share."""
    from memopolis.sim.memory.night import replay_kernels

    memory.settle()
    streams = memory.streams
    limits = Limits(
        np.int16(encoding.share("importance", trivia.importance)),
        np.float32(trivia.emotion),
        np.float32(below),
    )
    places, ids = np.empty((2, int(streams.spans(rows).sum())), np.int64)
    count = replay_kernels.find_trivial(
        streams.view, update_ticks(streams), streams.next, streams.limit, rows, limits,
        load_strength(memory.tags), memory.now, current_tables(memory), places, ids,
    )  # fmt: skip
    return places[:count], ids[:count]
