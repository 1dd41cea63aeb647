"""Thoughts: templates by how the day felt, written out with their evidence on reading.

A thought holds no words of the day itself: its text names what it rests on, so two people
share a template and have thoughts of their own.
"""

from typing import Literal

import numpy as np

from memopolis.sim.memory.streams.emotion import EMOTIONS
from memopolis.sim.mind.mind import Answer, Question

type Span = Literal["day", "month"]
"""What a thought looks back on: a day, or where steps are longer, a month."""

THOUGHTS = (
    "A quiet day. {evidence}",
    "A good day. {evidence}",
    "I am worried. {evidence}",
    "I am upset. {evidence}",
)
"""Templates of thoughts, by how the day felt; written out with their evidence on reading."""

WORD_THOUGHTS = (THOUGHTS[0], *(f"Today I felt {word.lower()}. {{evidence}}" for word in EMOTIONS))
"""Templates of thoughts by number of the emotion word, where feelings are appraised by OCC."""


def templates(span: Span, *, by_word: bool) -> tuple[str, ...]:
    """Templates of thoughts that look back on a day or on a month.

    Args:
        span: What they look back on.
        by_word: Whether there is one for each emotion word, or one for each kind of day.
    """
    texts = WORD_THOUGHTS if by_word else THOUGHTS
    if span == "day":
        return texts
    return tuple(t.replace(" day.", " month.").replace("Today", "This month") for t in texts)


def reflect(question: Question) -> Answer:
    """Put the day into words: a template by feeling, written out from its memories on reading."""
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


def reflect_word(question: Question) -> Answer:
    """Put the day into words by its emotion word: a template each, written out on reading."""
    word = question.known["word"]
    rows = np.arange(len(word))
    return Answer(
        np.full(len(word), np.nan, np.float32),
        text=question.known["templates"][rows, word].astype(np.int32),
        emotion=word,
    )
