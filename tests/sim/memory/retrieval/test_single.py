"""The search of one agent has the results of a cohort of one."""

from collections.abc import Sequence
from threading import Thread
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from memopolis import Memory
from memopolis.sim.memory.retrieval.profiles import PROFILES, Profile
from memopolis.sim.memory.retrieval.single import search_one
from memopolis.sim.memory.vectors.embedders.static import static_table
from memopolis.sim.threads import CACHES

ALONE = Profile(recency=0.1, relevance=1.0, neighbours=0.0, actor=0.0, date=0.0)


def filled(forgotten: tuple[int, ...] = ()) -> Memory:
    memory = Memory(3, limit=70)
    memory.names = {"Ann": 1, "Bob": 2}
    rng = np.random.default_rng(3)
    for number in range(100):
        memory.now = number
        memory.stream.add(
            "social",
            f"Met at the harbour {number % 9} about bread {number % 4}",
            actor=rng.integers(-1, 3, 3),
            importance=rng.random(3),
            continues=rng.random(3) < 0.5,
        )
    if forgotten:
        memory[1].stream.forget(forgotten)
    return memory


@pytest.mark.parametrize("forgotten", [(), (40, 99)])
@pytest.mark.parametrize("profile", ["recall", "dense", "act", ALONE])
@pytest.mark.parametrize("query", ["the harbour", "What did Ann say of bread 3?", "nothing", ""])
def test_one_agent_finds_what_a_cohort_of_one_finds(
    query: str, profile: str | Profile, forgotten: tuple[int, ...]
) -> None:
    memory, again = filled(forgotten), filled(forgotten)
    for k in (1, 5, 200):
        for row in range(3):
            memory[row].stream.search(query, k, profile=profile)  # may renew the table
            again.of([row]).stream.search(query, k, profile=profile)
            results = memory[row].stream.search(query, k, profile=profile)
            expected = again.of([row]).stream.search(query, k, profile=profile)
            count = int(expected.counts[0])
            assert [one.id for one in results] == expected.ids[0, :count].tolist()
            assert [one.score for one in results] == expected.scores[0, :count].tolist()
            assert len(results) == count
    states = memory.state(), again.state()
    for name, values in states[0].items():
        np.testing.assert_array_equal(values, states[1][name])


def test_a_query_that_is_repeated_takes_the_short_way_and_follows_new_texts() -> None:
    memory = Memory(3)
    for row in range(3):
        for number in range(40):
            memory[row].stream.add("social", f"Met {row} at the harbour, hall {number}")
    known: dict[str, Any] = {"profile": PROFILES["act"], "observed": True}
    assert search_one(memory, 0, "the harbour", 5, **known) is None
    expected = memory.of([0]).observed.stream.search("the harbour", 5, profile="act")
    best = [search_one(memory, 0, "the harbour", 5, **known) for _ in range(3)][-1]
    assert best is not None
    assert best[0].tolist() == expected.ids[0].tolist()
    assert best[1].tolist() == expected.scores[0].tolist()
    memory[0].stream.add("social", "Slept at the harbour.")
    assert memory[0].stream.search("slept", 1)[0].text == "Slept at the harbour."
    expected = memory.of([0]).observed.stream.search("the harbour", 5, profile="act")
    best = search_one(memory, 0, "the harbour", 5, **known)
    assert best is not None
    assert best[0].tolist() == expected.ids[0].tolist()


@pytest.mark.parametrize("k", [0, 2000, True, 2.5])
def test_other_arguments_take_the_way_of_a_cohort(k: float) -> None:
    memory = filled()
    memory[0].stream.search("bread", 5)
    assert search_one(memory, 0, "bread", k, profile="act", observed=True) is None  # type: ignore[arg-type]


def test_an_agent_among_many_texts_finds_what_a_cohort_finds_with_few_vectors() -> None:
    embedded: list[str] = []

    class Counting:
        def vectors(self, texts: Sequence[str]) -> NDArray[np.float32]:
            embedded.extend(texts)
            return static_table().vectors(texts)

    memory = Memory(40, embedder=Counting())
    for row in range(40):
        for number in range(5):
            memory[row].stream.add("social", f"Met {row} at hall {number}, by boat", importance=0.5)
    own = memory[3].observed.stream.search("hall 4 with a ship", 5, profile="dense")
    assert len(embedded) == 5 + 1
    memory[3].stream.add("social", "Met 4 at hall 4, by boat")  # a text that others remember
    expected = memory.of([3]).observed.stream.search("hall 4 with a ship", 6, profile="dense")
    again = memory[3].observed.stream.search("hall 4 with a ship", 6, profile="dense")
    assert [one.id for one in again] == expected.ids[0].tolist()
    assert [one.score for one in again] == expected.scores[0].tolist()
    assert len(own) == 5


def test_a_search_waits_while_another_part_uses_the_caches() -> None:
    memory = filled()
    memory[0].stream.search("bread", 5)
    searching = Thread(target=memory[0].stream.search, args=("bread", 5))
    with CACHES:
        searching.start()
        searching.join(0.3)
        assert searching.is_alive()
    searching.join()
