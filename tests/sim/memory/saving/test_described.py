"""A state that no memory has is refused in one line, and changes nothing."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from memopolis import Memory
from memopolis.errors import RunFolderError
from memopolis.memory import Night, Schema
from memopolis.sim.memory.streams.layout import columns_of
from memopolis.sim.memory.text.texts import pack_texts

type Arrays = dict[str, np.ndarray[Any, Any]]


def lived() -> Memory:
    """Return a memory with eviction, forgetting, thoughts, clusters and related memories."""
    memory = Memory(2, limit=70)
    for tick in range(90):
        memory.now = tick
        memory.stream.add(f"topic {tick % 3}", f"text {tick % 19}", actor=tick % 4)
    memory[0].stream.link([40, 41], "a thought")
    memory[1].stream.forget([30])
    memory.of([0, 1]).sleep(Night(relate=True, cluster=True))
    return memory


@pytest.fixture(scope="module")
def saved() -> Arrays:
    return {name: values.copy() for name, values in lived().state().items()}


def put(name: str, value: Any, at: Any = 0) -> Callable[[Arrays], None]:
    def change(state: Arrays) -> None:
        state[name][at] = value

    return change


def replace(name: str, values: Callable[[np.ndarray[Any, Any]], Any]) -> Callable[[Arrays], None]:
    def change(state: Arrays) -> None:
        state[name] = values(state[name])

    return change


def column(name: str, value: int) -> Callable[[Arrays], None]:
    def change(state: Arrays) -> None:
        columns_of(state["streams/words"])[name][0, 3] = value

    return change


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (put("streams/next", -1), "streams/next contains -1; at least 0"),
        (put("streams/next", 2**31 - 1), "streams/next contains 2,147,483,647; at most"),
        (put("streams/next", 3), "streams/count contains 70, more than the agent ever had"),
        (put("streams/count", 71), "streams/count contains 71; at most 70"),
        (put("streams/count", 3), "table has other pages than the 3 memories of agent 0 need"),
        (replace("streams/next", lambda a: a.astype(np.int64)), "int64; int32 is needed"),
        (replace("streams/next", lambda a: a[:1]), r"streams/next has the shape \(1,\)"),
        (put("streams/limit", 0), "streams/limit contains 0; at least 1"),
        (put("streams/table", 2**30), "streams/table does not contain each of"),
        (put("streams/table", -2), "streams/table contains -2"),
        (replace("streams/table", lambda a: a - 1), "other pages than the 70 memories of"),
        (replace("streams/table", lambda a: a[:, :1]), "streams/table has the shape"),
        (replace("streams/words", lambda a: a[:-1]), "streams/words has the shape"),
        (column("text", 19_000), "streams/words, text, contains 19,000; at most"),
        (column("text", -1), "text, contains -1; at least 0"),
        (column("topic", 4), "topic, contains 4; at most 3"),
        (column("kind", 2), "kind, contains 2; allowed are 0, 1, 128, 129"),
        (column("id", 1_000), "id, contains the id 1000 out of order"),
        (column("id", 0), "id, contains the id 0 out of order"),
        (column("thought", 1_000), "thought, names the memory 1000, which its agent"),
        (column("thought", -2), "thought, contains -2"),
        (column("importance", -1), "importance, contains -1"),
        (column("importance", 30_001), "importance, contains 30,001"),
        (column("valence", -128), "valence, contains -128"),
        (column("emotion", 22), "emotion, contains 22; at most 21"),
        (column("time", -(2**31)), "time, contains -2,147,483,648; at least"),
        (column("place", -2), "place, contains -2"),
        (put("streams/memories/cluster", 254, ...), "contains the cluster 254; there are 100"),
        (put("streams/agents/clustered_to", 91, ...), "names the memory 91, which its agent"),
        (put("streams/agents/cluster_founder", 90, ...), "names the memory 90, which its agent"),
        (put("streams/agents/related_to", -1), "related_to contains -1"),
        (put("streams/fill/related", 3), "streams/fill/related contains 3; at most 0"),
        (replace("streams/agents/cluster_hits", lambda a: a[:, :9]), "has the shape"),
        (replace("topics", lambda _: pack_texts(["a"] * 2)), "topics contains a text twice"),
        (replace("topics", lambda _: pack_texts([str(n) for n in range(256)])), "at most 255"),
        (replace("tags", lambda _: pack_texts(["mine"])), "tags does not begin with work_hours"),
        (replace("texts/texts", lambda a: a[:-1]), "their ends are not in order"),
        (put("texts/texts", 255, -1), "contains a text that is not UTF-8"),
        (replace("texts/texts", lambda a: a[:5]), "the number of texts is wrong"),
        (put("texts/numbers", 2**31 - 1, -1), "texts/numbers contains 2,147,483,647; at most"),
        (put("texts/numbers", 1), "texts/numbers is not in ascending order"),
        (put("now", 2**31), "now contains 2,147,483,648"),
        (lambda state: state.pop("streams/table"), "streams/table is missing"),
        (lambda state: state.update(more=np.zeros(1)), "more is not part of what is saved"),
    ],
)  # fmt: skip
def test_a_state_that_no_memory_has_is_refused(
    saved: Arrays, change: Callable[[Arrays], None], problem: str
) -> None:
    state = {name: values.copy() for name, values in saved.items()}
    change(state)
    memory = Memory(2)
    memory.stream.add("before", "a text")
    with pytest.raises(RunFolderError, match=problem) as refused:
        memory.restore(state)
    assert "\n" not in str(refused.value)
    assert [str(one) for one in memory[0].stream.today()] == [str(memory[0].stream.read([0])[0])]


def test_the_saved_state_is_restored(saved: Arrays) -> None:
    memory = Memory(2)
    memory.restore(saved)
    assert all(np.array_equal(values, memory.state()[name]) for name, values in saved.items())


def test_agents_that_a_memory_lacks_are_added_with_their_status() -> None:
    schema = Schema()
    schema.declare("mood", 0.0)
    source, memory = Memory(3), Memory(1, schema=schema)
    memory[0].status["mood"] = 0.5
    source.stream.add("social", "a text")
    memory.restore(source.state())
    assert len(memory) == 3
    assert memory[2].status["mood"] == 0
