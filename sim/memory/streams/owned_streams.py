"""Streams of a divided society: a part stores only the memories of the agents that it owns.

All parts call the same verbs in the same order. What one part reads is exchanged with all others.
Numbers of memories (`next`) are the same in all parts; pages and side columns are not.
"""

from collections.abc import Mapping, Sequence
from typing import Protocol, override

import numpy as np
from numpy.typing import ArrayLike

from memopolis.sim.arrays import Array, Bools, Int16, Int32, Int64, Ints
from memopolis.sim.errors import StateError
from memopolis.sim.memory.streams.layout import PAGE, PAGE_WORDS
from memopolis.sim.memory.streams.side_columns import AGENTS, FILL, MEMORIES, below
from memopolis.sim.memory.streams.stream import Rows, Streams, select_pages

type Arrays = dict[str, Array]


class Exchange(Protocol):
    """Sends a value to all parts, and returns the values of all of them in the order of parts."""

    def __call__[T](self, label: str, value: T, /) -> list[T]:
        """Exchange values; the label is the same in all parts."""
        ...


class Owners:
    """The owner of each agent's stream: a part, int16, shape (agents,).

    `part` of `parts` runs in this process and exchanges values with the others, unless `is_local`:
    then the running code handles agents of this part only.
    """

    def __init__(self, owner: Int16, *, part: int, parts: int, exchange: Exchange) -> None:
        self.owner = owner
        self.part = part
        self.parts = parts
        self.exchange = exchange
        self.is_local = False

    def grow(self, agents: int) -> None:
        """Distribute agents that join the society evenly over the parts, by row."""
        joined = np.arange(len(self.owner), agents) % self.parts
        self.owner = np.append(self.owner, joined.astype(np.int16))

    def mine(self, rows: int | Ints) -> Bools:
        """Return whether this part owns the stream of each row, shape of `rows`."""
        return np.asarray(self.owner[rows] == self.part)

    def check(self, rows: Rows) -> None:
        """Refuse to read streams that other parts own."""
        if not np.all(self.owner[rows] == self.part):
            raise StateError(
                "with parts > 1, this reads memories that another part stores: read them with "
                "search, recommend, today, contextual, column or read of a cohort, or in a block "
                "with by_row"
            )

    def share(
        self, label: str, rows: Int64, values: Sequence[Array], fills: Sequence[float] | None = None
    ) -> list[Array]:
        """Exchange arrays, (own,) or (own, k), and return those of all rows, (n,) or (n, most).

        `label` is for messages; `fills` are values of arrays where k of another part is smaller.
        """
        received = self.exchange(label, list(values))
        owner = self.owner[rows]
        joined = []
        for number, own in enumerate(values):
            each = [answer[number] for answer in received]
            width = (max(values.shape[1] for values in each),) if own.ndim > 1 else ()
            shape = (len(rows), *width)
            whole = np.full(shape, 0 if fills is None else fills[number], own.dtype)
            for part, one in enumerate(each):
                at = np.flatnonzero(owner == part)
                if whole.ndim == 1:
                    whole[at] = one
                else:
                    whole[at, : one.shape[1]] = one
            joined.append(whole)
        return joined


class OwnedStreams(Streams):
    """Streams that store the memories of some agents, and refuse to read those of others."""

    def __init__(self, state: Mapping[str, Array], owners: Owners) -> None:
        self.owners = owners
        self.restore(state)

    @override
    def grow(self, agents: int) -> None:
        super().grow(agents)
        self.owners.grow(agents)

    @override
    def append(
        self,
        rows: Int64,
        ids: Int32,
        columns: Mapping[str, Array],
        *,
        threads: int = 1,
    ) -> None:
        """Store the memories of own agents, and count those of all agents."""
        mine = self.owners.mine(rows)
        np.maximum.at(self.next, rows[~mine], ids[~mine] + np.int32(1))
        self.earliest = min(self.earliest, int(columns["time"].min(initial=0)))
        own = {name: values[mine] for name, values in columns.items()}
        super().append(rows[mine], ids[mine], own, threads=threads)

    @override
    def longest(self, rows: Rows) -> int:
        self.owners.check(rows)
        return super().longest(rows)

    @override
    def slots(self, rows: Rows, index: ArrayLike) -> Int64:
        self.owners.check(rows)
        return super().slots(rows, index)

    @override
    def read(self, row: int, ids: Int64) -> tuple[Int64, Int64]:
        self.owners.check(row)
        return super().read(row, ids)

    @override
    def locate(self, rows: Int64, ids: Ints) -> Int64:
        self.owners.check(rows)
        return super().locate(rows, ids)

    @override
    def live(self, rows: Int64) -> tuple[Int64, Int64]:
        self.owners.check(rows)
        return super().live(rows)


def select_owned(state: Mapping[str, Array], owned: Bools) -> Arrays:
    """Return a state of streams without the memories of agents that are not owned."""
    table = np.where(owned[:, None], state["table"], np.int32(-1))
    own = select_pages(state, table)
    return own | {"count": np.where(owned, state["count"], np.int32(0))}


def join_streams(states: Sequence[Mapping[str, Array]], owner: Int16) -> Arrays:
    """Join the streams of all parts, in order; `owner` is the part of each agent, (agents,)."""
    width = max(state["table"].shape[1] for state in states)
    table = np.full((len(owner), width), -1, np.int32)
    first = 0
    for part, one in enumerate(states):
        rows = np.flatnonzero(owner == part)
        own = one["table"][rows]
        table[rows, : own.shape[1]] = np.where(own >= 0, own + first, -1)
        first += len(one["words"]) // PAGE_WORDS
    fills: Arrays = {}
    for state in states:
        fills |= below(state, FILL)
    joined = dict(states[0]) | {
        "table": table,
        "words": np.concatenate([state["words"] for state in states]),
        "count": np.sum([state["count"] for state in states], axis=0, dtype=np.int32),
    }
    for name, fill in fills.items():
        joined[f"{FILL}{name}"] = fill
        if any(f"{MEMORIES}{name}" in state for state in states):
            joined[f"{MEMORIES}{name}"] = _join_by_slot(states, f"{MEMORIES}{name}", fill)
        else:
            joined[f"{AGENTS}{name}"] = _join_by_row(states, f"{AGENTS}{name}", fill, owner)
    return joined


def _join_by_slot(states: Sequence[Mapping[str, Array]], name: str, fill: Array) -> Array:
    rest = next(state[name].shape[1:] for state in states if name in state)
    kinds = [state[name].dtype for state in states if name in state]
    each = []
    for state in states:
        slots = len(state["words"]) // PAGE_WORDS * PAGE
        each.append(state.get(name, np.full((slots, *rest), fill[0], kinds[0])))
    return np.concatenate(each).astype(np.result_type(*kinds), copy=False)


def _join_by_row(
    states: Sequence[Mapping[str, Array]],
    name: str,
    fill: Array,
    owner: Int16,
) -> Array:
    known = {part: one[name] for part, one in enumerate(states) if name in one}
    first = next(iter(known.values()))
    whole = np.full(
        first.shape, fill[0], np.result_type(*(values.dtype for values in known.values()))
    )
    for part, values in known.items():
        whole[owner == part] = values[owner == part]
    return whole
