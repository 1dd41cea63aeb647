"""Streams in Qdrant, in its local mode: the verbs of those in arrays, with the same results."""

from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any, Literal

import numpy as np
import pytest

from memopolis.sim.errors import ParameterError, ServerError
from memopolis.sim.memory.memory import Memory
from memopolis.sim.memory.retrieval.profiles import Profile
from memopolis.sim.memory.vectors.embedders.rounding import rounded

if find_spec("qdrant_client") is None:
    pytest.skip("needs the extra qdrant", allow_module_level=True)

from memopolis.sim.memory.qdrant.memory import QdrantMemory
from memopolis.sim.memory.qdrant.store import Client

pytestmark = pytest.mark.extras

SAID = (
    ("disaster", "A hurricane is coming toward the coast"),
    ("social", "{actor} is going to stay with a cousin inland"),
    ("economy", "The store sold out of water and batteries"),
    ("work", "My boss gave me a raise"),
    ("home", "The landlord raised the rent"),
    ("disaster", "The wind tore the roof off the school"),
    ("social", "Talked with {actor} about the garden"),
    ("home", "Dinner was salad and soup"),
)
ASKED = ("is there a storm", "what did I buy", "how is my flat")


@pytest.fixture
def client() -> Iterator[Any]:
    made = Client(":memory:")
    yield made
    made.close()


def live(memory: Any, hours: int = 30, *, seed: int = 1) -> None:
    """Three agents, unequal streams, every column in use."""
    rng = np.random.default_rng(seed)
    for hour in range(hours):
        memory.now = hour
        for row in range(3):
            if rng.random() < 0.3 * (row + 1):
                topic, text = SAID[rng.integers(len(SAID))]
                memory[row].stream.add(
                    topic, text, actor=int(rng.integers(3)), place=int(rng.integers(4)),
                    importance=rng.random(), valence=rng.uniform(-1, 1), tags=("urgent",),
                    emotion="Fear", continues=bool(rng.random() < 0.4),
                )  # fmt: skip


def both(client: Any, limit: int = 1000, candidates: int = 1000) -> tuple[Memory, QdrantMemory]:
    arrays = Memory(3, limit=limit)
    kept = QdrantMemory(3, client=client, limit=limit, candidates=candidates)
    for memory in (arrays, kept):
        live(memory)
    return arrays, kept


def test_society_finds_what_arrays_find_even_with_one_candidate_at_a_time(client: Any) -> None:
    arrays, kept = both(client, candidates=1)
    for query in ASKED:
        for k in (1, 3, 7):
            ours = kept.stream.search(query, k, profile="society", explain=True)
            theirs = arrays.stream.search(query, k, profile="society", explain=True)
            assert np.array_equal(ours.ids, theirs.ids)
            assert np.array_equal(ours.scores, theirs.scores)
            assert np.array_equal(ours.terms["dense"], theirs.terms["dense"])


@pytest.mark.parametrize("profile", ["act", "recall", "town", "working", "society"])
def test_every_profile_finds_what_arrays_find_with_all_as_candidates(
    client: Any, profile: str
) -> None:
    arrays, kept = both(client)
    for queries in ("is there a storm", list(ASKED)):
        ours = kept.stream.search(queries, 5, profile=profile)
        theirs = arrays.stream.search(queries, 5, profile=profile)
        assert np.array_equal(ours.ids, theirs.ids)
        assert np.array_equal(ours.scores, theirs.scores)


@pytest.mark.parametrize(
    "wanted",
    [
        {"topic": "disaster"}, {"topic": "none"}, {"days": (0, 0)}, {"place": 2},
        {"place": [0, 1, 2]}, {"emotion": "Fear"}, {"emotion": "Joy"}, {"kind": "thought"},
        {"only_actor": 1}, {"tags": ("urgent",)}, {"tags": ("unheard",)}, {"sign": "positive"},
        {"sign": "negative"}, {"sign": "urgent"},
    ],
)  # fmt: skip
def test_filters_pass_what_they_pass_in_arrays(client: Any, wanted: dict[str, Any]) -> None:
    arrays, kept = both(client, candidates=4)
    ours = kept.stream.search("a storm", 4, profile="society", **wanted)
    theirs = arrays.stream.search("a storm", 4, profile="society", **wanted)
    assert np.array_equal(ours.ids, theirs.ids)


def test_one_agent_is_a_cohort_of_one_and_is_told_the_same(client: Any) -> None:
    arrays, kept = both(client)
    ours = kept[2].stream.search("a storm", 4, profile="society")
    assert list(ours) == list(arrays[2].stream.search("a storm", 4, profile="society"))
    assert str(ours) == str(arrays[2].stream.read([one.id for one in ours]))
    again = kept.of([2]).observed.stream.search("a storm", 4, profile="society")
    assert again.ids[0].tolist() == [one.id for one in ours]


