"""The search of one agent has the results of a cohort of one, and repeated ones the same."""

from collections.abc import Sequence
from threading import Thread

import numpy as np
import pytest
from numpy.typing import NDArray

from memopolis import Memory
from memopolis.sim.memory.retrieval.by_numpy import find_numpy
from memopolis.sim.memory.retrieval.filter import NO_FILTER, Filter
from memopolis.sim.memory.retrieval.profiles import Profile
from memopolis.sim.memory.retrieval.request import SearchOptions, build_request
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


@pytest.mark.parametrize("profile", ["act", "recall", "town"])
def test_a_repeated_search_follows_new_texts_and_names(profile: str) -> None:
    memory = filled()
    seen = memory.observed.stream

    def check(query: str) -> None:
        memory.settle()
        for rows in (np.arange(3), np.array([2, 0]), np.array([1])):
            for where in (NO_FILTER, Filter(days=(2, 3))):
                options = SearchOptions(5, profile, where)
                request = build_request(memory, rows, query, options)
                ids, _, scores = find_numpy(memory.streams, request)
                for _ in range(3):  # first compared with the memories, then by a table
                    results = memory.of(rows).observed.stream.search(
                        query, 5, profile=profile, where=where
                    )
                    np.testing.assert_array_equal(results.ids, ids)
                    np.testing.assert_array_equal(results.scores, scores)

    check("What did Eve say of the harbour?")
    memory[0].stream.add("social", "Eve slept at the harbour.")
    check("What did Eve say of the harbour?")
    memory.names = {"Eve": 2}
    check("What did Eve say of the harbour?")
    each = np.array([0, 1, 0])
    for _ in range(2):
        both = seen.search(["bread", "the harbour"], 5, profile=profile, each=each)
        other = seen.search(["bread", "the harbour"], 5, profile=profile, each=1 - each)
    expected = (
        seen.search("bread", 5, profile=profile),
        seen.search("the harbour", 5, profile=profile),
    )
    for row in range(3):
        np.testing.assert_array_equal(both.scores[row], expected[each[row]].scores[row])
        np.testing.assert_array_equal(other.scores[row], expected[1 - each[row]].scores[row])


def test_a_context_counts_after_a_search_without_one() -> None:
    memory = filled()
    everyone = memory.observed.stream
    memory[0].stream.add("social", "Lazy day", tags="idle")
    mixed = Profile(importance=0.1, context=1.0)
    everyone.search("bread", 3, profile=mixed)
    results = everyone.search("bread", 3, profile=mixed, where=Filter(tags="idle"))
    assert results.scores[0, 0] > 1


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
