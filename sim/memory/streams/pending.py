"""The queue of changes until the next flush, so that all agents of a block see the same state."""

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import NamedTuple

import numpy as np

from memopolis.sim.arrays import Array, Int8, Int16, Int32, Int64, UInt8, UInt16
from memopolis.sim.memory.streams.layout import COLUMNS
from memopolis.sim.memory.streams.stream import Places, Streams

# One encoded memory: the attributes of `Added`, in this order.
Single = tuple[int, int, int, int, int, int, int, int, int, int, int, int, int]


@dataclass(slots=True, eq=False)  # frozen ones take four times as long to create
class Added:
    """A batch of new memories, as arrays of shape (m,)."""

    rows: Int64  # rows of the agents
    ids: Int32  # ids of the memories
    time: Int32  # ticks at which they were added
    text: Int32  # text numbers
    actor: Int32  # unique_ids, -1 for none
    place: Int16  # indices of places, -1 for none
    tags: UInt16  # bits of tags
    importance: Int16  # 0..30,000 for 0..1
    valence: Int8  # -127..127 for -1..1
    confidence: UInt8  # 0..255 for 0..1
    topic: UInt8  # numbers of topics
    kind: UInt8  # 0 event, 1 thought; bit 128 if it continues the previous memory
    emotion: UInt8  # numbers of emotion words

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def columns(self) -> dict[str, Array]:
        """All columns of a stream, including those that start empty."""
        new = {name: getattr(self, name) for name in FIELDS[2:]}
        new["accessed"] = self.time
        new["thought"] = np.full(len(self), -1, np.int32)
        new["accesses"] = np.zeros(len(self), np.uint8)
        return new


# Attributes of a batch, in the order of `Single`.
FIELDS = tuple(field.name for field in fields(Added))
_DTYPES = COLUMNS | {"rows": np.dtype(np.int64), "ids": np.dtype(np.int32)}


def batch(length: int, **columns: Array | int) -> Added:
    """Build a batch from arrays of shape (length,), which it keeps, and from scalars."""
    arrays = []
    for name in FIELDS:
        values, dtype = columns[name], _DTYPES[name]
        if isinstance(values, np.ndarray) and values.ndim:
            arrays.append(values.astype(dtype, copy=False))
        else:
            arrays.append(np.empty(length, dtype))
            arrays[-1].fill(values)
    return Added(*arrays)


def joined(batches: Sequence[Added]) -> Added:
    """Concatenate batches, at least one, in order."""
    if len(batches) == 1:
        return batches[0]
    return Added(*(np.concatenate([getattr(b, n) for b in batches]) for n in FIELDS))


def sort_by_row(added: Added) -> Added:
    """Sort a batch by row; memories of one row keep their order."""
    rows = added.rows
    if (rows[1:] >= rows[:-1]).all():
        return added
    order = np.argsort(rows, kind="stable")
    return Added(*(getattr(added, name)[order] for name in FIELDS))


class Accesses(NamedTuple):
    """Memories that agents recalled."""

    rows: Int64  # shape (n,)
    ids: Int32  # -1 for none, shape (n, k)
    tick: int
    places: Places | None = None


@dataclass
class Pending:
    """Queued memories, counts of occasions, links, accesses and memories to forget, in order."""

    singles: list[Single] = field(default_factory=list)
    batches: list[Added] = field(default_factory=list)
    occasions: list[tuple[Int64, Int32, Int32, Int32]] = field(default_factory=list)
    links: list[tuple[Int64, Int32, Int32]] = field(default_factory=list)
    accesses: list[Accesses] = field(default_factory=list)
    forgets: list[tuple[Int64, Int32]] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(
            self.singles or self.batches or self.occasions or self.links or self.accesses
            or self.forgets
        )  # fmt: skip

    def extend(self, other: "Pending") -> None:
        """Queue the changes of another queue after those of this one."""
        self.batches = [*self.waiting(), *other.waiting()]
        self.occasions += other.occasions
        self.links += other.links
        self.accesses += other.accesses
        self.forgets += other.forgets

    def add(self, added: Added) -> None:
        """Queue a batch."""
        self._close()
        self.batches.append(added)

    def waiting(self) -> list[Added]:
        """Return all queued memories without removing them."""
        self._close()
        return self.batches

    def take(self) -> Added | None:
        """Remove and return all queued memories, in order; None without any."""
        self._close()
        batches, self.batches = self.batches, []
        return joined(batches) if batches else None

    def _close(self) -> None:
        if self.singles:
            columns = zip(*self.singles, strict=True)
            arrays = {n: np.array(c) for n, c in zip(FIELDS, columns, strict=True)}
            self.batches.append(batch(len(self.singles), **arrays))
            self.singles.clear()


def split_batch(added: Added, most: int) -> list[Added]:
    """Split a batch so that no agent has more than `most` memories in each; usually into one."""
    if len(added) <= most:
        return [added]
    if np.bincount(added.rows).max() <= most:
        return [added]
    order = np.argsort(added.rows, kind="stable")
    rows = added.rows[order]
    rank = np.empty(len(rows), np.int64)
    rank[order] = np.arange(len(rows)) - np.searchsorted(rows, rows)
    piece = rank // most
    order = np.argsort(piece, kind="stable")
    columns = [getattr(added, name)[order] for name in FIELDS]
    ends = np.cumsum(np.bincount(piece)).tolist()
    starts = [0, *ends[:-1]]
    return [
        Added(*(values[start:end] for values in columns))
        for start, end in zip(starts, ends, strict=True)
    ]


def read_stored(streams: Streams, rows: Int64, slots: Int64) -> Added:
    """Return stored memories, given by rows of agents and slots, sorted by row and id."""
    columns = streams.all_at(slots) | {"rows": rows}
    columns["ids"] = columns["id"]
    order = np.lexsort((columns["ids"], rows))
    return Added(*(columns[name][order].astype(_DTYPES[name]) for name in FIELDS))
