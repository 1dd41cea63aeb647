"""The verbs of memory, for one agent and for many."""

from datetime import datetime, timedelta
from typing import Any

import numpy as np
import pytest

from memopolis.sim.errors import ParameterError, SchemaError, UnknownNameError
from memopolis.sim.memory.memory import Added, Memory
from memopolis.sim.memory.retention.activation import Retention
from memopolis.sim.memory.retrieval.filter import Filter
from memopolis.sim.memory.retrieval.profiles import Profile
from memopolis.sim.memory.streams.encoding import EMOTIONS
from memopolis.sim.memory.text.texts import Texts

RELEVANCE_ALONE = Profile(0, 0, 1)


def test_the_readme_sample_runs() -> None:
    memory = Memory(agents=2)
    ann, bob = memory
    ann.status.update("friends", ["Bob"], mode="merge")
    ann.stream.add("social", "Talked with {actor} about the traffic jam", actor=bob, importance=0.4)
    (recalled,) = ann.stream.search("commute", k=3)
    assert recalled.text == "Talked with agent 1 about the traffic jam"
    many = memory.stream.search("commute", k=3)
    assert many.ids.tolist() == [[0, -1, -1], [-1, -1, -1]]
    assert many.scores.shape == (2, 3)
    assert ann.status["friends"] == ["Bob"]


def test_a_default_search_finds_a_memory_that_shares_no_word_with_the_query() -> None:
    ann = Memory(agents=1)[0]
    for text in ("The traffic jam made me late", "The bank lowered interest rates", "I had soup"):
        ann.stream.add("life", text)
    assert ann.stream.search("commute", k=1)[0].text == "The traffic jam made me late"
    assert ann.stream.search("loan", k=1)[0].text == "The bank lowered interest rates"


def test_a_memory_keeps_all_its_fields() -> None:
    memory = Memory(2)
    memory.now = 30
    memory.name_of = {17: "Bob"}.__getitem__
    memory.place_name = ["harbour", "market"].__getitem__
    stream = memory[1].stream
    stream.add("social", "Hm.")
    number = stream.add(
        "social",
        "{actor} told me about {place}: {x} {} {",
        actor=17,
        place=1,
        importance=0.8,
        valence=-0.5,
        confidence=0.6,
        kind="thought",
        emotion="Fear",
        continues=True,
        tags=5,
    )
    (recalled,) = stream.read([number])
    assert recalled.text == "Bob told me about market: {x} {} {"
    assert recalled.template == "{actor} told me about {place}: {x} {} {"
    assert (recalled.id, recalled.time, recalled.accessed, recalled.accesses) == (1, 30, 30, 0)
    assert (recalled.topic, recalled.actor, recalled.place, recalled.location) == (
        "social",
        17,
        1,
        "market",
    )
    assert (recalled.kind, recalled.emotion, recalled.thought) == ("thought", "Fear", -1)
    assert recalled.importance == pytest.approx(0.8, abs=1 / 255)
    assert recalled.valence == pytest.approx(-0.5, abs=1 / 127)
    assert recalled.confidence == pytest.approx(0.6, abs=1 / 255)
    assert stream.column("tags", [number]).tolist() == [5]
    assert str(recalled).endswith("[day: 1, time: 06:00:00, location: market]")


def test_one_and_many_store_the_same() -> None:
    one, many = Memory(3), Memory(3)
    values: dict[str, Any] = {"importance": 0.31, "valence": -0.7, "confidence": 0.2, "actor": 4}
    for agent in one:
        agent.stream.add("news", "storm", **values, place=2, emotion="Hope", continues=True)
    many.stream.add("news", "storm", **values, place=2, emotion="Hope", continues=True)
    one.flush()
    many.flush()
    for name in ("importance", "valence", "confidence", "actor", "place", "kind", "emotion"):
        ids = np.zeros(3, np.int64)
        assert np.array_equal(one.stream.column(name, ids), many.stream.column(name, ids))


