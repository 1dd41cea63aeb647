"""What agents know about their own memories: assessment, map and review; reading changes nothing.

How well an agent knows a topic is

    score = 0.35 mean confidence + 0.25 min(count / 10, 1)
          + 0.20 mean recency + 0.20 mean consolidation

over the best 50 memories about the topic. Levels: high from 0.8, medium from 0.5, low from
0.2, very low below, none without a memory.

A map is built breadth first from the five best memories about a topic, along links between related
memories. The score of a memory is its share of the topic or, if greater, the score of the memory it
was reached from times their cosine. Memories below the least score are left out.

Source:
    memtool (for maps: five memories, depth 2, least score 0.3); the least share of the topic in a
    memory and the decay along links are this project's.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memopolis.sim.arguments import INT64, check_range, check_type, whole_number
from memopolis.sim.arrays import Bools, Float32, Float64, Int8, Int32, Int64
from memopolis.sim.memory.interface import AgentView, CohortView, Memory
from memopolis.sim.memory.night.clusters import clusters_of
from memopolis.sim.memory.night.related import links
from memopolis.sim.memory.night.sleep import Due, Review, due
from memopolis.sim.memory.retention import ages
from memopolis.sim.memory.retrieval.measuring import consolidation_of
from memopolis.sim.memory.retrieval.profiles import Profile
from memopolis.sim.memory.retrieval.recalling import search
from memopolis.sim.memory.retrieval.recollection import (
    Recalled,
    Recollection,
    Recollections,
    format_memories,
)
from memopolis.sim.memory.retrieval.request import SearchOptions
from memopolis.sim.memory.text.relevance import FULL

if TYPE_CHECKING:
    import networkx as nx


BAR = 0.3
"""Least share of a query that a text about it contains.

The lexical index weights the word pieces of the query by rarity: a text with the query's one
rare word passes, a text with a somewhat similar word does not.
"""

# Hours after which the recency of a memory is one half, as in the profile `recall`.
HALF_LIFE = 720.0

ABOUT = Profile(
    recency=0.1, importance=0.1, relevance=1.0, half_life=HALF_LIFE, neighbours=0.0, actor=0.0,
    date=0.0,
)  # fmt: skip
"""Profile `recall` by a memory's own words, without neighbours, actors and dates."""

LEVELS = ("none", "very_low", "low", "medium", "high")  # levels of knowledge by number
EVIDENCE = 5  # memories returned as evidence

_MESSAGES = {
    "none": "I know nothing about {topic}.",
    "very_low": "I know next to nothing about {topic}.",
    "low": "I know little about {topic}.",
    "medium": "I know something about {topic}.",
    "high": "I know {topic} well.",
}

CONFIDENCE, COUNT, RECENCY, CONSOLIDATION = 0.35, 0.25, 0.2, 0.2
"""Weights of the mean confidence, the number of memories, and the other two means."""

ENOUGH, MOST = 10, 50  # number of memories at which their term is 1, and that are assessed at most
BOUNDS = (0.2, 0.5, 0.8)  # least scores of low, medium and high

UNSURE, STALE, LOOSE = 0.5, 0.3, 0.2
"""Mean confidence, recency and consolidation below which the agent gets a suggestion
(illustrative)."""
ROOTS = 5  # memories that a map starts from

Links = dict[int, list[tuple[int, float]]]


def find_about(
    memory: Memory, rows: Int64, topic: str | Sequence[str], k: int, *, bar: float = BAR
) -> Recalled:
    """Find the best memories about one topic in words, or one per agent; nothing changes.

    Returns ids, best first, padded with -1, and as scores the share of the topic in each, at least
    `bar`, padded with 0; both of shape (n, k).
    """
    ranked = search(memory, rows, topic, SearchOptions(k, ABOUT), observed=True)
    slots = memory.streams.locate(rows, ranked.ids)
    texts, exists = memory.streams.gather("text", slots), slots >= 0
    share = topic_shares(memory, topic, texts)
    return Recalled(rows, ranked.ids, share).keep(exists & (share >= np.float32(bar)))


