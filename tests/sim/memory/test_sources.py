"""The formulas of the source systems, written out independently and compared with the package.

Each reference below is plain Python over a list of records, written from the published formula:
no function of the package computes a part of it, except that the embedder supplies vectors.
"""

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pytest

from memopolis.sim.memory.layer_settings import LayerSettings
from memopolis.sim.memory.memory import Memory
from memopolis.sim.memory.retrieval.profiles import PROFILES, Profile, half_life_of
from memopolis.sim.memory.vectors.embedders.protocol import dimensions_of
from memopolis.sim.memory.vectors.embedders.registry import embedder_of

SUBJECTS = ("Ann", "the baker", "my sister", "a neighbour", "the mayor", "an old friend")
VERBS = ("repaired", "sold", "painted", "lost", "bought", "described", "cleaned", "borrowed")
OBJECTS = ("the boat", "a red bicycle", "the radio", "some bread", "the garden fence", "a book")
PLACES = ("by the river", "at the market", "after the storm", "in the kitchen", "near the school")
QUERIES = ("who repaired the radio", "bread at the market", "storm", "the neighbour and a book")
SEEDS = range(10)


@dataclass
class Record:
    """A memory as the references see it. Times are in hours."""

    id: int
    text: str
    importance: float
    created: float
    accessed: float
    tags: tuple[str, ...] = ()
    accesses: int = 0
    topic: str = "other"
    vector: Any = field(default=None, repr=False)


def live(
    seed: int, count: int = 60, topics: tuple[str, ...] = ("other",)
) -> tuple[Memory, list[Record]]:
    """Return a memory of one agent and the same memories as records."""
    drawn = np.random.default_rng(seed)
    memory = Memory(agents=1)
    records: list[Record] = []
    texts: dict[str, None] = {}
    while len(texts) < count:
        texts[" ".join(str(drawn.choice(part)) for part in (SUBJECTS, VERBS, OBJECTS, PLACES))] = (
            None
        )
    now = 0
    for number, text in enumerate(texts):
        now += int(drawn.integers(9))
        memory.now = now
        importance = float(drawn.random())
        tags = ("idle",) if drawn.random() < 0.1 else ()
        topic = str(drawn.choice(topics))
        memory[0].stream.add(topic, text, importance=importance, tags=tags or None)
        records.append(Record(number, text, importance, now, now, tags, topic=topic))
    memory.now = now + 5
    memory.stream.counts  # noqa: B018 (stores what waits)
    for record, vector in zip(records, embedder_of("static").vectors(list(texts)), strict=True):
        record.vector = np.asarray(vector, np.float64)
    return memory, records


# Scored retrieval: importance, recency and relevance, each rescaled to 0..1, and summed.


def rescaled(values: list[float]) -> list[float]:
    low, high = min(values), max(values)
    return [0.5 if high == low else (value - low) / (high - low) for value in values]


def town(
    records: list[Record], query: str, now: float, k: int, *, since: str
) -> list[tuple[int, float]]:
    """Return ids and scores as the generative agents of MetaGPT score them."""
    asked = np.asarray(embedder_of("static").vectors([query])[0], np.float64)
    some = [one for one in records if "idle" not in one.tags]
    recency = rescaled([0.99 ** ((now - getattr(one, since)) / 24) for one in some])
    importance = rescaled([one.importance for one in some])
    norm = np.linalg.norm
    relevance = rescaled(
        [float(one.vector @ asked / norm(one.vector) / norm(asked)) for one in some]
    )
    scores = [r + i + c for r, i, c in zip(recency, importance, relevance, strict=True)]
    ranked = sorted(zip(some, scores, strict=True), key=lambda p: (-p[1], -p[0].accessed, -p[0].id))
    return [(one.id, score) for one, score in ranked[:k]]


def assert_same(results: Any, expected: list[tuple[int, float]], tolerance: float) -> None:
    """Compare a search with a reference: scores, and ids where scores differ clearly."""
    scores = dict(expected)
    assert len(results) == len(expected)
    for result, (number, score) in zip(results, expected, strict=True):
        assert result.score == pytest.approx(score, abs=tolerance)
        if result.id != number:
            assert scores.get(result.id, score) == pytest.approx(score, abs=tolerance)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("since", ["accessed", "created"])
