"""Streams in Qdrant, in its local mode."""

import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memopolis.analysis.run.tables import table_digests
from memopolis.scenarios.hurricane import Hurricane
from memopolis.sim.errors import ParameterError, ServerError, TrustError
from memopolis.sim.memory.memory import Memory
from memopolis.sim.memory.retrieval.filter import Filter
from memopolis.sim.memory.saving.carry import carry
from memopolis.sim.population import Agent, attribute
from memopolis.sim.recording.stopping import StopRun
from memopolis.sim.running.forking import fork
from memopolis.sim.running.resuming import resume
from memopolis.sim.running.trust import Trust
from memopolis.sim.settings import Settings
from memopolis.sim.society import Society

if find_spec("qdrant_client") is None:
    pytest.skip("needs the extra qdrant", allow_module_level=True)

from qdrant_client import QdrantClient

from memopolis.sim.memory.qdrant.points import SparseWords
from memopolis.sim.memory.qdrant.store import QdrantStore, make_client

pytestmark = [
    pytest.mark.extras,
    pytest.mark.filterwarnings("ignore:a folder of Qdrant"),
]

TEXTS = (
    ("disaster", "A hurricane is coming toward the coast"),
    ("social", "{actor} is going to stay with a cousin inland"),
    ("economy", "The store sold out of water and batteries"),
    ("home", "The landlord raised the rent"),
    ("home", ""),
)


@pytest.fixture
def client() -> Iterator[Any]:
    made = QdrantClient(":memory:")
    yield made
    made.close()


def live(memory: Any, hours: int = 30) -> None:
    """Fill three streams of unequal length, using every column and every change."""
    rng = np.random.default_rng(1)
    for hour in range(hours):
        memory.now = hour
        for row in range(3):
            if rng.random() < 0.3 * (row + 1):
                topic, text = TEXTS[rng.integers(len(TEXTS))]
                memory[row].stream.add(
                    topic, text, actor=int(rng.integers(3)), place=int(rng.integers(4)),
                    importance=rng.random(), valence=rng.uniform(-1, 1), tags=("urgent",),
                    emotion="Fear", continues=bool(rng.random() < 0.4),
                )  # fmt: skip
    newest = len(memory[2].stream) - 1
    memory[2].stream.search("is there a storm", 3)
    memory[2].stream.link([newest], "It gets serious: {evidence}", importance=0.9)
    memory[1].stream.forget(topic="social")
    memory[2].stream.add("home", "The landlord raised the rent", merge=True, importance=1)
    memory.flush()


def connected(client: Any, agents: int = 3, **options: Any) -> Memory:
    return Memory(agents, store=QdrantStore(client), **options)


def same_streams(one: Memory, other: Memory) -> bool:
    """Whether two memories hold the same, whatever numbers their texts, topics and tags have."""
    other.now = one.now  # feelings fade
    ids = np.arange(60)
    rows = range(len(one))
    names = ("accessed", "accesses", "thought", "confidence", "kind")
    return (
        one.streams.next.tolist() == other.streams.next.tolist()
        and all(one[row].stream.read(ids) == other[row].stream.read(ids) for row in rows)
        and all(
            np.array_equal(
                one[row].stream.column(name, ids),
                other[row].stream.column(name, ids),
                equal_nan=True,
            )
            for row in rows
            for name in names
        )
    )


@pytest.mark.parametrize("limit", [5, 1000])
def test_a_memory_can_be_read_from_the_store(client: Any, limit: int) -> None:
    arrays, stored = Memory(3, limit=limit), connected(client, limit=limit)
    for memory in (arrays, stored):
        live(memory)
    again = connected(client, limit=limit)
    again.now = stored.now
    assert same_streams(arrays, stored)
    assert same_streams(stored, again)
    for memory in (stored, again):
        memory[0].stream.add("home", "The rent is due")
    results = stored.observed.stream.search("rent", 6, profile="society")
    assert np.array_equal(
        results.ids, again.observed.stream.search("rent", 6, profile="society").ids
    )