def topic_shares(memory: Memory, topic: str | Sequence[str], texts: Int32) -> Float32:
    """Compute the share of a topic's word pieces, one topic or one per agent, in texts, 0..1."""
    # Compiled loops are imported late, so that importing the package is fast.
    from memopolis.sim.memory.retrieval.terms.relevance import relevances

    queries = [topic] if isinstance(topic, str) else list(topic)
    if not queries or not texts.size or not len(memory.texts):
        return np.zeros(texts.shape, np.float32)
    pairs, row_of = memory.index.pairs(queries)
    # The row of a single topic is broadcast to all agents.
    rows = np.broadcast_to(row_of[:, None], texts.shape)
    values: Int32 = relevances(pairs, rows.ravel(), texts.ravel()).reshape(texts.shape)
    return values.astype(np.float32) / np.float32(FULL)


class Assessments(NamedTuple):
    """How well agents know a topic, arrays of shape (n,) except for the evidence."""

    rows: Int64  # rows of the agents
    score: Float64  # 0..1, 0 without a memory
    level: Int8  # index into `LEVELS`
    memories: Int32  # number of memories about the topic, at most 50
    confidence: Float64  # mean confidence, nan without a memory
    recency: Float64  # mean recency, nan without a memory
    consolidation: Float64  # mean consolidation, nan without a memory
    evidence: Int32  # ids of the five best, padded with -1, shape (n, 5)


@dataclass(frozen=True, slots=True)
class Assessment:
    """How well one agent knows a topic."""

    topic: str  # the topic
    level: str  # one of `LEVELS`
    score: float  # 0..1, 0 without a memory
    message: str  # the level as a sentence in the first person
    suggestions: tuple[str, ...]  # what would raise the score, as sentences
    evidence: Recollections  # the best memories about the topic
    memories: int  # number of memories about the topic, at most 50
    confidence: float  # their mean confidence, nan without a memory
    recency: float  # their mean recency, nan without a memory
    consolidation: float  # their mean consolidation, nan without a memory

    def __str__(self) -> str:
        return "\n".join((self.message, *self.suggestions, str(self.evidence)))


def assess(memory: Memory, rows: Int64, topic: str | Sequence[str]) -> Assessments:
    """Assess how well agents know a topic; nothing changes."""
    about = find_about(memory, rows, topic, MOST)
    ids, exists = about.ids.astype(np.int64), about.ids >= 0
    codes = memory.streams.gather("confidence", memory.streams.locate(rows, ids))
    means = (
        mean(codes / 255, exists),
        mean(_recency(memory, rows, ids), exists),
        mean(consolidation_of(memory, rows, ids), exists),
    )
    count = exists.sum(axis=1).astype(np.int32)
    worth = score(count, *means)
    evidence = np.full((len(rows), EVIDENCE), -1, np.int32)
    evidence[:, : about.ids.shape[1]] = about.ids[:, :EVIDENCE]
    return Assessments(rows, worth, level(worth, count), count, *means, evidence)


def assess_agent(memory: Memory, row: int, topic: str) -> Assessment:
    """Assess how well one agent knows a topic, and describe it; nothing changes."""
    check_type("topic", topic, str, "a str")
    one = assess(memory, np.array([row]), topic)
    name = LEVELS[int(one.level[0])]
    return Assessment(
        topic=topic,
        level=name,
        score=float(one.score[0]),
        message=_MESSAGES[name].format(topic=topic),
        suggestions=_suggestions(topic, one),
        evidence=format_memories(memory, row, one.evidence[0].tolist()),
        memories=int(one.memories[0]),
        confidence=float(one.confidence[0]),
        recency=float(one.recency[0]),
        consolidation=float(one.consolidation[0]),
    )


