"""Properties of scoring for any stream, filter and query."""

import string
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from memopolis.sim.memory.memory import Memory
from memopolis.sim.memory.retention import ages
from memopolis.sim.memory.retrieval.by_numpy import explain, find_numpy, select_best
from memopolis.sim.memory.retrieval.filter import Filter
from memopolis.sim.memory.retrieval.profiles import Profile
from memopolis.sim.memory.retrieval.recalling import find
from memopolis.sim.memory.retrieval.recollection import Best
from memopolis.sim.memory.retrieval.request import SearchOptions, build_request
from memopolis.sim.memory.retrieval.terms import relevance as relevance_term
from memopolis.sim.memory.retrieval.terms.term import Request
from memopolis.sim.memory.text.lexical import LexicalIndex
from memopolis.sim.memory.text.relevance import FULL, Relevance

WORDS = ["storm", "shelter", "traffic", "bridge", "bread", "market", "school", "rain"]
# Few texts, times and importances, so that ties are common.
texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(" ".join)
weights = st.sampled_from([0.0, 0.1, 0.5, 1.0, 1.0])
profiles = st.builds(
    Profile,
    weights,
    weights,
    weights,
    half_life=st.sampled_from([1.0, 24.0, 720.0]),
    since=st.sampled_from(["accessed", "created"]),
    neighbours=st.sampled_from([0.0, 0.5, 1.0, 0.05]),
    actor=st.sampled_from([0.0, 0.25, 3.0]),
    date=st.sampled_from([0.0, 0.2, 1.1]),
    floor=st.sampled_from([0.0, 0.0, 0.1]),
    time_to_live=st.sampled_from([None, None, 30.0]),
    without=st.sampled_from([(), (), ("idle",)]),
    where=st.sampled_from([Filter(), Filter(), Filter(topic="social")]),
)
# Few filters at a time, so that something is left to rank.
filters = st.one_of(
    st.just(Filter()),
    st.builds(Filter, topic=st.sampled_from(["social", "economy", "never used"])),
    st.builds(Filter, days=st.sampled_from([(0, 0), (0, 1), (1, 9)])),
    st.builds(Filter, place=st.sampled_from([-1, 0, 3]), kind=st.sampled_from([None, "event"])),
    st.builds(Filter, emotion=st.just("Joy"), actor=st.sampled_from([None, 1])),
    st.builds(Filter, kind=st.just("thought"), topic=st.just("social")),
    st.builds(Filter, tags=st.sampled_from(["idle", ("work", "urgent"), "unheard of"])),
    st.builds(Filter, sign=st.sampled_from(["positive", "negative", "urgent"])),
)


def lived(
    seed: int,
    *,
    agents: int,
    limit: int,
    steps: int,
    known: list[str],
    forgetful: bool = False,
) -> Memory:
    """A memory of agents after some steps with occasional recall."""
    rng = np.random.default_rng(seed)
    memory = Memory(agents, limit=limit)
    numbers = memory.texts.intern_many(known)
    memory.names = {"Ann": 0, "Bob": 1}
    for _ in range(steps):
        memory.now += int(rng.integers(0, 3))
        rows = np.flatnonzero(rng.random(agents) < 0.7)
        memory.of(rows).stream.add(
            str(rng.choice(["social", "economy"])),
            numbers[rng.integers(0, len(numbers), len(rows))],
            actor=rng.integers(-1, 2, len(rows)),
            place=rng.integers(-1, 4, len(rows)),
            importance=rng.integers(0, 3, len(rows)) / 2,
            kind=str(rng.choice(["event", "thought"])),
            emotion=rng.integers(0, 2, len(rows)),
            continues=rng.random(len(rows)) < 0.7,
            tags=rng.choice([0, 32, 64, 128 + 8], len(rows)),
            valence=rng.integers(-2, 3, len(rows)) / 2,
        )
        if forgetful and rng.random() < 0.3:
            memory.stream.forget(rng.integers(0, 40, agents))
        if rng.random() < 0.2:
            memory.stream.search(str(rng.choice(WORDS)), k=2)
    memory.settle()
    return memory


@st.composite
def memories(draw: st.DrawFn) -> Memory:
    """A memory of a few agents with streams of unequal length, some of them full."""
    return lived(
        draw(st.integers(0, 2**32)),
        agents=draw(st.integers(1, 4)),
        limit=draw(st.sampled_from([1, 5, 40, 70])),
        steps=draw(st.sampled_from([90, 30, 3, 0])),
        known=draw(st.lists(texts, min_size=1, max_size=8)),
        forgetful=draw(st.booleans()),
    )


