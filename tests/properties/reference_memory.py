"""A slow, simple reference memory: lists of records, with every formula written out."""

from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np

from memopolis.sim.memory.streams.encoding import BUILT_IN
from memopolis.sim.memory.text.pieces import likeness, word_pieces

FULL = 65_280
CODES = {"event": 0, "thought": 1}
URGENT = 1 << BUILT_IN.index("urgent")


@dataclass
class Record:
    """One memory, with shares as the whole numbers they are kept as."""

    id: int
    time: int
    topic: str
    text: str
    actor: int = -1
    place: int = -1
    importance: int = 15_000
    valence: int = 0
    kind: str = "event"
    emotion: int = 0
    continues: bool = False
    tags: int = 0
    accessed: int = 0
    accesses: int = 0
    thought: int = -1


@dataclass
class ReferenceMemory:
    """Streams of a few agents that have at most `limit` memories each."""

    agents: int
    limit: int
    now: int = 0
    living: set[str] = field(default_factory=set)
    lives: list[list[Record]] = field(default_factory=list)
    next: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.lives = [[] for _ in range(self.agents)]
        self.next = [0] * self.agents

    def find(self, row: int, number: int) -> Record | None:
        return next((r for r in self.lives[row] if r.id == number), None)

    def add(self, row: int, topic: str, text: str, **columns: object) -> int:
        record = Record(self.next[row], self.now, topic, text, **columns)  # type: ignore[arg-type]
        record.accessed = self.now
        self.next[row] += 1
        self.lives[row].append(record)
        self.living.add(text)
        while len(self.lives[row]) > self.limit:
            self.remove(row, min(self.lives[row][:-1], key=self.activation))
        return record.id

    def remove(self, row: int, record: Record) -> None:
        place = self.lives[row].index(record)
        del self.lives[row][place]
        if not record.continues and place < len(self.lives[row]):
            self.lives[row][place].continues = False

    def activation(self, record: Record) -> float:
        """Return the activation of a memory, with four ticks a day."""
        last = 6 * max(self.now - max(record.accessed, record.time), 1)
        first = max(6 * max(self.now - record.time, 1), last)
        mean = last**-0.5 if first == last else 2 * (first**0.5 - last**0.5) / (first - last)
        base = np.log(last**-0.5 + record.accesses * mean)
        urgent = 0.3 if record.tags & URGENT else 0.0
        strength = min(1.0, abs(record.valence) / 127 + urgent)
        return float(base + 6 * record.importance / 30_000 + np.float32(strength))

    def forget(self, row: int, number: int) -> bool:
        record = self.find(row, number)
        if record is None:
            return False
        self.remove(row, record)
        return True

    def link(self, row: int, numbers: list[int], text: str) -> int:
        known = [r.id for r in self.lives[row] if r.kind == "thought" and r.text == text]
        self.living.add(text)
        before = self.next[row]
        thought = known[-1] if known else self.add(row, "cognition", text, kind="thought")
        for number in numbers:
            record = self.find(row, number)
            if record is not None and number < before:
                record.thought = thought
        return thought

    def search(
        self,
        row: int,
        query: str,
        k: int,
        *,
        weights: tuple[float, float, float],
        half_life: float,
        named: int | None = None,
        booked: bool = True,
        **only: Any,
    ) -> list[tuple[int, np.float32]]:
        """Return the k best as (id, score); their accesses are recorded by default."""
        kept = self.lives[row]
        own = [self.relevance(query, record.text) for record in kept]
        scored = []
        for at, record in enumerate(kept):
            if not self.passes(record, **only):
                continue
            value = 20 * own[at] + self.near(own, kept, at)
            value += 5 * FULL if named is not None and record.actor == named else 0
            score = self.score(record, value, weights, half_life)
            scored.append((-score, -record.accessed, -record.id, record))
        best = sorted(scored, key=lambda one: one[:3])[:k]
        if booked:
            self.book(row, [record.id for *_, record in best])
        return [(record.id, -score) for score, _, _, record in best]

    def book(self, row: int, numbers: list[int]) -> None:
        """Record an access of some memories."""
        for record in self.lives[row]:
            if record.id in numbers:
                record.accessed = self.now
                record.accesses = min(record.accesses + 1, 255)

    def today(self, row: int, k: int, by: str, first: int, last: int) -> list[int]:
        """Return the k latest or most important memories of some ticks, and record their access."""
        some = [record for record in self.lives[row] if first <= record.time <= last]
        worth = {
            "importance": lambda record: (record.importance, record.accessed, record.id),
            "time": lambda record: (min(record.time, self.now), record.accessed, record.id),
        }[by]
        numbers = [record.id for record in sorted(some, key=worth, reverse=True)[:k]]
        self.book(row, numbers)
        return numbers

    def score(
        self, record: Record, value: int, weights: tuple[float, float, float], half_life: float
    ) -> np.float32:
        age = max(self.now - record.accessed, 0)
        recency = np.float32(2.0 ** (-age / half_life))
        importance = np.float32(record.importance) * np.float32(1 / 30_000)
        relevance = np.float32(value) / np.float32(20 * FULL)
        w0, w1, w2 = map(np.float32, weights)
        return np.float32((recency * w0 + importance * w1) + relevance * w2)

    @staticmethod
    def near(own: list[int], kept: list[Record], at: int) -> int:
        def lent(other: int) -> int:
            """Return the relevance added by neighbours of the same interaction."""
            low, high = min(at, other), max(at, other)
            if low < 0 or high >= len(kept):
                return 0
            return own[other] if all(r.continues for r in kept[low + 1 : high + 1]) else 0

        one, two = max(lent(at - 1), lent(at + 1)), max(lent(at - 2), lent(at + 2))
        return max(10 * one, 8 * two)

    @staticmethod
    def passes(
        record: Record,
        ticks: tuple[int, int] | None = None,
        tags: int | None = None,
        **only: object,
    ) -> bool:
        first, last = ticks or (record.time, record.time)
        return (
            first <= record.time <= last
            and (tags is None or bool(record.tags & tags))
            and all(getattr(record, name) == value for name, value in only.items())
        )

    def relevance(self, query: str, text: str) -> int:
        above = below = 0
        for piece in pieces(query):
            df = sum(piece in pieces(other) for other in self.living)
            weight = max(1, (len(self.living) // max(1, df)).bit_length() - 1)
            above += weight * max((like(piece).get(v, 0) for v in pieces(text)), default=0)
            below += weight
        return 256 * above // below if below else 0


@cache
def pieces(text: str) -> frozenset[int]:
    return frozenset(word_pieces().distinct(text))


@cache
def like(piece: int) -> dict[int, int]:
    lists = likeness()
    if piece >= len(lists.start) - 1:
        return {piece: 255}  # two characters of a language without spaces
    some = range(lists.start[piece], lists.start[piece + 1])
    return {int(lists.piece[i]): int(lists.likeness[i]) for i in some}
