"""Trivia: repeats of unimportant memories become one with a count, and faded ones are forgotten.

A memory is trivial if it is an event of small importance without strong feeling, emotion word or
conversation around it. Rare and emotional memories therefore stay as they are.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.errors import ParameterError
from memopolis.sim.memory.night.consolidation import update_ticks
from memopolis.sim.memory.night.fading import current_tables
from memopolis.sim.memory.night.strength import load_strength
from memopolis.sim.memory.streams import encoding
from memopolis.sim.memory.streams.forgetting import find_queued

if TYPE_CHECKING:
    from memopolis.sim.memory.interface import Memory

IntArray = NDArray[np.int64]

_JOINS = {"importance": np.maximum, "accessed": np.maximum, "tags": np.bitwise_or}
"""How a merged memory combines values of its repeats, by column."""


@dataclass(frozen=True, slots=True)
class Trivia:
    """Which memories are trivial.

    Attributes:
        importance: Greatest importance, 0..1 (illustrative).
        emotion: Emotional strength from which a memory is not trivial, 0..1 (illustrative).

    Raises:
        ParameterError: If a number is out of range.
    """

    importance: float = 0.25
    emotion: float = 0.75

    def __post_init__(self) -> None:
        for name in ("importance", "emotion"):
            if not 0 <= getattr(self, name) <= 1:
                raise ParameterError(f"{name} is {getattr(self, name)}; allowed are 0 to 1")

    @property
    def limits(self) -> "Limits":
        """The limits as an argument of a compiled function."""
        most = encoding.share("importance", self.importance)
        return Limits(np.int16(most), np.float32(self.emotion))


class Limits(NamedTuple):
    """Greatest importance, as stored, and least emotional strength of other memories."""

    importance: np.int16
    emotion: np.float32


def count_repeats(
    memory: "Memory", rows: IntArray, at_least: int, trivia: Trivia
) -> NDArray[np.int32]:
    """Merge trivial memories that repeat exactly into the newest one, which counts them.

    Repeats have the same topic, text, actor and place. The newest memory takes the number of
    occasions, the tick of the first one, the greatest importance, the mean valence and confidence,
    all tags, and the accesses of all; the others are forgotten. The values change at once, even
    if storing is deferred.

    Args:
        memory: The memory of the population.
        rows: Rows of the agents, without duplicates, shape (n,).
        at_least: Fewest memories that are merged, >= 2.
        trivia: Which memories are trivial.

    Returns:
        Number of memories merged into others, by agent, shape (n,).

    Raises:
        ParameterError: If `at_least` is below 2.
    """
    from memopolis.sim.memory.night import trivia_kernels

    if at_least < 2:
        raise ParameterError(f"at_least is {at_least}; a repeat needs at least 2 memories")
    memory.settle()
    streams = memory.streams
    most = int(streams.spans(rows).sum())
    places, repeats, kept = np.empty((3, most), np.int64)
    number = trivia_kernels.find_repeats(
        streams.view, streams.next, streams.limit, rows, trivia.limits,
        load_strength(memory.tags), places, repeats, kept,
    )  # fmt: skip
    places, repeats, kept = places[:number], repeats[:number], kept[:number]
    # Repeats that were merged into an abstract memory this night are counted there.
    left = ~np.isin(places << 32 | repeats, find_queued(memory, rows))
    places, repeats, kept = places[left], repeats[left], kept[left]
    keys, group, sizes = np.unique(places << 32 | kept, return_inverse=True, return_counts=True)
    enough = sizes + 1 >= at_least
    chosen = enough[group]
    places, repeats, group = places[chosen], repeats[chosen], group[chosen]
    if len(places):
        numbers = np.cumsum(enough) - 1
        newest = keys[enough]
        owners, ids = rows[newest >> 32], newest & 0xFFFFFFFF
        _merge(
            memory, streams.slots(owners, ids), streams.slots(rows[places], repeats), numbers[group]
        )
        memory.pending.forgets.append((rows[places], repeats.astype(np.int32)))
        if memory.store is not None:
            memory.store.queue(changed=[(owners, ids)])
        memory.settle()
    return np.bincount(places, minlength=len(rows)).astype(np.int32)


def _merge(memory: "Memory", newest: IntArray, repeats: IntArray, group: IntArray) -> None:
    """Write the values of merged memories to the newest of each group, by slot."""
    streams = memory.streams
    slots = np.concatenate([newest, repeats])
    groups = np.concatenate([np.arange(len(newest)), group])
    times, since = streams.occasions(slots)
    total = np.bincount(groups, times)
    for name in ("valence", "confidence"):
        mean = np.bincount(groups, times * streams.at(name, slots)) / total
        streams.put(name, newest, np.floor(mean + 0.5).astype(np.int64))
    for name, join in _JOINS.items():
        values = streams.at(name, newest)
        join.at(values, group, streams.at(name, repeats))
        streams.put(name, newest, values)
    accesses = np.bincount(groups, streams.at("accesses", slots))
    streams.put("accesses", newest, np.minimum(accesses, 255))
    first = streams.occasions(newest)[1]
    np.minimum.at(first, group, since[len(newest) :])
    streams.put_occasions(newest, total.astype(np.int64), first)


def find_faded_trivia(
    memory: "Memory", rows: IntArray, below: float, trivia: Trivia
) -> tuple[IntArray, IntArray]:
    """Find the trivial memories with a retention below a share.

    Args:
        memory: The memory of the population.
        rows: Rows of the agents, shape (n,).
        below: Upper bound of the retention, 0..1.
        trivia: Which memories are trivial.

    Returns:
        Index into `rows` and id of each such memory, shape (m,).
    """
    from memopolis.sim.memory.night import trivia_kernels

    memory.settle()
    streams = memory.streams
    places, ids = np.empty((2, int(streams.spans(rows).sum())), np.int64)
    number = trivia_kernels.find_faded(
        streams.view, update_ticks(streams), streams.next, streams.limit, rows, memory.now,
        current_tables(memory), trivia.limits, load_strength(memory.tags), np.float32(below),
        places, ids,
    )  # fmt: skip
    return places[:number], ids[:number]
