"""Results of a search: formatted memories of one agent, arrays for several."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Recollection:
    """One memory with its text.

    Attributes:
        id: Its number among all memories of the agent.
        time: Tick at which it was stored.
        accessed: Tick of the last recall before this one.
        text: Its text with {actor}, {place} and {evidence} filled in.
        template: Its text as stored.
        topic: Its topic.
        actor: unique_id of the agent that did or said it, or -1.
        place: Index of the place, or -1.
        importance: 0..1.
        valence: -1 (bad) .. 1 (good).
        confidence: 0..1.
        kind: "event" or "thought".
        emotion: One of the 21 words, or "".
        thought: Id of the thought it led to, or -1.
        accesses: Number of recalls, at most 255.
        score: Score of the search, 0 without one.
        day: Day since the start, from 0.
        second: Second of that day.
        location: Name of the place, or "unknown".
        terms: Terms of the score by name, if requested.
    """

    id: int
    time: int
    accessed: int
    text: str
    template: str
    topic: str
    actor: int
    place: int
    importance: float
    valence: float
    confidence: float
    kind: str
    emotion: str
    thought: int
    accesses: int
    score: float
    day: int
    second: int
    location: str
    terms: Mapping[str, float] = field(default_factory=dict)

    def __str__(self) -> str:
        hours, rest = divmod(self.second, 3600)
        clock = f"{hours:02}:{rest // 60:02}:{rest % 60:02}"
        where = f"[day: {self.day}, time: {clock}, location: {self.location}]"
        return f"- [{self.topic}]: {self.text} {where}"


class Recollections(list[Recollection]):
    """A list of memories that prints as a mind reads it."""

    def __str__(self) -> str:
        return "\n".join(map(str, self)) or "Nothing"


@dataclass(frozen=True, slots=True, eq=False)
class Recalled:
    """Memories found for several agents, best first.

    Attributes:
        rows: Rows of the agents, int64, shape (n,).
        ids: Ids of their memories, -1 where there are fewer, int32, shape (n, k).
        scores: Their scores, 0 where there are fewer, float32, shape (n, k).
        terms: Terms of the score by name, each of shape (n, k), if requested.
    """

    rows: NDArray[np.int64]
    ids: NDArray[np.int32]
    scores: NDArray[np.float32]
    terms: Mapping[str, NDArray[Any]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.rows)

    def where(self, mask: NDArray[np.bool_]) -> "Recalled":
        """Return the results of the agents for which the mask, shape (n,), is true."""
        terms = {name: values[mask] for name, values in self.terms.items()}
        return Recalled(self.rows[mask], self.ids[mask], self.scores[mask], terms)

    @property
    def counts(self) -> NDArray[np.intp]:
        """Number of memories of each agent, shape (n,)."""
        return np.asarray((self.ids >= 0).sum(axis=1))
