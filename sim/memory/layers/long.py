"""Long term: a summary of every ten memories, kept in the agent's status."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memopolis.sim.memory.layers import kept
from memopolis.sim.memory.layers.looking import refuse_observer
from memopolis.sim.memory.layers.writing import Writer, passage_of, written

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
        starts = np.maximum(starts, kept.summarised(memory)[rows])
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
    others = [e for e in kept.entries(memory, row, kept.SUMMARIES) if e["id"] != summary.id]
    every = sorted([*others, asdict(summary)], key=_id)
    kept.keep(memory, row, kept.SUMMARIES, every[-memory.layer_settings.max_summaries :])


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
            kept.summarised(memory)[row] = first + interval
    return got


class LongTerm(Sequence[Summary]):
    """The summaries of one agent, oldest first."""

    __slots__ = ("_memory", "_observed", "_row")

    def __init__(self, memory: "Memory", row: int, *, observed: bool = False) -> None:
        self._memory = memory
        self._row = row
        self._observed = observed

    def _all(self) -> list[Summary]:
        entries = kept.entries(self._memory, self._row, kept.SUMMARIES)
        return [Summary(**{**e, "memories": tuple(e["memories"])}) for e in entries]

    @overload
    def __getitem__(self, place: int) -> Summary: ...
    @overload
    def __getitem__(self, place: slice) -> list[Summary]: ...
    def __getitem__(self, place: int | slice) -> Summary | list[Summary]:
        """The summary at a place, 0 the oldest, -1 the newest."""
        return self._all()[place]

    def __iter__(self) -> Iterator[Summary]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(kept.entries(self._memory, self._row, kept.SUMMARIES))

    def __str__(self) -> str:
        return "\n".join(map(str, self)) or "Nothing"

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
        gone = set(np.asarray(ids, np.int64).ravel().tolist())
        entries = kept.entries(self._memory, self._row, kept.SUMMARIES)
        left = [entry for entry in entries if entry["id"] not in gone]
        if len(left) < len(entries):
            kept.keep(self._memory, self._row, kept.SUMMARIES, left)
        return len(entries) - len(left)


def _id(entry: kept.Entry) -> int:
    return int(entry["id"])
