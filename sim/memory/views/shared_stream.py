"""The streams of several agents in a divided society, in which each part stores some of them.

Each part reads the streams that it owns, and the results are exchanged. All parts call the same
verbs in the same order, and get the same results as a society in one process.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import cast, override

import numpy as np
from numpy.typing import ArrayLike

from memopolis.sim.arrays import Array, Bools, Int32, Int64, Ints
from memopolis.sim.errors import StateError
from memopolis.sim.memory.interface import Memory
from memopolis.sim.memory.retrieval import recalling
from memopolis.sim.memory.retrieval.filter import Filter
from memopolis.sim.memory.retrieval.recollection import Recalled, Recollections
from memopolis.sim.memory.retrieval.request import NoQuery, Queries, SearchOptions
from memopolis.sim.memory.streams import encoding
from memopolis.sim.memory.streams.owned_streams import Owners
from memopolis.sim.memory.views.adding import Text
from memopolis.sim.memory.views.base_stream import CohortStream, Compute, Located

type Mask = Bools


class SharedStream(CohortStream):
    """The memories of several agents, of which this part stores those that it owns.

    Verbs that are not defined here refuse agents of other parts.
    """

    __slots__ = ()

    @property
    def _owners(self) -> Owners:
        owners: Owners = self._memory.owners
        return owners

    def _own(self) -> tuple[CohortStream, Mask]:
        """Return the streams that this part stores, and which of the agents they are."""
        mine = self._owners.mine(self._rows)
        return CohortStream(self._memory, self._rows[mine], observed=self._observed), mine

    @property
    @override
    def counts(self) -> Int32:
        own, _ = self._own()
        (counts,) = self._owners.share("counts", self._rows, [own.counts])
        return counts

    @override
    def _search(self, query: Queries | NoQuery, options: SearchOptions) -> Recalled:
        mine = self._owners.mine(self._rows)
        asked, each = query, options.each
        if each is not None:
            each = np.asarray(each)[mine]
        elif not isinstance(query, str | NoQuery):
            asked = [text for text, is_own in zip(query, mine, strict=True) if is_own]
        own = options._replace(
            where=_filter_of(options.where, mine), actor=_values_of(options.actor, mine),
            when=_dates_of(options.when, mine), feeling=_values_of(options.feeling, mine),
            each=each, half_life=_values_of(options.half_life, mine),
        )  # fmt: skip
        recalled = recalling.search(
            self._memory, self._rows[mine], asked, own, observed=self._observed
        )
        names = list(recalled.terms)
        values = [recalled.ids, recalled.scores, *recalled.terms.values()]
        ids, scores, *terms = self._owners.share(
            "search", self._rows, values, [-1, *(0 for _ in values)]
        )
        return Recalled(self._rows, ids, scores, dict(zip(names, terms, strict=True)))

    @override
    def column(self, name: str, ids: ArrayLike) -> Array:
        own, mine = self._own()
        table = encoding.ids(ids, len(self._rows))
        values = own.column(name, table[mine])
        fill = np.nan if values.dtype.kind == "f" else -1
        (whole,) = self._owners.share(name, self._rows, [values], [fill])
        return whole.reshape(np.shape(ids))

    @override
    def located(self, memories: Ints | Recalled) -> Located:
        own, mine = self._own()
        ids = memories.ids if isinstance(memories, Recalled) else memories
        return SharedLocated(self._owners, self._rows, own.located(ids[mine]))

    @override
    def read(self, ids: ArrayLike) -> list[Recollections]:
        own, mine = self._own()
        written = [
            [one._replace(terms=dict(one.terms)) for one in recollections]
            for recollections in own.read(self._table(ids)[mine])
        ]
        each = [iter(lists) for lists in self._owners.exchange("read", written)]
        owner = self._owners.owner[self._rows].tolist()
        return [Recollections(next(each[part])) for part in owner]

    @override
    def link(
        self,
        ids: ArrayLike,
        thought: Text | None = None,
        *,
        to: ArrayLike | None = None,
        **columns: object,
    ) -> Int32:
        if thought is not None:
            raise StateError("with parts > 1, link memories to a stored thought: link(ids, to=...)")
        return super().link(ids, None, to=to, **columns)


def open_stream(memory: Memory, rows: Int64, *, observed: bool = False) -> CohortStream:
    """Return the streams of agents, which other parts may store."""
    kind = CohortStream if memory.owners.is_local else SharedStream
    return kind(memory, rows, observed=observed)


class SharedLocated(Located):
    """Memories given by id, of which this part stores those of the agents that it owns."""

    def __init__(self, owners: Owners, rows: Int64, own: Located) -> None:
        self._owners = owners
        self._all_rows = rows
        self._own = own

    @override
    def column(self, name: str) -> Array:
        values = self._own.column(name)
        fill = 0 if values.dtype.kind == "f" else -1
        (whole,) = self._owners.share(name, self._all_rows, [values], [fill])
        return whole

    @override
    def times(self) -> Int32:
        (whole,) = self._owners.share("times", self._all_rows, [self._own.times()])
        return whole

    @override
    def compute(self, function: Compute, *values: Array) -> Sequence[Array]:
        mine = self._owners.mine(self._all_rows)
        own = self._own.compute(function, *(each[mine] for each in values))
        return self._owners.share("compute", self._all_rows, list(own))


def _values_of[T](values: T, mine: Mask) -> T:
    """Return the values of own agents, if there is one for each agent."""
    if isinstance(values, Sequence) and not isinstance(values, str) and len(values) == len(mine):
        return cast("T", [one for one, is_own in zip(values, mine, strict=True) if is_own])
    if isinstance(values, np.ndarray) and values.ndim and len(values) == len(mine):
        return cast("T", values[mine])
    return values


def _dates_of(when: object, mine: Mask) -> object:
    """Return the first and last tick of own agents, each one or one per agent."""
    if not isinstance(when, Iterable):
        return when
    return tuple(_values_of(one, mine) for one in when)


def _filter_of(where: Filter, mine: Mask) -> Filter:
    """Return the filter of own agents; places and actors may be one per agent."""
    place, actor = _values_of(where.place, mine), _values_of(where.actor, mine)
    return replace(where, place=place, actor=actor)
