"""Streams: the memories of all agents of a population, in pages of 32.

A page belongs to one agent and stores all columns of 32 memories one after another, so scoring an
agent reads a few short runs of bytes. A table lists the pages of each agent. When all memories of
the oldest page are evicted, the newest page reuses it, so pages never move.

The id of a memory is its number among all memories of its agent, from 0; it is never reused.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from memopolis.sim.arguments import whole_number
from memopolis.sim.arrays import Array, Bools, Int16, Int32, Int64, Ints, UInt8
from memopolis.sim.errors import ParameterError
from memopolis.sim.memory.streams.encoding import KIND_BITS, SHARES
from memopolis.sim.memory.streams.growing import lengthen
from memopolis.sim.memory.streams.layout import (
    COLUMNS,
    FORGOTTEN,
    OFFSETS,
    PAGE,
    PAGE_BYTES,
    PAGE_WORDS,
    columns_of,
    widest_table,
)
from memopolis.sim.memory.streams.side_columns import SideColumns
from memopolis.sim.row_buffers import RowBuffers
from memopolis.sim.threads import CACHES, run_all, split

Rows = int | Sequence[int] | Ints

ROWS_PER_THREAD = 5_000  # fewer than twice this number of memories are written by one thread
_TIMES, _SPAN = "times", "span"
# Side columns of merged memories: number of occasions, and ticks from the first to the last.
OCCASIONS = (_TIMES, _SPAN)
_ONCE = np.zeros(0, np.uint8)
_NEVER = -(2**31)
_MOST_TIMES = np.iinfo(np.uint16).max
_RESERVE = 16_384  # maximum number of unused pages: 16 MB

# PAGE is a power of two: shifting and masking is much faster than dividing arrays.
_SHIFT = 5
_MASK = PAGE - 1


class Streams:
    """Memories of all agents of a population, at most `limit` each; the oldest is evicted first.

    Attributes:
        next: Id of each agent's next memory, int32, shape (agents,).
        table: Page of each (agent, id // 32 modulo the width), -1 for none, int32,
            shape (agents, width).
        words: All pages as int32, shape (pages * PAGE_WORDS,); `halves` and `bytes` are the
            same memory as int16 and uint8.
        forgets: Whether any memory was ever forgotten, so that searches have to check.
        earliest: Tick of the earliest memory ever stored, at most 0.
        latest: Tick of the latest one.
        unordered: Tick after which the memories of each agent are in order of time.
        changes: Number of changes so far, apart from side columns.
    """

    def __init__(self, agents: int, limit: int = 1000) -> None:
        self.agents = whole_number("agents", agents, least=0)
        self.limit = whole_number("limit", limit, least=1)
        self._buffers = RowBuffers()
        self.next: Int32 = np.zeros(self.agents, np.int32)
        self.table: Int32 = np.full((self.agents, 1), -1, np.int32)
        self._widest = widest_table(self.limit)
        self._used = 0
        self.forgets = False
        self.earliest = 0
        self.latest = self.unordered = _NEVER
        self.changes = 0
        self.sides = SideColumns()
        self._hold(np.empty(0, np.int32))

    def _hold(self, words: Int32) -> None:
        self.words = words
        self.halves: Int16 = words.view(np.int16)
        self.bytes: UInt8 = words.view(np.uint8)
        self._columns = columns_of(words)

    def __getstate__(self) -> dict[str, Any]:
        """Return what a copy needs: the other arrays are views of `words`."""
        views = ("halves", "bytes", "_columns")
        return {name: value for name, value in self.__dict__.items() if name not in views}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore a copy, whose array owns its memory, so that it can be resized."""
        self.__dict__.update(state)
        self._hold(np.array(state["words"]))

    @property
    def view(self) -> tuple[Array, ...]:
        """Page table, and all pages as words, half words and bytes, for kernels."""
        return self.table, self.words, self.halves, self.bytes

    def grow(self, agents: int) -> None:
        """Add agents without memories."""
        if whole_number("agents", agents) < self.agents:
            raise ParameterError(f"agents is {agents}; there are {self.agents} already")
        self.next = self._buffers.lengthen("next", self.next, agents)
        self.table = self._buffers.lengthen("table", self.table, agents)
        self.next[self.agents :], self.table[self.agents :] = 0, -1
        self.agents = agents
        self.sides.fit(self.sides.agents, agents)

    def memory_column(self, name: str, dtype: DTypeLike, *, fill: int = 0, width: int = 1) -> Array:
        """Return a side column of the memories by slot, created by its first use.

        It moves when pages are added, so call this again for each use.
        """
        slots = len(self.words) // PAGE_WORDS * PAGE
        memories = self.sides.memories
        return self.sides.column(memories, name, dtype, fill=fill, width=width, length=slots)

    def agent_column(self, name: str, dtype: DTypeLike, *, fill: int = 0, width: int = 1) -> Array:
        """Return a side column of the agents, shape (agents,) or (agents, width)."""
        agents = self.sides.agents
        return self.sides.column(agents, name, dtype, fill=fill, width=width, length=self.agents)

    def has_column(self, name: str) -> bool:
        """Return whether there is a side column of that name."""
        return name in self.sides

    @property
    def merges(self) -> bool:
        """Whether any memory stands for several occasions."""
        return _TIMES in self.sides.memories

    @property
    def occasion_columns(self) -> tuple[Array, Array]:
        """Numbers of occasions and spans by slot, as `occasions`; empty if none was merged."""
        if not self.merges:
            return np.empty(0, np.uint8), np.empty(0, np.uint16)
        times, spans = (self.sides.memories[name] for name in OCCASIONS)
        return times, spans

    def occasions(self, slots: Int64) -> tuple[Int32, Int32]:
        """Return the number of occasions of memories and the tick of the first, int32, (m,)."""
        time = self.at("time", slots)
        if not self.merges:
            return np.ones(len(slots), np.int32), time
        times, span = (self.sides.memories[name][slots] for name in OCCASIONS)
        return times.astype(np.int32), (time - span.astype(np.int64)).astype(np.int32)

    @property
    def times(self) -> Array:
        """Number of occasions of the memories by slot, for kernels; empty if all are 1."""
        return self.sides.memories.get(_TIMES, _ONCE)

    def count_occasions(self, slots: Int64) -> Int32:
        """Return the number of occasions of memories, int32, (n, k); 0 for slot -1."""
        from memopolis.sim.memory.streams.stream_kernels import gather

        times = (slots >= 0).astype(np.int32)
        if self.merges:
            gather(self.sides.memories[_TIMES], 0, PAGE, slots, times)
        return times

    def put_occasions(self, slots: Int64, times: Ints, since: Ints) -> None:
        """Store numbers of occasions, at most 65,535, and ticks of the first ones, shape (m,)."""
        times = np.minimum(times, _MOST_TIMES)
        span = self.at("time", slots) - np.asarray(since, np.int64)
        with CACHES:  # a wider column replaces another
            # The times come last: `merges` looks for them, maybe in another thread.
            self._wide_column(_SPAN, span, (np.uint16, np.int32, np.int64), fill=0)[slots] = span
            self._wide_column(_TIMES, times, (np.uint8, np.uint16), fill=1)[slots] = times

    def _wide_column(
        self, name: str, values: Array, types: Sequence[type[Any]], *, fill: int
    ) -> Array:
        """Return a side column of the first of some types that fits old and new values."""
        least, most = int(values.min(initial=fill)), int(values.max(initial=fill))
        fits = (t for t in types if np.iinfo(t).min <= least and most <= np.iinfo(t).max)
        dtype = np.dtype(next(fits))
        held = self.sides.memories.get(name)
        if held is not None:
            dtype = np.promote_types(held.dtype, dtype)
            self.sides.memories[name] = held.astype(dtype, copy=False)
        return self.memory_column(name, dtype, fill=fill)

    def first(self, rows: Rows) -> Int32:
        """Return the oldest id that was not evicted, shape of `rows`."""
        return np.maximum(self.next[rows] - self.limit, 0)

    def spans(self, rows: Rows) -> Int32:
        """Return the number of memories not evicted, including forgotten ones, shape of `rows`."""
        return np.minimum(self.next[rows], self.limit)

    def longest(self, rows: Rows) -> int:
        """Return the greatest of `spans`, 0 for no agents."""
        return int(self.spans(rows).max(initial=0))

    def newest(self, rows: Int64, size: int) -> Int32:
        """Return the newest ids of agents, oldest first, -1 for forgotten ones, int32, (n, k)."""
        ids = self.next[rows][:, None] + np.arange(
            -min(size, self.longest(rows)), 0, dtype=np.int32
        )
        return np.where(self.holds(rows[:, None], ids), ids, np.int32(-1))

    def counts(self, rows: Rows) -> Int32:
        """Return the number of memories of each agent, shape of `rows`."""
        spans = self.spans(rows)
        if not self.forgets:
            return spans
        from memopolis.sim.memory.streams.stream_kernels import count_forgotten

        which = np.atleast_1d(np.asarray(rows, np.int64))
        gone: Int32 = count_forgotten(self.view, self.next, self.limit, which)
        return np.asarray(spans - gone.reshape(np.shape(spans)), np.int32)

    def holds(self, rows: Rows, ids: ArrayLike) -> Bools:
        """Return whether memories exist: stored, not evicted and not forgotten; broadcast."""
        ids = np.asarray(ids)
        exists = np.asarray((ids >= self.first(rows)) & (ids < self.next[rows]))
        if not self.forgets:
            return exists
        who, which = np.broadcast_arrays(np.asarray(rows, np.int64), ids)
        slots = self.slots(who[exists], which[exists])
        exists[exists] = (self.at("kind", slots) & FORGOTTEN) == 0
        return exists

    def forget(self, rows: Int64, ids: Ints, blank: int) -> None:
        """Mark memories as forgotten, skipping missing ones; `blank` is the empty text."""
        slots = self.locate(rows, ids[:, None])
        slots = slots[slots >= 0]
        if len(slots):
            self.forgets = True
            self.put("kind", slots, FORGOTTEN)
            self.put("text", slots, blank)
            self.put("importance", slots, 0)

    def slots(self, rows: Rows, ids: ArrayLike) -> Int64:
        """Return the slots of existing memories: page * 32 + place in the page."""
        ids = np.asarray(ids, np.int64)
        place, width = ids >> _SHIFT, self.table.shape[1]
        # The remainder is slow, and seldom needed.
        if place.max(initial=0) >= width:
            place %= width
        return np.asarray(self.table[rows, place].astype(np.int64) << _SHIFT | ids & _MASK)

    def at(self, name: str, slots: Int64) -> Array:
        """Return a copy of a column at some slots."""
        return self.gather(name, slots.reshape(-1, 1)).reshape(slots.shape)

    def all_at(self, slots: Int64) -> dict[str, Array]:
        """Return a copy of every column at some slots."""
        page, place = slots >> _SHIFT, slots & _MASK
        return {name: values[page, place] for name, values in self._columns.items()}

    def read(self, row: int, ids: Int64) -> tuple[Int64, Int64]:
        """Return columns of memories of one agent, (m, columns), and slots, -1 if missing."""
        from memopolis.sim.memory.streams.stream_kernels import read

        table, words, halves, small = self.view
        columns: tuple[Int64, Int64] = read(
            table, words, halves, small, self.next, self.limit, row, ids, self.forgets
        )
        return columns

    def put(self, name: str, slots: Int64, values: ArrayLike) -> None:
        """Write a column at some slots."""
        self.changes += 1
        self._columns[name][slots >> _SHIFT, slots & _MASK] = values

    def append(
        self,
        rows: Int64,
        ids: Int32,
        columns: Mapping[str, Array],
        *,
        threads: int = 1,
    ) -> None:
        """Store memories, evicting the oldest of agents with more than `limit`.

        `rows` are in any order; ids of an agent continue from `next` without a gap. `columns` are
        the values of every column of `COLUMNS`. All are of shape (m,).
        """
        from memopolis.sim.memory.streams.stream_kernels import advance, store

        self.changes += 1
        if len(rows):
            first, last = int(columns["time"].min()), int(columns["time"].max())
            if first < max(self.latest, last):
                self.unordered = max(self.latest, last)
            self.earliest, self.latest = min(self.earliest, first), max(self.latest, last)
        highest = int(ids.max(initial=0))
        self._widen(highest // PAGE + 1)
        self._open(advance(self.table, self.next, self.limit, rows, ids))
        arrays = tuple(np.asarray(columns[name], dtype) for name, dtype in COLUMNS.items())
        run_all(
            [
                partial(
                    store, self.view, self.next, self.limit, rows[begin:end], ids[begin:end],
                    tuple(values[begin:end] for values in arrays),
                )
                for begin, end in split(len(rows), threads, least=ROWS_PER_THREAD)
            ]
        )  # fmt: skip
        if highest >= PAGE * self.table.shape[1]:  # pages are used again
            fits = ids >= self.first(rows)
            self.sides.reset(self.slots(rows[fits], ids[fits]))

    def _widen(self, pages: int) -> None:
        """Widen the table; no agent has wrapped around before it has its full width."""
        width = self.table.shape[1]
        if pages > width < self._widest:
            wider = np.full((self.agents, min(pages, self._widest)), -1, np.int32)
            wider[:, :width] = self.table
            self.table = wider

    def _open(self, cells: Int64) -> None:
        """Allocate a page for each cell of the table, row * width + place."""
        self.table.reshape(-1)[cells] = np.arange(self._used, self._used + len(cells))
        self._used += len(cells)
        held = len(self.words) // PAGE_WORDS
        if self._used > held:
            self._lengthen(max(self._used, held + min(held // 8, _RESERVE)))

    def _lengthen(self, pages: int) -> None:
        """Add pages in place."""
        most = self.agents * self._widest
        self._hold(lengthen(self.words, pages * PAGE_WORDS, most * PAGE_WORDS))
        self.sides.fit(self.sides.memories, pages * PAGE)

    def locate(self, rows: Int64, ids: Ints, *, recalled: bool = False) -> Int64:
        """Return the slots of memories, (n, k), -1 for missing ones.

        Memories that were `recalled` since the last flush are not forgotten, and need no check.
        """
        from memopolis.sim.memory.streams.stream_kernels import slots_of

        slots: Int64 = slots_of(
            self.table, self.bytes, self.next, self.limit, rows, ids, self.forgets and not recalled
        )  # fmt: skip
        return slots

    def _flat(self, name: str) -> tuple[Array, int, int]:
        """Return all pages as values of a column, where it begins, and the values of a page.

        Flat arrays need fewer compiled variants.
        """
        dtype = COLUMNS[name]
        return self.words.view(dtype), OFFSETS[name] // dtype.itemsize, PAGE_BYTES // dtype.itemsize

    def gather(self, name: str, slots: Int64) -> Array:
        """Return a column at slots that `locate` returned, 0 where there is no memory, (n, k)."""
        from memopolis.sim.memory.streams.stream_kernels import gather

        values = np.zeros(slots.shape, COLUMNS[name])
        gather(*self._flat(name), slots, values)
        return values

    def decode(self, name: str, slots: Int64, *, missing: float = np.nan) -> Array:
        """Return a column at slots of `locate`: shares as float32, others as int32, or -1."""
        from memopolis.sim.memory.streams.stream_kernels import gather

        is_share = name in SHARES
        numbers = np.full(slots.shape, 0 if is_share else -1, np.int32)
        gather(*self._flat(name), slots, numbers)
        if is_share:
            shares = numbers.astype(np.float32) / np.float32(SHARES[name][1])
            if missing != 0:
                shares[slots < 0] = missing
            return shares
        if name == "kind":
            numbers[slots >= 0] &= KIND_BITS
        return numbers

    def copy_pages(
        self, name: str, rows: Int64, *, first: Int64, stop: Int64, start: Int64, size: int
    ) -> Array:
        """Copy a column of memories `first` to `stop` of each row to `start` of an array, (size,).

        Whole pages are copied, so up to `PAGE` values before and after these are set, too.
        """
        from memopolis.sim.memory.streams.stream_kernels import copy_pages

        out = np.zeros(size, COLUMNS[name])
        copy_pages(self.table, self._columns[name], rows, first, stop, start, out)
        return out

    def listed(self, rows: Int64) -> tuple[Int64, Int64]:
        """Return index into `rows` and id of all memories not evicted, in the order of `live`."""
        spans = self.spans(rows).astype(np.int64)
        before = np.cumsum(spans) - spans
        ids = np.arange(spans.sum()) + np.repeat(self.first(rows) - before, spans)
        return np.repeat(np.arange(len(rows)), spans), ids

    def held(self, rows: Int64 | None = None) -> tuple[Int64, Int64]:
        """Return index into `rows` (None: all) and id of all memories, in the order of `live`."""
        rows = np.arange(self.agents) if rows is None else rows
        owners, ids = self.listed(rows)
        if self.forgets:
            kept = (self.get("kind", rows[owners], ids) & FORGOTTEN) == 0
            owners, ids = owners[kept], ids[kept]
        return owners, ids

    def get(self, name: str, rows: Rows, ids: ArrayLike) -> Array:
        """Return a column at existing memories."""
        return self.at(name, self.slots(rows, ids))

    def live(self, rows: Int64) -> tuple[Int64, Int64]:
        """List all memories, including forgotten ones, oldest first: slots and starts, (n + 1,)."""
        places, ids = self.listed(rows)
        starts = np.concatenate([[0], np.cumsum(self.spans(rows), dtype=np.int64)])
        return self.slots(rows[places], ids), starts

    @property
    def nbytes(self) -> int:
        """Bytes of all pages, including reserved ones, and the page table."""
        return self.words.nbytes + self.table.nbytes + self.next.nbytes + self.sides.nbytes

    def state(self) -> dict[str, Array]:
        """Return the streams as arrays, without copies: valid until the next change."""
        return {
            "limit": np.array([self.limit], np.int64),
            "next": self.next,
            "table": self.table,
            "words": self.words[: self._used * PAGE_WORDS],
            "forgets": np.array([self.forgets]),
            **self.sides.state(self._used * PAGE),
        }

    def restore(self, state: Mapping[str, Array]) -> None:
        """Restore what `state` returned; saved arrays are checked before, by `described`."""
        Streams.__init__(self, len(state["next"]), int(state["limit"][0]))
        self.next = np.array(state["next"], np.int32)
        self.table = np.array(state["table"], np.int32)
        self._hold(np.array(state["words"], np.int32))
        self._used = len(self.words) // PAGE_WORDS
        times = self._columns["time"]
        self.earliest = min(0, int(times.min(initial=0)))
        self.latest = self.unordered = int(times.max(initial=_NEVER))
        self.forgets = bool(state["forgets"][0])
        self.sides = SideColumns.restored(state)
