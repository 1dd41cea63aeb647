"""The layers of one agent and of a cohort."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.errors import ParameterError
from memopolis.sim.memory.interface import AgentView, CohortView, refuse_observer
from memopolis.sim.memory.layers.contexts import write_due
from memopolis.sim.memory.layers.key import KeyMemories, promote
from memopolis.sim.memory.layers.long import LongTerm, summarise
from memopolis.sim.memory.layers.mid import MidTerm
from memopolis.sim.memory.layers.short import ShortTerm, newest
from memopolis.sim.memory.layers.writing import Writer, extractive


class CohortLayers(CohortView):
    """The layers of some agents; iterate for the layers of each agent.

    Outside a society, due summaries and key memories are written by the rule when an agent reads
    its own layers, unless another writer wrote them before. In a society, the block `Summarise`
    writes.
    """

    __slots__ = ()

    def __iter__(self) -> "Iterator[AgentLayers]":
        return (
            AgentLayers(self._memory, row, observed=self._observed) for row in self._rows.tolist()
        )

    @property
    def short(self) -> NDArray[np.int32]:
        """Ids of the short term, oldest first, -1 for none, shape (n, size)."""
        self._memory.settle()
        return newest(self._memory, self._rows, self._memory.layer_settings.short_term_size)

    @property
    def long(self) -> list[LongTerm]:
        """Summaries of each agent."""
        return [one.long for one in self]

    @property
    def key(self) -> list[KeyMemories]:
        """Key memories of each agent."""
        return [one.key for one in self]

    def pin(self, text: str | Sequence[str]) -> NDArray[np.int32]:
        """Add a key memory to each agent, one fact for all or one each; return their ids, (n,).

        Raises:
            ParameterError: If a fact is blank, or there is not one per agent.
        """
        facts = [text] * len(self) if isinstance(text, str) else list(text)
        if len(facts) != len(self):
            raise ParameterError(f"{len(facts)} facts for {len(self)} agents; give one or one each")
        pairs = zip(self, facts, strict=True)
        return np.array([one.key.add(fact) for one, fact in pairs], np.int32)

    def summarise(self, writer: Writer = extractive) -> NDArray[np.int32]:
        """Write every summary that is due; return the number of each agent, int32, shape (n,).

        `writer` is a callable from a `Passage` to a text, which is shortened if it is too long.
        """
        refuse_observer(observed=self._observed)
        self._memory.settle()
        return summarise(self._memory, self._rows, writer)

    def promote(self, writer: Writer = extractive) -> NDArray[np.int32]:
        """Promote clusters returned more than `hit_threshold` times to key memories, once each.

        `writer` writes the gist, as in `summarise`. Returns the number of each agent, int32, shape
        (n,).
        """
        refuse_observer(observed=self._observed)
        self._memory.settle()
        return promote(self._memory, self._rows, writer)


class AgentLayers(AgentView):
    """The layers of one agent; see `CohortLayers`."""

    __slots__ = ()

    @property
    def _cohort(self) -> CohortLayers:
        return CohortLayers(self._memory, self._rows, observed=self._observed)

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
        return int(self._cohort.summarise(writer)[0])

    def promote(self, writer: Writer = extractive) -> int:
        """Promote due clusters; return their number. See `CohortLayers.promote`."""
        return int(self._cohort.promote(writer)[0])
