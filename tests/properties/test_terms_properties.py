"""Properties of profiles with any terms, for any stream, filter and query."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memopolis.sim.memory.context_tags import ContextExtractor
from memopolis.sim.memory.memory import Memory
from memopolis.sim.memory.retrieval import by_numpy, plan
from memopolis.sim.memory.retrieval.by_numpy import explain, find_numpy
from memopolis.sim.memory.retrieval.filter import Filter
from memopolis.sim.memory.retrieval.profiles import PROFILES, Profile
from memopolis.sim.memory.retrieval.recalling import find
from memopolis.sim.memory.retrieval.recollection import Best
from memopolis.sim.memory.retrieval.request import NO_QUERY, SearchOptions, build_request
from memopolis.sim.memory.retrieval.terms import strength
from memopolis.sim.memory.retrieval.terms.registry import TERMS

WORDS = ["storm", "shelter", "traffic", "bridge", "bread", "market", "school", "rain"]
texts = st.lists(st.sampled_from([*WORDS, "", "Storm-storm"]), max_size=4).map(" ".join)
weights = st.sampled_from([0.0, 0.0, 0.4, 1.0])
profiles = st.one_of(
    st.sampled_from(
        [PROFILES[name] for name in ("town", "working", "society", "act_r", "recommend")]
    ),
    st.builds(
        Profile,
        **dict.fromkeys(TERMS.keys() - {"activation"}, weights),
        half_life=st.sampled_from([1.0, 24.0, 720.0]),
        floor=st.sampled_from([0.0, 0.1]),
        since=st.sampled_from(["accessed", "created"]),
        fading=st.sampled_from(["fixed", "adaptive"]),
        combine=st.just("product"),
        without=st.sampled_from([(), ("idle",)]),
    ),
    st.builds(
        Profile,
        **dict.fromkeys(TERMS, weights),
        neighbours=st.sampled_from([0.5, 0.0]),
        fading=st.sampled_from(["fixed", "adaptive", "power"]),
        normalise=st.sampled_from(["none", "min-max"]),
        time_to_live=st.sampled_from([None, 20.0]),
        order=st.sampled_from(["best", "newest"]),
    ),
)
filters = st.sampled_from(
    [
        Filter(),
        Filter(topic="social"),
        Filter(days=(0, 1), kind="event"),
        Filter(tags=("idle", "urgent"), place=3),
        Filter(sign="negative"),
    ]
)


class Letters:
    """Embeds a text by counts of a few letters; a text without them has no vector."""

    dimensions = 8

    def vectors(self, texts: Sequence[str]) -> Any:
        """Vectors, float32, shape (texts, 8)."""
        return np.array([[t.count(c) for c in "storaieb"] for t in texts], np.float32)

    def token_vectors(self, texts: Sequence[str]) -> list[Any]:
        """Directions of the letters of each text, float32, shape (letters, 8)."""
        directions = np.eye(8, dtype=np.float32)
        return [directions[["storaieb".index(c) for c in t if c in "storaieb"]] for t in texts]


def lived(seed: int, agents: int, limit: int, steps: int, *, reads: bool) -> Memory:
    """A memory of agents after some steps with recall, forgetting and updates."""
    rng = np.random.default_rng(seed)
    memory = Memory(agents, limit=limit, embedder=Letters())
    memory.extractor = ContextExtractor() if reads else None
    known = [" ".join(rng.choice([*WORDS, ""], 3)) for _ in range(9)]
    numbers = memory.texts.intern_many(known)
    memory.names = {"Ann": 0, "Bob": 1}
    for _ in range(steps):
        memory.now += int(rng.integers(0, 3))
        rows = np.flatnonzero(rng.random(agents) < 0.7)
        memory.of(rows).stream.add(
            str(rng.choice(["social", "economy", "cognition"])),
            numbers[rng.integers(0, len(numbers), len(rows))],
            actor=rng.integers(-1, 2, len(rows)),
            place=rng.integers(2, 4, len(rows)),
            importance=rng.integers(0, 3, len(rows)) / 2,
            continues=rng.random(len(rows)) < 0.5,
            tags=rng.choice([0, 32, 64, 128 + 8, 1], len(rows)),
            valence=rng.integers(-2, 3, len(rows)) / 2,
        )
        if rng.random() < 0.2:
            memory.stream.search(str(rng.choice(WORDS)), k=2)
        if rng.random() < 0.1:
            memory.stream.forget(rng.integers(0, 40, agents))
    memory.settle()
    if seed % 2:
        updated = memory.streams.memory_column("updated", np.int32, fill=-1)
        updated[::3] = memory.now // 2
    return memory


memories = st.builds(
    lived,
    st.integers(0, 2**32),
    st.integers(1, 4),
    st.sampled_from([1, 5, 40, 70]),
    st.sampled_from([90, 30, 3, 0]),
    reads=st.booleans(),
)


def asked_of(memory: Memory, draw: Any, profile: Profile, policy: str) -> Any:
    """Query a random cohort, in which a row may occur twice."""
    rows = np.array(draw(st.lists(st.integers(0, len(memory) - 1), min_size=1, max_size=5)))
    queries = [f"{who} {t}" for who, t in zip(["Bob", "", "Ann"], draw_texts(draw), strict=False)]
    each = [draw(st.integers(0, len(queries) - 1)) for _ in rows]
    where = draw(filters)
    feeling = draw(st.sampled_from([None, -0.5, 1.0]))
    if draw(st.booleans()) and policy == "scored":
        return build_request(
            memory, rows, NO_QUERY, SearchOptions(None, profile, where, feeling=feeling)
        )
    return build_request(
        memory, rows, queries,
        SearchOptions(draw(st.integers(1, 12)), profile, where, each=each, feeling=feeling),
        policy,
    )  # fmt: skip


def draw_texts(draw: Any) -> list[str]:
    drawn: list[str] = draw(st.lists(texts, min_size=1, max_size=3))
    return drawn


def same(a: Best, b: Best) -> bool:
    """Return whether two results are bit-identical."""
    return [one.tobytes() for one in (a.ids, a.slots, a.scores)] == [
        one.tobytes() for one in (b.ids, b.slots, b.scores)
    ]


@settings(max_examples=250, deadline=None)
@given(memories, profiles, st.data(), st.sampled_from(["scored", "scored", "none", "random"]))
def test_numpy_and_the_compiled_pass_agree_bit_for_bit(
    memory: Memory, profile: Profile, data: st.DataObject, policy: str
) -> None:
    asked = asked_of(memory, data.draw, profile, policy)
    best = find(memory.streams, asked)
    ids, _, scores = best
    assert np.isfinite(scores).all()
    assert same(best, find_numpy(memory.streams, asked))
    if policy != "random":
        explained = explain(memory.streams, asked, ids)
        assert np.array_equal(explained["score"], scores)


@pytest.mark.parametrize("name", sorted(PROFILES))
def test_dense_streams_agree_bit_for_bit(name: str) -> None:
    rng = np.random.default_rng(3)
    memory = lived(7, 12, 300, 400, reads=True)
    rows = rng.integers(0, 12, 40)
    for where in (Filter(), Filter(topic="social", days=(1, 12)), Filter(sign="positive")):
        asked = build_request(
            memory, rows, WORDS,
            SearchOptions(9, PROFILES[name], where, each=rng.integers(0, len(WORDS), 40)),
        )  # fmt: skip
        assert same(find(memory.streams, asked), find_numpy(memory.streams, asked))


@settings(max_examples=60, deadline=None)
@given(memories, profiles, texts, filters, st.sampled_from([None, 0.5]))
def test_one_agents_search_is_its_row_of_the_cohorts(
    memory: Memory, profile: Profile, query: str, where: Filter, feeling: float | None
) -> None:
    many = memory.observed.stream.search(query, where=where, profile=profile, feeling=feeling)
    for row, one in enumerate(memory.observed):
        results = one.stream.search(query, where=where, profile=profile, feeling=feeling)
        present = many.ids[row] >= 0
        assert [m.id for m in results] == many.ids[row][present].tolist()
        assert [m.score for m in results] == many.scores[row][present].tolist()


@settings(max_examples=30, deadline=None)
@given(memories, profiles, st.lists(texts, min_size=1, max_size=3))
def test_focal_points_equal_single_searches(
    memory: Memory, profile: Profile, queries: list[str]
) -> None:
    results = memory.observed.stream.focus(queries, 5, profile=profile)
    for query, one in zip(queries, results, strict=True):
        alone = memory.observed.stream.search(query, 5, profile=profile)
        assert one.ids.tobytes() == alone.ids.tobytes()
        assert one.scores.tobytes() == alone.scores.tobytes()


def test_threads_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    memory = lived(11, 30, 60, 90, reads=True)
    monkeypatch.setattr(plan, "ROWS_PER_THREAD", 4)
    for name in ("town", "working", "society"):
        asked = build_request(
            memory, np.arange(30), "storm at school", SearchOptions(None, PROFILES[name])
        )
        alone = find(memory.streams, asked)
        for threads in (2, 3):
            assert same(alone, find(memory.streams, asked, threads))


@settings(max_examples=60, deadline=None)
@given(memories, st.sampled_from([0.1, 1.0]), weights, weights, texts)
def test_the_general_pass_gives_the_bits_of_the_fast_one(
    memory: Memory, recency: float, importance: float, relevance: float, query: str
) -> None:
    fast = Profile(recency, importance, relevance)
    # An unused feeling selects the general pass and adds nothing.
    general = Profile(recency, importance, relevance, feeling=1.0)
    rows = np.arange(len(memory))
    result = find(memory.streams, build_request(memory, rows, query, SearchOptions(None, fast)))
    if relevance == 0:
        return
    assert same(
        result,
        find(memory.streams, build_request(memory, rows, query, SearchOptions(None, general))),
    )


@given(st.lists(st.floats(-1, 1, width=32), min_size=1, max_size=20), st.data())
def test_min_max_runs_from_0_to_1_and_keeps_the_order(
    values: list[float], data: st.DataObject
) -> None:
    given_ = np.array(values, np.float32)
    passing = np.array(data.draw(st.lists(st.booleans(), min_size=len(values), max_size=20)))
    passing = passing[: len(values)]
    out = by_numpy.rescale(given_, passing, np.zeros(len(values), np.int64), 1)[passing]
    kept = given_[passing]
    if len(np.unique(kept)) == 1:
        assert (out == 0.5).all()
    elif len(kept):
        assert out.min() == 0
        assert out.max() == 1
        assert (np.diff(out[np.argsort(kept)]) >= 0).all()


@given(
    st.lists(st.integers(-5, 3000), min_size=2, max_size=20),
    st.floats(0, 1, width=32),
    st.floats(0.5, 500),
)
def test_adaptive_recency_falls_more_slowly_with_consolidation(
    ages: list[int], firm: float, half_life: float
) -> None:
    age = np.array(sorted(ages), np.int32)
    table, pace = strength.fading_table(), strength.pace(half_life)
    given_ = (pace, np.float32(2), table)
    loose = strength.adaptive_recency(age, np.zeros(len(age), np.float32), *given_)
    tight = strength.adaptive_recency(age, np.full(len(age), firm, np.float32), *given_)
    assert (np.diff(tight) <= 0).all()
    assert (tight >= loose).all()
    assert tight.max() <= 1
    exact = np.exp2(-np.maximum(age, 0) / (half_life * (1 + 2 * np.float64(np.float32(firm)))))
    assert np.allclose(tight, exact, atol=1e-5)
