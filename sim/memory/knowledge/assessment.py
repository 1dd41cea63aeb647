"""Assessments written out: what one agent knows of a topic, in words."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memopolis.sim.memory.knowledge.assess import LEVELS, Assessing, Assessments
from memopolis.sim.memory.streams.recollection import Recollections
from memopolis.sim.memory.streams.telling import tell

if TYPE_CHECKING:
    from memopolis.sim.memory.memory import Memory

_MESSAGES = {
    "none": "I know nothing about {topic}.",
    "very_low": "I know next to nothing about {topic}.",
    "low": "I know little about {topic}.",
    "medium": "I know something about {topic}.",
    "high": "I know {topic} well.",
}

UNSURE, STALE, LOOSE = 0.5, 0.3, 0.2
"""Mean confidence, recency and consolidation below which something is suggested
(illustrative)."""


@dataclass(frozen=True, slots=True)
class Assessment:
    """How well one agent knows a topic.

    Attributes:
        topic: The topic, in words.
        level: "none", "very_low", "low", "medium" or "high".
        score: 0..1.
        message: One sentence.
        suggestions: What would make the knowledge better, each one sentence.
        evidence: The five best memories, best first, with the share of the topic as score.
        memories: How many are about the topic, at most 50.
        confidence: Their mean confidence, nan where there are none.
        recency: Their mean recency, likewise.
        consolidation: Their mean consolidation, likewise.
    """

    topic: str
    level: str
    score: float
    message: str
    suggestions: tuple[str, ...]
    evidence: Recollections
    memories: int
    confidence: float
    recency: float
    consolidation: float

    def __str__(self) -> str:
        return "\n".join((self.message, *self.suggestions, str(self.evidence)))


def written(memory: "Memory", topic: str, one: Assessments, how: Assessing) -> Assessment:
    """Write out the assessment of one agent."""
    level = LEVELS[int(one.level[0])]
    return Assessment(
        topic=topic,
        level=level,
        score=float(one.score[0]),
        message=_MESSAGES[level].format(topic=topic),
        suggestions=_suggestions(topic, one, how),
        evidence=tell(memory, int(one.rows[0]), one.evidence[0].tolist()),
        memories=int(one.memories[0]),
        confidence=float(one.confidence[0]),
        recency=float(one.recency[0]),
        consolidation=float(one.consolidation[0]),
    )


def _suggestions(topic: str, one: Assessments, how: Assessing) -> tuple[str, ...]:
    """What would raise the score, the part that weighs most first."""
    if not one.memories[0]:
        return (f"Ask somebody or look for news about {topic}.",)
    wanted = (
        (one.confidence[0] < UNSURE, "Find a second source: much of it is hearsay."),
        (one.memories[0] < how.enough, f"Learn more about {topic}: few memories are about it."),
        (one.recency[0] < STALE, "Check whether it still holds: most of it is long ago."),
        (one.consolidation[0] < LOOSE, "Go over it again: it does not sit firmly yet."),
    )
    return tuple(sentence for holds, sentence in wanted if holds)
