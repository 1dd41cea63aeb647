"""Memories of messages: of those who read or hear them, and of their authors."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memopolis.scenarios.polarization.messages import (
    MESSAGE_TOPICS,
    NEUTRAL,
    Messages,
    Statements,
)
from memopolis.sim.population import Cohort, Population

OWN_IMPORTANCE = 0.1
"""Importance of memories of own statements (as in `agents/blocks/social.py`)."""


def remember_messages(
    population: Population,
    rows: NDArray[np.integer[Any]],
    statements: Statements,
    texts: NDArray[np.int32],
    *,
    actor: NDArray[np.int64],
    importance: ArrayLike,
    confidence: ArrayLike,
    continues: ArrayLike = False,
) -> None:
    """Add memories of messages to those who read or hear them.

    Args:
        population: Population of the listeners.
        rows: Rows of the listeners, repeated for several messages, shape (m,).
        statements: The messages, shape (m,).
        texts: Numbers of their texts, shape (m,).
        actor: unique_id of each author, shape (m,).
        importance: One value or shape (m,).
        confidence: One value or shape (m,).
        continues: Whether each memory continues the listener's previous one, in the same talk.
    """
    weight = np.broadcast_to(np.asarray(importance, np.float32), rows.shape)
    sure = np.broadcast_to(np.asarray(confidence, np.float32), rows.shape)
    on = np.broadcast_to(np.asarray(continues, np.bool_), rows.shape)
    for place, topic in enumerate((*MESSAGE_TOPICS, NEUTRAL)):
        mask = statements.topic == (place if topic != NEUTRAL else -1)
        if mask.any():
            population.memory.of(rows[mask]).stream.add(
                topic,
                texts[mask],
                actor=actor[mask],
                importance=weight[mask],
                valence=statements.stance[mask],
                confidence=sure[mask],
                continues=on[mask],
            )


def remember_statements(
    speakers: Cohort,
    statements: Statements,
    messages: Messages,
    prefix: str,
    *,
    actor: NDArray[np.int64] | None = None,
    continues: ArrayLike = False,
) -> None:
    """Add memories of own statements, which have no effect on attitudes.

    Args:
        speakers: Authors, shape (m,).
        statements: Their statements, shape (m,).
        messages: The texts.
        prefix: Prefix of the memory.
        actor: unique_id of the listener, shape (m,); None for the public.
        continues: Whether each memory continues the speaker's previous one, in the same talk.
    """
    numbers = messages.numbers(speakers.population.society.texts, prefix)
    speakers.memory.stream.add(
        "social",
        numbers[statements.text],
        actor=actor,
        importance=OWN_IMPORTANCE,
        confidence=1.0,
        continues=continues,
    )
