"""One part of a divided society: it runs the whole society and stores the memories that it owns.

Every part builds the same society and makes the same steps. Status is the same in all parts;
memories are stored by their owner, those of a population that is not divided by every part.
A block with `by_row` runs for own agents, and the parts exchange what it changed; all other blocks
run for all agents in every part.

Each part reads the streams that it owns, and the results are exchanged. All parts call the same
verbs in the same order, and get the same results as a society in one process.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple, cast, override

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memopolis.sim.arrays import Array, Bools, Int32, Int64, Ints
from memopolis.sim.errors import StateError
from memopolis.sim.memory.memory import Memory
from memopolis.sim.memory.retrieval import recalling
from memopolis.sim.memory.retrieval.filter import Filter
from memopolis.sim.memory.retrieval.recollection import Recalled, Recollections
from memopolis.sim.memory.retrieval.request import NoQuery, Queries, SearchOptions
from memopolis.sim.memory.streams import encoding
from memopolis.sim.memory.streams.owned_streams import OwnedStreams, Owners, select_owned
from memopolis.sim.memory.streams.pending import Added
from memopolis.sim.memory.views.adding import Text
from memopolis.sim.memory.views.base_stream import CohortStream, Compute, Located
from memopolis.sim.parts.link import Change, find_change, renumber
from memopolis.sim.threads import usable_cores

if TYPE_CHECKING:
    from memopolis.sim.block import Block
    from memopolis.sim.parts.link import Link
    from memopolis.sim.population import Cohort, Population
    from memopolis.sim.society_base import SocietyBase


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
            [
                recollection._replace(terms=dict(recollection.terms))
                for recollection in recollections
            ]
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
    return tuple(_values_of(bound, mine) for bound in when)


def _filter_of(where: Filter, mine: Mask) -> Filter:
    """Return the filter of own agents; places and actors may be one per agent."""
    place, actor = _values_of(where.place, mine), _values_of(where.actor, mine)
    return replace(where, place=place, actor=actor)


class NewWords(NamedTuple):
    """New words of a part: texts, topics of memories, and labels of the status."""

    texts: list[str]
    topics: list[str]
    labels: list[str]


@dataclass(frozen=True, slots=True, eq=False)
class Changes:
    """What a block has changed for the agents of a part.

    Attributes:
        rows: Rows of the agents.
        status: Changes of status attributes by name.
        present: Changes of which agents have an optional attribute, by its name.
        state: Changes of the arrays of the block by name, along the axis of agents.
        joined: Values of agents that joined, where the block has extended an array, by name.
        words: New words, numbered after those that all parts have.
        added: New memories.
    """

    rows: NDArray[np.intp]
    status: Mapping[str, Change]
    present: Mapping[str, Change]
    state: Mapping[str, Change]
    joined: Mapping[str, NDArray[Any]]
    words: NewWords
    added: list[Added]


class Division:
    """One part of a society.

    Args:
        society: The society, with the streams of all agents or of those that the part owns.
        owners: Part of each agent by name of the population.
        link: Link to the other parts.

    Attributes:
        is_local: Whether a block runs for own agents, so that nothing can be exchanged.
        exchanges: Number of exchanges so far, the same in all parts.
    """

    def __init__(
        self, society: "SocietyBase[Any]", owners: Mapping[str, NDArray[np.int16]], link: "Link"
    ) -> None:
        self._society = society
        self._link = link
        self.is_local = False
        self.exchanges = 0
        for population in society.populations:
            memory, owner = population.memory, owners.get(population.name)
            if owner is not None:
                memory.owners = Owners(
                    owner, part=link.part, parts=link.parts, exchange=self.exchange
                )
                memory.open_stream = open_stream
            if not society.settings.threads:
                memory.threads = max(1, usable_cores() // link.parts)
        self.drop_others()

    def drop_others(self) -> None:
        """Drop the streams of agents that other parts own."""
        for population in self.divided():
            memory = population.memory
            owned = memory.owners.mine(np.arange(len(population)))
            memory.streams = OwnedStreams(
                select_owned(memory.streams.state(), owned), memory.owners
            )

    def divided(self) -> "list[Population]":
        """Return the populations that are divided."""
        return [
            population
            for population in self._society.populations
            if population.memory.owners is not None
        ]

    def exchange(self, label: str, value: Any) -> list[Any]:
        """Exchange a value with the other parts, and return those of all, in the order of parts.

        Raises:
            StateError: If the running code handles own agents only.
        """
        if self.is_local:
            raise StateError(
                f"a block with by_row reads {label} of memories of another population, which "
                "another part may store"
            )
        self.exchanges += 1
        return self._link.exchange(label, value)

    def on_own(self, block: "Block", cohort: "Cohort", work: "Callable[[Cohort], None]") -> None:
        """Call a function of a block for own agents, and exchange what it changed.

        Args:
            block: The block, whose `writes` and `state` list what the function changes.
            cohort: Agents, the same in all parts.
            work: Changes the agents that it gets; what happens to one does not depend on others.
        """
        memory = cohort.population.memory
        if self.is_local or memory.owners is None:
            work(cohort)
            return
        own = cohort.where(memory.owners.mine(cohort.rows))
        before = _Before(block, own)
        with self._local(memory):
            work(own)
        before.apply(self.exchange(block.name, before.changes()), self._link.part)

    @contextmanager
    def _local(self, memory: Memory) -> Iterator[None]:
        self.is_local = memory.owners.is_local = True
        try:
            yield
        finally:
            self.is_local = memory.owners.is_local = False


class _Before:
    """What a block may change for the agents of a part, as it was before."""

    def __init__(self, block: "Block", own: "Cohort") -> None:
        self._block, self._own = block, own
        self._memory = own.population.memory
        status = self._memory.status
        names = [field for name in block.writes for field in status.fields(name)]
        self._status = {name: status.encoded(name)[own.rows] for name in names}
        present = {name: status.presence(name) for name in names}
        self._present = {
            name: values[own.rows] for name, values in present.items() if values is not None
        }
        arrays = {name: _agents_first(block, name) for name in block.state}
        self._lengths = {name: len(values) for name, values in arrays.items()}
        self._state = {
            name: values[own.rows[own.rows < len(values)]] for name, values in arrays.items()
        }
        self._words = _WordsBefore(self._memory)
        self._batches = len(self._memory.pending.waiting())

    def changes(self) -> Changes:
        """Return what has changed, and remove new words and new memories from the queue."""
        memory, rows, block = self._memory, self._own.rows, self._block
        table, batches = memory.status, memory.pending.waiting()
        added = batches[self._batches :]
        del batches[self._batches :]
        status = {
            name: find_change(old, table.encoded(name)[rows]) for name, old in self._status.items()
        }
        now_present = {name: table.presence(name) for name in self._present}
        present = {
            name: find_change(self._present[name], values[rows])
            for name, values in now_present.items()
            if values is not None
        }
        now = {name: _agents_first(block, name) for name in block.state}
        state = {
            name: find_change(old, now[name][rows[rows < self._lengths[name]]])
            for name, old in self._state.items()
        }
        joined = {
            name: values[self._lengths[name] :]
            for name, values in now.items()
            if len(values) > self._lengths[name]
        }
        return Changes(rows, status, present, state, joined, self._words.take_new(), added)

    def apply(self, received: Sequence[Changes], part: int) -> None:
        """Apply the changes of all parts, of which `part` is this one, in the order of parts."""
        for changes in received:
            self._words.add(changes.words)
        for name in self._block.state:
            self._extend(name, [answer for answer in received if name in answer.joined])
        for number, changes in enumerate(received):
            numbers = self._words.numbers(changes.words)
            self._apply(changes, numbers, is_own=number == part)

    def _extend(self, name: str, extended: Sequence[Changes]) -> None:
        """Extend an array for agents that joined, as some parts have done for their own agents."""
        if not extended:
            return
        length = self._lengths[name]
        joined = extended[0].joined[name].copy()
        for changes in extended[1:]:
            new = changes.rows[changes.rows >= length] - length
            joined[new] = changes.joined[name][new]
        values = np.concatenate([_agents_first(self._block, name)[:length], joined])
        setattr(self._block, name, np.ascontiguousarray(np.moveaxis(values, 0, -1)))

    def _apply(self, changes: Changes, numbers: "Numbers", *, is_own: bool) -> None:
        memory, block, rows = self._memory, self._block, changes.rows
        status = memory.status
        for name, change in changes.status.items():
            is_text = status.attributes[name].kind == "text"
            new = change.renumbered(*numbers.labels) if is_text else change
            if new.values is not None:
                status.store_encoded(name, new.rows_of(rows), new.values)
        for name, change in changes.present.items():
            if change.values is not None:
                status.store_presence(name, change.rows_of(rows), change.values)
        for name, change in changes.state.items():
            change.apply(_agents_first(block, name), rows[rows < self._lengths[name]])
        for batch in changes.added:
            if not is_own:
                np.maximum.at(memory.issued, batch.rows, batch.ids + np.int32(1))
            text = renumber(batch.text, *numbers.texts)
            memory.pending.add(
                replace(batch, text=text, topic=renumber(batch.topic, *numbers.topics))
            )


class Numbers(NamedTuple):
    """The number from which on words are new, and the new numbers, of each kind of words."""

    texts: tuple[int, NDArray[np.intp]]
    topics: tuple[int, NDArray[np.intp]]
    labels: tuple[int, NDArray[np.intp]]


class _WordsBefore:
    """The words of a population that are numbered by first use, before a block runs."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._counts = (memory.texts.capacity, len(memory.topics), len(memory.status.labels))
        self._tags = list(memory.tags.all)

    def take_new(self) -> NewWords:
        """Remove and return new words, which later get the same numbers in all parts."""
        memory = self._memory
        if memory.tags.all != self._tags:
            raise StateError("a block with by_row has declared a new tag; declare it in setup")
        texts, topics, labels = self._counts
        new = NewWords(
            [memory.texts[number] for number in memory.texts.numbers_from(texts).tolist()],
            memory.topics[topics:],
            memory.status.labels[labels:],
        )
        memory.texts.drop_from(texts)
        for topic in new.topics:
            del memory.topic_numbers[topic]
        del memory.topics[topics:]
        memory.status.drop_labels(labels)
        return new

    def add(self, words: NewWords) -> None:
        """Add the new words of a part."""
        self.numbers(words)

    def numbers(self, words: NewWords) -> Numbers:
        """Return the numbers of the new words of a part, and add them if needed."""
        memory = self._memory
        new = (
            memory.texts.intern_many(words.texts),
            [memory.topic_number(topic) for topic in words.topics],
            [memory.status.label(label) for label in words.labels],
        )
        pairs = zip(self._counts, new, strict=True)
        return Numbers(*((count, np.array(numbers, np.intp)) for count, numbers in pairs))


def _agents_first(block: "Block", name: str) -> NDArray[Any]:
    """Return a view of an array of a block whose first axis is that of the agents.

    It is the only one that is as long as the population, or the last, which may lack agents that
    joined, or all of them.

    Raises:
        StateError: If several axes, or none, can be that of the agents.
    """
    values: NDArray[Any] = getattr(block, name)
    agents = len(block.population)
    axes = [axis for axis, length in enumerate(values.shape) if length == agents]
    if len(axes) > 1 or (not axes and values.shape[-1] > agents):
        raise StateError(
            f"with parts > 1, one axis of the array {block.name}.{name} of shape {values.shape} "
            f"must be that of the {agents} agents; set parts=1 or another number of agents"
        )
    return np.moveaxis(values, axes[0] if axes else -1, 0)