def test_own_searches_are_booked_and_observers_are_not(client: Any) -> None:
    arrays, kept = both(client)
    for memory in (arrays, kept):
        memory.now = 31
        memory[2].observed.stream.search("a storm", 3, profile="society")
        memory[2].stream.search("a storm", 3, profile="society")
        memory.now = 33
        memory.stream.search("a storm", 2, profile="society")
    ids = np.arange(40)
    for name in ("accesses", "accessed", "importance", "valence", "confidence", "place", "actor"):
        ours, theirs = kept[2].stream.column(name, ids), arrays[2].stream.column(name, ids)
        assert np.array_equal(ours, theirs, equal_nan=True)
    assert kept[2].stream.column("accesses", ids).max() == 2


def test_the_oldest_goes_out_and_its_point_with_it(client: Any) -> None:
    arrays, kept = both(client, limit=5)
    assert kept.stream.counts.tolist() == arrays.stream.counts.tolist() == [5, 5, 5]
    assert len(kept.store) == 15
    found = kept.stream.search("a storm", 10, profile="society")
    assert np.array_equal(found.ids, arrays.stream.search("a storm", 10, profile="society").ids)
    assert kept[2].stream.read([0, int(found.ids.max())])[0].id == found.ids.max()


def test_a_point_left_behind_is_never_found(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    _, kept = both(client, limit=5)
    monkeypatch.setattr(kept.store, "drop", list)
    new = kept[1].stream.add("home", "The landlord raised the rent")
    assert len(kept.store) == 16
    assert len(kept[1].stream) == 5
    found = kept[1].stream.search("rent", 10, profile="society")
    assert min(one.id for one in found) == new - 4


def test_no_agent_sees_anothers_memories(client: Any) -> None:
    kept = QdrantMemory(2, client=client)
    kept[0].stream.add("home", "My secret is in the cellar")
    assert kept[1].stream.search("secret", profile="society") == []
    assert kept[1].stream.read([0]) == []
    assert kept[1].stream.forget([0]) == 0
    assert kept[1].stream.column("time", [0]).tolist() == [-1]
    assert len(kept[0].stream) == 1


def test_what_is_forgotten_is_gone_and_ids_go_on(client: Any) -> None:
    arrays, kept = both(client)
    for memory in (arrays, kept):
        newest = len(memory[2].stream) - 1
        assert memory[2].stream.forget([3, 3, newest, 999]) == 2
        assert memory[2].stream.forget(topic="disaster") > 0
        assert memory[1].stream.forget(older_than=20) > 0
        assert memory[2].stream.add("home", "Something new") == newest + 1
    assert kept.stream.counts.tolist() == arrays.stream.counts.tolist()
    ours = kept.stream.search("a storm", 20, profile="society")
    assert np.array_equal(ours.ids, arrays.stream.search("a storm", 20, profile="society").ids)
    assert kept[2].stream.read([3]) == []


def test_links_lead_to_thoughts_and_thoughts_tell_their_evidence(client: Any) -> None:
    arrays, kept = both(client)
    for memory in (arrays, kept):
        stream = memory[2].stream
        thought = stream.link([1, 4], "It gets serious: {evidence}", importance=0.9)
        assert stream.link([5], "It gets serious: {evidence}") == thought
        assert stream.link([6], thought) == thought
        assert stream.thoughts_of([1, 4, 5, 6, 2, 999]).tolist() == [thought] * 4 + [-1, -1]
        with pytest.raises(ParameterError, match="id of a memory"):
            stream.link([1], 10_000)
    assert kept[2].stream.read([thought])[0] == arrays[2].stream.read([thought])[0]
    linked = kept.of([1, 2]).stream.link([[0, 1], [0, -1]], ["One", "Two"])
    assert (
        linked.tolist() == arrays.of([1, 2]).stream.link([[0, 1], [0, -1]], ["One", "Two"]).tolist()
    )


@pytest.mark.parametrize("by", ["importance", "time"])
def test_today_is_todays(client: Any, by: Literal["importance", "time"]) -> None:
    arrays, kept = both(client)
    ours, theirs = kept.stream.today(k=3, by=by), arrays.stream.today(k=3, by=by)
    assert np.array_equal(ours.ids, theirs.ids)
    assert np.array_equal(ours.scores, theirs.scores)
    asked = kept[2].stream.today("a storm", 2)
    assert {one.id for one in asked} <= {one.id for one in kept[2].stream.today(k=50)}
    assert len(asked) == 2


def test_a_collection_is_gone_on_with(client: Any) -> None:
    arrays, kept = both(client, limit=6)
    again = QdrantMemory(3, client=client, limit=6)
    again.now = kept.now
    assert again.rules.issued.tolist() == arrays.issued.tolist()
    for memory in (arrays, again):
        memory[0].stream.add("home", "The landlord raised the rent")
    ours = again.stream.search("rent", 6, profile="society")
    assert np.array_equal(ours.ids, arrays.stream.search("rent", 6, profile="society").ids)
    with pytest.raises(ParameterError, match="row 2, agents is 2"):
        QdrantMemory(2, client=client)


def test_a_folder_holds_what_arrays_would_have_saved(client: Any, tmp_path: Any) -> None:
    arrays, kept = both(client, limit=8)
    for memory in (arrays, kept):
        memory[2].stream.link([memory[2].stream.search("storm", 1)[0].id], "A thought")
        memory[1].stream.forget(topic="social")
    loaded = Memory.load(kept.save(tmp_path / "saved"))
    mine = loaded.state()
    for name, values in arrays.state().items():
        if name.startswith("streams/") and name not in ("streams/words", "streams/table"):
            assert np.array_equal(mine[name], values), name
    for row in range(3):
        ids = np.arange(60)
        assert loaded[row].stream.read(ids) == arrays[row].stream.read(ids)
    other = QdrantMemory.load(tmp_path / "saved", client=client, collection="other")
    ours = other.stream.search("rent", 6, profile="society")
    assert np.array_equal(ours.ids, arrays.stream.search("rent", 6, profile="society").ids)
    with pytest.raises(ParameterError, match="other is not empty"):
        QdrantMemory.load(tmp_path / "saved", client=client, collection="other")


def test_another_embedder_needs_another_collection(client: Any) -> None:
    class Plane:
        def vectors(self, texts: Any) -> Any:
            return np.array([[len(text), 1.0] for text in texts], np.float32)

    QdrantMemory(1, client=client)
    with pytest.raises(ParameterError, match="256 dimensions, the embedder gives 2"):
        QdrantMemory(1, client=client, embedder=Plane())
    own = QdrantMemory(1, client=client, collection="own", embedder=Plane())
    for text in ("a", "aaa", "aaaaa"):
        own[0].stream.add("x", text)
    (found,) = own[0].stream.search("aaaa", 1, profile=Profile(dense=1.0))
    # Cosines of (4, 1) with (1, 1), (3, 1) and (5, 1): the last is nearest.
    a, b = rounded(np.array([[4, 1], [5, 1]], np.float32), 16).astype(np.float64)
    assert found.text == "aaaaa"
    assert found.score == pytest.approx(a @ b / np.sqrt((a @ a) * (b @ b)), abs=1e-6)


def test_impossible_arguments_are_refused_and_nothing_is_stored(client: Any) -> None:
    kept = QdrantMemory(2, client=client)
    for call in (
        lambda: kept.stream.add("x", "y", importance=2.0),
        lambda: kept.stream.search("x", 0),
        lambda: kept.stream.search(["x"], 1),
        lambda: kept.stream.link([[0], [0]]),
        kept[0].stream.forget,
        lambda: QdrantMemory(1, client=client, candidates=0),
    ):
        with pytest.raises(ParameterError):
            call()
    assert len(kept.store) == 0


def test_a_server_that_is_not_there_is_one_line() -> None:
    with pytest.raises(ServerError, match="Qdrant does not answer as it should") as refused:
        QdrantMemory(1, client="http://127.0.0.1:9")
    assert "\n" not in str(refused.value)


def test_a_collection_that_was_taken_away_is_one_line(client: Any) -> None:
    kept = QdrantMemory(1, client=client)
    client.delete_collection("memopolis")
    with pytest.raises(ServerError, match="memopolis not found"):
        kept[0].stream.add("home", "The rent is due")
    again = QdrantMemory(1, client=client)
    kept.store = again.store
    assert kept[0].stream.add("home", "The rent is due") == 0


def test_a_text_that_says_nothing_is_kept_and_found_last(client: Any) -> None:
    kept, arrays = QdrantMemory(1, client=client), Memory(1)
    for memory in (kept, arrays):
        for text in ("", "The storm is here", "?"):
            memory[0].stream.add("home", text)
    for query in ("storm", "", "?"):
        ours = kept[0].stream.search(query, 3, profile=Profile(dense=1.0))
        theirs = arrays[0].stream.search(query, 3, profile=Profile(dense=1.0))
        assert list(ours) == list(theirs)
