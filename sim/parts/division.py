"""One part of a divided society: it runs the whole society and stores the memories that it owns.

Every part builds the same society and makes the same steps. Status is the same in all parts;
memories are stored by their owner. A block with `by_row` runs for own agents, and the parts
exchange what it changed; all other blocks run for all agents in every part.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.errors import StateError
from memopolis.sim.memory.streams.owned_streams import OwnedStreams, select_owned
from memopolis.sim.memory.streams.owners import Owners
from memopolis.sim.memory.streams.pending import Added
from memopolis.sim.parts.messages import Change, find_change
from memopolis.sim.threads import usable_cores

if TYPE_CHECKING:
    from memopolis.sim.block import Block
    from memopolis.sim.memory.interface import Memory
    from memopolis.sim.parts.link import Link
    from memopolis.sim.population import Cohort
    from memopolis.sim.society_base import SocietyBase


@dataclass(frozen=True, slots=True, eq=False)
class Changes:
    """What a block has changed for the agents of a part.

    Attributes:
        rows: Rows of the agents.
        status: Changes of status attributes by name.
        state: Changes of the arrays of the block by name, along the axis of agents.
        words: New texts, topics and labels of the status.
        added: New memories.
    """

    rows: NDArray[np.intp]
    status: Mapping[str, Change]
    state: Mapping[str, Change]
    words: tuple[list[str], list[str], list[str]]
    added: list[Added]


class Division:
    """One part of a society.

    Args:
        society: The society, with the streams of all agents or of those that the part owns.
        owners: Part of each agent by name of the population.
        link: Link to the other parts.
    """

    def __init__(
        self, society: "SocietyBase[Any]", owners: Mapping[str, NDArray[np.int16]], link: "Link"
    ) -> None:
        self._society = society
        self._link = link
        self._is_local = False
        for population in society.populations:
            memory = population.memory
            memory.owners = Owners(
                owners[population.name], part=link.part, parts=link.parts, exchange=self.exchange
            )
            if not society.settings.threads:
                memory.threads = max(1, usable_cores() // link.parts)
        self.drop_others()

    def drop_others(self) -> None:
        """Drop the streams of agents that other parts own."""
        for population in self._society.populations:
            memory = population.memory
            owned = memory.owners.mine(np.arange(len(population)))
            memory.streams = OwnedStreams(
                select_owned(memory.streams.views(), owned), memory.owners
            )

    def exchange(self, label: str, value: Any) -> list[Any]:
        """Exchange a value with the other parts, and return those of all, in the order of parts.

        Raises:
            StateError: If the running code handles own agents only.
        """
        if self._is_local:
            raise StateError(
                f"a block with by_row reads {label} of memories of another population, which "
                "another part may store"
            )
        return self._link.exchange(label, value)

    def on_own(self, block: "Block", cohort: "Cohort", work: "Callable[[Cohort], None]") -> None:
        """Call a function of a block for own agents, and exchange what it changed.

        Args:
            block: The block, whose `writes` and `state` list what the function changes.
            cohort: Agents, the same in all parts.
            work: Changes the agents that it gets; what happens to one does not depend on others.
        """
        memory = cohort.population.memory
        if self._is_local:
            work(cohort)
            return
        own = cohort.where(memory.owners.mine(cohort.rows))
        before = _Before(block, own)
        with self._local(memory):
            work(own)
        received = self.exchange(block.name, before.changes())
        before.undo_words()
        for part, changes in enumerate(received):
            _apply(block, memory, changes, is_own=part == self._link.part)

    @contextmanager
    def _local(self, memory: "Memory") -> Iterator[None]:
        self._is_local = memory.owners.is_local = True
        try:
            yield
        finally:
            self._is_local = memory.owners.is_local = False


class _Before:
    """What a block may change for the agents of a part, as it was before."""

    def __init__(self, block: "Block", own: "Cohort") -> None:
        self._block, self._own = block, own
        self._memory = own.population.memory
        columns = self._memory.columns
        names = [field for name in block.writes for field in columns.fields(name)]
        self._status = {name: columns.arrays[name][own.rows] for name in names}
        self._state = {name: self._rows_of(name) for name in block.state}
        texts, topics, labels = self._memory.texts, self._memory.topics, columns.texts
        self._counts = (texts.capacity, len(topics), len(labels))
        self._tags = list(self._memory.tags.all)
        self._batches = len(self._memory.pending.waiting())

    def _rows_of(self, name: str) -> NDArray[Any]:
        """Return a copy of an array of the block for own agents, agents first."""
        values = getattr(self._block, name)
        axis = _axis_of_agents(self._block, name)
        return np.moveaxis(values, axis, 0)[self._own.rows].copy()

    def changes(self) -> Changes:
        """Return what has changed, and remove new memories from the queue."""
        memory, rows = self._memory, self._own.rows
        if list(memory.tags.all) != self._tags:
            raise StateError(f"the block {self._block.name} has declared new tags of memories")
        arrays = memory.columns.arrays
        batches = memory.pending.waiting()
        added = batches[self._batches :]
        del batches[self._batches :]
        texts, topics, labels = self._counts
        return Changes(
            rows,
            {name: find_change(old, arrays[name][rows]) for name, old in self._status.items()},
            {name: find_change(old, self._rows_of(name)) for name, old in self._state.items()},
            (
                [memory.texts[number] for number in memory.texts.numbers_from(texts).tolist()],
                memory.topics[topics:],
                memory.columns.texts[labels:],
            ),
            added,
        )

    def undo_words(self) -> None:
        """Remove new words, which get the same numbers in all parts when changes are applied."""
        texts, topics, labels = self._counts
        memory = self._memory
        memory.texts.drop_from(texts)
        for topic in memory.topics[topics:]:
            del memory.topic_numbers[topic]
        del memory.topics[topics:]
        memory.columns.drop_labels(labels)
