"""The contract of every memory, for any profile, embedder and backend.

A test gives `Contract` a way to make a memory of some agents and to load a saved one; every
method is one promise.
"""

# ruff: noqa: RUF001  texts of many languages

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memopolis import Filter
from memopolis.errors import ParameterError

TEXTS = (
    "The storm flooded the street",
    "The hurricane flooded our road",
    "Bread was cheap at the market",
    "We talked about the school",
    "{actor} left for the mountains",
    "",
    "飓风警报响起，需要立即撤离",
)


@dataclass(frozen=True)
class Contract:
    """Promises of a memory.

    Attributes:
        make: A memory of so many agents who keep at most `limit` memories.
        load: The memory that was saved in a folder.
        profile: Name of the profile searched by.
    """

    make: Callable[[int, int], Any]
    load: Callable[[Path], Any]
    profile: str

    def lived(self, agents: int = 2, limit: int = 100) -> Any:
        memory = self.make(agents, limit)
        for tick, text in enumerate(TEXTS):
            memory.now = tick
            memory.stream.add("social" if tick % 2 else "disaster", text, importance=tick / 10)
        memory.now = len(TEXTS)
        return memory

    def find_ids(self, stream: Any, query: str = "storm", k: int = 3, **where: Any) -> list[int]:
        """Return the ids of the best memories."""
        results = stream.search(query, k, where=Filter(**where), profile=self.profile)
        return [m.id for m in results]

    def added_memories_are_found(self) -> None:
        memory = self.lived()
        results = memory[0].stream.search(TEXTS[2], 7, profile=self.profile)
        assert 2 in [m.id for m in results]
        values = {m.id: m for m in results}[2]
        assert (values.template, values.topic, values.time) == (TEXTS[2], "disaster", 2)
        assert len({m.id for m in results}) == len(results) <= 7

    def at_most_k_memories_are_found(self) -> None:
        memory = self.lived()
        assert len(self.find_ids(memory[0].stream, TEXTS[0], k=2)) == 2
        assert len(self.find_ids(memory[0].stream, k=50)) <= len(TEXTS)
        assert self.find_ids(self.make(1, 10)[0].stream) == []

    def filters_exclude_other_memories(self) -> None:
        memory = self.lived()
        assert set(self.find_ids(memory[0].stream, k=9, topic="social")) <= {1, 3, 5}
        assert self.find_ids(memory[0].stream, k=9, topic="nobody used it") == []

    def evicted_memories_are_not_found(self) -> None:
        memory = self.lived(limit=3)
        assert len(memory[0].stream) == 3
        assert set(self.find_ids(memory[0].stream, TEXTS[0], 9)) <= {4, 5, 6}
        assert memory[0].stream.read([0]) == []

    def forgotten_memories_are_not_found(self) -> None:
        memory = self.lived()
        assert memory[0].stream.forget([0, 1]) == 2
        assert not {0, 1} & set(self.find_ids(memory[0].stream, k=9))
        assert {0, 1} <= set(self.find_ids(memory[1].stream, TEXTS[0], k=9))

    def memories_link_to_their_thought(self) -> None:
        memory = self.lived()
        thought = memory[0].stream.link([0, 1], "I should leave")
        assert memory[0].stream.thoughts_of([0, 1, 2]).tolist() == [thought, thought, -1]
        assert memory[0].stream.link([2], "I should leave") == thought
        assert memory[1].stream.thoughts_of([0]).tolist() == [-1]

    def agents_see_only_their_own_memories(self) -> None:
        memory = self.make(3, 100)
        for row in range(3):
            memory[row].stream.add("social", f"a secret of agent {row} about the storm")
        for row in range(3):
            results = memory[row].stream.search("secret storm", 9, profile=self.profile)
            assert [m.template for m in results] == [f"a secret of agent {row} about the storm"]

    def one_agent_and_many_recall_the_same(self) -> None:
        one, many = self.lived(3), self.lived(3)
        recalled = many.stream.search("storm on the road", 4, profile=self.profile)
        for row in range(3):
            results = one[row].stream.search("storm on the road", 4, profile=self.profile)
            present = recalled.ids[row] >= 0
            assert [m.id for m in results] == recalled.ids[row][present].tolist()
            scores = np.array([m.score for m in results], np.float32)
            np.testing.assert_array_equal(scores, recalled.scores[row][present])

    def recall_records_an_access_and_observing_does_not(self) -> None:
        memory = self.lived()
        self.find_ids(memory[0].observed.stream)
        assert sum(m.accesses for m in memory[0].stream.read(range(7))) == 0
        result = self.find_ids(memory[0].stream)
        assert [m.accesses for m in memory[0].stream.read(result)] == [1] * len(result)

    def saved_memories_are_loaded(self, folder: Path) -> None:
        memory = self.lived()
        memory[0].stream.link([0], "I should leave")
        memory[1].stream.forget([3])
        other = self.load(memory.save(folder / "memory"))
        for row in range(2):
            stream = memory[row].observed.stream
            again = other[row].observed.stream
            ids = range(9)
            assert [(m.id, str(m), m.thought, m.accesses) for m in again.read(ids)] == [
                (m.id, str(m), m.thought, m.accesses) for m in stream.read(ids)
            ]
            assert self.find_ids(again, k=9) == self.find_ids(stream, k=9)

    def a_k_below_one_is_refused_without_loss(self) -> None:
        memory = self.lived()
        for k in (0, -1):
            with pytest.raises(ParameterError, match=f"k is {k}"):
                self.find_ids(memory[0].stream, k=k)
        assert len(memory[0].stream) == len(TEXTS)


PROMISES = [
    name
    for name, member in vars(Contract).items()
    if callable(member) and not name.startswith("_") and name not in ("lived", "find_ids")
]
"""Names of the promises."""


def keep(contract: Contract, promise: str, folder: Path) -> None:
    """Check one promise."""
    check = getattr(contract, promise)
    if promise == "saved_memories_are_loaded":
        check(folder)
    else:
        check()
