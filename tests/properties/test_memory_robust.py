"""Any input is accepted, or refused by one clear error that changes nothing."""

# ruff: noqa: RUF001  texts of many languages

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from memopolis import Filter, Memory
from memopolis.errors import MemopolisError
from memopolis.sim.memory.retrieval.profiles import PROFILES

anything = st.text(max_size=60)  # half surrogate pairs included
numbers = st.floats() | st.integers(-3, 3)
names = st.sampled_from(sorted(PROFILES))


def small() -> Memory:
    memory = Memory(agents=2, limit=5)
    memory.now = 10
    memory.stream.add("social", "the storm came")
    return memory


def whole(text: str) -> bool:
    """Return whether a text can be encoded as UTF-8, without lone surrogates."""
    return text.encode(errors="replace").decode() == text


def assert_intact(memory: Memory, held: int) -> None:
    """Assert that the memory can still store and find texts."""
    (ann, _) = memory
    assert len(ann.stream) == held
    number = ann.stream.add("social", "a plain sentence about bread")
    assert [m.id for m in ann.stream.search("bread", k=1, profile="recall")] == [number]
    rows, ids = memory.streams.listed()[:2]
    for name in ("time", "accessed"):
        assert (np.abs(memory.streams.get(name, rows, ids)) < 10**6).all()


@settings(max_examples=80, deadline=None)
@given(text=anything, query=anything, topic=anything, profile=names)
@example(text="", query="", topic="", profile="working")
@example(text="\u202eשלום \ufeff🌀\x00", query="🌀", topic="x", profile="society")
def test_any_text_is_stored_unchanged_or_refused(
    text: str, query: str, topic: str, profile: str
) -> None:
    memory = small()
    if not whole(topic + text):
        with pytest.raises(MemopolisError, match="surrogate"):
            memory[0].stream.add(topic, text)
        assert_intact(memory, 1)
        return
    number = memory[0].stream.add(topic, text)
    assert memory[0].stream.read([number])[0].template == text
    if whole(query):
        results = memory[0].stream.search(query, profile=profile)
        assert all(math.isfinite(m.score) for m in results)
    else:
        with pytest.raises(MemopolisError, match="surrogate"):
            memory[0].stream.search(query, profile=profile)
    assert_intact(memory, 2)


@settings(max_examples=60, deadline=None)
@given(
    importance=numbers,
    valence=numbers,
    confidence=numbers,
    place=st.none() | st.integers(-5, 10**6),
)
@example(importance=math.nan, valence=0.0, confidence=1.0, place=None)
@example(importance=math.inf, valence=0.0, confidence=1.0, place=None)
@pytest.mark.parametrize("many", [False, True])
def test_numbers_out_of_range_are_refused(
    *, many: bool, importance: float, valence: float, confidence: float, place: int | None
) -> None:
    memory = small()
    stream: Any = memory.stream if many else memory[0].stream
    allowed = (
        0 <= importance <= 1
        and -1 <= valence <= 1
        and 0 <= confidence <= 1
        and (place is None or -1 <= place < 2**15)
    )
    values = {
        "importance": importance,
        "valence": valence,
        "confidence": confidence,
        "place": place,
    }
    if allowed:
        stream.add("social", "told", **values)
    else:
        with pytest.raises(MemopolisError):
            stream.add("social", "told", **values)
    assert_intact(memory, 1 + allowed)


@settings(max_examples=40, deadline=None)
@given(k=st.integers(-3, 0) | st.sampled_from([1.5, "3", True, math.nan]), profile=names)
def test_an_invalid_k_is_refused(k: Any, profile: str) -> None:
    memory = small()
    for stream in (memory.stream, memory[0].stream):
        with pytest.raises(MemopolisError, match="k is"):
            stream.search("storm", k, profile=profile)
    assert_intact(memory, 1)


@settings(max_examples=40, deadline=None)
@given(ticks=st.lists(st.integers(-1000, 1000), min_size=1, max_size=8), profile=names)
def test_time_may_go_backwards(ticks: list[int], profile: str) -> None:
    memory = small()
    for tick in ticks:
        memory.now = tick
        memory.stream.add("social", "the storm went on")
        results = memory.stream.search("storm", 3, profile=profile)
        assert np.isfinite(results.scores).all()
        assert memory[0].stream.today() is not None
    assert_intact(memory, min(5, 1 + len(ticks)))


@pytest.mark.parametrize("profile", PROFILES)
def test_a_text_of_a_million_characters_is_stored(profile: str) -> None:
    memory = small()
    long = "the storm flooded every street of the town " * 24_000
    number = memory[0].stream.add("social", long)
    results = memory[0].stream.search("storm in town", 5, profile=profile)
    assert len(memory[0].stream.read([number])[0].text) > 1_000_000
    assert all(math.isfinite(m.score) for m in results)
    assert_intact(memory, 2)


@pytest.mark.parametrize(
    "call",
    [
        lambda ann: ann.stream.search(None),
        lambda ann: ann.stream.search("storm", profile="no such profile"),
        lambda ann: ann.stream.search("storm", where=Filter(emotion="Boredom")),
        lambda ann: ann.stream.search("storm", where=Filter(days=(3, 1))),
        lambda ann: ann.stream.search("storm", where=Filter(sign="sideways")),
        lambda ann: ann.stream.search("storm", where=Filter(kind="dream")),
        lambda ann: ann.stream.add("social", None),
        lambda ann: ann.stream.add("social", "x", importance="high"),
        lambda ann: ann.stream.add("social", "x", emotion="Boredom"),
        lambda ann: ann.stream.add(3, "x"),
        lambda ann: ann.stream.add("social", "x", actor="Bob"),
        lambda ann: ann.stream.link([0], 99),
        lambda ann: ann.stream.column("colour", [0]),
        lambda ann: ann.context("now", budget=0),
        lambda ann: ann.layers.key.add(""),
        lambda ann: ann.search("storm", k=0),
    ],
)
def test_invalid_input_raises_one_clear_error(call: Any) -> None:
    memory = small()
    with pytest.raises(MemopolisError):
        call(memory[0])
    assert_intact(memory, 1)