def _suggestions(topic: str, one: Assessments) -> tuple[str, ...]:
    """Return what would raise the score, the term with the greatest weight first."""
    if not one.memories[0]:
        return (f"Ask someone or look for news about {topic}.",)
    suggestions = (
        (one.confidence[0] < UNSURE, "Find a second source: much of it is uncertain."),
        (one.memories[0] < ENOUGH, f"Learn more about {topic}: few memories are about it."),
        (one.recency[0] < STALE, "Check whether it is still true: most of it is old."),
        (one.consolidation[0] < LOOSE, "Review it: it is hardly consolidated yet."),
    )
    return tuple(sentence for applies, sentence in suggestions if applies)


def score(
    count: ArrayLike,
    confidence: ArrayLike,
    recency: ArrayLike,
    consolidation: ArrayLike,
) -> Float64:
    """Compute the score of knowledge, 0..1, from the number of memories and their means."""
    enough = np.minimum(np.asarray(count) / ENOUGH, 1.0)
    worth = CONFIDENCE * np.asarray(confidence) + COUNT * enough
    worth = worth + RECENCY * np.asarray(recency)
    worth = worth + CONSOLIDATION * np.asarray(consolidation)
    return np.where(np.asarray(count) > 0, worth, 0.0)


def level(score: ArrayLike, count: ArrayLike) -> Int8:
    """Return indices into `LEVELS`; a bound belongs to the level above it."""
    # Sums of tenths differ from the bounds by the last bit.
    rounded = np.round(np.asarray(score, np.float64), 9)
    place = 1 + np.searchsorted(np.asarray(BOUNDS), rounded, side="right")
    return np.where(np.asarray(count) > 0, place, 0).astype(np.int8)


def mean(values: NDArray[np.floating], exists: Bools) -> Float64:
    """Compute the mean of each row over existing memories, shape (n,); nan without a memory."""
    total = np.zeros(len(values))
    # One column after another: the same sum for one agent and for many.
    for j in range(values.shape[1]):
        total += np.where(exists[:, j], values[:, j], 0.0)
    count = exists.sum(axis=1)
    return np.where(count > 0, total / np.maximum(count, 1), np.nan)


def _recency(memory: Memory, rows: Int64, ids: Int64) -> Float32:
    """Compute the recency of each memory from its last access."""
    accessed = memory.streams.gather("accessed", memory.streams.locate(rows, ids))
    half_life = ages.in_ticks(HALF_LIFE, memory.ticks_per_day)
    table = ages.recency_table(half_life, memory.now - memory.streams.earliest)
    return ages.recency(accessed, memory.now, table)


def _links(memory: Memory, row: int) -> Links:
    """Return the related memories of each memory with their cosines, in both directions."""
    first, second = links(memory, row, observed=True)
    texts = memory.streams.get("text", row, np.stack([first, second]))
    weights = memory.vectors.likeness(texts[0], texts[1]) if len(first) else np.zeros(0)
    linked: Links = defaultdict(list)
    rows = zip(first.tolist(), second.tolist(), weights.tolist(), strict=True)
    for one, other, weight in rows:
        linked[one].append((other, weight))
    return linked


def _walk(
    memory: Memory,
    row: int,
    topic: str,
    roots: dict[int, float],
    links: Links,
    *,
    depth: int,
    least: float,
) -> dict[int, tuple[float, int]]:
    """Return score and depth of every memory in the map, found level by level."""
    listed = {number: (score, 0) for number, score in roots.items()}
    level = roots
    for step in range(1, depth + 1):
        reached: dict[int, float] = {}
        for one, score in level.items():
            for other, weight in links.get(one, ()):
                if other not in listed:
                    reached[other] = max(reached.get(other, 0.0), score * weight)
        level = _scored(memory, row, topic, reached, least)
        if not level:
            break
        listed |= {number: (score, step) for number, score in level.items()}
    return listed


