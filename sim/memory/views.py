"""The memory of one agent, and of many: views with the same verbs."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memopolis.sim.memory.layers.agent_contexts import contexts
from memopolis.sim.memory.layers.context import Context, Counter, tokens
from memopolis.sim.memory.layers.policies import Policy
from memopolis.sim.memory.layers.views import AgentLayers, CohortLayers
from memopolis.sim.memory.night.sleep import Night, Slept, sleep
from memopolis.sim.memory.observing import refuse_observer
from memopolis.sim.memory.retrieval import memory_search
from memopolis.sim.memory.retrieval.memory_search import Findings, Found
from memopolis.sim.memory.retrieval.wanted import Wanted
from memopolis.sim.memory.status.status import AgentStatus, CohortStatus
from memopolis.sim.memory.streams.agent_stream import AgentStream
from memopolis.sim.memory.streams.cohort_stream import CohortStream
from memopolis.sim.memory.streams.tags import Tags

if TYPE_CHECKING:
    from memopolis.sim.memory.knowledge.views import AgentKnowledge, CohortKnowledge
    from memopolis.sim.memory.memory import Memory

__all__ = ["AgentMemory", "AgentStream", "CohortMemory", "CohortStream", "Observed"]


class AgentMemory:
    """Status and stream of one agent.

    Attributes:
        memory: The memory it is part of.
        row: The agent's row.
    """

    __slots__ = ("_observed", "memory", "row")

    def __init__(self, memory: "Memory", row: int, *, observed: bool = False) -> None:
        self.memory = memory
        self.row = row
        self._observed = observed

    @property
    def unique_id(self) -> int:
        """Name of the agent across populations."""
        ids = self.memory.unique_ids
        return self.row if ids is None else int(ids[self.row])

    @property
    def status(self) -> AgentStatus:
        """What the agent knows about itself."""
        return AgentStatus(self.memory.columns, self.row, self.memory)

    @property
    def stream(self) -> AgentStream:
        """What the agent lived through."""
        return AgentStream(self.memory, self.row, observed=self._observed)

    @property
    def knowledge(self) -> "AgentKnowledge":
        """What the agent knows; looking at it books nothing."""
        from memopolis.sim.memory.knowledge.views import AgentKnowledge

        return AgentKnowledge(self.memory, self.row)

    def sleep(self, night: Night | None = None) -> Slept:
        """Sleep a night; arguments and result as in `CohortMemory.sleep`, for one agent."""
        return _sleep(self.memory, np.array([self.row]), night, observed=self._observed)

    @property
    def layers(self) -> AgentLayers:
        """The same memory in layers: short, mid, long and key."""
        return AgentLayers(self.memory, self.row, observed=self._observed)

    def context(
        self, query: str, budget: int, *, policy: Policy = "layers", count: Counter = tokens
    ) -> Context:
        """Put together the text for a mind; arguments as in `CohortMemory.context`."""
        rows = np.array([self.row])
        return contexts(
            self.memory, rows, query, budget, policy=policy, count=count, observed=self._observed
        )[0]

    def search(
        self,
        query: str,
        k: int = 5,
        *,
        topic: str | None = None,
        days: tuple[int, int] | None = None,
        place: int | None = None,
        emotion: str | None = None,
        kind: str | None = None,
        only_actor: Any = None,
        tags: Tags = None,
        sign: str | None = None,
        only: str | Sequence[str] | None = None,
    ) -> Findings:
        """Search status and stream at once; arguments as in `CohortMemory.search`.

        Returns:
            At most k attributes and memories, best first.
        """
        wanted = Wanted(topic, days, place, emotion, kind, only_actor, tags=tags, sign=sign)
        rows = np.array([self.row])
        found = memory_search.search(
            self.memory, rows, query, k, wanted=wanted, only=only, observed=self._observed
        )
        return memory_search.told(self.memory, found)

    @property
    def observed(self) -> "AgentMemory":
        """The same as seen by an observer: looking changes nothing."""
        return AgentMemory(self.memory, self.row, observed=True)


class CohortMemory:
    """Status and streams of some agents together.

    Attributes:
        memory: The memory they are part of.
        rows: Rows of the agents, int64, shape (n,).
    """

    __slots__ = ("_observed", "memory", "rows")

    def __init__(
        self, memory: "Memory", rows: NDArray[np.int64], *, observed: bool = False
    ) -> None:
        self.memory = memory
        self.rows = rows
        self._observed = observed

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[AgentMemory]:
        seen = self._observed
        return (AgentMemory(self.memory, row, observed=seen) for row in self.rows.tolist())

    @property
    def status(self) -> CohortStatus:
        """What the agents know about themselves, as arrays of shape (n,)."""
        return CohortStatus(self.memory.columns, self.rows, self.memory)

    @property
    def stream(self) -> CohortStream:
        """What the agents lived through."""
        return CohortStream(self.memory, self.rows, observed=self._observed)

    @property
    def knowledge(self) -> "CohortKnowledge":
        """What the agents know, as arrays; looking at it books nothing."""
        from memopolis.sim.memory.knowledge.views import CohortKnowledge

        return CohortKnowledge(self.memory, self.rows)

    def sleep(self, night: Night | None = None) -> Slept:
        """Let the agents sleep a night: rehearse, put in order, forget.

        Args:
            night: What it does; None to rehearse what is due, and nothing else.

        Returns:
            What each rehearsed, and how many memories it merged and forgot, arrays of n.

        Raises:
            StateError: If an observer asks.
        """
        return _sleep(self.memory, self.rows, night, observed=self._observed)

    @property
    def layers(self) -> CohortLayers:
        """The same memories in layers: short, mid, long and key."""
        return CohortLayers(self.memory, self.rows, observed=self._observed)

    def context(
        self,
        query: str | Sequence[str],
        budget: int,
        *,
        policy: Policy = "layers",
        count: Counter = tokens,
    ) -> list[Context]:
        """Put together the text that each agent gives its mind.

        In this order: key memories, summaries (the newest first), clusters that match the
        query, the newest memories, the query. Where that is too long the clusters go first,
        then the older summaries, then the oldest of the newest memories; key memories and the
        query never, even where they alone exceed the budget: see `Context.fits`.

        Args:
            query: The present input, one or one an agent.
            budget: Most tokens, >= 1.
            policy: "layers", or to compare with: "full history" (the newest that fit),
                "sliding window" (the newest `short_term_size`), "random".
            count: Counts the tokens of a text; by the shipped word pieces if left out.

        Returns:
            A context an agent. Clusters found count a hit, their memories in the context an
            access, unless an observer asks.

        Raises:
            ParameterError: If an argument is out of range, or there is not one query an agent.
        """
        return contexts(
            self.memory,
            self.rows,
            query,
            budget,
            policy=policy,
            count=count,
            observed=self._observed,
        )

    def search(
        self,
        query: str | Sequence[str],
        k: int = 5,
        *,
        topic: str | None = None,
        days: tuple[int, int] | None = None,
        place: ArrayLike | None = None,
        emotion: str | None = None,
        kind: str | None = None,
        only_actor: Any = None,
        tags: Tags = None,
        sign: str | None = None,
        only: str | Sequence[str] | None = None,
    ) -> Found:
        """Search status and streams at once, by the cosine of vectors.

        Args:
            query: One query, or one an agent.
            k: Most attributes and memories an agent finds, >= 1.
            topic: Only memories of this topic; this and the filters that follow say nothing
                about attributes.
            days: Only memories of these days, first and last, both inclusive.
            place: Only memories of this place, one or one an agent.
            emotion: Only memories with this emotion word.
            kind: Only "event" or "thought".
            only_actor: Only memories by this actor, one or one an agent.
            tags: Only memories with one of these tags.
            sign: Only "positive", "negative" or "urgent" memories.
            only: Names of the attributes to look at; None for all that are embedded, () for
                none.

        Returns:
            Attributes, memories and scores, each of shape (n, k), best first.

        Raises:
            ParameterError: If an argument is out of range.
            UnknownNameError: If there is no such attribute, tag or emotion word.
        """
        wanted = Wanted(topic, days, place, emotion, kind, only_actor, tags=tags, sign=sign)
        return memory_search.search(
            self.memory, self.rows, query, k, wanted=wanted, only=only, observed=self._observed
        )

    @property
    def observed(self) -> "CohortMemory":
        """The same as seen by an observer: looking changes nothing."""
        return CohortMemory(self.memory, self.rows, observed=True)


class Observed:
    """All memories as seen by an observer (page, survey, interview, recorder).

    Searching through it books no access and always goes by score, whatever the recall policy.
    """

    __slots__ = ("_memory",)

    def __init__(self, memory: "Memory") -> None:
        self._memory = memory

    def __len__(self) -> int:
        return len(self._memory)

    def __getitem__(self, row: int) -> AgentMemory:
        """The memory of one agent."""
        return self._memory[row].observed

    def __iter__(self) -> Iterator[AgentMemory]:
        return (one.observed for one in self._memory)

    def of(self, rows: ArrayLike) -> CohortMemory:
        """The memories of some agents together."""
        return self._memory.of(rows).observed

    @property
    def stream(self) -> CohortStream:
        """The streams of all agents together."""
        return self.of(np.arange(len(self))).stream


def _sleep(
    memory: "Memory", rows: NDArray[np.int64], night: Night | None, *, observed: bool
) -> Slept:
    refuse_observer(observed=observed)
    return sleep(memory, rows, night or Night())
