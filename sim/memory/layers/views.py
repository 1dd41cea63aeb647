"""Layers of one agent, and of many: views with the same verbs."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memopolis.sim.errors import ParameterError
from memopolis.sim.memory.layers import agent_contexts, mid, promoting
from memopolis.sim.memory.layers.key import KeyMemories
from memopolis.sim.memory.layers.long import LongTerm, summarise
from memopolis.sim.memory.layers.mid import MidTerm
from memopolis.sim.memory.layers.short import ShortTerm, newest
from memopolis.sim.memory.layers.writing import Writer, extractive
from memopolis.sim.memory.observing import refuse_observer

if TYPE_CHECKING:
    from memopolis.sim.memory.memory import Memory
    from memopolis.sim.memory.night.clusters import Nearest


class AgentLayers:
    """The memory of one agent in layers; the settings are `Memory.layer_settings`.

    Outside a society, what is due is written by the rule when the agent itself looks at its
    layers; to have it written otherwise, call `summarise` or `promote` before. In a society
    the block `Summarise` writes.
    """

    __slots__ = ("_memory", "_observed", "_row")

    def __init__(self, memory: "Memory", row: int, *, observed: bool = False) -> None:
        self._memory = memory
        self._row = row
        self._observed = observed

    @property
    def short(self) -> ShortTerm:
        """The newest memories in full, oldest first."""
        return ShortTerm(self._memory, self._row, observed=self._observed)

    @property
    def mid(self) -> MidTerm:
        """Clusters of what fell out of the short term: all, or `mid(query)` the nearest."""
        return MidTerm(self._memory, self._row, observed=self._observed)

    @property
    def long(self) -> LongTerm:
        """Summaries, oldest first."""
        agent_contexts.catch_up(self._memory, np.array([self._row]), observed=self._observed)
        return LongTerm(self._memory, self._row, observed=self._observed)

    @property
    def key(self) -> KeyMemories:
        """Pinned facts: those set first, then those promoted."""
        agent_contexts.catch_up(self._memory, np.array([self._row]), observed=self._observed)
        return KeyMemories(self._memory, self._row, observed=self._observed)

    def summarise(self, writer: Writer = extractive) -> int:
        """Write the summaries that are due; arguments as in `CohortLayers.summarise`.

        Returns:
            How many were written.
        """
        return int(self._cohort().summarise(writer)[0])

    def promote(self, writer: Writer = extractive) -> int:
        """Make key memories of the clusters that are due; as `CohortLayers.promote`.

        Returns:
            How many were made.
        """
        return int(self._cohort().promote(writer)[0])

    def _cohort(self) -> "CohortLayers":
        return CohortLayers(self._memory, np.array([self._row]), observed=self._observed)


class CohortLayers:
    """The memories of some agents in layers; iterate for those of each agent.

    Args:
        memory: The memory they are part of.
        rows: Rows of the agents, shape (n,).
        observed: Whether an observer looks: nothing is booked or written.
    """

    __slots__ = ("_memory", "_observed", "_rows")

    def __init__(
        self, memory: "Memory", rows: NDArray[np.int64], *, observed: bool = False
    ) -> None:
        self._memory = memory
        self._rows = rows
        self._observed = observed

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[AgentLayers]:
        seen = self._observed
        return (AgentLayers(self._memory, row, observed=seen) for row in self._rows.tolist())

    @property
    def short(self) -> NDArray[np.int32]:
        """Ids of the short term, oldest first, -1 where there is none, shape (n, size)."""
        self._memory.settle()
        return newest(self._memory, self._rows, self._memory.layer_settings.short_term_size)

    @property
    def long(self) -> list[LongTerm]:
        """Summaries of each agent."""
        return [one.long for one in self]

    @property
    def key(self) -> list[KeyMemories]:
        """Pinned facts of each agent."""
        return [one.key for one in self]

    def mid(
        self, query: str | Sequence[str], top: int | None = None, *, each: ArrayLike | None = None
    ) -> "Nearest":
        """Find the clusters nearest to a query; each counts a hit unless an observer asks.

        Args:
            query: One query, or several.
            top: Most clusters an agent; `LayerSettings.top_k` if left out.
            each: Which query each agent asks, shape (n,); agent i asks query i if left out.

        Returns:
            Founders, cosines, hits and members, best first. Members are booked as accessed
            where they are read out: by `mid` of one agent, and by `context`.
        """
        most = self._memory.layer_settings.top_k if top is None else top
        asked = None if each is None else np.asarray(each, np.int64)
        return mid.nearest(
            self._memory, self._rows, query, most, each=asked, observed=self._observed
        )

    def pin(self, text: str | Sequence[str]) -> NDArray[np.int32]:
        """Set a key memory for each agent.

        Args:
            text: One fact, or one an agent.

        Returns:
            Their ids, int32, shape (n,).

        Raises:
            ParameterError: If a fact has no word, or there is not one an agent.
            StateError: If an observer asks.
        """
        texts = [text] * len(self) if isinstance(text, str) else list(text)
        if len(texts) != len(self):
            raise ParameterError(f"{len(texts)} facts for {len(self)} agents; give one or one each")
        pairs = zip(self, texts, strict=True)
        return np.array([one.key.add(fact) for one, fact in pairs], np.int32)

    def summarise(self, writer: Writer = extractive) -> NDArray[np.int32]:
        """Write the summaries that are due, one for every `summary_interval` memories.

        Args:
            writer: Puts a passage into words: any callable that takes a `Passage` and
                returns a text. What is too long is cut.

        Returns:
            How many each agent got, int32, shape (n,).

        Raises:
            ParameterError: If the writer returns anything but a text.
            StateError: If an observer asks.
        """
        refuse_observer(observed=self._observed)
        self._memory.settle()
        return summarise(self._memory, self._rows, writer)

    def promote(self, writer: Writer = extractive) -> NDArray[np.int32]:
        """Make key memories of clusters returned more than `hit_threshold` times, once each.

        Args:
            writer: Puts the gist of a cluster into words, as in `summarise`.

        Returns:
            How many each agent got, int32, shape (n,).

        Raises:
            ParameterError: If the writer returns anything but a text.
            StateError: If an observer asks.
        """
        refuse_observer(observed=self._observed)
        self._memory.settle()
        return promoting.promote(self._memory, self._rows, writer)