def request(memory: Memory, draw: Any, policy: str = "scored") -> Request:
    """Query a random cohort, in which a row may occur twice."""
    rows = np.array(
        draw(st.lists(st.integers(0, len(memory) - 1), min_size=1, max_size=5)), np.int64
    )
    asked = draw(st.lists(texts, min_size=1, max_size=3))
    query = [f"{who} {text}" for who, text in zip(["Bob", "", "Ann"], asked, strict=False)]
    each = [draw(st.integers(0, len(query) - 1)) for _ in rows]
    when = draw(st.sampled_from([None, (5, 20)]))
    k = draw(st.integers(1, 12))
    return build_request(
        memory,
        rows,
        query,
        SearchOptions(k, draw(profiles), draw(filters), when=when, each=each),
        policy,
    )


def both_forms(index: LexicalIndex, asked: Request, queries: list[str]) -> list[Request]:
    """The same request with relevance as a table and by pairs."""
    table, rows = index.table(queries)
    made, _ = index.pairs(queries)
    query = np.arange(len(asked.rows), dtype=np.int32) % len(queries)
    return [
        replace(asked, relevance=Relevance(rows, table=table), query=query),
        replace(asked, relevance=Relevance(np.arange(len(queries)), pairs=made), query=query),
    ]


def same(a: Best, b: Best) -> bool:
    """Return whether two results are bit-identical."""
    return [one.tobytes() for one in (a.ids, a.slots, a.scores)] == [
        one.tobytes() for one in (b.ids, b.slots, b.scores)
    ]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("neighbours", [0.5, 0.0])
def test_full_streams_agree_bit_for_bit(seed: int, neighbours: float) -> None:
    # Denser than what hypothesis draws: every term, filter and kind of tie in each case.
    rng = np.random.default_rng(seed)
    known = [" ".join(rng.choice(WORDS, 2)) for _ in range(12)]
    memory = lived(seed, agents=12, limit=(45, 1000)[seed % 2], steps=120, known=known)
    rows = rng.integers(0, 12, 40)
    queries = [f"{who} {word}" for who in ("", "Ann", "Bob") for word in WORDS]
    profile = Profile(0.3, 0.3, (1.0, 0.0)[seed == 5], neighbours=neighbours)
    for where in (
        Filter(),
        Filter(topic="social", kind="thought"),
        Filter(days=(1, 3), place=rng.integers(-1, 4, 40)),
        Filter(emotion="Joy", actor=rng.integers(-1, 2, 40)),
        Filter(tags=("idle", "urgent"), sign="negative", topic="social"),
    ):
        asked = build_request(
            memory, rows, queries,
            SearchOptions(
                7, profile, where, when=(20, 60), each=rng.integers(0, len(queries), 40)
            ),
        )  # fmt: skip
        for form in both_forms(memory.index, asked, queries):
            assert same(find(memory.streams, form), find_numpy(memory.streams, form))


@settings(max_examples=60, deadline=None)
@given(memories(), st.data(), st.sampled_from(["scored", "scored", "none", "random"]))
def test_numpy_and_the_compiled_pass_agree_bit_for_bit(
    memory: Memory, data: st.DataObject, policy: str
) -> None:
    asked = request(memory, data.draw, policy)
    best = find(memory.streams, asked)
    ids, _, scores = best
    assert same(best, find_numpy(memory.streams, asked))
    if policy != "random" and len(asked.rows):
        explained = explain(memory.streams, asked, ids)["score"]
        assert np.array_equal(explained, scores)


@settings(max_examples=40, deadline=None)
@given(memories(), st.data())
def test_both_forms_of_relevance_agree_bit_for_bit(memory: Memory, data: st.DataObject) -> None:
    asked = request(memory, data.draw)
    queries = list(dict.fromkeys(data.draw(st.lists(texts, min_size=1, max_size=3))))
    table, pairs = both_forms(memory.index, asked, queries)
    result = find(memory.streams, table)
    assert same(result, find(memory.streams, pairs))
    assert same(result, find_numpy(memory.streams, pairs))


@settings(max_examples=40, deadline=None)
@given(memories(), texts, st.integers(1, 12), filters, st.sampled_from(["act", "general"]))
def test_one_agents_search_is_its_row_of_the_cohorts(
    memory: Memory, query: str, k: int, where: Filter, profile: str
) -> None:
    memory.profiles["general"] = Profile(0.5, 0.5, 1, consolidation=0.5, normalise="min-max")
    many = memory.observed.stream.search(query, k, profile=profile, where=where)
    for row, one in enumerate(memory.observed):
        results = one.stream.search(query, k, profile=profile, where=where)
        present = many.ids[row] >= 0
        assert [m.id for m in results] == many.ids[row][present].tolist()
        assert [m.score for m in results] == many.scores[row][present].tolist()