@pytest.mark.parametrize(
    "where",
    [
        Filter(),
        Filter(topic="home", emotion="Fear"),
        Filter(topic="never used"),
        Filter(days=(0, 0), kind="event"),
        Filter(ticks=(9, 20), sign="negative"),
        Filter(place=[0, 1, 1, -1], actor=[2, 2, -1, 0]),
        Filter(kind="thought", tags="urgent"),
        Filter(tags=("urgent", "work"), sign="positive"),
        Filter(sign="urgent"),
    ],
    ids=str,
)
def test_searches_return_what_they_return_without_a_store(client: Any, where: Filter) -> None:
    arrays, stored = Memory(3, limit=9), connected(client, limit=9)
    for memory in (arrays, stored):
        live(memory, 40)
    agents = [2, 0, 1, 2]
    for policy in ("scored", "none", "random"):
        for profile in ("recall", "town", "society"):
            arrays.recall = stored.recall = policy
            expected, results = (
                memory.of(agents).stream.search("the storm", 4, where=where, profile=profile)
                for memory in (arrays, stored)
            )
            assert np.array_equal(results.ids, expected.ids)
            assert np.array_equal(results.scores, expected.scores)
    assert same_streams(arrays, stored)


def test_a_search_returns_only_what_the_store_finds(
    client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = connected(client)
    for row in (0, 1):
        memory[row].stream.add("home", "The rent is due")
        memory[row].stream.add("home", "The rent is paid")
    asked = []

    def find(_: Any, memory: Memory, rows: Any, where: Any) -> Any:  # noqa: ARG001
        asked.append(rows.tolist())
        return np.array([1 << 32 | 1])

    monkeypatch.setattr(QdrantStore, "find", find)
    assert memory.of([1, 0]).stream.search("rent").ids[:, :2].tolist() == [[1, -1], [-1, -1]]
    assert asked == [[0, 1]]


def test_evicted_memories_are_deleted_from_the_store(client: Any) -> None:
    memory = connected(client, limit=3)
    memory.deferred = True
    for number in range(10):
        memory[1].stream.add("home", f"Day {number}")
    memory.flush()
    memory[1].stream.add("home", "Day 10")
    memory.flush()
    assert memory.store is not None
    points, _ = client.scroll("memopolis")
    assert [one.payload["text"] for one in points] == ["Day 8", "Day 9", "Day 10"]


def test_points_are_words_numbers_and_the_vector_of_the_text(client: Any) -> None:
    memory = connected(client)
    number = memory[1].stream.add("home", "The rent is due", importance=0.2, tags="urgent")
    memory[1].stream.add("home", "A secret")
    memory[1].stream.forget([1])
    memory.flush()
    (first,) = client.retrieve("memopolis", [1 << 32 | number, 1 << 32 | 1], with_vectors=True)
    assert first.payload["text"] == "The rent is due"
    assert (first.payload["topic"], first.payload["tags"]) == ("home", ["urgent"])
    assert first.payload["importance"] == 6_000
    text = memory.texts.intern("The rent is due")
    assert np.allclose(first.vector[""], memory.vectors.vectors([text])[0], atol=1e-6)
    (sparse,) = SparseWords().of(["The rent is due"])
    assert len(sparse.indices) == 2  # without stop words
    assert first.vector["words"].indices == sorted(sparse.indices)


def test_qdrant_computes_the_similarity(client: Any) -> None:
    memory = connected(client)
    for row, text in enumerate(("The storms come nearer", "The rent is due", "A storm and rent")):
        memory[row].stream.add("home", text)
        memory[row].stream.add("work", "Nothing happens")
    store = memory.store
    assert isinstance(store, QdrantStore)
    ids, scores = store.search(memory, np.arange(3), "a storm is coming", k=2)
    assert ids.tolist() == [[0, -1], [-1, -1], [0, -1]]
    # BM25 with the frequency of a stem in all memories: two of six have "storm", one has "come".
    assert scores[0, 0] > scores[2, 0] > 0
    assert scores[1].tolist() == [0, 0]
    queries = ["storm", "rent", "happening"]
    ids, _ = store.search(memory, np.arange(3), queries, k=1)
    assert ids.tolist() == [[0], [0], [1]]
    ids, _ = store.search(memory, [2, 0], "storm", k=1, where=Filter(topic="work"))
    assert ids.tolist() == [[-1], [-1]]
    assert memory[0].stream.column("accesses", [0]).tolist() == [0]


class Worker(Agent):
    """An agent whose status is searched."""

    job: str = attribute("", embed=True, template="Works as a {value}")
    mood: str = attribute("calm", embed=True)


class Works(Society[Settings]):
    """Three people with jobs."""

    def build(self, settings: Settings) -> None:
        people = self.populate(Worker, settings.agents)
        people.cohort()["job"] = ["baker", "nurse", "baker"]


def test_the_status_is_stored_and_found(client: Any) -> None:
    memory = Works(agents=3, rng=1).populations[0].memory
    store = QdrantStore(client)
    memory.connect(store)
    matches = store.search_status(memory, np.arange(3), "who is a baker", k=1)
    assert matches.attributes.tolist() == [[0], [-1], [0]]
    assert matches.names[0] == "job"
    points, _ = client.scroll(store.status_collection, limit=10)
    assert {"row": 1, "attribute": "job", "text": "Works as a nurse"} in [p.payload for p in points]
    before = client.count(store.status_collection).count
    memory[1].status["job"] = "baker"
    matches = store.search_status(memory, [1], "who is a baker", k=1)
    assert matches.attributes.tolist() == [[0]]
    assert client.count(store.status_collection).count == before == 6
    client.close()
    store.send_status(memory)  # asks nothing, since nothing has changed


def test_a_thousand_agents_with_a_hundred_memories_take_a_minute(client: Any) -> None:
    started = time.process_time()
    memory = connected(client, 1_000)
    places = ("the market", "a shop", "the church", "the harbour", "school")
    rng = np.random.default_rng(1)
    for hour in range(100):
        memory.now = hour
        drawn = rng.integers(0, 200, 1_000).tolist()
        texts = [f"Met neighbour {n} at {places[n % 5]} on day {hour // 24}" for n in drawn]
        memory.stream.add("social", texts)
    memory.flush()
    store = memory.store
    assert isinstance(store, QdrantStore)
    assert len(store) == 100_000
    ids, _ = store.search(memory, np.arange(1_000), "who was at the harbour", k=5)
    assert (ids >= 0).all()
    memories = memory[7].stream.read(ids[7])
    assert all("harbour" in one.text for one in memories)
    assert time.process_time() - started < 60


def test_a_folder_is_announced_as_slow(tmp_path: Path) -> None:
    with pytest.warns(RuntimeWarning, match="searched point by point in Python"):
        make_client("", str(tmp_path / "qdrant")).close()


def test_a_memory_is_never_mixed_with_a_nonempty_collection(client: Any) -> None:
    memory = Memory(3)
    live(memory)
    memory.connect(QdrantStore(client))
    assert same_streams(memory, connected(client))
    other = Memory(3)
    other[0].stream.add("home", "Something else")
    with pytest.raises(ParameterError, match="memopolis is not empty"):
        other.connect(QdrantStore(client))
    with pytest.raises(ParameterError, match="row 1, the memory 1 agents"):
        connected(client, agents=1)


def test_restored_and_carried_memories_are_copied(client: Any) -> None:
    memory, source = connected(client), Memory(3)
    live(source)
    memory.restore(source.state())
    assert same_streams(memory, connected(client))
    target = Memory(4, store=QdrantStore(client, "other"))
    carry(source[2], target[3])
    target.flush()
    target[0].stream.add("home", "The rent is due")
    target.flush()
    again = Memory(4, store=QdrantStore(client, "other"))
    ids = np.arange(60)
    assert [m.text for m in again[3].stream.read(ids)] == [
        m.text for m in source[2].stream.read(ids)
    ]


def test_another_embedder_needs_another_collection(client: Any) -> None:
    class Plane:
        def vectors(self, texts: Any) -> Any:
            return np.array([[len(text), 1.0] for text in texts], np.float32)

    connected(client)
    with pytest.raises(ParameterError, match="256 dimensions, the embedder returns 2"):
        connected(client, embedder=Plane())


def test_a_missing_server_is_reported_in_one_line() -> None:
    with pytest.raises(ServerError, match="Qdrant returned an error") as refused:
        Memory(1, store=QdrantStore("http://127.0.0.1:9"))
    assert "\n" not in str(refused.value)


def test_a_failed_write_is_repeated(client: Any) -> None:
    memory = connected(client)
    client.delete_collection("memopolis")
    memory[0].stream.add("home", "The rent is due")
    with pytest.raises(ServerError, match="memopolis not found"):
        memory.flush()
    connected(client)
    memory.flush()
    assert same_streams(memory, connected(client))


class Person(Agent):
    """A person."""


class Town(Society[Settings]):
    """Ten people who hear one thing."""

    def build(self, settings: Settings) -> None:  # noqa: ARG002
        people = self.populate(Person, 10)
        people.memory.stream.add("home", "The rent is due")


def settings(path: Path, name: str = "memopolis") -> Settings:
    changes = {"memory.store": "qdrant", "memory.path": str(path), "memory.collection": name}
    return Settings(days=1).with_changes(changes)


def test_a_run_copies_the_memories_of_each_population(tmp_path: Path) -> None:
    town = Town(settings(tmp_path / "qdrant"), rng=1)
    town.run(tmp_path / "first")
    client = QdrantClient(path=str(tmp_path / "qdrant"))
    again = Memory(10, store=QdrantStore(client, "memopolis-first-person"))
    assert again[9].stream.read([0])[0].text == "The rent is due"
    client.close()
    with pytest.raises(ParameterError, match="memopolis-first-person is not empty"):
        Town(settings(tmp_path / "qdrant"), rng=1).run(tmp_path / "second" / "first")


def hurricane(path: Path | None) -> Hurricane:
    store: dict[str, Any] = {"store": "qdrant", "path": str(path)} if path else {}
    return Hurricane(agents=8, days=1, rng=3, checkpoint={"every": 6, "keep": 0}, memory=store)


def test_resumed_and_forked_runs_search_the_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []
    own = QdrantStore.find

    def find(self: QdrantStore, *arguments: Any) -> Any:
        asked.append(self.collection)
        return own(self, *arguments)

    def stop(step: int, *_: object) -> None:
        if step == 15:
            raise StopRun

    monkeypatch.setattr(QdrantStore, "find", find)
    whole = table_digests(hurricane(None).run(tmp_path / "arrays"))
    assert not asked
    path = tmp_path / "qdrant"
    with pytest.raises(StopRun):
        hurricane(path).run(tmp_path / "run", progress=stop)
    own_settings = {"memory.store": "qdrant", "memory.path": str(path)}
    asked.clear()
    assert table_digests(resume(tmp_path / "run", settings=own_settings)) == whole
    populations = ("citizen", "firm", "government")
    assert set(asked) == {f"memopolis-run-{name}" for name in populations}
    asked.clear()
    folder = fork(tmp_path / "run", tmp_path / "fork", at=10, changes=own_settings)
    assert table_digests(folder) == whole
    assert set(asked) == {f"memopolis-fork-{name}" for name in populations}


def test_a_run_folder_may_not_name_a_store_by_itself(tmp_path: Path) -> None:
    with pytest.raises(TrustError, match=r"memory\.store = qdrant"):
        Trust().check(settings(tmp_path), "the run")
    allowed = {"memory.store": "qdrant", "memory.path": str(tmp_path)}
    Trust(allowed).check(settings(tmp_path), "the run")