def test_town_is_the_published_sum_of_three_rescaled_terms(seed: int, since: Any) -> None:
    memory, records = live(seed)
    profile = replace(PROFILES["town"], since=since)
    stream = memory[0].stream
    for query in QUERIES:
        expected = town(records, query, memory.now, 4, since=since)
        results = list(stream.search(query, profile=profile))
        assert_same(results, expected, 0.02)  # cosines are stored in 8 bits
        for result in results:
            records[result.id].accessed = memory.now
        memory.now += 11


class Fine:
    """A custom embedder, whose vectors are stored in 16 bits a dimension."""

    dimensions = dimensions_of(embedder_of("static"))

    def vectors(self, texts: Sequence[str]) -> Any:
        """Return the vectors of the static table."""
        return embedder_of("static").vectors(texts)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_order_of_metagpt_is_reproduced_with_ratings_from_1_to_10(seed: int) -> None:
    _, records = live(seed)
    memory, drawn = Memory(agents=1, embedder=Fine()), np.random.default_rng(seed)
    for record in records:
        memory.now, record.tags = int(record.created), ()
        record.importance = int(drawn.integers(1, 11)) / 10
        memory[0].stream.add("other", record.text, importance=record.importance)
    memory.now += 5
    created = replace(PROFILES["town"], since="created")
    for query in QUERIES:
        expected = town(records, query, memory.now, 4, since="created")
        results = memory[0].observed.stream.search(query, profile=created)
        assert [one.id for one in results] == [number for number, _ in expected]


def test_town_since_creation_orders_by_whole_days_like_the_published_code() -> None:
    """The published code counts whole days since creation: `forget ** days`."""
    memory = Memory(agents=1)
    for day, text in enumerate(OBJECTS):
        memory.now = 24 * day
        memory[0].stream.add("other", text, importance=0.5)
    memory.now = 24 * 6
    created = replace(PROFILES["town"], since="created", importance=0.0, dense=0.0, k=6)
    assert memory[0].stream.search(OBJECTS[0], k=1)[0].id == 0
    results = memory.observed[0].stream.search("any", profile=created)
    assert [one.id for one in results] == [5, 4, 3, 2, 1, 0]
    raw = [0.99 ** (6 - one.id) for one in results]
    assert [one.score for one in results] == pytest.approx(rescaled(raw), abs=1e-6)
    assert memory[0].stream.search("any", profile=replace(created, since="accessed"))[0].id == 0


# Working memory: (0.7 tf-idf + 0.3 keyword, or keyword alone) * decay * (0.8 + 0.4 importance).


def words_of(text: str) -> list[str]:
    return re.findall(r"(?u)\b\w\w+\b", text.lower())


def tfidf_cosines(query: str, documents: list[str]) -> list[float]:
    """Return cosines as of scikit-learn's TfidfVectorizer, fitted on query and documents."""
    counted = [Counter(words_of(text)) for text in (query, *documents)]
    n = len(counted)
    df = Counter(word for one in counted for word in one)

    def weigh(counts: Counter[str]) -> dict[str, float]:
        raw = {w: c * (math.log((1 + n) / (1 + df[w])) + 1) for w, c in counts.items()}
        norm = math.sqrt(sum(value * value for value in raw.values()))
        return {word: value / norm for word, value in raw.items()} if norm else {}

    asked, *others = map(weigh, counted)
    return [sum(asked.get(word, 0.0) * value for word, value in one.items()) for one in others]


def keyword_score(query: str, content: str) -> float:
    asked, text = query.lower(), content.lower()
    if not asked.strip():
        return 0.0
    if asked in text:
        return len(asked) / len(text)
    one, other = set(asked.split()), set(text.split())
    return 0.8 * len(one & other) / len(one | other)


def working(records: list[Record], query: str, now: float, k: int) -> list[tuple[int, float]]:
    """Return ids and scores of the hybrid working memory."""
    some = [one for one in records if now - one.created <= 24]
    scored = []
    for one, v in zip(some, tfidf_cosines(query, [one.text for one in some]), strict=True):
        w = keyword_score(query, one.text)
        base = 0.7 * v + 0.3 * w if v > 0 else w
        decay = max(0.1, 0.95 ** ((now - one.created) / 6))
        scored.append((one, base * decay * (0.8 + 0.4 * one.importance)))
    ranked = sorted(scored, key=lambda p: (-p[1], -p[0].accessed, -p[0].id))
    return [(one.id, score) for one, score in ranked[:k] if score > 0]