def test_a_cohort_accepts_one_value_per_agent() -> None:
    memory = Memory(4)
    numbers = memory.texts.intern_many(["a storm", "bread"])
    cohort = memory.of([3, 1])
    ids = cohort.stream.add(
        "social", numbers, actor=[memory[0], None], place=np.array([2, -1]),
        importance=[0.2, 1.0], emotion=["Joy", None], continues=[False, True],
    )  # fmt: skip
    assert ids.tolist() == [0, 0]
    assert cohort.stream.column("actor", ids).tolist() == [0, -1]
    assert cohort.stream.column("emotion", ids).tolist() == [EMOTIONS.index("Joy") + 1, 0]
    assert cohort.stream.column("importance", ids).tolist() == pytest.approx([0.2, 1.0])
    assert cohort.stream.add("social", ["same", "same"]).tolist() == [1, 1]
    assert [m.text for m in memory[3].stream.read([0, 1])] == ["a storm", "same"]
    assert len(memory.texts) == 3, "equal texts are kept once"
    assert memory.stream.counts.tolist() == [0, 2, 0, 2]


def test_a_row_may_occur_twice_in_a_cohort() -> None:
    memory = Memory(3)
    twice = memory.of([2, 0, 2, 2])
    assert twice.stream.add("x", ["a", "b", "c", "d"]).tolist() == [0, 0, 1, 2]
    assert [m.text for m in memory[2].stream.read([0, 1, 2])] == ["a", "c", "d"]
    results = twice.stream.search("a", k=3)
    assert results.ids[0].tolist() == results.ids[2].tolist()
    assert memory[2].stream.column("accesses", [0, 1, 2]).tolist() == [1, 1, 1]


def test_added_memories_are_deferred_in_a_society() -> None:
    memory = Memory(2)
    memory.deferred = True
    batches: list[Added] = []
    memory.stored.append(batches.append)
    assert memory[1].stream.add("social", "first") == 0
    assert memory.stream.add("social", "second").tolist() == [0, 1]
    assert memory[0].stream.add("news", "third") == 1
    assert memory[1].stream.search("first") == []
    assert not batches
    memory.flush()
    (added,) = batches
    assert added.rows.tolist() == [1, 0, 1, 0]
    assert added.ids.tolist() == [0, 0, 1, 1]
    assert [memory.texts[n] for n in added.text] == ["first", "second", "second", "third"]
    assert added.columns["topic"].tolist() == [0, 0, 0, 1]
    assert len(memory[1].stream.search("first")) == 2
    memory.flush()
    assert len(batches) == 1, "nothing new is no batch"


def test_a_queued_memory_does_not_change_with_the_arrays_that_were_passed() -> None:
    memory = Memory(3)
    memory.deferred = True
    memory.topic_number("social")
    passed: dict[str, Any] = {
        "topic": np.zeros(2, np.uint8), "text": np.full(2, memory.texts.intern("a"), np.int32),
        "actor": np.full(2, 7, np.int32), "place": np.full(2, 3, np.int16),
        "emotion": np.full(2, 1, np.uint8), "tags": np.full(2, 4, np.uint16),
    }  # fmt: skip
    rows = np.array([0, 2])
    ids = memory.of(rows).stream.add(**passed)
    before = {name: values.tolist() for name, values in passed.items()}
    for values in (rows, ids, *passed.values()):
        values[:] += 1
    (added,) = memory.pending.batches
    assert added.rows.tolist() == [0, 2]
    assert added.ids.tolist() == [0, 0]
    assert {name: getattr(added, name).tolist() for name in before} == before


def test_accesses_are_recorded_once_per_search_at_the_flush() -> None:
    memory = Memory(2)
    memory.stream.add("social", "storm")
    memory.flush()
    memory.deferred = True
    memory.now = 7
    stream = memory[0].stream
    stream.search("storm")
    (recalled,) = stream.search("storm")
    assert (recalled.accessed, recalled.accesses) == (0, 0), "nobody sees it before the block ends"
    memory.of([0, 0]).stream.search("storm")
    memory.flush()
    assert memory.stream.column("accesses", [0, 0]).tolist() == [3, 0]
    assert memory.stream.column("accessed", [0, 0]).tolist() == [7, 0]
    for _ in range(300):
        stream.search("storm")
    memory.flush()
    assert memory.stream.column("accesses", [0, 0]).tolist() == [255, 0]


