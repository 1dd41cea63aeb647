"""The memory of one agent and of several and their layers, as views with the same verbs."""

import math
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import overload

import numpy as np
from numpy.typing import ArrayLike

from memopolis.sim.arguments import (
    INT64,
    as_indices,
    check_callable,
    check_type,
    shown,
    whole_number,
)
from memopolis.sim.arrays import Int32, Int64
from memopolis.sim.errors import ParameterError, RowError
from memopolis.sim.memory.interface import AgentView, CohortView, Memory, refuse_observer
from memopolis.sim.memory.knowledge import AgentKnowledge, CohortKnowledge
from memopolis.sim.memory.layers.contexts import (
    Context,
    Counter,
    Policy,
    build_contexts,
    count_tokens,
    short_term,
    write_due,
)
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
from memopolis.sim.memory.locking import locked
from memopolis.sim.memory.night import clusters, forgetting
from memopolis.sim.memory.night.sleep import Night, Slept, sleep
from memopolis.sim.memory.retrieval import recalling
from memopolis.sim.memory.retrieval.filter import NO_FILTER, Filter
from memopolis.sim.memory.retrieval.recollection import Recollection, Recollections, format_memories
from memopolis.sim.memory.streams import encoding
from memopolis.sim.memory.views.agent_stream import AgentStream
from memopolis.sim.memory.views.base_stream import CohortStream
from memopolis.sim.memory.views.status import AgentStatus, CohortStatus
from memopolis.sim.memory.views.status_search import (
    Findings,
    FindingTable,
    list_findings,
    search_all,
)


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
        own = numbers[np.isin(numbers, [memory.id for memory in self])]
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
        ordered = sorted(every, key=lambda cluster: cluster.founder)
        return [self._cluster(cluster, cluster.hits, math.nan) for cluster in ordered]

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
        remaining = [summary for summary in stored if summary.id not in deleted]
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


_locked = locked("memory.lock")


class CohortMemory:
    """Status and streams of several agents of `memory`, by `rows`, int64, shape (n,)."""

    __slots__ = ("_observed", "memory", "rows")

    def __init__(self, memory: Memory, rows: Int64, *, observed: bool = False) -> None:
        self.memory = memory
        self.rows = rows
        self._observed = observed

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator["AgentMemory"]:
        seen = self._observed
        return (AgentMemory(self.memory, row, observed=seen) for row in self.rows.tolist())

    def __getitem__(self, index: int) -> "AgentMemory":
        """Return the memory of one of the agents, by its index among them."""
        row = self.rows[check_row(index, len(self))]
        return AgentMemory(self.memory, int(row), observed=self._observed)

    def of(self, indices: ArrayLike) -> "CohortMemory":
        """Return the memories of some of the agents, by their indices, whole numbers, (n,)."""
        rows = self.rows[check_rows(indices, len(self))]
        return CohortMemory(self.memory, rows, observed=self._observed)

    @property
    def status(self) -> CohortStatus:
        """Status attributes as arrays of shape (n,)."""
        return CohortStatus(self.memory, self.rows)

    @property
    def stream(self) -> CohortStream:
        """Episodic memories."""
        stream: CohortStream = self.memory.open_stream(
            self.memory, self.rows, observed=self._observed
        )
        return stream

    @property
    def knowledge(self) -> CohortKnowledge:
        """What the agents know, as arrays; reading it records no access."""
        return CohortKnowledge(self.memory, self.rows)

    @property
    def layers(self) -> CohortLayers:
        """The same memories in layers: short, mid, long and key."""
        return CohortLayers(self.memory, self.rows, observed=self._observed)

    @_locked
    def sleep(self, night: Night | None = None) -> Slept:
        """Let the agents sleep for a night: by default, rehearse due memories and nothing else."""
        refuse_observer(observed=self._observed)
        return sleep(self.memory, self.rows, Night() if night is None else night)

    @_locked
    def context(
        self,
        query: str | Sequence[str],
        budget: int,
        *,
        policy: Policy = "layers",
        count: Counter = count_tokens,
    ) -> list[Context]:
        """Build the text that each agent gives to its mind, one context per agent.

        The order is: key memories, summaries (the newest first), memories that match the query, the
        newest memories, the query. If the text has more tokens than `budget`, >= 1, matching
        memories are dropped first, then the oldest summaries, then the oldest of the newest
        memories. Key memories and the query are never dropped, even if they alone exceed the
        budget.

        Args:
            query: The present input, one or one per agent.
            budget: Maximum number of tokens.
            policy: "layers", or for comparison: "full history" (the newest that fit),
                "sliding window" (the newest `short_term_size`), "random".
            count: Counts the tokens of a text; by the shipped word pieces if omitted.

        Clusters used count a hit, and their memories in the context an access, unless an observer
        asks. Raises ParameterError for an invalid argument.
        """
        return build_contexts(
            self.memory, self.rows, query, budget, policy=policy, count=count,
            observed=self._observed,
        )  # fmt: skip

    @_locked
    def search(
        self,
        query: str | Sequence[str],
        k: int = 5,
        *,
        where: Filter = NO_FILTER,
        only: str | Sequence[str] | None = None,
    ) -> FindingTable:
        """Search status and streams at once, by the cosine of vectors.

        `query` is one query or one per agent, `k` the maximum number of results per agent, >= 1.
        Memories must pass `where`. `only` are names of attributes: None for all that are embedded,
        () for none. Returns attributes, memories and scores, each of shape (n, k), best first.
        """
        return search_all(
            self.memory, self.rows, query, k, where=where, only=only, observed=self._observed
        )

    @property
    def observed(self) -> "CohortMemory":
        """The same memories for an observer, who changes nothing."""
        return CohortMemory(self.memory, self.rows, observed=True)


