"""Other methods with which scored retrieval is compared, one agent at a time."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import numpy as np
from numpy.typing import NDArray

K = 10
TICKS = 336
START = datetime(2019, 8, 28)


class PlainNumpy:
    """One agent at a time: cached float32 unit vectors, dot, recency, importance, top 10."""

    def __init__(self, agents: int, memories: int, distinct: int, dims: int = 384) -> None:
        rng = np.random.default_rng(3)
        vectors = rng.standard_normal((min(distinct, 5000), dims), np.float32)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        numbers = rng.integers(0, len(vectors), (agents, memories))
        self.vectors = [vectors[n] for n in numbers]
        self.age = rng.integers(0, TICKS, (agents, memories)).astype(np.float32)
        self.importance = rng.random((agents, memories), np.float32)
        self.query = vectors[rng.integers(0, len(vectors), agents)]

    def run(self) -> None:
        """Answer one query per agent."""
        for i, vectors in enumerate(self.vectors):
            score = (
                0.5 * np.exp2(-self.age[i] / np.float32(24))
                + 0.5 * self.importance[i]
                + vectors @ self.query[i]
            )
            top = np.argpartition(-score, K)[:K]
            top[np.argsort(-score[top])]


@dataclass
class TownMemory:
    """A memory of the published town: an object with its own vector."""

    vector: NDArray[np.float64]
    created: datetime
    last_accessed: datetime
    poignancy: int


class Town:
    """The published town algorithm (Park et al. 2023, as in MetaGPT), vectors as arrays."""

    def __init__(self, agents: int, memories: int, dims: int = 384) -> None:
        rng = np.random.default_rng(5)
        self.now = START + timedelta(hours=TICKS)
        vectors = rng.standard_normal((2000, dims))
        self.streams = [
            [
                TownMemory(
                    vectors[rng.integers(2000)],
                    START + timedelta(hours=i * TICKS / memories),
                    START + timedelta(hours=i * TICKS / memories),
                    int(rng.integers(1, 11)),
                )
                for i in range(memories)
            ]
            for _ in range(agents)
        ]
        self.query = vectors[:agents]

    def run(self) -> None:
        """Answer one query per agent."""
        for stream, query in zip(self.streams, self.query, strict=True):
            self.retrieve(stream, query)

    def retrieve(self, stream: Sequence[TownMemory], query: NDArray[np.float64]) -> None:
        """Score all memories, each term scaled to 0..1, and record an access of the best."""
        stream = sorted(stream, key=lambda m: m.last_accessed, reverse=True)
        recency = self.stretch([0.99 ** (self.now - m.created).days for m in stream])
        importance = self.stretch([float(m.poignancy) for m in stream])
        relevance = self.stretch([self.cosine(m.vector, query) for m in stream])
        total = {
            i: r + p + v
            for i, (r, p, v) in enumerate(zip(recency, importance, relevance, strict=True))
        }
        best = sorted(total.items(), key=lambda item: item[1], reverse=True)[:K]
        for i, _ in best:
            stream[i].last_accessed = self.now

    @staticmethod
    def cosine(a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
        """Compute the cosine of two vectors, with their lengths at each call, as published."""
        return float(np.dot(a, b) / (np.linalg.norm(a) * np.linalg.norm(b)))

    @staticmethod
    def stretch(values: list[float]) -> list[float]:
        """Min-max normalisation; one half where all are equal."""
        low, high = min(values), max(values)
        if high == low:
            return [0.5] * len(values)
        return [(v - low) / (high - low) for v in values]