def test_recently_recalled_memories_come_first() -> None:
    memory = Memory(1)
    stream = memory[0].stream
    stream.add("social", "bread")
    stream.add("social", "rain")
    memory.now = 48
    assert [m.text for m in stream.search("bread", k=1, profile=RELEVANCE_ALONE)] == ["bread"]
    memory.now = 50
    act = stream.search("nothing alike", k=2, profile="act", explain=True)
    assert [m.text for m in act] == ["bread", "rain"]
    assert act[0].terms["recency"] == pytest.approx(0.5 ** (2 / 24))
    created = Profile(1, 0, 0, since="created")
    # Equally old: the later access decides, then the higher id.
    assert [m.id for m in stream.search("", profile=created)] == [1, 0]


def test_observers_change_nothing() -> None:
    memory = Memory(2)
    memory.stream.add("social", "storm")
    memory.now = 3
    memory.recall = "none"
    for item in (
        memory.observed[0].stream.search("storm"),
        memory[0].observed.stream.today(),
        memory.observed.of([0]).stream.search("storm").ids[0],
        memory.of([0]).observed.stream.today().ids[0],
        memory.observed.stream.search("storm").ids[0],
        next(iter(memory.observed)).stream.search("storm"),
    ):
        assert len(item) >= 1
        assert item[0] != -1
    assert memory[0].stream.search("storm") == []
    assert memory.stream.column("accesses", [0, 0]).tolist() == [0, 0]
    memory.deferred = True
    memory[0].stream.add("social", "later")
    memory.observed[0].stream.search("later")
    assert memory.pending, "looking stores nothing"
    assert len(memory.observed) == 2


def test_filters_select_memories() -> None:
    memory = Memory(1)
    memory.ticks_per_day = 10
    stream = memory[0].stream
    for tick in range(40):
        memory.now = tick
        stream.add(
            ("social", "economy")[tick % 2], f"storm {tick}", place=tick % 5, actor=tick % 3,
            emotion=("Joy", None)[tick % 2], kind=("event", "thought")[tick % 4 == 0],
        )  # fmt: skip

    def ids(actor: int | None = None, **where: Any) -> set[int]:
        results = stream.search("storm", k=50, where=Filter(**where), actor=actor)
        return {m.id for m in results}

    everything = range(40)
    assert ids() == set(everything)
    assert ids(topic="economy") == {i for i in everything if i % 2}
    assert ids(days=(1, 2)) == set(range(10, 30))
    assert ids(place=3) == {i for i in everything if i % 5 == 3}
    assert ids(emotion="Joy") == {i for i in everything if i % 2 == 0}
    assert ids(kind="thought") == {i for i in everything if i % 4 == 0}
    by_two = stream.search("storm", k=50, where=Filter(actor=2))
    assert {m.id for m in by_two} == {i for i in everything if i % 3 == 2}
    assert ids(topic="social", days=(0, 0), place=2) == {2}
    assert ids(topic="a topic nobody used") == set()
    assert ids(actor=2) == set(everything), "the actor term leaves nobody out"
    with pytest.raises(UnknownNameError, match="Joyful"):
        ids(emotion="Joyful")
    with pytest.raises(ParameterError, match="days"):
        ids(days=(2, 1))
    with pytest.raises(ParameterError, match="kind"):
        ids(kind="fact")


def test_filters_may_differ_between_agents() -> None:
    memory = Memory(2)
    for place in range(3):
        memory.stream.add("social", "storm", place=place, actor=place)
    assert memory.stream.search("storm", k=2, where=Filter(place=[2, 0])).ids.tolist() == [
        [2, -1],
        [0, -1],
    ]
    assert memory.stream.search("storm", k=1, where=Filter(actor=[1, 2])).ids.tolist() == [[1], [2]]
    results = memory.stream.search("storm", k=1, actor=[1, 0], profile=RELEVANCE_ALONE)
    assert results.ids.tolist() == [[1], [0]]


