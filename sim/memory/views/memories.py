"""The memory of one agent and of several, as views with the same verbs."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import ArrayLike

from memopolis.sim.arguments import INT64, as_indices, shown, whole_number
from memopolis.sim.arrays import Int64
from memopolis.sim.errors import ParameterError, RowError
from memopolis.sim.memory.interface import Memory, refuse_observer
from memopolis.sim.memory.knowledge import AgentKnowledge, CohortKnowledge
from memopolis.sim.memory.layers.contexts import (
    Context,
    Counter,
    Policy,
    build_contexts,
    count_tokens,
)
from memopolis.sim.memory.layers.layers import AgentLayers, CohortLayers
from memopolis.sim.memory.locking import locked
from memopolis.sim.memory.night.sleep import Night, Slept, sleep
from memopolis.sim.memory.retrieval.filter import NO_FILTER, Filter
from memopolis.sim.memory.views.agent_stream import AgentStream
from memopolis.sim.memory.views.base_stream import CohortStream
from memopolis.sim.memory.views.status import AgentStatus, CohortStatus
from memopolis.sim.memory.views.status_search import (
    Findings,
    FindingTable,
    list_findings,
    search_all,
)

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
