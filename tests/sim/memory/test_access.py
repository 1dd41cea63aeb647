"""Who recalls books an access of each memory it gets, once; who looks on books nothing.

Every public verb of the views is named here, so that a new one has to say which it is.
"""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pytest

from memopolis.sim.memory.memory import Memory
from memopolis.sim.memory.views.agent_stream import AgentStream
from memopolis.sim.memory.views.base_stream import CohortStream
from memopolis.sim.memory.views.memories import AgentMemory, CohortMemory

TEXTS = (
    "The storm broke a tree.",
    "The storm broke our window.",
    "The storm tore a roof off.",
    "I baked bread.",
)
LIVED = 60
NOW = 300


def lived() -> Memory:
    memory = Memory(3)
    for number in range(LIVED):
        memory.now = number
        memory.stream.add("x", f"{TEXTS[number % 4]} {number}", tags=("urgent",), valence=-0.2)
    memory.now = NOW
    for word in ("storm", "bread"):
        memory.stream.add("x", f"Today I heard of {word}.")
    memory.flush()
    return memory


def ids_of(result: Iterable[Any]) -> set[int]:
    return {one.id for one in result} - {-1}


def all_ids(lists: Iterable[Iterable[Any]]) -> set[int]:
    return set().union(*(ids_of(item) for item in lists))


def related_ids(agent: AgentMemory) -> set[int]:
    return ids_of(agent.stream.related([9, 13, 17]))


OWN: dict[str, Callable[[AgentMemory], set[int]]] = {
    "stream.search": lambda a: ids_of(a.stream.search("storm", k=4)),
    "stream.search of the town": lambda a: ids_of(a.stream.search("storm", k=4, profile="town")),
    "stream.focus": lambda a: all_ids(a.stream.focus(["storm", "roof", "bread"], k=5)),
    "stream.recommend": lambda a: ids_of(a.stream.recommend(k=4)),
    "stream.today": lambda a: ids_of(a.stream.today()),
    "stream.today with a query": lambda a: ids_of(a.stream.today("bread", k=1)),
    "stream.contextual": lambda a: ids_of(a.stream.contextual("storm", emotion="urgent", k=3)),
    "stream.related": related_ids,
    "search": lambda a: ids_of(a.search("storm", k=3)),
    "layers.mid": lambda a: all_ids(one.memories for one in a.layers.mid("storm")),
}
"""Verbs of one agent that recall; each gives the ids of what it recalled."""

MANY: dict[str, Callable[[CohortMemory], Any]] = {
    "stream.search": lambda c: c.stream.search("storm", k=4).ids,
    "stream.focus": lambda c: np.concatenate(
        [one.ids for one in c.stream.focus(["storm", "roof"], k=5)], axis=1
    ),
    "stream.recommend": lambda c: c.stream.recommend(k=4).ids,
    "stream.today": lambda c: c.stream.today(k=2).ids,
    "stream.contextual": lambda c: c.stream.contextual("storm", tags="urgent", k=3).ids,
    "stream.related": lambda c: c.stream.related([[9, 13, 17]] * len(c)).reshape(len(c), -1),
    "search": lambda c: c.search("storm", k=3).ids,
}
"""Verbs of a cohort that recall."""

LOOKING: dict[str, Callable[[AgentMemory], Any]] = {
    "stream.list_ids": lambda a: a.stream.list_ids(),
    "stream.read": lambda a: a.stream.read([0, 1]),
    "stream.column": lambda a: a.stream.column("text", [0, 1]),
    "stream.thoughts_of": lambda a: a.stream.thoughts_of([0, 1]),
    "stream.consolidation": lambda a: a.stream.consolidation([0, 1]),
    "knowledge.assess": lambda a: a.knowledge.assess("storm"),
    "knowledge.map": lambda a: a.knowledge.map("storm"),
    "knowledge.review": lambda a: a.knowledge.review(),
    "layers.short": lambda a: list(a.layers.short),
}
"""Verbs that look things up by id, or are looking by nature."""

CHANGING = {"add", "forget", "link", "sleep", "update"}
"""Verbs that are there to change something."""

PLACES = {"counts", "observed", "stream", "status", "knowledge", "layers", "unique_id", "memory"}
PLACES |= {"located", "of", "row", "rows"}
"""What leads to verbs, or names something."""


def accesses(memory: Memory) -> np.ndarray:
    every = np.tile(np.arange(LIVED + 2), (3, 1))
    return memory.stream.column("accesses", every)


@pytest.mark.parametrize("name", OWN)
def test_a_search_by_the_agent_records_one_access_per_memory(name: str) -> None:
    memory = lived()
    recalled = OWN[name](memory[1])
    assert recalled
    booked = accesses(memory)
    assert set(np.flatnonzero(booked[1]).tolist()) == recalled
    assert booked.max() == 1
    assert not booked[[0, 2]].any(), "nobody else recalled"
    last = memory[1].stream.column("accessed", sorted(recalled))
    assert (last == NOW).all()


@pytest.mark.parametrize("name", OWN)
def test_an_observer_finds_the_same_without_recording_access(name: str) -> None:
    memory = lived()
    before = memory.state()
    seen = OWN[name](memory.observed[1])
    after = memory.state()
    assert set(before) == set(after)
    assert all(np.array_equal(values, after[column]) for column, values in before.items())
    assert seen == OWN[name](lived()[1])


@pytest.mark.parametrize("name", MANY)
def test_a_cohort_records_one_access_per_memory_and_agent(name: str) -> None:
    memory = lived()
    ids = MANY[name](memory.of([0, 2]))
    booked = accesses(memory)
    for row, item in zip((0, 2), ids, strict=True):
        assert set(np.flatnonzero(booked[row]).tolist()) == set(item.tolist()) - {-1}
    assert booked.max() == 1
    assert not booked[1].any()


@pytest.mark.parametrize("name", MANY)
def test_an_observed_cohort_records_no_access(name: str) -> None:
    memory = lived()
    before = memory.state()
    seen = MANY[name](memory.observed.of([0, 2]))
    after = memory.state()
    assert all(np.array_equal(values, after[column]) for column, values in before.items())
    assert np.array_equal(seen, MANY[name](lived().of([0, 2])))


@pytest.mark.parametrize("name", LOOKING)
def test_observing_does_not_record_access(name: str) -> None:
    memory = lived()
    before = memory.state()
    LOOKING[name](memory[1])
    after = memory.state()
    assert all(np.array_equal(values, after[column]) for column, values in before.items())


def test_a_context_records_access_of_its_memories() -> None:
    memory = lived()
    context = memory[1].context("storm", 3000)
    part = context.part("mid")
    assert part is not None
    assert part.memories
    assert set(np.flatnonzero(accesses(memory)[1]).tolist()) == set(part.memories)
    before = accesses(memory)
    memory.observed[1].context("storm", 3000)
    assert np.array_equal(before, accesses(memory))


@pytest.mark.parametrize("view", [AgentStream, CohortStream, AgentMemory, CohortMemory])
def test_every_method_declares_whether_it_records_access(view: type) -> None:
    values = {name.split()[0].rpartition(".")[2] for name in (*OWN, *MANY, *LOOKING)}
    verbs = {name for name in dir(view) if not name.startswith("_")}
    assert verbs <= values | CHANGING | PLACES | {"context"}