def test_a_filtered_neighbour_still_adds_relevance() -> None:
    memory = Memory(1)
    stream = memory[0].stream
    stream.add("social", "the hurricane shelter")
    stream.add("economy", "pens and paper", continues=True)
    stream.add("economy", "pens and paper")
    results = stream.search(
        "hurricane", where=Filter(topic="economy"), profile=RELEVANCE_ALONE, explain=True
    )
    assert [m.id for m in results] == [1, 2]
    assert results[0].terms["near"] > 0
    assert results[1].terms["near"] == 0


def test_names_and_dates_in_the_query_add_to_the_score() -> None:
    memory = Memory(1)
    memory.names = {"Ann": 5}
    memory.date_of = lambda tick: datetime(2019, 8, 30) + timedelta(days=tick)
    stream = memory[0].stream
    for tick in range(4):
        memory.now = tick
        stream.add("social", "bread", actor=5 if tick == 1 else None)
    best = stream.search("What did Ann say?", k=1, profile=RELEVANCE_ALONE)
    assert best[0].id == 1
    results = stream.search("in September", profile=RELEVANCE_ALONE, explain=True)
    assert {m.id for m in results if m.terms["date"] > 0} == {2, 3}
    results = stream.search("bread", when=(0, 0), profile=RELEVANCE_ALONE)
    assert results[0].id == 0
    memory.names = {"Bob": 5}
    (asked,) = memory.of([0]).stream.search("Bob", k=1, profile=RELEVANCE_ALONE).ids
    assert asked.tolist() == [1], "names are read again when they change"


def test_each_query_is_searched_for_its_agent() -> None:
    memory = Memory(3)
    memory.stream.add("social", "storm")
    memory.stream.add("social", "bread")
    results = memory.stream.search(["bread", "storm"], k=1, each=[1, 0, 1], profile=RELEVANCE_ALONE)
    assert results.ids.tolist() == [[0], [1], [0]]
    by_agent = memory.of([0, 2]).stream.search(["bread", "storm"], k=1, profile=RELEVANCE_ALONE)
    assert by_agent.ids.tolist() == [[1], [0]]
    for each in ([0, 1], [0, 1, 2], [0, -1, 1]):
        with pytest.raises(ParameterError, match="each"):
            memory.stream.search(["bread", "storm"], each=each)
    with pytest.raises(ParameterError, match="2 queries for 3 agents"):
        memory.stream.search(["bread", "storm"])


def test_recall_none_returns_only_the_current_tick() -> None:
    memory = Memory(2)
    memory.recall = "none"
    memory.stream.add("social", "storm yesterday")
    memory.now = 5
    memory.stream.add("social", "storm now")
    assert memory.stream.search("storm", k=2).ids.tolist() == [[1, -1], [1, -1]]
    assert [m.id for m in memory[0].stream.today()] == [1]


def test_recall_random_draws_by_row_tick_and_id() -> None:
    memory = Memory(200, seed=3)
    memory.recall = "random"
    for i in range(20):
        memory.stream.add(("a", "b")[i % 2], "bread" if i else "storm")
    results = memory.stream.search("storm", k=5)
    assert all(len(set(ids)) == 5 for ids in results.ids.tolist())
    counts = np.bincount(results.ids.ravel(), minlength=20)
    assert counts.min() > 20, "each of the 20 is drawn about 50 times"
    again = memory.of([199, 4]).stream.search("another query", k=5)
    assert np.array_equal(again.ids, results.ids[[199, 4]]), "nobody else changes a draw"
    assert (memory.stream.search("", k=10, where=Filter(topic="a")).ids % 2 == 0).all()
    memory.now = 1
    assert not np.array_equal(memory.stream.search("storm", k=5).ids, results.ids)


