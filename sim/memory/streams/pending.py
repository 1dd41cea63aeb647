"""What waits to be stored: memories, links, accesses and forgetting, until the next flush.

Waiting makes an `add` in a plain loop cheap, and lets all agents of a block see the same
state whatever the order they are served in.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

IntArray = NDArray[np.int64]

Single = tuple[int, int, int, int, int, int, int, int, int, int, int, int, int]
"""One memory as `FIELDS` lists it, encoded."""

FIELDS = (
    "rows", "ids", "time", "text", "actor", "place", "tags", "importance", "valence",
    "confidence", "topic", "kind", "emotion",
)  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Added:
    """Memories added together, one value each in every array, shape (m,).

    Attributes:
        rows: Rows of the agents, int64.
        ids: Ids of the memories.
        time: Ticks at which they were added.
        text: Text numbers.
        actor: unique_ids, -1 for none.
        place: Indices of places, -1 for none.
        tags: Bits of tags.
        importance: 0..255 for 0..1.
        valence: -127..127 for -1..1.
        confidence: 0..255 for 0..1.
        topic: Numbers of topics.
        kind: 0 event, 1 thought; bit 128 if it goes on from the one before.
        emotion: Numbers of emotion words.
    """

    rows: IntArray
    ids: NDArray[np.int32]
    time: NDArray[np.int32]
    text: NDArray[np.int32]
    actor: NDArray[np.int32]
    place: NDArray[np.int16]
    tags: NDArray[np.uint16]
    importance: NDArray[np.uint8]
    valence: NDArray[np.int8]
    confidence: NDArray[np.uint8]
    topic: NDArray[np.uint8]
    kind: NDArray[np.uint8]
    emotion: NDArray[np.uint8]

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def columns(self) -> dict[str, NDArray[Any]]:
        """All columns a stream keeps, those that begin empty included."""
        new = {name: getattr(self, name) for name in FIELDS[2:]}
        new["accessed"] = self.time
        new["thought"] = np.full(len(self), -1, np.int32)
        new["accesses"] = np.zeros(len(self), np.uint8)
        return new


_DTYPES = {
    "rows": np.int64, "ids": np.int32, "time": np.int32, "text": np.int32, "actor": np.int32,
    "place": np.int16, "tags": np.uint16, "importance": np.uint8, "valence": np.int8,
    "confidence": np.uint8, "topic": np.uint8, "kind": np.uint8, "emotion": np.uint8,
}  # fmt: skip


def batch(length: int, **fields: Any) -> Added:
    """Make a batch from arrays of shape (length,) and scalars, converting types."""
    arrays = {}
    for name in FIELDS:
        values = np.empty(length, _DTYPES[name])
        values[:] = fields[name]
        arrays[name] = values
    return Added(**arrays)


def joined(batches: Sequence[Added]) -> Added:
    """Make one batch of several, at least one, in order."""
    if len(batches) == 1:
        return batches[0]
    return Added(*(np.concatenate([getattr(b, n) for b in batches]) for n in FIELDS))


@dataclass
class Pending:
    """Memories, links, accesses and what is to be forgotten, in the order they came."""

    singles: list[Single] = field(default_factory=list)
    batches: list[Added] = field(default_factory=list)
    links: list[tuple[IntArray, NDArray[np.int32], NDArray[np.int32]]] = field(default_factory=list)
    accesses: list[tuple[IntArray, NDArray[np.int32], int]] = field(default_factory=list)
    forgets: list[tuple[IntArray, NDArray[np.int32]]] = field(default_factory=list)

    def __bool__(self) -> bool:
        waiting = (self.singles, self.batches, self.links, self.accesses, self.forgets)
        return any(waiting)

    def add(self, added: Added) -> None:
        """Let a batch wait, after what waits already."""
        self._close()
        self.batches.append(added)

    def waiting(self) -> list[Added]:
        """All memories that wait, without taking them."""
        self._close()
        return self.batches

    def take(self) -> Added | None:
        """Take all memories that wait, in order; None if there are none."""
        self._close()
        batches, self.batches = self.batches, []
        return joined(batches) if batches else None

    def _close(self) -> None:
        if self.singles:
            columns = zip(*self.singles, strict=True)
            fields = {n: np.array(c) for n, c in zip(FIELDS, columns, strict=True)}
            self.batches.append(batch(len(self.singles), **fields))
            self.singles.clear()
