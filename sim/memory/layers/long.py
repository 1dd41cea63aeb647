"""Long term: a summary of every ten memories, stored in the agent's status."""

from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.memory.interface import Memory
from memopolis.sim.memory.layers.entries import (
    SUMMARIES,
    read_entries,
    summarised_to,
    write_entries,
)
from memopolis.sim.memory.layers.writing import Writer, load_passage, write

IntArray = NDArray[np.int64]


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


def summaries_due(memory: Memory, rows: IntArray) -> tuple[IntArray, IntArray]:
    """Return each agent's first id that no summary covers, and how many are due, int64, (n,)."""
    streams = memory.streams
    starts = streams.first(rows).astype(np.int64)
    if streams.has_column("summarised"):
        starts = np.maximum(starts, summarised_to(memory)[rows])
    return starts, (streams.next[rows] - starts) // memory.layer_settings.summary_interval


def store_summary(memory: Memory, row: int, ids: NDArray[np.integer], text: str) -> None:
    """Store a summary of memories `ids`, unless empty; drop the oldest ones beyond the limit."""
    if not text:
        return
    times = memory.streams.get("time", row, ids[[0, -1]]).tolist()
    covered = tuple(int(number) for number in ids)
    summary = Summary(covered[0], memory.now, times[0], times[1], text, covered)
    others = [e for e in read_entries(memory, row, SUMMARIES) if e["id"] != summary.id]
    every = sorted([*others, asdict(summary)], key=lambda entry: int(entry["id"]))
    write_entries(memory, row, SUMMARIES, every[-memory.layer_settings.max_summaries :])


def summarise(memory: Memory, rows: IntArray, writer: Writer) -> NDArray[np.int32]:
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