def test_today_is_a_day_or_a_longer_tick() -> None:
    memory = Memory(1)
    memory.ticks_per_day = 4
    memory.day_offset = 2
    stream = memory[0].stream
    for tick in range(9):
        memory.now = tick
        stream.add("social", f"storm {tick}", importance=tick % 4 / 4)
    # Tick 0 begins at noon, so the third day holds ticks 6 to 9.
    assert [m.id for m in stream.today()] == [7, 6, 8]
    assert [m.id for m in stream.today(k=2, by="time")] == [8, 7]
    assert {m.id for m in stream.today("storm 6")} == {6, 7, 8}
    assert memory.stream.today(k=4).ids.tolist() == [[7, 6, 8, -1]]
    assert {m.day for m in stream.today()} == {2}
    memory.ticks_per_day = 1 / 30
    assert [m.id for m in stream.today()] == [8]
    with pytest.raises(ParameterError, match="by"):
        stream.today(by="size")  # type: ignore[arg-type]


def test_days_run_from_midnight() -> None:
    memory = Memory(1)
    assert memory.ticks_of_days(0, 0) == (0, 23)
    memory.day_offset = 8.0
    assert memory.ticks_of_days(1, 2) == (16, 63)
    memory.ticks_per_day, memory.day_offset = 1 / 30, 0.0
    assert memory.ticks_of_days(0, 89) == (0, 2)


def test_a_link_stores_a_thought_and_refers_to_it() -> None:
    memory = Memory(2)
    stream = memory[0].stream
    for text in ("I saw rain.", "I saw wind.", "I ate.", "I saw waves."):
        stream.add("social", text, importance={"I ate.": 0.1}.get(text, 0.9), place=4)
    thought = stream.link([0, 1, 2, 3], "Because: {evidence}", importance=0.7, emotion="Fear")
    assert stream.thoughts_of([0, 3, 4, 99]).tolist() == [4, 4, -1, -1]
    (recalled,) = stream.read(stream.thoughts_of([0]))
    assert recalled.text == "Because: I saw rain. I saw wind."
    assert (recalled.topic, recalled.kind, recalled.emotion, recalled.id) == (
        "cognition",
        "thought",
        "Fear",
        4,
    )
    assert stream.link([2], "Because: {evidence}") == thought, "held already"
    other = stream.add("cognition", "All is well.", kind="thought")
    assert stream.link([2], to=other) == other
    assert stream.thoughts_of([[2, 0]]).tolist() == [[other, thought]]
    assert [m.location for m in stream.read([0])] == ["place 4"], "the place stays"
    with pytest.raises(ParameterError, match="thought"):
        stream.link([2], to=77)


def test_a_cohort_links_thoughts() -> None:
    memory = Memory(3)
    memory.deferred = True
    memory.stream.add("social", "rain")
    memory.stream.add("social", "wind")
    memory[1].stream.link([0], "I worry.")
    numbers = memory.texts.intern_many(["I worry.", "I hope."])[[0, 0, 1]]
    ids = np.array([[0, 1], [1, -1], [-1, -1]])
    importance = np.array([0.2, 0.4, 0.6])
    thoughts = memory.stream.link(ids, numbers, importance=importance)
    assert thoughts.tolist() == [2, 2, 2], "the second holds it already, though it waits"
    memory.flush()
    assert memory.stream.thoughts_of([[0, 1]] * 3).tolist() == [[2, 2], [2, 2], [-1, -1]]
    memories = memory.stream.column("importance", thoughts)
    assert memories.tolist() == pytest.approx([0.2, 0.5, 0.6], abs=1 / 255)
    assert memory.stream.link(ids, to=[0, 1, 2]).tolist() == [0, 1, 2]
    with pytest.raises(ParameterError, match="either"):
        memory.stream.link(ids)
    with pytest.raises(ParameterError, match="colour"):
        memory.stream.link(ids, "new", colour=3)
    with pytest.raises(ParameterError, match="shape"):
        memory.stream.link([0, 1], "new")


