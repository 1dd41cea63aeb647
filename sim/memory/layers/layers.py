"""The layers of one agent and of a cohort."""

import math
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import overload

import numpy as np
from numpy.typing import ArrayLike

from memopolis.sim.arguments import check_callable, check_type, whole_number
from memopolis.sim.arrays import Int32
from memopolis.sim.memory.interface import AgentView, CohortView, refuse_observer
from memopolis.sim.memory.layers.contexts import short_term, write_due
from memopolis.sim.memory.layers.key import (
    KeyMemory,
    delete,
    edit,
    key_memories,
    pin,
    promote,
)
from memopolis.sim.memory.layers.summaries import (
    SUMMARIES,
    Summary,
    Writer,
    extractive,
    load_entries,
    summarise,
    write_entries,
)
from memopolis.sim.memory.night import clusters, forgetting
from memopolis.sim.memory.retrieval import recalling
from memopolis.sim.memory.retrieval.recollection import Recollection, Recollections, format_memories
from memopolis.sim.memory.streams import encoding


class Layer[T](AgentView, Sequence[T]):
    """One layer of one agent as a sequence, oldest entry first; every access reads it again."""

    @abstractmethod
    def _all(self) -> list[T]:
        """Return all entries."""

    @overload
    def __getitem__(self, index: int) -> T: ...

    @overload
    def __getitem__(self, index: slice) -> list[T]: ...

    def __getitem__(self, index: int | slice) -> T | list[T]:
        """Return one entry, or the entries of a slice."""
        return self._all()[index]

    def __iter__(self) -> Iterator[T]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())

    def __str__(self) -> str:
        return "\n".join(map(str, self)) or "Nothing"


class ShortTerm(Layer[Recollection]):
    """The newest memories of one agent, oldest first."""

    def _all(self) -> list[Recollection]:
        memory, row = self._memory, self._row
        memory.settle()
        return format_memories(memory, row, short_term(memory, row))

    def delete(self, ids: ArrayLike) -> int:
        """Let the agent forget memories of the short term by id; return how many."""
        refuse_observer(observed=self._observed)
        numbers = encoding.id_numbers(ids).ravel()
        own = numbers[np.isin(numbers, [one.id for one in self])]
        return int(forgetting.forget(self._memory, self._rows, own.reshape(1, -1))[0])


@dataclass(frozen=True, slots=True)
class Cluster:
    """Memories of one agent with similar meanings."""

    id: int  # id of the memory that founded it
    hits: int  # how often it was returned for a query of the agent
    match: float  # cosine of query and centroid; nan without a query
    memories: Recollections  # its members, oldest first

    def __str__(self) -> str:
        return str(self.memories)


class MidTerm(Layer[Cluster]):
    """The clusters of one agent, oldest founder first; called with a query, the nearest ones."""

    def __call__(self, query: str, top: int | None = None) -> list[Cluster]:
        """Recall the clusters nearest to a query; they count a hit, their members an access."""
        memory, row = self._memory, self._row
        check_type("query", query, str, "a str")
        top = memory.layer_settings.top_k if top is None else whole_number("top", top, least=1)
        recalled = []
        for one, cosine in clusters.nearest(memory, row, query, top, observed=self._observed):
            hits = one.hits if self._observed else one.hits + 1
            recalled.append(self._cluster(one, hits, cosine))
            if not self._observed:
                recalling.record_access(memory, np.array([row]), one.ids.reshape(1, -1))
        return recalled

    def _all(self) -> list[Cluster]:
        memory, row = self._memory, self._row
        every = clusters.clusters_of(memory, row, observed=self._observed)
        ordered = sorted(every, key=lambda one: one.founder)
        return [self._cluster(one, one.hits, math.nan) for one in ordered]

    def _cluster(self, one: clusters.Cluster, hits: int, match: float) -> Cluster:
        members = format_memories(self._memory, self._row, one.ids.tolist())
        return Cluster(one.founder, hits, match, members)

    def __str__(self) -> str:
        return "\n\n".join(map(str, self)) or "Nothing"