@settings(max_examples=40, deadline=None)
@given(memories(), texts)
def test_added_memories_are_found_and_evicted_ones_are_not(memory: Memory, text: str) -> None:
    added = memory.stream.add("social", text)
    results = memory.stream.search(text, k=memory.streams.limit + 3)
    for row in range(len(memory)):
        ids = results.ids[row][results.ids[row] >= 0]
        present = np.arange(memory.streams.next[row])
        kept = present[memory.streams.holds(row, present)]
        assert sorted(ids.tolist()) == kept.tolist()
        assert added[row] in ids


@given(st.floats(0.1, 2000), st.integers(0, 5000))
def test_recency_falls_with_age(half_life: float, ticks: int) -> None:
    table = ages.recency_table(half_life, ticks)
    assert table[0] == 1
    assert (np.diff(table) <= 0).all()
    assert (np.diff(table[: int(half_life)]) < 0).all()
    accessed = np.arange(-5, ticks + 5, dtype=np.int32)
    by_age = ages.recency(accessed, ticks, table)
    assert (np.diff(by_age) >= 0).all(), "what was recalled later weighs at least as much"


@given(st.floats(0.5, 500), st.integers(0, 300))
def test_a_longer_table_of_recency_has_the_same_values(half_life: float, ticks: int) -> None:
    short = ages.recency_table(half_life, ticks)
    assert np.array_equal(ages.recency_table(half_life, 2 * ticks)[: len(short)], short)


whole = arrays(np.int32, st.integers(0, 30), elements=st.integers(0, FULL))


@given(whole, st.data())
def test_neighbours_add_relevance_only_within_an_interaction(
    relevance: Any, data: st.DataObject
) -> None:
    n = len(relevance)
    continues = data.draw(arrays(np.bool_, n))
    first = data.draw(arrays(np.bool_, n))
    near = relevance_term.near(relevance, continues & ~first)
    on = continues & ~first

    def joined(a: int, b: int) -> bool:
        return a >= 0 and b < n and all(on[i] for i in range(a + 1, b + 1))

    for i in range(n):
        one = [int(relevance[j]) for j in (i - 1, i + 1) if joined(min(i, j), max(i, j))]
        two = [int(relevance[j]) for j in (i - 2, i + 2) if joined(min(i, j), max(i, j))]
        assert near[i] == max(10 * max(one, default=0), 8 * max(two, default=0))


@given(whole)
def test_arguments_stay_exact_in_float32(relevance: Any) -> None:
    shares = Profile(neighbours=3, actor=3, date=3).shares
    value = (20 + shares.neighbours) * relevance + (shares.actor + shares.date) * FULL
    assert value.max(initial=0) < 2**24
    assert np.array_equal(
        relevance_term.relevance(value), (value / relevance_term.SCALE).astype(np.float32)
    )
    assert (relevance_term.relevance(np.zeros_like(relevance)) == 0).all()


@given(st.lists(st.sampled_from([0.0, 0.5, 1.0]), max_size=25), st.integers(1, 30), st.data())
def test_the_best_are_ranked_by_score_then_access_then_id(
    values: list[float], k: int, data: st.DataObject
) -> None:
    n = len(values)
    scores = np.array(values, np.float32)
    accessed = data.draw(arrays(np.int32, n, elements=st.integers(0, 3)))
    eligible = data.draw(arrays(np.bool_, n))
    index, top = select_best(scores, accessed, eligible, starts=np.array([0, n]), k=k)
    order = sorted(
        (i for i in range(n) if eligible[i]), key=lambda i: (-scores[i], -accessed[i], -i)
    )[:k]
    wanted = order + [-1] * (k - len(order))
    assert index[0].tolist() == wanted
    assert top[0, : len(order)].tolist() == scores[order].tolist()


@settings(max_examples=30, deadline=None)
@given(st.lists(st.text(string.printable, max_size=30), min_size=1, max_size=5))
def test_any_text_can_be_stored_and_queried(lines: list[str]) -> None:
    memory = Memory(1)
    for text in lines:
        memory[0].stream.add("other", text)
    assert len(memory[0].stream.search(lines[0], k=9)) == len(lines)
