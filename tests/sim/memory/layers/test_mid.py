"""The mid term: clusters of what fell out of the short term, recalled by a query."""

from collections.abc import Callable

import pytest

from memopolis.sim.errors import ParameterError
from memopolis.sim.memory.memory import Memory

Lived = Callable[..., Memory]


def members(memory: Memory) -> list[list[int]]:
    return [[one.id for one in cluster.memories] for cluster in memory[0].layers.mid]


def test_memories_outside_the_short_term_are_clustered(lived: Lived) -> None:
    memory = lived(12)
    assert members(memory) == [[0, 3, 6], [1, 4, 7], [2, 5, 8]]
    assert [cluster.id for cluster in memory[0].layers.mid] == [0, 1, 2]
    assert len(memory[0].layers.mid) == 3


def test_nothing_is_clustered_while_all_is_short_term(lived: Lived) -> None:
    assert members(lived(3)) == []
    assert str(lived(3)[0].layers.mid) == "Nothing"
    assert Memory(agents=1)[0].layers.mid("a storm") == []


def test_a_query_returns_the_nearest_clusters_with_their_entries(lived: Lived) -> None:
    results = lived(12)[0].layers.mid("the roof in the storm", top=2)
    assert [one.id for one in results[0].memories] == [0, 3, 6]
    assert len(results) == 2
    assert results[0].match > results[1].match
    assert len(lived(30)[0].layers.mid("anything at all")) == 3  # top_k


def test_each_returned_cluster_counts_a_hit_and_accesses(lived: Lived) -> None:
    memory = lived(12)
    for hits in (1, 2, 3):
        assert memory[0].layers.mid("the roof in the storm", top=1)[0].hits == hits
    assert [cluster.hits for cluster in memory[0].layers.mid] == [3, 0, 0]
    assert [one.accesses for one in memory[0].stream.read(range(9))] == [3, 0, 0] * 3


def test_an_observer_sees_the_same_and_changes_nothing(lived: Lived) -> None:
    memory, other = lived(12), lived(12)
    before = {name: values.copy() for name, values in memory.state().items()}
    seen = memory.observed[0].layers
    results = [one.id for one in seen.mid("the roof in the storm")]
    assert len(seen.mid) == 3
    after = memory.state()
    assert before.keys() == after.keys()
    assert all((before[name] == after[name]).all() for name in before)
    assert results == [one.id for one in other[0].layers.mid("the roof in the storm")]


def test_beyond_the_maximum_a_memory_joins_the_nearest_cluster(lived: Lived) -> None:
    memory = lived(12, max_clusters=2)
    assert sorted(number for one in members(memory) for number in one) == list(range(9))
    assert len(members(memory)) == 2


def test_the_threshold_can_be_set(lived: Lived) -> None:
    assert len(members(lived(12, similarity_threshold=1.0))) == 9
    assert len(members(lived(12, similarity_threshold=0.0))) <= 3


@pytest.mark.parametrize("top", [0, -1])
def test_less_than_one_cluster_is_refused(lived: Lived, top: int) -> None:
    with pytest.raises(ParameterError, match="at least 1"):
        lived(12)[0].layers.mid("storm", top=top)