@pytest.mark.parametrize("seed", SEEDS)
def test_working_is_the_published_product(seed: int) -> None:
    memory, records = live(seed)
    stream = memory[0].stream
    for query in (*QUERIES, "borrowed a book", "storm xylophone"):
        expected = working(records, query, memory.now, 5)
        results = list(stream.search(query, profile="working"))
        assert_same(results, expected, 1e-5)
        for result in results:
            records[result.id].accessed = memory.now


@pytest.mark.parametrize("query", ["", "xylophone quartz", "Q"])
def test_working_returns_no_memory_of_score_zero(query: str) -> None:
    memory, records = live(1)
    assert working(records, query, memory.now, 5) == []
    assert len(memory[0].stream.search(query, profile="working")) == 0
    assert memory[0].stream.column("accesses", np.arange(60)).sum() == 0, "none was recalled"
    cohort = memory.stream.search(query, profile="working")
    assert (cohort.ids == -1).all()
    assert (cohort.scores == 0).all()


# Consolidation: accesses, age, and time since the last update.


@pytest.mark.parametrize("seed", SEEDS)
def test_consolidation_is_the_published_sum(seed: int) -> None:
    memory, records = live(seed, topics=("cognition", "social", "economy", "weather"))
    drawn = np.random.default_rng(seed)
    stream = memory[0].stream
    for _ in range(30):
        memory.now += int(drawn.integers(1, 40))
        for result in stream.search(str(drawn.choice(QUERIES)), k=int(drawn.integers(1, 9))):
            records[result.id].accesses += 1
    half_lives = {"cognition": 60, "social": 30, "economy": 30}
    expected = [
        0.5 * min(math.log(1 + one.accesses) / math.log(100), 1)
        + 0.2 * min((memory.now - one.created) / 24 / 365, 1)
        + 0.3 * 0.5 ** ((memory.now - one.created) / 24 / half_lives.get(one.topic, 14))
        for one in records
    ]
    measured = stream.consolidation(np.arange(len(records)))
    assert measured == pytest.approx(expected, abs=1e-6)


# Layers: the newest in full, clusters by meaning, summaries.


CODES = 0.002
"""Error of a cosine between texts, which are stored in 8 bits a dimension."""


def check_clusters(
    records: list[Record], members: list[list[int]], threshold: float, most: int
) -> None:
    """Check that each memory joined the cluster, or founded one, as the rule says."""
    home = {number: at for at, group in enumerate(members) for number in group}
    groups: list[list[Any]] = []
    for one in records:
        unit = one.vector / np.linalg.norm(one.vector)
        sums = [np.sum(group, axis=0) for group in groups]
        cosines = [float(unit @ total / np.linalg.norm(total)) for total in sums]
        at = home[one.id]
        if at < len(groups):
            assert cosines[at] >= max(cosines) - CODES
            assert cosines[at] > threshold - CODES or len(groups) == most
            groups[at].append(unit)
        else:
            assert at == len(groups) < most, "clusters are numbered by their founders"
            assert max(cosines, default=0) <= threshold + CODES
            groups.append([unit])


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("threshold", "most"), [(0.7, 100), (0.6, 8)])
def test_layers_keep_the_newest_and_cluster_the_others(
    seed: int, threshold: float, most: int
) -> None:
    memory, records = live(seed)
    memory.layer_settings = LayerSettings(
        short_term_size=20, similarity_threshold=threshold, max_clusters=most
    )
    layers = memory.observed[0].layers
    assert [one.id for one in layers.short] == [one.id for one in records[-20:]]
    members = [[one.id for one in cluster.memories] for cluster in layers.mid]
    check_clusters(records[:-20], members, threshold, most)


def test_layers_summarise_every_ten_memories_in_at_most_two_hundred_characters() -> None:
    memory, records = live(3)
    summaries = list(memory[0].layers.long)
    covered = [list(one.memories) for one in summaries]
    assert covered == [list(range(at, at + 10)) for at in range(0, len(records), 10)]
    assert all(0 < len(one.text) <= 200 for one in summaries)


def test_the_profiles_state_the_published_parameters() -> None:
    assert PROFILES["town"] == Profile(
        recency=1, importance=1, dense=1, half_life=half_life_of(0.99, hours=24),
        normalise="min-max", without=("idle",), k=4,
    )  # fmt: skip
    assert (PROFILES["working"].time_to_live, PROFILES["working"].k) == (24, 5)
    settings = LayerSettings()
    assert (settings.short_term_size, settings.max_clusters, settings.hit_threshold) == (
        20,
        100,
        10,
    )
    assert (settings.top_k, settings.summary_interval, settings.max_summary_length) == (3, 10, 200)