def _scored(
    memory: Memory, row: int, topic: str, reached: dict[int, float], least: float
) -> dict[int, float]:
    """Return the scores of the reached memories that are high enough."""
    if not reached:
        return {}
    numbers = np.array(sorted(reached))
    texts = memory.streams.get("text", row, numbers)
    shares = topic_shares(memory, topic, texts[None])[0].tolist()
    scores = {n: max(reached[n], s) for n, s in zip(numbers.tolist(), shares, strict=True)}
    return {number: score for number, score in scores.items() if score >= least}


@dataclass(frozen=True, slots=True)
class DueMemory:
    """A memory that is due for review."""

    memory: Recollection  # the memory; its score is the value it was ranked by
    priority: float  # priority, 0..1
    overdue: float  # days since it was due


class CohortKnowledge(CohortView):
    """What some agents know."""

    def assess(self, topic: str | Sequence[str]) -> Assessments:
        """Assess how well each agent knows a topic in words, one or one per agent, as arrays."""
        return assess(self._memory, self._rows, topic)

    def review(self, k: int = 10, how: Review | None = None) -> Due:
        """Find the memories that are due for review, as arrays of shape (n, k)."""
        return due(self._memory, self._rows, k, how)


class AgentKnowledge(AgentView):
    """What one agent knows; see `CohortKnowledge`."""

    def assess(self, topic: str) -> Assessment:
        """Assess how well the agent knows a topic; as `CohortKnowledge.assess`."""
        return assess_agent(self._memory, self._row, topic)

    def map(self, topic: str, *, depth: int = 2, least: float = 0.3) -> "nx.Graph[int]":
        """Map what the agent knows about a topic in words, as a graph.

        Its nodes are ids of memories with text, score (>= `least`, 0..1), topic, depth (links to
        one of the five best, <= `depth`) and cluster (its founder, -1 for none); its edges are
        links between them, weighted by their cosine; its attribute `topic` is the topic.
        """
        import networkx as nx

        memory, row = self._memory, self._row
        depth = whole_number("depth", depth, least=0, most=INT64[1])
        check_range("least", least)
        check_type("topic", topic, str, "a str")
        best = find_about(memory, np.array([row]), topic, ROOTS, bar=least)
        is_root = best.ids[0] >= 0
        roots = zip(best.ids[0][is_root].tolist(), best.scores[0][is_root].tolist(), strict=True)
        related = _links(memory, row) if is_root.any() else {}
        listed = _walk(memory, row, topic, dict(roots), related, depth=depth, least=least)
        graph: nx.Graph[int] = nx.Graph(topic=topic)
        every = clusters_of(memory, row, observed=True) if listed else []
        founders = {number: cluster.founder for cluster in every for number in cluster.ids.tolist()}
        for listed_memory in format_memories(memory, row, sorted(listed)):
            score, steps = listed[listed_memory.id]
            cluster = founders.get(listed_memory.id, -1)
            graph.add_node(
                listed_memory.id,
                text=listed_memory.text,
                topic=listed_memory.topic,
                score=score,
                depth=steps,
                cluster=cluster,
            )
        for number in sorted(listed):
            near = ((other, weight) for other, weight in related.get(number, ()) if number < other)
            graph.add_weighted_edges_from((number, o, w) for o, w in near if o in listed)
        return graph

    def review(self, k: int = 10, how: Review | None = None) -> list[DueMemory]:
        """List the memories that are due for review, at most k, the most overdue first."""
        reviews = due(self._memory, self._rows, k, how)
        priority, overdue = reviews.priority[0].tolist(), reviews.overdue[0].tolist()
        ranks = [p * (1 + days) for p, days in zip(priority, overdue, strict=True)]
        memories = format_memories(self._memory, self._row, reviews.ids[0].tolist(), ranks)
        # Due memories come first, so the lists agree up to the end of the shorter one.
        return [DueMemory(*each) for each in zip(memories, priority, overdue, strict=False)]
