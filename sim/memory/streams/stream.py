"""Streams: the memories of all agents of a population, in pages of 32.

A page belongs to one agent and stores all columns of 32 memories one after another, so scoring an
agent reads a few short runs of bytes. A table lists the pages of each agent, whose memories fill
them from index 0 on, in order of their ids. When memories are removed, later ones move together
and pages that become empty are used again.

The id of a memory is its number among all memories of its agent, from 0; it is never reused. Its
slot, page * 32 + index % 32, is where it is stored until memories are removed.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from types import ModuleType
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from memopolis.sim.arguments import whole_number
from memopolis.sim.arrays import Array, Bools, Int16, Int32, Int64, Ints, UInt8
from memopolis.sim.errors import ParameterError
from memopolis.sim.memory.streams.encoding import KIND_BITS
from memopolis.sim.memory.streams.layout import (
    CODE_OF_ONE,
    COLUMNS,
    OFFSETS,
    PAGE,
    PAGE_BYTES,
    PAGE_WORDS,
    columns_of,
    lengthen,
)
from memopolis.sim.memory.streams.side_columns import MEMORIES, SideColumns, below
from memopolis.sim.row_buffers import RowBuffers
from memopolis.sim.threads import CACHES, run_all, split

Rows = int | Sequence[int] | Ints

ACCESSES_PER_THREAD = 10_000  # fewer than twice this number of accesses are written by one thread
ROWS_PER_THREAD = 5_000  # fewer than twice this number of memories are written by one thread
_TIMES, _SPAN = "times", "span"
# Side columns of merged memories: number of occasions, and ticks from the first to the last.
OCCASIONS = (_TIMES, _SPAN)
_ONCE = np.zeros(0, np.uint8)
_NEVER = -(2**31)
_MOST_TIMES = np.iinfo(np.uint16).max
_RESERVED_PAGES = 32  # pages of an agent for which addresses are reserved
_RESERVE = 16_384  # maximum number of unused pages: 18 MB

# PAGE is a power of two: shifting and masking is much faster than dividing arrays.
_SHIFT = 5
_MASK = PAGE - 1


@cache
def _kernels() -> ModuleType:
    """Return the compiled loops, imported late so that importing the package is fast."""
    from memopolis.sim.memory.streams import stream_kernels

    return stream_kernels


class Places(NamedTuple):
    """Where memories are stored, as long as the layout of the streams is the same."""

    layout: object  # `Streams.layout`
    slots: Int64  # -1 for no memory, shape (n, k)

    def map(self, function: Callable[[Int64], Int64]) -> "Places":
        """Return other slots of the same layout."""
        return Places(self.layout, function(self.slots))


class Streams:
    """Memories of all agents of a population.

    Attributes:
        limit: Maximum number of memories of an agent, which the owner of the streams enforces.
        next: Id of each agent's next memory, int32, shape (agents,).
        count: Number of memories of each agent, int32, shape (agents,).
        table: Page of each (agent, index // 32), -1 for none, int32, shape (agents, width).
        words: All pages as int32, shape (pages * PAGE_WORDS,); `halves` and `bytes` are the
            same memory as int16 and uint8.
        earliest: Tick of the earliest memory ever stored, at most 0.
        latest: Tick of the latest one.
        unordered: Tick after which the memories of each agent are in order of time.
        changes: Number of changes so far, apart from side columns.
        layout: Another object after each change that moves memories; slots of the same layout are
            those of the same memories.
    """

    def __init__(self, agents: int, limit: int = 1000) -> None:
        self.agents = whole_number("agents", agents, least=0)
        self.limit = whole_number("limit", limit, least=1)
        self._buffers = RowBuffers()
        self.next: Int32 = np.zeros(self.agents, np.int32)
        self.count: Int32 = np.zeros(self.agents, np.int32)
        self.table: Int32 = np.full((self.agents, 1), -1, np.int32)
        self._used = 0
        self._free: Int32 = np.empty(0, np.int32)  # used pages without memories
        self.earliest = 0
        self.latest = self.unordered = _NEVER
        self.changes = 0
        self.layout = object()
        self.sides = SideColumns()
        self._hold(np.empty(0, np.int32))

    def _hold(self, words: Int32) -> None:
        self.words = words
        self.halves: Int16 = words.view(np.int16)
        self.bytes: UInt8 = words.view(np.uint8)
        self._columns = columns_of(words)

    def __getstate__(self) -> dict[str, object]:
        """Return what a copy needs: the other arrays are views of `words`."""
        views = ("halves", "bytes", "_columns")
        return {name: value for name, value in self.__dict__.items() if name not in views}

    def __setstate__(self, state: dict[str, object]) -> None:
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
        for name, fill in (("next", 0), ("count", 0), ("table", -1)):
            longer = self._buffers.lengthen(name, getattr(self, name), agents)
            longer[self.agents :] = fill
            setattr(self, name, longer)
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
        return name in self.sides.fills

    @property
    def merges(self) -> bool:
        """Whether any memory stands for several occasions."""
        return _TIMES in self.sides.memories

    def occasions(self, slots: Int64) -> tuple[Int32, Int32]:
        """Return the number of occasions of memories and the tick of the first, int32, (m,)."""
        time = self.at("time", slots)
        if not self.merges:
            return np.ones(len(slots), np.int32), time
        times, span = self.sides.memories[_TIMES][slots], self.sides.memories[_SPAN][slots]
        return times.astype(np.int32), (time - span.astype(np.int64)).astype(np.int32)

    @property
    def times(self) -> Array:
        """Number of occasions of the memories by slot, for kernels; empty if all are 1."""
        return self.sides.memories.get(_TIMES, _ONCE)

    def count_occasions(self, slots: Int64) -> Int32:
        """Return the number of occasions of memories, int32, (n, k); 0 for slot -1."""
        times = (slots >= 0).astype(np.int32)
        if self.merges:
            _kernels().gather(self.sides.memories[_TIMES], 0, PAGE, slots, times)
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
        self, name: str, values: Array, types: Sequence[type[np.integer]], *, fill: int
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

    def longest(self, rows: Rows) -> int:
        """Return the greatest number of memories of some agents, 0 for no agents."""
        return int(self.count[rows].max(initial=0))

    def oldest(self, rows: Int64) -> Int32:
        """Return the id of each agent's oldest memory, that of the next one if it has none."""
        ids = self.next[rows]
        some = self.count[rows] > 0
        ids[some] = self.at("id", self.slots(rows[some], np.zeros(int(some.sum()), np.int64)))
        return ids

    def newest(self, rows: Int64, size: int) -> Int32:
        """Return the last ids of agents, oldest first, -1 for missing memories, int32, (n, k)."""
        width = min(size, int(self.next[rows].max(initial=0)))
        back = np.arange(-width, 0, dtype=np.int32)
        ids: Int32 = np.add(self.next[rows][:, None], back, dtype=np.int32)
        return np.where(self.locate(rows, ids) >= 0, ids, np.int32(-1))

    def slots(self, rows: Rows, index: ArrayLike) -> Int64:
        """Return the slots of memories given by index among those of their agent; broadcast."""
        index = np.asarray(index, np.int64)
        pages = self.table[rows, index >> _SHIFT].astype(np.int64)
        return np.asarray(pages << _SHIFT | index & _MASK)

    def locate(self, rows: Int64, ids: Ints) -> Int64:
        """Return the slots of memories given by id, (n, k) or (n,), -1 for missing ones."""
        table = np.asarray(ids if ids.ndim == 2 else ids[:, None], np.int64)
        slots: Int64 = _kernels().locate(self.table, self.words, self.count, rows, table)
        return slots if ids.ndim == 2 else slots[:, 0]

    def slots_of(self, rows: Int64, ids: Ints, places: Places | None) -> Int64:
        """Return what `locate` does, without a search where the places are still valid."""
        if places is not None and places.layout is self.layout:
            return places.slots
        return self.locate(rows, ids)

    def book(self, slots: Int64, tick: int, *, threads: int = 1) -> None:
        """Record an access of memories given by slot, (n, k), -1 for none.

        Several threads may write only different memories.
        """
        self.changes += 1
        least = ACCESSES_PER_THREAD // max(slots.shape[1], 1) + 1
        parts = split(len(slots), threads, least=least)
        run_all([partial(_kernels().book, self.view, slots[a:b], np.int32(tick)) for a, b in parts])

    def holds(self, rows: Rows, ids: ArrayLike) -> Bools:
        """Return whether memories given by id exist; broadcast."""
        return np.asarray(self.find(rows, ids) >= 0)

    def find(self, rows: Rows, ids: ArrayLike) -> Int64:
        """Return the slots of memories given by id, -1 for missing ones; broadcast."""
        owners, numbers = np.broadcast_arrays(rows, ids)
        slots = self.locate(owners.reshape(-1).astype(np.int64), numbers.reshape(-1))
        return slots.reshape(numbers.shape)

    def live(self, rows: Int64) -> tuple[Int64, Int64]:
        """List all memories of agents, oldest first: slots, (m,), and starts, (n + 1,)."""
        starts = np.zeros(len(rows) + 1, np.int64)
        np.cumsum(self.count[rows], out=starts[1:])
        slots: Int64 = _kernels().list_slots(self.table, rows, starts)
        return slots, starts

    def listed(self, rows: Int64 | None = None) -> tuple[Int64, Int64, Int64]:
        """List all memories in the order of `live`: index into `rows` (None: all), id and slot."""
        rows = np.arange(self.agents) if rows is None else rows
        slots, starts = self.live(rows)
        owners = np.repeat(np.arange(len(rows)), np.diff(starts))
        return owners, self.at("id", slots).astype(np.int64), slots

    def at(self, name: str, slots: Int64) -> Array:
        """Return a copy of a column at some slots."""
        return self.gather(name, slots.reshape(-1, 1)).reshape(slots.shape)

    def all_at(self, slots: Int64) -> dict[str, Array]:
        """Return a copy of every column at some slots."""
        page, place = slots >> _SHIFT, slots & _MASK
        return {name: values[page, place] for name, values in self._columns.items()}

    def read(self, row: int, ids: Int64) -> tuple[Int64, Int64]:
        """Return columns of memories of one agent, (m, columns), and slots, -1 if missing."""
        values = np.empty((len(ids), len(COLUMNS)), np.int64)
        slots = np.empty(len(ids), np.int64)
        _kernels().read(self.view, self.count, row, ids, values, slots)
        return values, slots

    def get(self, name: str, rows: Rows, ids: ArrayLike) -> Array:
        """Return a column at existing memories given by id; broadcast."""
        return self.at(name, self.find(rows, ids))

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
        """Store memories.

        `rows` are in any order; the ids of an agent are ascending, from `next` on. `columns` are
        the values of every column of `COLUMNS` except the id. All are of shape (m,).
        """
        self.changes += 1
        if not len(rows):
            return
        first, last = int(columns["time"].min()), int(columns["time"].max())
        if first < max(self.latest, last):
            self.unordered = max(self.latest, last)
        self.earliest, self.latest = min(self.earliest, first), max(self.latest, last)
        index: Int32 = _kernels().advance(self.next, self.count, rows, ids)
        self._widen(int(index.max()) // PAGE + 1)
        self._open(_kernels().find_unpaged(self.table, rows, index))
        values = {**columns, "id": ids}
        arrays = tuple(np.asarray(values[name], dtype) for name, dtype in COLUMNS.items())
        run_all(
            [
                partial(
                    _kernels().store, self.view, rows[begin:end], index[begin:end],
                    tuple(each[begin:end] for each in arrays),
                )
                for begin, end in split(len(rows), threads, least=ROWS_PER_THREAD)
            ]
        )  # fmt: skip

    def remove(self, rows: Int64, slots: Int64) -> None:
        """Remove memories given by the rows of their agents and their slots, shape (m,)."""
        if not len(slots):
            return
        self.put("id", slots, -1)
        self.layout = object()
        agents = np.unique(rows)
        sources, targets, vacant, emptied = _kernels().compact(self.view, self.count, agents)
        self._free = np.concatenate([self._free, emptied])
        self.sides.move(sources, targets, vacant)

    def _widen(self, pages: int) -> None:
        """Widen the table to a number of pages of an agent."""
        width = self.table.shape[1]
        if pages > width:
            wider = np.full((self.agents, pages), -1, np.int32)
            wider[:, :width] = self.table
            self.table = wider

    def _open(self, cells: Int64) -> None:
        """Allocate a page for each cell of the table, row * width + number of the page."""
        reused = min(len(cells), len(self._free))
        new = len(cells) - reused
        pages = np.arange(self._used, self._used + new, dtype=np.int32)
        left = len(self._free) - reused
        self.table.reshape(-1)[cells] = np.concatenate([self._free[left:], pages])
        self._free = self._free[:left]
        self._used += new
        stored = len(self.words) // PAGE_WORDS
        if self._used > stored:
            self._lengthen(max(self._used, stored + min(stored // 8, _RESERVE)))

    def _lengthen(self, pages: int) -> None:
        """Add pages in place."""
        most = max(pages, self.agents * max(self.table.shape[1], _RESERVED_PAGES))
        self._hold(lengthen(self.words, pages * PAGE_WORDS, most * PAGE_WORDS))
        self.sides.fit(self.sides.memories, pages * PAGE)

    def _flat(self, name: str) -> tuple[Array, int, int]:
        """Return all pages as values of a column, where it begins, and the values of a page.

        Flat arrays need fewer compiled variants.
        """
        dtype = COLUMNS[name]
        return self.words.view(dtype), OFFSETS[name] // dtype.itemsize, PAGE_BYTES // dtype.itemsize

    def gather(self, name: str, slots: Int64) -> Array:
        """Return a column at slots that `locate` returned, 0 where there is no memory, (n, k)."""
        values = np.zeros(slots.shape, np.int32)  # of one type, for fewer compiled variants
        _kernels().gather(*self._flat(name), slots, values)
        return values.astype(COLUMNS[name], copy=False)

    def decode(self, name: str, slots: Int64, *, missing: float = np.nan) -> Array:
        """Return a column at slots of `locate`: shares as float32, others as int32, or -1."""
        is_share = name in CODE_OF_ONE
        numbers = np.full(slots.shape, 0 if is_share else -1, np.int32)
        _kernels().gather(*self._flat(name), slots, numbers)
        if is_share:
            shares = numbers.astype(np.float32) / np.float32(CODE_OF_ONE[name])
            if missing != 0:
                shares[slots < 0] = missing
            return shares
        if name == "kind":
            numbers[slots >= 0] &= KIND_BITS
        return numbers

    @property
    def nbytes(self) -> int:
        """Bytes of all pages, including reserved ones, and of the tables."""
        tables = self.table.nbytes + self.next.nbytes + self.count.nbytes
        return self.words.nbytes + tables + self.sides.nbytes

    def state(self) -> dict[str, Array]:
        """Return the streams as arrays, without pages that have no memories.

        Arrays that need not be renumbered are no copies: valid until the next change.
        """
        state: dict[str, Array] = {
            "limit": np.array([self.limit], np.int64),
            "next": self.next,
            "count": self.count,
            "table": self.table,
            "words": self.words[: self._used * PAGE_WORDS],
            **self.sides.state(self._used * PAGE),
        }
        return select_pages(state, self.table) if len(self._free) else state

    def restore(self, state: Mapping[str, Array]) -> None:
        """Restore what `state` returned; saved arrays are checked before, by `described`."""
        Streams.__init__(self, len(state["next"]), int(state["limit"][0]))
        self.next = np.array(state["next"], np.int32)
        self.count = np.array(state["count"], np.int32)
        self.table = np.array(state["table"], np.int32)
        self._hold(np.array(state["words"], np.int32))
        self._used = len(self.words) // PAGE_WORDS
        rows, numbers = np.nonzero(self.table >= 0)
        is_held = np.arange(PAGE) < (self.count[rows] - numbers * PAGE)[:, None]
        times = self._columns["time"][self.table[rows, numbers]][is_held]
        self.earliest = min(0, int(times.min(initial=0)))
        self.latest = self.unordered = int(times.max(initial=_NEVER))
        self.sides = SideColumns.restored(state)


def select_pages(state: Mapping[str, Array], table: Int32) -> dict[str, Array]:
    """Return a state of streams with the pages of a table of the same shape, renumbered."""
    is_used = table >= 0
    pages = table[is_used]
    renumbered = np.full(table.shape, -1, np.int32)
    renumbered[is_used] = np.arange(len(pages))
    selected = dict(state) | {
        "table": renumbered, "words": _take_pages(state["words"], pages, PAGE_WORDS)
    }  # fmt: skip
    for name, values in below(state, MEMORIES).items():
        selected[f"{MEMORIES}{name}"] = _take_pages(values, pages, PAGE)
    return selected


def _take_pages(values: Array, pages: Int32, each: int) -> Array:
    """Select pages of an array with `each` entries per page."""
    rest = values.shape[1:]
    return values.reshape(-1, each, *rest)[pages].reshape(-1, *rest)