def test_evicted_memories_are_removed_everywhere() -> None:
    memory = Memory(1, limit=3)
    stream = memory[0].stream
    stream.add("social", "the hurricane")
    thought = stream.link([0], "I fear {evidence}")
    memory.now = 1
    for text in ("a", "b"):
        stream.add("social", text)
    assert 0 not in {m.id for m in stream.search("hurricane", k=9)}
    assert stream.read([0]) == []
    assert stream.column("text", [0]).tolist() == [-1]
    assert stream.read([thought])[0].text == "I fear I no longer remember why."
    assert len(stream) == 3
    assert stream.add("social", "new") == 4
    assert [m.text for m in stream.search("new", k=1, profile=RELEVANCE_ALONE)] == ["new"]


def test_an_access_or_link_of_an_evicted_memory_is_dropped() -> None:
    memory = Memory(1, limit=2)
    memory.retention = Retention(evict="oldest")
    stream = memory[0].stream
    stream.add("social", "a")
    memory.flush()
    memory.deferred = True
    stream.search("a")
    stream.link([0], "t")
    stream.add("social", "b")
    stream.add("social", "c")
    memory.flush()
    assert stream.column("accesses", [2, 3]).tolist() == [0, 0]
    assert stream.thoughts_of([2, 3]).tolist() == [-1, -1]


def test_memories_with_the_same_texts_share_their_index() -> None:
    texts = Texts()
    a, b = Memory(1, texts=texts, limit=1), Memory(1, texts=texts, limit=1)
    assert a.index is b.index


def test_empty_results_are_empty_and_print_as_nothing() -> None:
    memory = Memory(2)
    results = memory[0].stream.search("storm")
    assert results == []
    assert str(results) == "Nothing"
    assert str(memory[0].stream.today()) == "Nothing"
    assert memory.stream.search("storm", k=2).ids.tolist() == [[-1, -1], [-1, -1]]
    assert memory.stream.search("storm").counts.tolist() == [0, 0]
    memory[0].stream.add("social", "Bread is dear.")
    memory[0].stream.add("social", "Rain.", place=3)
    printed = str(memory[0].stream.search("rain", profile=RELEVANCE_ALONE))
    assert printed.splitlines() == [
        "- [social]: Rain. [day: 0, time: 00:00:00, location: place 3]",
        "- [social]: Bread is dear. [day: 0, time: 00:00:00, location: unknown]",
    ]


def test_unusual_queries_get_results() -> None:
    memory = Memory(2)
    memory.stream.add("social", "storm")
    for query in ("", "\N{SNOWMAN}", "qqqzzz", "storm " * 17_000):
        assert memory.stream.search(query, k=40).ids[:, 0].tolist() == [0, 0]
    memory[0].stream.add("social", "rain " * 20_000)
    assert len(memory[0].stream.search("rain")) == 2


def test_an_empty_population_works() -> None:
    memory = Memory(0)
    assert memory.stream.add("social", "storm").shape == (0,)
    assert memory.stream.search("storm", k=3).ids.shape == (0, 3)
    assert memory.stream.today().ids.shape == (0, 20)
    assert list(memory) == []
    some = Memory(2).of(np.zeros(0, np.int64))
    assert some.stream.search(["storm"], each=[], k=1).ids.shape == (0, 1)
    assert some.stream.link(np.zeros((0, 2), np.int64), "t").shape == (0,)


@pytest.mark.parametrize(
    "message",
    [
        {"importance": -0.1},
        {"importance": 1.1},
        {"importance": float("nan")},
        {"valence": 1.5},
        {"confidence": 2},
        {"place": 40_000},
        {"place": -2},
        {"tags": -1},
        {"kind": "fact"},
        {"actor": "Bob"},
    ],
)
def test_values_out_of_range_are_refused(message: dict[str, Any]) -> None:
    memory = Memory(2)
    with pytest.raises(ParameterError):
        memory[0].stream.add("social", "storm", **message)
    with pytest.raises(ParameterError):
        memory.stream.add("social", "storm", **message)
    assert memory.issued.tolist() == [0, 0], "what is refused leaves no trace"
    assert memory[0].stream.add("social", "storm") == 0


