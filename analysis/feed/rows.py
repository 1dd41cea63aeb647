"""Rows of a feed as arrays, and the numbered words that they refer to."""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from memopolis.analysis.run.joining import encode_texts

KINDS = ("decision", "attitude", "thought", "speech", "news", "order", "message")
"""Kinds of lines; a message is one that a user sent to single agents."""

ROW = np.dtype(
    [
        ("tick", "i4"),  # step, from 0
        ("kind", "i1"),  # index in KINDS
        ("agent", "i4"),  # agent that decides, thinks or speaks, -1 for none
        ("other", "i4"),  # first agent that hears it, -1 for none
        ("count", "i4"),  # agents that hear it
        ("place", "i4"),  # number of the zone, -1 for none
        ("places", "i4"),  # number of zones that an order names
        ("subject", "i4"),  # word: kind of the decision
        ("item", "i4"),  # word: item of the decision
        ("choice", "i4"),  # word
        ("previous", "i4"),  # word: the last choice on the same subject, -1 for none
        ("value", "f4"),
        ("before", "f4"),  # the last value on the same subject, NaN for none
        ("reason", "i4"),  # word
        ("text", "i8"),  # hash of a text
    ]
)
_BATCH = 4096  # rows of a compressed batch; those of its last step may exceed it
type Rows = NDArray[np.void]


def empty_rows(count: int = 0) -> Rows:
    """Return rows without content: all numbers of agents, zones and words are -1."""
    rows = np.zeros(count, ROW)
    for name in ("agent", "other", "place", "subject", "item", "choice", "previous", "reason"):
        rows[name] = -1
    rows["value"] = rows["before"] = np.nan
    return rows


class PackedRows:
    """Rows in the order of their steps; all but the newest are compressed, to about a fifth."""

    def __init__(self) -> None:
        self._packed: list[tuple[int, int, bytes]] = []  # first step, bytes, compressed rows
        self._newest = empty_rows()

    def append(self, rows: Rows) -> None:
        """Add rows of later steps, ascending by step."""
        rows = np.concatenate([self._newest, rows])
        starts = _batch_starts(rows["tick"], _BATCH)
        for start, end in pairwise(starts):
            packed = pa.compress(rows[start:end].tobytes(), codec="lz4", asbytes=True)
            size = (end - start) * ROW.itemsize
            self._packed.append((int(rows["tick"][start]), size, packed))
        self._newest = rows[starts[-1] :].copy()

    def newest_first(self, before: int) -> Iterator[Rows]:
        """Yield the rows before a step in batches of whole steps, the newest batch first."""
        yield self._newest[: np.searchsorted(self._newest["tick"], before)]
        for first, size, packed in reversed(self._packed):
            if first < before:
                content = pa.decompress(packed, size, codec="lz4", asbytes=True)
                rows = np.frombuffer(content, ROW)
                yield rows[: np.searchsorted(rows["tick"], before)]


class Vocabulary:
    """Distinct words with numbers, in the order in which they were first seen."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._words: list[str] = []

    def __getitem__(self, number: int) -> str:
        """Return a word by its number, "" for -1."""
        return self._words[number] if number >= 0 else ""

    def number(self, word: str) -> int:
        """Return the number of a word, which is added if it is new."""
        number = self._numbers.setdefault(word, len(self._words))
        if number == len(self._words):
            self._words.append(word)
        return number

    def numbers(self, column: pa.ChunkedArray) -> NDArray[np.int32]:
        """Return the number of each text of a column, -1 where it is missing, shape (rows,)."""
        texts, codes = encode_texts(column)
        known = np.array([*map(self.number, texts.tolist()), -1], np.int32)
        numbers: NDArray[np.int32] = known[codes]
        return numbers


def _batch_starts(ticks: NDArray[np.integer], rows: int) -> list[int]:
    """Return the first row of each batch of at least `rows`; no step is split.

    `ticks` is ascending, shape (rows,); the last batch may be smaller.
    """
    changes = np.append(np.flatnonzero(np.diff(ticks)) + 1, len(ticks))
    targets = np.arange(rows, len(ticks), rows)
    cuts = np.unique(changes[np.searchsorted(changes, targets)])
    return [0, *cuts[cuts < len(ticks)].tolist()]
