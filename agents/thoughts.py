"""Thoughts: templates by mood, filled in with their evidence when read.

The text of a thought names its evidence only by a placeholder, so agents share a few templates but
each has its own thoughts.
"""

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.memory.streams.emotion import EMOTIONS
from memopolis.sim.mind.mind import Answer, Question

type Span = Literal["day", "month"]
"""Period that a thought covers: a day, or a month if steps are longer."""

THOUGHTS = (
    "A quiet day. {evidence}",
    "A good day. {evidence}",
    "I am worried. {evidence}",
    "I am upset. {evidence}",
)
"""Templates of thoughts by mood."""

WORD_THOUGHTS = (THOUGHTS[0], *(f"Today I felt {word.lower()}. {{evidence}}" for word in EMOTIONS))
"""Templates of thoughts by number of the emotion word, for appraisal by OCC."""


def thought_templates(span: Span, *, by_word: bool) -> tuple[str, ...]:
    """Return the templates of thoughts that cover a day or a month.

    Args:
        span: Period that the thoughts cover.
        by_word: Whether to return one template per emotion word, or one per mood.
    """
    texts = WORD_THOUGHTS if by_word else THOUGHTS
    if span == "day":
        return texts
    return tuple(t.replace(" day.", " month.").replace("Today", "This month") for t in texts)


def choose_thought(question: Question, *, by_word: bool = False) -> Answer:
    """Choose a template by mood or emotion word: the rule of the question "thought"."""
    known = question.known
    kind = known["word"] if by_word else _find_mood(known)
    rows = np.arange(len(kind))
    return Answer(
        np.full(len(kind), np.nan, np.float32),
        text=known["templates"][rows, kind].astype(np.int32),
        emotion=known["word"],
    )


def _find_mood(known: Mapping[str, NDArray[Any]]) -> NDArray[np.intp]:
    """Return the number of the mood of each agent, as in `THOUGHTS`."""
    fear, joy = known["fear"], known["joy"]
    upset = np.maximum(known["sadness"], known["anger"])
    mood = np.zeros(len(fear), np.intp)
    mood[joy > 5.3] = 1
    mood[upset > np.maximum(joy, 5.3)] = 3
    mood[fear > np.maximum(np.maximum(joy, upset), 5.5)] = 2
    return mood