def test_other_invalid_input_is_refused() -> None:
    memory = Memory(2)
    with pytest.raises(UnknownNameError, match="Glee"):
        memory[0].stream.add("social", "storm", emotion="Glee")
    with pytest.raises(ParameterError, match="k is 0"):
        memory.stream.search("storm", k=0)
    with pytest.raises(UnknownNameError, match="act, act_r, dense, lasting, late_interaction"):
        memory.stream.search("storm", profile="dream")
    with pytest.raises(ParameterError, match="shape"):
        memory.stream.add("social", "storm", importance=[0.1, 0.2, 0.3])
    with pytest.raises(ParameterError, match=r"text is .* from 0 to 0"):
        memory.stream.add("social", np.array([0, 9]))
    with pytest.raises(SchemaError, match="float"):
        memory.stream.add("social", np.array([0.5, 1.0]))
    with pytest.raises(UnknownNameError, match="colour"):
        memory.stream.column("colour", [0, 0])
    with pytest.raises(ParameterError, match="shape"):
        memory.stream.column("text", [0])
    with pytest.raises(IndexError):
        memory[2]
    with pytest.raises(ParameterError, match="topic is 3; a str"):
        memory[0].stream.add(3, "storm")  # type: ignore[arg-type]


def test_topics_are_free_up_to_255() -> None:
    memory = Memory(1)
    for i in range(255):
        memory[0].stream.add(f"topic {i}", "storm")
    with pytest.raises(ParameterError, match="255"):
        memory[0].stream.add("one more", "storm")
    assert [m.id for m in memory[0].stream.search("storm", where=Filter(topic="topic 254"))] == [
        254
    ]


def test_memories_grow_by_agents() -> None:
    memory = Memory(1)
    memory.status.declare("hunger", 0.5)
    memory.stream.add("social", "storm")
    memory.grow(3)
    memory[2].stream.add("social", "storm")
    assert memory.stream.search("storm", k=1).ids.tolist() == [[0], [-1], [0]]
    assert memory.stream.counts.tolist() == [1, 0, 1]
    assert memory[2].status["hunger"] == 0.5


def test_actors_are_named_across_populations() -> None:
    memory = Memory(2)
    memory.unique_ids = np.array([71, 72])
    memory[0].stream.add("social", "{actor} waved", actor=memory[1])
    assert memory[0].stream.read([0])[0].text == "agent 72 waved"


def test_a_restored_memory_continues_identically() -> None:
    def live(memory: Memory) -> None:
        for tick in range(40):
            memory.now = tick
            memory.stream.add("social", f"storm {tick} \N{SNOWMAN}", importance=tick / 40)
            memory.of([0, 2]).stream.search("storm 3", k=3)

    memory = Memory(3, limit=33)
    live(memory)
    memory[1].stream.link([35], "Hm.")
    state = memory.state()
    assert all(values.dtype != object for values in state.values())
    other = Memory(1)
    other.restore(state)
    for one in (memory, other):
        live(one)
    mine, theirs = (one.stream.search("storm 12", k=9) for one in (memory, other))
    assert np.array_equal(mine.ids, theirs.ids)
    assert np.array_equal(mine.scores, theirs.scores)
    assert memory.topics == other.topics
    assert other[1].stream.thoughts_of([35]).tolist() == memory[1].stream.thoughts_of([35]).tolist()


def test_threads_change_nothing() -> None:
    rng = np.random.default_rng(0)
    memory = Memory(40_000)
    numbers = memory.texts.intern_many([f"storm {i} bread {i % 7}" for i in range(50)])
    for _ in range(4):
        memory.stream.add(
            "social", numbers[rng.integers(0, 50, 40_000)], importance=rng.random(40_000)
        )
    memory.threads = 1
    one = memory.observed.stream.search("bread 3", k=3)
    memory.threads = 2
    two = memory.observed.stream.search("bread 3", k=3)
    assert np.array_equal(one.ids, two.ids)
    assert one.scores.tobytes() == two.scores.tobytes()


