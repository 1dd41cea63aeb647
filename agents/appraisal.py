"""What an event does to a feeling, and what memories do to an attitude: the equations.

Pure functions of arrays; the blocks of `cognition.py` only call them.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.errors import ParameterError

Float32 = NDArray[np.float32]

FEELINGS = ("sadness", "joy", "fear", "disgust", "anger", "surprise")
"""Six basic emotions (Ekman 1992), intensities 0..10."""

BASELINE = 5.0
"""Intensity that a feeling starts at and calms down to (AgentSociety 1.5.7: all 5)."""

# Which feeling a bad and a good event of a topic moves. Illustrative, after the
# appraisals of Ortony, Clore and Collins 1988: prospects raise fear, losses sadness,
# others' blameworthy acts anger; good events joy, and relief lowers fear.
BAD: Mapping[str, str] = {
    "disaster": "fear",
    "evacuation": "fear",
    "order": "fear",
    "traffic": "anger",
    "relief": "sadness",
    "pay": "anger",
    "prices": "anger",
    "tax": "anger",
    "policy": "anger",
    "money": "sadness",
    "job": "fear",
}
GOOD: Mapping[str, str] = {"relief": "joy", "preparation": "joy"}
RELIEVES = ("relief", "preparation")


@dataclass(frozen=True)
class Attitude:
    """How memories bear on an attitude.

    Attributes:
        name: Its name, field of the struct `attitude`.
        query: What is searched for in the stream.
        effect: By topic, what a memory of valence 1 does to it: 1 supports, -1 opposes.
        topic: The only topic whose memories are searched, "" for all.
    """

    name: str
    query: str
    effect: Mapping[str, float]
    topic: str = ""


def appraised(
    intensity: Float32, impulse: Float32, *, gain: float, calm: float, baseline: float = BASELINE
) -> Float32:
    """Move a feeling by what happened, and let it calm down.

    Args:
        intensity: In [0, 10], shape (agents,).
        impulse: Sum over events of importance times |valence|, signed, shape (agents,).
        gain: Points an impulse of 1 moves a feeling in the middle of its range, >= 0.
        calm: Share of the distance to the baseline that is lost in the step, in [0, 1].
        baseline: Where it calms down to.

    Returns:
        In [0, 10], shape (agents,).

    Raises:
        ParameterError: If gain or calm is out of range.

    Source:
        This project: exponential return to a baseline; an impulse moves in proportion to
        the room that is left, so that intensities never leave their range.
    """
    if gain < 0 or not 0 <= calm <= 1:
        raise ParameterError(
            f"gain {gain} and calm {calm}: gain >= 0 and calm in [0, 1] are needed"
        )
    calmer = intensity + np.float32(calm) * (np.float32(baseline) - intensity)
    share = 1 - np.exp(-np.abs(impulse) * np.float32(gain / 5))
    room = np.where(impulse >= 0, 10 - calmer, -calmer)
    return np.asarray(np.clip(calmer + share * room, 0, 10), np.float32)


def leaning(
    score: Float32, importance: Float32, confidence: Float32, effect: Float32
) -> tuple[Float32, Float32]:
    """Sum up which way recalled memories lean, and how much they weigh.

    Args:
        score: What it was ranked by, >= 0, 0 where there is none, shape (agents, k).
        importance: In [0, 1], shape (agents, k).
        confidence: In [0, 1], shape (agents, k).
        effect: What each memory says for (+) or against (-) the attitude, in [-1, 1], shape
            (agents, k).

    Returns:
        The leaning in [-1, 1], 0 where nothing bears on the attitude, and the weight
        sum(score * importance * confidence) of what does, both of shape (agents,).

    Source:
        This project: information integration as a weighted average (Anderson 1971,
        doi:10.1037/h0030852) with weights from retrieval.
    """
    weight = score * importance * confidence * (effect != 0)
    total = weight.sum(axis=1)
    lean = (weight * effect).sum(axis=1) / np.where(total > 0, total, 1)
    return np.clip(lean, -1, 1).astype(np.float32), total.astype(np.float32)


def updated_attitude(
    rating: Float32, lean: Float32, weight: Float32, conviction: Float32, *, rate: float
) -> Float32:
    """Move an attitude the way memories lean, more slowly the firmer it is.

    Args:
        rating: In [0, 10], shape (agents,).
        lean: In [-1, 1], shape (agents,).
        weight: Weight of the memories behind the leaning, >= 0, shape (agents,).
        conviction: In [0, 1], shape (agents,).
        rate: Share of the room that one full update takes, in [0, 1].

    Returns:
        In [0, 10], shape (agents,).

    Raises:
        ParameterError: If the rate is out of range.

    Source:
        This project: the change is rate * (1 - conviction / 2) * (1 - exp(-weight)) * |lean|
        of the room left in the direction of the leaning.
    """
    if not 0 <= rate <= 1:
        raise ParameterError(f"rate is {rate}; a number from 0 to 1 is needed")
    room = np.where(lean >= 0, 10 - rating, rating)
    step = rate * (1 - conviction / 2) * (1 - np.exp(-weight)) * lean
    return np.asarray(np.clip(rating + step * room, 0, 10), np.float32)


def updated_conviction(
    conviction: Float32, rating: Float32, lean: Float32, *, rate: float
) -> Float32:
    """Firm up an attitude when memories agree with it, loosen it when they do not.

    Args:
        conviction: In [0, 1], shape (agents,).
        rating: In [0, 10], shape (agents,).
        lean: In [-1, 1], shape (agents,).
        rate: Share of the way to the agreement that is gone, in [0, 1].

    Returns:
        In [0, 1], shape (agents,).

    Source:
        This project, after attitude strength in Krosnick and Petty 1995 (recalled).
    """
    agreement = np.clip(lean * (rating - 5) / 5, 0, 1)
    moved = np.where(lean == 0, conviction, conviction + rate * (agreement - conviction))
    return np.asarray(np.clip(moved, 0, 1), np.float32)
