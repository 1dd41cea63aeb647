"""Numbers that are far too large allocate nothing and are capped, or refused in one line."""

import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memopolis import Filter, Memory, Profile
from memopolis.errors import MemopolisError, ParameterError
from memopolis.sim.arguments import whole_number
from memopolis.sim.memory.layer_settings import LayerSettings
from memopolis.sim.memory.retention import ages
from memopolis.sim.memory.retrieval.request import WIDEST, limit_count

HELD = 3
MOST_BYTES = 20_000_000
"""More than any of these calls needs; 9 GB was allocated for one memory."""


def filled(agents: int = 2) -> Memory:
    memory = Memory(agents)
    for text in ("Had breakfast", "Bought water", "Had supper")[:HELD]:
        memory.stream.add("home", text, importance=0.5)
    memory.now = 2
    return memory


type Call = Callable[[Memory, Any], Any]

COUNTED: dict[str, Call] = {
    "search": lambda memory, k: memory.stream.search("water", k=k),
    "search of one": lambda memory, k: memory[0].stream.search("water", k=k),
    "observed": lambda memory, k: memory.observed.stream.search("water", k=k),
    "general profile": lambda memory, k: memory.stream.search("water", k=k, profile="town"),
    "focus": lambda memory, k: memory.stream.focus(["water", "bread"], k=k)[0],
    "recommend": lambda memory, k: memory.stream.recommend(k=k),
    "today": lambda memory, k: memory.stream.today(k=k),
    "contextual": lambda memory, k: memory.stream.contextual("water", k=k),
    "memory search": lambda memory, k: memory.of([0, 1]).search("water", k=k),
    "status search": lambda memory, k: memory.of([0, 1]).status.search("water", k=k),
    "review": lambda memory, k: memory.of([0, 1]).knowledge.review(k),
    "profile": lambda memory, k: memory.stream.search("water", profile=Profile(recency=1, k=k)),
    "clusters": lambda memory, k: memory[0].layers.mid("water", k),
}


@pytest.mark.parametrize("name", COUNTED)
def test_a_huge_k_returns_all_memories(name: str) -> None:
    memory, call = filled(), COUNTED[name]
    usual = call(memory, np.int64(2))  # numbers of NumPy count, and all is loaded now
    tracemalloc.start()
    try:
        result = call(memory, 10**9)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < MOST_BYTES
    assert type(result) is type(usual)
    if hasattr(result, "ids"):
        assert result.ids.shape[1] <= 2 * HELD
    else:
        assert len(result) <= 2 * HELD


@pytest.mark.parametrize("name", COUNTED)
@pytest.mark.parametrize(
    "k", [0, -1, -(10**9), 2.0, float("nan"), True, "2", 10**30, np.array([1, 2])], ids=repr
)
def test_a_k_that_is_not_a_positive_integer_is_refused(name: str, k: Any) -> None:
    with pytest.raises(
        ParameterError, match=r"(k|top) is .*; a whole number of at least 1"
    ) as raised:
        COUNTED[name](filled(), k)
    # The upper bound is a technical limit: it is stated only if it is exceeded.
    assert ("at most" in str(raised.value)) == (type(k) is int and k > 0)


@given(st.integers(1, 2**63 - 1), st.integers(0, 2**31))
def test_results_have_k_columns_up_to_a_limit(k: int, held: int) -> None:
    width = limit_count(k, lambda: held)
    assert 1 <= width <= max(WIDEST, held)
    assert width == k if k <= WIDEST else width <= max(1, held)


def test_a_huge_k_finds_all_and_a_small_k_keeps_its_shape() -> None:
    memory = filled()
    assert memory.stream.search("water", k=50).ids.shape == (2, 50)
    every = memory.stream.search("water", k=10**9).ids
    assert sorted(every[0].tolist()) == [0, 1, 2]
    assert memory.stream.contextual("water", k=500).ids.shape == (2, 500)


@pytest.mark.parametrize("now", [0, -5, 2**31 - 1, np.int32(7)])
def test_a_tick_is_a_whole_number_of_32_bits(now: int) -> None:
    memory = filled()
    memory.now = now
    assert type(memory.now) is int
    memory[0].stream.add("home", "Had tea")
    results = memory[0].stream.search("tea", k=4)
    assert results[0].text == "Had tea"


@pytest.mark.parametrize(
    "now", [1.0, 1.5, float("nan"), True, "1", None, 2**31, -(2**31) - 1, 2**20_000], ids=type
)
def test_any_other_tick_is_refused(now: Any) -> None:
    memory = filled()
    with pytest.raises(ParameterError, match="now is"):
        memory.now = now
    assert memory.now == 2


def test_ages_need_no_more_than_32_bits() -> None:
    memory = Memory(1)
    memory.now = -10
    memory[0].stream.add("home", "Was born")
    memory.flush()
    memory.now = 2**31 - 11
    with pytest.raises(ParameterError, match="now is"):
        memory.now = 2**31 - 10


REFUSED: dict[str, Callable[[Any], Any]] = {
    "agents": Memory,
    "limit": lambda number: Memory(1, limit=number),
    "seed": lambda number: Memory(1, seed=-1 if number == 10**12 else number),
    "grow": lambda number: filled().grow(number),
    "short term": lambda number: LayerSettings(short_term_size=number),
    "summaries": lambda number: LayerSettings(max_summaries=number),
    "clusters": lambda number: LayerSettings(max_clusters=number),
    "days": lambda number: filled().stream.search("water", where=Filter(days=(0, number))),
    "when": lambda number: filled().stream.search("water", when=(number, "x")),
    "each": lambda number: filled().stream.search(["water"], each=[number, number]),
    "half-life": lambda number: Profile(half_life=-1 if number == 0 else -abs(number)),
    "feeling": lambda number: filled().stream.search(
        "water", feeling=number, profile=Profile(feeling=1)
    ),
    "weight": lambda number: Profile(recency=-1e-9 if number == -1 else number),
    "importance": lambda number: filled()[0].stream.add("home", "x", importance=number),
    "importances": lambda number: filled().stream.add("home", "x", importance=[0.1, number]),
    "place": lambda number: filled()[0].stream.add("home", "x", place=number),
    "actor": lambda number: filled()[0].stream.add("home", "x", actor=number),
    "tags": lambda number: filled()[0].stream.add("home", "x", tags=number),
}


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.parametrize("number", [float("nan"), 10**12, 2**20_000], ids=["nan", "big", "huge"])
def test_an_invalid_number_is_refused_in_one_line(name: str, number: Any) -> None:
    with pytest.raises(MemopolisError) as caught:
        REFUSED[name](number)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 300


@given(st.floats(1e-323, 1e300), st.integers(0, 2**31 - 1))
def test_recency_needs_no_more_than_a_bounded_table(half_life: float, ticks: int) -> None:
    last = ages.last_age(ticks, ages.HALF_LIVES * half_life)
    assert 0 <= last <= min(ticks, ages.LONGEST)


@pytest.mark.parametrize("half_life", [5e-324, 1e-9, 1e9, 1e300])
def test_extreme_half_lives_search(half_life: float) -> None:
    memory = filled()
    profile = Profile(recency=1.0, half_life=half_life)
    assert len(memory[0].stream.search("water", k=3, profile=profile)) == HELD


@given(st.one_of(st.integers(), st.floats(), st.booleans(), st.text(), st.none()))
def test_arguments_are_returned_or_refused(value: Any) -> None:
    if type(value) is int and -(2**31) <= value < 2**31:
        assert whole_number("n", value) == value
    else:
        with pytest.raises(ParameterError, match="n is"):
            whole_number("n", value)