class AgentMemory:
    """Status and stream of one agent, `row` of `memory`."""

    __slots__ = ("_observed", "memory", "row")

    def __init__(self, memory: Memory, row: int, *, observed: bool = False) -> None:
        self.memory = memory
        self.row = row
        self._observed = observed

    @property
    def unique_id(self) -> int:
        """Id of the agent across populations."""
        ids = self.memory.unique_ids
        return self.row if ids is None else int(ids[self.row])

    @property
    def _cohort(self) -> CohortMemory:
        return CohortMemory(self.memory, np.array([self.row]), observed=self._observed)

    @property
    def status(self) -> AgentStatus:
        """Status attributes."""
        return AgentStatus(self.memory, self.row)

    @property
    def stream(self) -> AgentStream:
        """Episodic memories."""
        return AgentStream(self.memory, self.row, observed=self._observed)

    @property
    def knowledge(self) -> AgentKnowledge:
        """What the agent knows; reading it records no access."""
        return AgentKnowledge(self.memory, self.row)

    @property
    def layers(self) -> AgentLayers:
        """The same memories in layers: short, mid, long and key."""
        return AgentLayers(self.memory, self.row, observed=self._observed)

    def sleep(self, night: Night | None = None) -> Slept:
        """Sleep for a night; as `CohortMemory.sleep`, for one agent."""
        return self._cohort.sleep(night)

    def context(
        self, query: str, budget: int, *, policy: Policy = "layers", count: Counter = count_tokens
    ) -> Context:
        """Build the text for the mind of the agent; as `CohortMemory.context`."""
        return self._cohort.context(query, budget, policy=policy, count=count)[0]

    @_locked
    def search(
        self,
        query: str,
        k: int = 5,
        *,
        where: Filter = NO_FILTER,
        only: str | Sequence[str] | None = None,
    ) -> Findings:
        """Search status and stream at once; as `CohortMemory.search`, written out."""
        return list_findings(self.memory, self._cohort.search(query, k, where=where, only=only))

    @property
    def observed(self) -> "AgentMemory":
        """The same memory for an observer, who changes nothing."""
        return AgentMemory(self.memory, self.row, observed=True)


def check_row(index: object, agents: int) -> int:
    """Return the index of one of some agents, negative from the last one; refuse any other."""
    if type(index) is int and 0 <= index < agents:
        return index
    number = whole_number("row", index, least=INT64[0], most=INT64[1])
    if not -agents <= number < agents:
        raise RowError(f"row is {shown(number)}; there are {agents} agents")
    return number


def check_rows(rows: ArrayLike, agents: int) -> Int64:
    """Return rows of agents, integers of shape (n,); refuse any other array."""
    array = as_indices("rows", rows, agents)
    if array.ndim != 1:
        raise ParameterError(f"rows have shape {array.shape}; (n,) is needed")
    return array
