"""Summaries, and the entries of the status in which they and key memories are stored as JSON.

A summary covers ten consecutive memories. A side column stores progress.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, cast

import numpy as np

from memopolis.sim.arrays import Int32, Int64, Ints
from memopolis.sim.memory.interface import Memory
from memopolis.sim.memory.layers.writing import Writer, load_passage, write

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
    if name not in memory._columns.schema.attributes:
        memory._columns.declare(name, [], description=_DESCRIPTIONS[name])


def read_entries(memory: Memory, row: int, name: str) -> list[Entry]:
    """Return a copy of an agent's entries; an agent without the attribute has none."""
    if not memory._columns.is_present(name, row):
        return []
    entries = cast("list[Entry]", memory._columns.read(name, row))
    return [dict(entry) for entry in entries]


def load_entries[T](kind: Callable[..., T], memory: Memory, row: int, name: str) -> list[T]:
    """Return an agent's entries as objects of the class `kind`."""
    entries = read_entries(memory, row, name)
    return [kind(**{**entry, "memories": tuple(entry["memories"])}) for entry in entries]


def write_entries(memory: Memory, row: int, name: str, entries: Sequence[Entry]) -> None:
    """Replace an agent's entries."""
    declare(memory, name)
    memory._columns.write(name, row, list(entries))


def convert_times(memory: Memory, row: int, convert: Callable[[Int64], Ints]) -> None:
    """Convert the ticks of an agent's entries to the clock of its new memory."""
    for name in (SUMMARIES, KEY_MEMORIES):
        entries = read_entries(memory, row, name)
        for entry in entries:
            names = [tick for tick in _TICKS if tick in entry]
            ticks = convert(np.array([entry[tick] for tick in names], np.int64))
            entry.update(zip(names, ticks.tolist(), strict=True))
        if entries:
            write_entries(memory, row, name, entries)


def summarised_to(memory: Memory) -> Int32:
    """Return the first id that no summary covers, by agent, int32, shape (agents,)."""
    return memory.streams.agent_column("summarised", np.int32)


@dataclass(frozen=True, slots=True)
class Summary:
    """A summary of consecutive memories."""

    id: int  # id of the first memory it covers
    time: int  # tick at which it was written
    since: int  # tick of the oldest memory it covers
    until: int  # tick of the newest memory it covers
    text: str  # at most `LayerSettings.max_summary_length` characters
    memories: tuple[int, ...]  # ids of the memories it covers, some of which may have been evicted

    def __str__(self) -> str:
        return f"- {self.text}"


def summaries_due(memory: Memory, rows: Int64) -> tuple[Int64, Int64]:
    """Return each agent's first id that no summary covers, and how many are due, int64, (n,)."""
    streams = memory.streams
    starts = streams.oldest(rows).astype(np.int64)
    if streams.has_column("summarised"):
        starts = np.maximum(starts, summarised_to(memory)[rows])
    return starts, (streams.next[rows] - starts) // memory.layer_settings.summary_interval


def store_summary(memory: Memory, row: int, ids: Ints, text: str) -> None:
    """Store a summary of memories `ids`, unless empty; drop the oldest ones beyond the limit."""
    if not text:
        return
    times = memory.streams.get("time", row, ids[[0, -1]]).tolist()
    covered = tuple(int(number) for number in ids)
    summary = Summary(covered[0], memory.now, times[0], times[1], text, covered)
    others = [e for e in read_entries(memory, row, SUMMARIES) if e["id"] != summary.id]
    every = sorted([*others, asdict(summary)], key=lambda entry: int(entry["id"]))
    write_entries(memory, row, SUMMARIES, every[-memory.layer_settings.max_summaries :])


def summarise(memory: Memory, rows: Int64, writer: Writer) -> Int32:
    """Write every summary that is due; return their number by agent, all distinct, shape (n,)."""
    interval = memory.layer_settings.summary_interval
    starts, due = summaries_due(memory, rows)
    counts = np.zeros(len(rows), np.int32)
    for place in np.flatnonzero(due).tolist():
        row = int(rows[place])
        for block in range(int(due[place])):
            first = int(starts[place]) + block * interval
            passage = load_passage(memory, row, np.arange(first, first + interval), "summary")
            text = "" if passage is None else write(writer, passage)
            if passage is not None and text:
                store_summary(memory, row, passage.ids, text)
                counts[place] += 1
            # After each block, so that a writer that fails loses no earlier summary.
            summarised_to(memory)[row] = first + interval
    return counts
