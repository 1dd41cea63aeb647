"""Where summaries and key facts are kept: in the agent's status, as JSON.

A ring of 1,000 memories would evict them, and they must outlive what they were made from. So
they are no memories of the stream but attributes of the status, `summaries` and `key_memories`,
lists of dicts, declared when the first of them is written. They are saved and carried with the
status. What was done so far (up to which memory summaries go, which number the next key memory
gets) stands in side columns of the agents.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from memopolis.sim.memory.memory import Memory

SUMMARIES = "summaries"
KEY_MEMORIES = "key_memories"

_DESCRIPTIONS = {
    SUMMARIES: "Summaries of what was lived through, oldest first",
    KEY_MEMORIES: "Facts that are always kept in mind",
}

_TIMES = {SUMMARIES: ("time", "since", "until"), KEY_MEMORIES: ("time",)}

Entry = dict[str, Any]


def declare(memory: "Memory", name: str) -> None:
    """Declare one of the two attributes, unless it is declared already."""
    if name not in memory.columns.arrays:
        memory.columns.declare(name, [], description=_DESCRIPTIONS[name])


def entries(memory: "Memory", row: int, name: str) -> list[Entry]:
    """Own copy of what an agent keeps under a name; looking declares nothing."""
    if name not in memory.columns.arrays:
        return []
    return list(memory.columns.read(name, row))


def keep(memory: "Memory", row: int, name: str, values: Sequence[Entry]) -> None:
    """Replace what an agent keeps under a name."""
    declare(memory, name)
    memory.columns.write(name, row, list(values))


def move(
    memory: "Memory", row: int, moved: Callable[[NDArray[np.int64]], NDArray[np.integer]]
) -> None:
    """Tell the times of what an agent keeps by another clock, after it was carried over.

    Args:
        memory: Where the agent is now.
        row: Row of the agent.
        moved: Ticks here of ticks there.
    """
    for name, times in _TIMES.items():
        values = entries(memory, row, name)
        for entry in values:
            ticks = moved(np.array([entry[time] for time in times], np.int64))
            entry.update(zip(times, ticks.tolist(), strict=True))
        if values:
            keep(memory, row, name, values)


def summarised(memory: "Memory") -> NDArray[np.int32]:
    """First id that no summary has covered yet, by agent, int32, shape (agents,)."""
    return memory.streams.agent_column("summarised", np.int32)


def key_numbers(memory: "Memory") -> NDArray[np.int32]:
    """Number that an agent's next key memory gets, int32, shape (agents,)."""
    return memory.streams.agent_column("key_numbers", np.int32)