def test_one_template_for_many_agents_is_one_text() -> None:
    memory = Memory(100_000)
    memory.stream.add("news", "A storm is coming.")
    memory.flush()
    memory.stream.add("news", "A storm is coming.", importance=0.9)
    memory.flush()
    assert memory.stream.counts.tolist() == [2] * 100_000
    assert len(memory.texts) == 1


@pytest.mark.parametrize("rows", [[True, False, True], [0.5], [-1], [0, 3], [[0, 1]], 1])
def test_unknown_rows_are_refused(rows: Any) -> None:
    memory = Memory(agents=3)
    with pytest.raises(ParameterError, match="rows"):
        memory.of(rows)
    assert len(memory.of([]).rows) == 0


def test_all_tags_of_a_thought_are_stored() -> None:
    memory = Memory(2)
    memory.stream.add("social", "met")
    tags = ("urgent", "family")
    number = memory[0].stream.link([0], "I worry.", tags=tags)
    assert memory.tags.names(memory[0].stream.column("tags", number).item()) == tags
    # Only the second agent has no such thought yet.
    (_, number) = memory.stream.link([[0], [0]], "I worry.", tags=tags)
    assert memory.tags.names(memory[1].stream.column("tags", number).item()) == tags
    with pytest.raises(ParameterError, match="importance has 3 values; one or 2"):
        memory.stream.link([[0], [0]], "I hope.", importance=[0.1, 0.2, 0.3])


def test_a_link_refers_to_existing_memories() -> None:
    memory = Memory(1)
    stream = memory[0].stream
    for text in ("one", "two"):
        stream.add("social", text)
    stream.forget([1])
    # Ids that no memory has yet, one that 32 bits would make a 0, and no id at all.
    for number in (2, 999, 2**32, -2):
        with pytest.raises(ParameterError, match="ids of memories of the agents, or -1"):
            stream.link([0, number], "a thought")
    assert len(stream) == 1, "no thought is stored"
    assert stream.link([0, 1, -1], "a thought") == 2, "a forgotten memory and none are skipped"
    assert stream.thoughts_of([0]).tolist() == [2]
    with pytest.raises(ParameterError, match="id of a memory of the agent"):
        stream.link([0], to=2**32)


@pytest.mark.parametrize("actor", [2**31, -(2**31) - 1, 2**70])
def test_an_actor_id_out_of_range_is_refused(actor: int) -> None:
    memory = Memory(2)
    for stream in (memory[0].stream, memory.stream):
        with pytest.raises(ParameterError, match="32 bits"):
            stream.add("social", "met", actor=actor)
    if actor < 2**63:
        with pytest.raises(ParameterError, match="32 bits"):
            memory.stream.add("social", "met", actor=np.array([0, actor]))
    assert memory.stream.counts.tolist() == [0, 0]


def test_a_named_date_may_reach_beyond_all_ticks() -> None:
    memory = Memory(1)
    memory[0].stream.add("social", "met")
    (recalled,) = memory[0].stream.search("zebra", when=(-(2**40), 2**40), explain=True)
    assert recalled.terms["date"] > 0


def test_an_empty_cohort_reads_and_relates_nothing() -> None:
    empty = Memory(2).of([]).stream
    assert empty.read([]) == []
    assert empty.related([]).shape == (0, 5)
    assert empty.related(np.zeros((0, 2), np.int64)).shape == (0, 2, 5)


def test_topics_are_looked_up_by_number() -> None:
    memory = Memory(agents=1)
    for topic in ("storm", "order", "family"):
        memory[0].stream.add(topic, "Something happened.")
    among = memory.among_topics(("order", "storm", "unknown"))
    assert among.tolist() == [True, True, False, False]
    assert not among[-1]
    assert not memory.among_topics(()).any()
