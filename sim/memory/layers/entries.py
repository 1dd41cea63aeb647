"""Entries of layers, which are stored in the status as JSON; side columns store progress."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.memory.interface import Memory

SUMMARIES = "summaries"
KEY_MEMORIES = "key_memories"

_DESCRIPTIONS = {
    SUMMARIES: "Summaries of past memories, oldest first",
    KEY_MEMORIES: "Facts that are always part of the context",
}
_TICKS = ("time", "since", "until")

Entry = dict[str, Any]


def declare(memory: Memory, name: str) -> None:
    """Declare one of the two attributes unless it is declared."""
    if name not in memory.columns.arrays:
        memory.columns.declare(name, [], description=_DESCRIPTIONS[name])


def read_entries(memory: Memory, row: int, name: str) -> list[Entry]:
    """Return a copy of an agent's entries; an undeclared attribute has none."""
    if name not in memory.columns.arrays:
        return []
    return list(memory.columns.read(name, row))


def load_entries[T](kind: Callable[..., T], memory: Memory, row: int, name: str) -> list[T]:
    """Return an agent's entries as objects of the class `kind`."""
    entries = read_entries(memory, row, name)
    return [kind(**{**entry, "memories": tuple(entry["memories"])}) for entry in entries]


def write_entries(memory: Memory, row: int, name: str, entries: Sequence[Entry]) -> None:
    """Replace an agent's entries."""
    declare(memory, name)
    memory.columns.write(name, row, list(entries))


def convert_times(
    memory: Memory, row: int, convert: Callable[[NDArray[np.int64]], NDArray[np.integer]]
) -> None:
    """Convert the ticks of an agent's entries to the clock of its new memory."""
    for name in (SUMMARIES, KEY_MEMORIES):
        entries = read_entries(memory, row, name)
        for entry in entries:
            names = [tick for tick in _TICKS if tick in entry]
            ticks = convert(np.array([entry[tick] for tick in names], np.int64))
            entry.update(zip(names, ticks.tolist(), strict=True))
        if entries:
            write_entries(memory, row, name, entries)


def summarised_to(memory: Memory) -> NDArray[np.int32]:
    """Return the first id that no summary covers, by agent, int32, shape (agents,)."""
    return memory.streams.agent_column("summarised", np.int32)
