"""All operations in random order, compared with the reference memory."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from tests.properties.reference_memory import ReferenceMemory

from memopolis.sim.errors import ParameterError
from memopolis.sim.memory.memory import Memory
from memopolis.sim.memory.retrieval.filter import Filter
from memopolis.sim.memory.retrieval.profiles import PROFILES, Profile

LIMIT = 6
AGENTS = 3
texts = st.sampled_from(
    ["the storm came", "storm and rain", "bread at the market", "the shelter was full", "",
     "{actor} spoke of the storm", "school is closed", "飓风 警报", "🌀"]
)  # fmt: skip
queries = st.sampled_from(
    [("storm shelter", None), ("Ann storm", 0), ("hungry", None), ("", None), ("飓风", None)]
)
topics = st.sampled_from(["social", "economy", "disaster"])
rows = st.integers(0, AGENTS - 1)
some_rows = st.lists(rows, min_size=1, max_size=AGENTS, unique=True)
ids = st.integers(-1, 12)
PLAIN = {
    "act": PROFILES["act"],
    "month": Profile(recency=0.1, importance=0.1, relevance=1.0, half_life=720.0),
}
"""Profiles that the plain definition of this file covers."""

profiles = st.sampled_from(list(PLAIN))
columns = st.fixed_dictionaries(
    {
        "actor": st.integers(-1, 1),
        "place": st.integers(-1, 2),
        "importance": st.sampled_from([0.0, 0.3, 1.0]),
        "valence": st.sampled_from([-1.0, 0.0, 0.4]),
        "continues": st.booleans(),
        "tags": st.sampled_from([0, 1, 6]),
        "kind": st.sampled_from(["event", "thought"]),
    }
)
filters = st.one_of(
    st.just({}),
    st.fixed_dictionaries({"topic": topics}),
    st.fixed_dictionaries({"place": st.integers(-1, 2), "kind": st.just("event")}),
    st.fixed_dictionaries({"actor": st.integers(-1, 1)}),
    st.fixed_dictionaries({"days": st.sampled_from([(0, 0), (1, 2)])}),
    st.fixed_dictionaries({"tags": st.sampled_from([1, 4])}),
)


def as_stored(value: dict[str, object]) -> dict[str, object]:
    """Return shares as stored integers, other values unchanged."""
    kept = dict(value)
    kept["importance"] = int(value["importance"] * 30_000 + 0.5)  # type: ignore[operator]
    kept["valence"] = int(np.floor(value["valence"] * 127 + 0.5))  # type: ignore[operator]
    return kept


class MemoryMachine(RuleBasedStateMachine):
    """The memory and its reference, led through the same life."""

    def __init__(self) -> None:
        super().__init__()
        self.memory = self.create_memories(Memory(AGENTS, limit=LIMIT))
        self.model = ReferenceMemory(AGENTS, LIMIT)

    @staticmethod
    def create_memories(memory: Memory) -> Memory:
        memory.ticks_per_day = 4.0
        memory.names = {"Ann": 0}
        memory.threads = 1
        return memory

    @initialize(deferred=st.booleans())
    def begin(self, deferred: bool) -> None:  # noqa: FBT001
        self.memory.deferred = deferred

    @rule(hours=st.integers(-1, 5))
    def advance_time(self, hours: int) -> None:
        self.memory.now += hours
        self.model.now += hours

    @rule(row=rows, topic=topics, text=texts, fields=columns)
    def add_for_one(self, row: int, topic: str, text: str, fields: dict[str, object]) -> None:
        number = self.memory[row].stream.add(topic, text, **fields)  # type: ignore[arg-type]
        self.memory.flush()
        assert number == self.model.add(row, topic, text, **as_stored(fields))

    @rule(rows=some_rows, topic=topics, text=texts, fields=columns)
    def add_for_many(
        self, rows: list[int], topic: str, text: str, fields: dict[str, object]
    ) -> None:
        numbers = self.memory.of(rows).stream.add(topic, text, **fields)  # type: ignore[arg-type]
        self.memory.flush()
        assert numbers.tolist() == [
            self.model.add(row, topic, text, **as_stored(fields)) for row in rows
        ]

    @rule(row=rows, query=queries, k=st.integers(1, 8), name=profiles, only=filters)
    def search_for_one(
        self, row: int, query: tuple[str, int | None], k: int, name: str, only: dict[str, Any]
    ) -> None:
        results = self.memory[row].stream.search(
            query[0], k, where=Filter(**only), profile=PLAIN[name]
        )
        self.memory.flush()
        expected = self.expected(row, query, k, name, only)
        assert [(m.id, np.float32(m.score)) for m in results] == expected

    @rule(rows=some_rows, query=queries, k=st.integers(1, 8), name=profiles, only=filters)
    def search_for_many(
        self,
        rows: list[int],
        query: tuple[str, int | None],
        k: int,
        name: str,
        only: dict[str, Any],
    ) -> None:
        stream = self.memory.of(rows).stream
        results = stream.search(query[0], k, where=Filter(**only), profile=PLAIN[name])
        self.memory.flush()
        for at, row in enumerate(rows):
            expected = self.expected(row, query, k, name, only)
            present = results.ids[at] >= 0
            assert (
                list(zip(results.ids[at][present], results.scores[at][present], strict=True))
                == expected
            )

    @rule(row=rows, asked=st.lists(queries, min_size=1, max_size=3), k=st.integers(1, 4))
    def focus_for_one(self, row: int, asked: list[tuple[str, int | None]], k: int) -> None:
        results = self.memory[row].stream.focus([query for query, _ in asked], k, profile="act")
        self.memory.flush()
        expected = [self.expected(row, query, k, "act", {}, booked=False) for query in asked]
        assert [[m.id for m in one] for one in results] == [[i for i, _ in one] for one in expected]
        self.model.book(row, [number for one in expected for number, _ in one])

    @rule(row=rows, k=st.integers(1, 8), by=st.sampled_from(["importance", "time"]))
    def recall_today(self, row: int, k: int, by: Literal["importance", "time"]) -> None:
        results = self.memory[row].stream.today(k=k, by=by)
        self.memory.flush()
        day = self.model.now // 4
        assert [m.id for m in results] == self.model.today(row, k, by, 4 * day, 4 * day + 3)

    def expected(
        self,
        row: int,
        query: tuple[str, int | None],
        k: int,
        name: str,
        only: dict[str, Any],
        *,
        booked: bool = True,
    ) -> list[tuple[int, np.float32]]:
        profile = PLAIN[name]
        text, named = query[0].replace("Ann", ""), query[1]
        only = dict(only)
        days = only.pop("days", None)
        if isinstance(days, tuple):
            only["ticks"] = (4 * days[0], 4 * days[1] + 3)
        return self.model.search(
            row,
            text,
            k,
            weights=(profile.recency, profile.importance, profile.relevance),
            half_life=profile.half_life * 4 / 24,
            named=named,
            booked=booked,
            **only,
        )

    @rule(row=rows, numbers=st.lists(ids, max_size=3), text=texts)
    def link_thought(self, row: int, numbers: list[int], text: str) -> None:
        if any(number >= self.model.next[row] for number in numbers):
            with pytest.raises(ParameterError, match="ids of memories"):
                self.memory[row].stream.link(numbers, text)
            return
        thought = self.memory[row].stream.link(numbers, text)
        self.memory.flush()
        assert thought == self.model.link(row, numbers, text)

    @rule(row=rows, numbers=st.lists(ids, max_size=3))
    def forget_for_one(self, row: int, numbers: list[int]) -> None:
        count = self.memory[row].stream.forget(numbers)
        self.memory.flush()
        assert count == sum(self.model.forget(row, number) for number in set(numbers))

    @rule()
    def save_and_load(self) -> None:
        deferred = self.memory.deferred
        with TemporaryDirectory() as folder:
            self.memory = self.create_memories(
                Memory.load(self.memory.save(Path(folder) / "memory"))
            )
        self.memory.deferred = deferred

    @invariant()
    def both_memories_are_equal(self) -> None:
        for row in range(AGENTS):
            held = self.model.lives[row]
            stream = self.memory[row].observed.stream
            assert len(stream) == len(held)
            memories = stream.read(range(self.model.next[row]))
            assert [
                (m.id, m.time, m.topic, m.template, m.accessed, m.accesses, m.thought, m.kind)
                for m in memories
            ] == [
                (r.id, r.time, r.topic, r.text, r.accessed, r.accesses, r.thought, r.kind)
                for r in held
            ]


TestMemoryMachine = MemoryMachine.TestCase
TestMemoryMachine.settings = settings(max_examples=60, stateful_step_count=30, deadline=None)