class LongTerm(Layer[Summary]):
    """The summaries of one agent, oldest first."""

    def _all(self) -> list[Summary]:
        return load_entries(Summary, self._memory, self._row, SUMMARIES)

    def delete(self, ids: ArrayLike) -> int:
        """Delete summaries by id; return how many existed. They are not created again."""
        refuse_observer(observed=self._observed)
        deleted = set(encoding.id_numbers(ids).ravel().tolist())
        stored = self._all()
        remaining = [one for one in stored if one.id not in deleted]
        if len(remaining) < len(stored):
            write_entries(self._memory, self._row, SUMMARIES, remaining)
        return len(stored) - len(remaining)


class KeyMemories(Layer[KeyMemory]):
    """The key memories of one agent: pinned ones first, then promoted ones, each by id."""

    def _all(self) -> list[KeyMemory]:
        return key_memories(self._memory, self._row)

    def add(self, text: str) -> int:
        """Pin a fact, which is not blank; return the id of the key memory."""
        refuse_observer(observed=self._observed)
        return pin(self._memory, self._row, text)

    def delete(self, ids: ArrayLike) -> int:
        """Delete key memories by id; return how many existed."""
        refuse_observer(observed=self._observed)
        return delete(self._memory, self._row, set(encoding.id_numbers(ids).ravel().tolist()))

    def edit(self, number: int, text: str) -> None:
        """Replace the text of a key memory, which must exist; its id and source stay."""
        refuse_observer(observed=self._observed)
        edit(self._memory, self._row, number, text)


class CohortLayers(CohortView):
    """The layers of some agents.

    Outside a society, due summaries and key memories are written by the rule when an agent reads
    its own layers, unless another writer wrote them before. In a society, the block `Summarise`
    writes.
    """

    def summarise(self, writer: Writer = extractive) -> Int32:
        """Write every summary that is due; return the number by agent, int32, shape (n,)."""
        refuse_observer(observed=self._observed)
        check_callable("writer", writer)
        self._memory.settle()
        return summarise(self._memory, self._rows, writer)

    def promote(self, writer: Writer = extractive) -> Int32:
        """Promote clusters returned more than `hit_threshold` times to key memories, once each.

        `writer` writes the gist, as in `summarise`. Returns the number of each agent, int32, shape
        (n,).
        """
        refuse_observer(observed=self._observed)
        check_callable("writer", writer)
        self._memory.settle()
        return promote(self._memory, self._rows, writer)


class AgentLayers(AgentView):
    """The layers of one agent; see `CohortLayers`."""

    @property
    def short(self) -> ShortTerm:
        """The newest memories in full, oldest first."""
        return ShortTerm(self._memory, self._row, observed=self._observed)

    @property
    def mid(self) -> MidTerm:
        """Clusters of the memories that have left the short term; `mid(query)` the nearest."""
        return MidTerm(self._memory, self._row, observed=self._observed)

    @property
    def long(self) -> LongTerm:
        """Summaries, oldest first."""
        write_due(self._memory, self._rows, observed=self._observed)
        return LongTerm(self._memory, self._row, observed=self._observed)

    @property
    def key(self) -> KeyMemories:
        """Key memories: pinned ones first, then promoted ones."""
        write_due(self._memory, self._rows, observed=self._observed)
        return KeyMemories(self._memory, self._row, observed=self._observed)

    def summarise(self, writer: Writer = extractive) -> int:
        """Write due summaries; return their number. See `CohortLayers.summarise`."""
        cohort = CohortLayers(self._memory, self._rows, observed=self._observed)
        return int(cohort.summarise(writer)[0])

    def promote(self, writer: Writer = extractive) -> int:
        """Promote due clusters; return their number. See `CohortLayers.promote`."""
        cohort = CohortLayers(self._memory, self._rows, observed=self._observed)
        return int(cohort.promote(writer)[0])
