"""Long term: a summary of every ten memories, kept in the agent's status."""

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memopolis.sim.memory.layers import in_status
from memopolis.sim.memory.layers.layer import Layer
from memopolis.sim.memory.layers.writing import Writer, passage_of, written
from memopolis.sim.memory.observing import refuse_observer
from memopolis.sim.memory.streams import encoding

if TYPE_CHECKING:
    from memopolis.sim.memory.memory import Memory

IntArray = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Summary:
    """What some memories in a row come down to.

    Attributes:
        id: Its name: the id of the first memory it covers.
        time: Tick at which it was written.
        since: Tick of the oldest memory it covers.
        until: Tick of the newest memory it covers.
        text: At most `LayerSettings.max_summary_length` characters.
        memories: Ids of the memories it covers, which may be gone by now.
    """

    id: int
    time: int
    since: int
    until: int
    text: str
    memories: tuple[int, ...]

    def __str__(self) -> str:
        return f"- {self.text}"


def blocks_due(memory: "Memory", rows: IntArray) -> tuple[IntArray, IntArray]:
    """Tell which memories no summary covers yet.

    Args:
        memory: Where they are.
        rows: Rows of the agents, shape (n,).

    Returns:
        First id that is not covered, those evicted meanwhile left out, and how many summaries
        are due, both int64, shape (n,).
    """
    streams = memory.streams
    starts = streams.first(rows).astype(np.int64)
    if streams.has_column("summarised"):
        starts = np.maximum(starts, in_status.summarised(memory)[rows])
    return starts, (streams.next[rows] - starts) // memory.layer_settings.summary_interval


def keep_summary(memory: "Memory", row: int, ids: NDArray[np.integer], text: str) -> None:
    """Keep a summary; one without a word is left out, and the oldest goes out first.

    Args:
        memory: Where the memories are.
        row: Row of the agent.
        ids: Ids of the memories it covers, ascending, all there, shape (n,).
        text: What it says.
    """
    if not text:
        return
    times = memory.streams.get("time", row, ids[[0, -1]]).tolist()
    covered = tuple(int(number) for number in ids)
    summary = Summary(covered[0], memory.now, times[0], times[1], text, covered)
    known = in_status.entries(memory, row, in_status.SUMMARIES)
    others = [entry for entry in known if entry["id"] != summary.id]
    every = sorted([*others, asdict(summary)], key=_id)
    in_status.keep(memory, row, in_status.SUMMARIES, every[-memory.layer_settings.max_summaries :])


def summarise(memory: "Memory", rows: IntArray, writer: Writer) -> NDArray[np.int32]:
    """Write every summary that is due.

    Args:
        memory: Where the memories are.
        rows: Rows of the agents, shape (n,), each once.
        writer: Puts a passage into words.

    Returns:
        How many summaries each agent got, int32, shape (n,).
    """
    interval = memory.layer_settings.summary_interval
    starts, due = blocks_due(memory, rows)
    got = np.zeros(len(rows), np.int32)
    for at in np.flatnonzero(due).tolist():
        row = int(rows[at])
        for block in range(int(due[at])):
            first = int(starts[at]) + block * interval
            passage = passage_of(memory, row, np.arange(first, first + interval), "summary")
            text = "" if passage is None else written(writer, passage)
            if passage is not None and text:
                keep_summary(memory, row, passage.ids, text)
                got[at] += 1
            # Block by block: a writer that fails loses nothing that was written before.
            in_status.summarised(memory)[row] = first + interval
    return got


class LongTerm(Layer[Summary]):
    """The summaries of one agent, oldest first."""

    __slots__ = ()

    def _all(self) -> list[Summary]:
        entries = in_status.entries(self._memory, self._row, in_status.SUMMARIES)
        return [Summary(**{**e, "memories": tuple(e["memories"])}) for e in entries]

    def delete(self, ids: ArrayLike) -> int:
        """Delete summaries by id; what they cover is not summarised again.

        Args:
            ids: One or more ids of summaries.

        Returns:
            How many were deleted; unknown ids are left alone.

        Raises:
            StateError: If an observer asks.
        """
        refuse_observer(observed=self._observed)
        gone = set(encoding.id_numbers(ids).ravel().tolist())
        entries = in_status.entries(self._memory, self._row, in_status.SUMMARIES)
        left = [entry for entry in entries if entry["id"] not in gone]
        if len(left) < len(entries):
            in_status.keep(self._memory, self._row, in_status.SUMMARIES, left)
        return len(entries) - len(left)


def _id(entry: in_status.Entry) -> int:
    return int(entry["id"])
