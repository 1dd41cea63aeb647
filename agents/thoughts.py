"""Thoughts: templates by mood, filled in with their evidence when read.

The text of a thought names its evidence only by a placeholder, so agents share a few templates but
each has its own thoughts.
"""

from typing import Literal

import numpy as np

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


def choose_thought(question: Question) -> Answer:
    """Choose a template by mood: the rule of the question "thought"."""
    known = question.known
    fear, joy = known["fear"], known["joy"]
    upset = np.maximum(known["sadness"], known["anger"])
    kind = np.zeros(len(fear), np.intp)
    kind[joy > 5.3] = 1
    kind[upset > np.maximum(joy, 5.3)] = 3
    kind[fear > np.maximum(np.maximum(joy, upset), 5.5)] = 2
    rows = np.arange(len(fear))
    return Answer(
        np.full(len(fear), np.nan, np.float32),
        text=known["templates"][rows, kind].astype(np.int32),
        emotion=known["word"],
    )


def choose_thought_by_word(question: Question) -> Answer:
    """Choose a template by emotion word: the rule of "thought" for appraisal by OCC."""
    word = question.known["word"]
    rows = np.arange(len(word))
    return Answer(
        np.full(len(word), np.nan, np.float32),
        text=question.known["templates"][rows, word].astype(np.int32),
        emotion=word,
    )
