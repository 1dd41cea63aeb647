"""How a message becomes memories: of who reads or hears it, and of who says it."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memopolis.scenarios.polarization.messages import (
    NEUTRAL,
    TALKED_OF,
    Messages,
    Said,
)
from memopolis.sim.population import Cohort, Population

OWN_IMPORTANCE = 0.1
"""Importance of having said something oneself (as in `agents/blocks/social.py`)."""


def hear(
    population: Population,
    rows: NDArray[np.integer[Any]],
    said: Said,
    texts: NDArray[np.int32],
    *,
    actor: NDArray[np.int64],
    importance: ArrayLike,
    confidence: ArrayLike,
) -> None:
    """Let messages be remembered by those who read or hear them.

    Args:
        population: Of the listeners.
        rows: Their rows; one who hears several messages comes several times, shape (m,).
        said: The messages, shape (m,).
        texts: Numbers of their texts, shape (m,).
        actor: unique_id of who says each, shape (m,).
        importance: Of each or of all.
        confidence: Of each or of all.
    """
    weight = np.broadcast_to(np.asarray(importance, np.float32), rows.shape)
    sure = np.broadcast_to(np.asarray(confidence, np.float32), rows.shape)
    for place, topic in enumerate((*TALKED_OF, NEUTRAL)):
        mask = said.topic == (place if topic != NEUTRAL else -1)
        if mask.any():
            population.memory.of(rows[mask]).stream.add(
                topic,
                texts[mask],
                actor=actor[mask],
                importance=weight[mask],
                valence=said.stance[mask],
                confidence=sure[mask],
            )


def keep_own(
    speakers: Cohort,
    said: Said,
    messages: Messages,
    opening: str,
    actor: NDArray[np.int64] | None = None,
) -> None:
    """Let those who say something remember it; one's own words convince nobody further.

    Args:
        speakers: Who speaks, shape (m,).
        said: What each says, shape (m,).
        messages: The texts.
        opening: How the memory begins.
        actor: unique_id of whom it is said to, shape (m,); None for nobody in particular.
    """
    numbers = messages.numbers(speakers.population.society.texts, opening)
    speakers.memory.stream.add(
        "social", numbers[said.text], actor=actor, importance=OWN_IMPORTANCE, confidence=1.0
    )
