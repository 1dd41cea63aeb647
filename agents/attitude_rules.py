"""The rule of the question "attitude": from what is recalled to a new rating.

What memories say is the influence in every model: a memory of effect e, from -1 (opposes) to
1 (supports), stands for somebody who holds the rating 5 + 5 e.
"""

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from memopolis.agents.appraisal import leaning, updated_attitude
from memopolis.agents.attitude_models import (
    biased_assimilation,
    bounded_confidence,
    friedkin_johnsen,
    reinforcement,
)
from memopolis.sim.mind.mind import Answer, Question
from memopolis.sim.settings import Field, SettingsGroup

type Model = Literal[
    "leaning", "bounded_confidence", "friedkin_johnsen", "biased_assimilation", "reinforcement"
]

_MOST_EXTREME = 0.999
"""Farthest from neutral, of 1, that a rating can be told of before it is infinitely firm."""


class OpinionSettings(SettingsGroup):
    """How memories change attitudes."""

    model: Model = Field("leaning", description="Model by which attitudes change")
    bound: float = Field(
        2.5,
        ge=0,
        le=10,
        origin="illustrative",
        description="Bounded confidence: distance in points below which a memory convinces",
    )
    rate: float = Field(
        0.5,
        ge=0,
        le=1,
        origin="found",
        description="Bounded confidence: part of the way to what convinces",
    )
    backfire: float = Field(
        0.0,
        ge=0,
        le=1,
        origin="choice",
        description="Bounded confidence: part of the way away from what does not convince",
    )
    susceptibility: float = Field(
        0.5,
        ge=0,
        le=1,
        origin="illustrative",
        description="Friedkin-Johnsen: weight of memories against the first attitude",
    )
    bias: float = Field(
        1.0, ge=0, le=20, origin="illustrative", description="Biased assimilation: bias"
    )
    own_weight: float = Field(
        3.0,
        gt=0,
        le=1_000,
        origin="illustrative",
        description="Friedkin-Johnsen and biased assimilation: weight of the attitude itself",
    )
    coupling: float = Field(
        3.0, ge=0, le=100, origin="found", description="Reinforcement: weight of memories"
    )
    controversy: float = Field(
        3.0, ge=0, le=100, origin="found", description="Reinforcement: how soon a memory convinces"
    )
    step: float = Field(
        0.05, gt=0, le=1, origin="found", description="Reinforcement: length of an update"
    )


def judge(question: Question, *, rate: float) -> Answer:
    """Rate an attitude anew from the memories that bear on it; these are the evidence."""
    known = question.known
    lean, weight = leaning(
        known["weight"], known["importance"], known["confidence"], known["effect"]
    )
    value = updated_attitude(known["rating"], lean, weight, known["conviction"], rate=rate)
    return _because(question, value, lean)


def judge_by_model(question: Question, *, settings: OpinionSettings) -> Answer:
    """Rate an attitude anew by a published model of attitude change."""
    rating = question.known["rating"]
    value = rated(question.known, settings)
    return _because(question, value, value - rating)


def rated(known: Mapping[str, NDArray[Any]], settings: OpinionSettings) -> NDArray[np.float32]:
    """The rating of each after what it recalled, by the model of the settings.

    Args:
        known: rating and, for Friedkin-Johnsen, start, in [0, 10], shape (agents,); weight,
            importance and confidence, whose product is a memory's weight, and effect in
            [-1, 1], shape (agents, k).
        settings: The model and its numbers.

    Returns:
        In [0, 10], shape (agents,); unchanged where nothing recalled bears on the attitude.

    Source:
        The models are those of `attitude_models`; that memories take the place of others'
        opinions is this project's.
    """
    rating, effect = known["rating"], known["effect"]
    weight = known["weight"] * known["importance"] * known["confidence"] * (effect != 0)
    value = _changed(rating, known.get("start", rating), effect, weight, settings)
    moved = np.clip(value, 0, 10).astype(np.float32)
    return np.where(weight.sum(axis=1) > 0, moved, rating)


def _changed(
    rating: NDArray[np.float32],
    start: NDArray[np.float32],
    effect: NDArray[np.float32],
    weight: NDArray[np.float32],
    s: OpinionSettings,
) -> NDArray[np.floating]:
    heard = 5 + 5 * effect
    if s.model == "bounded_confidence":
        return bounded_confidence(
            rating, heard, weight, bound=s.bound, rate=s.rate, backfire=s.backfire
        )
    if s.model == "friedkin_johnsen":
        return friedkin_johnsen(
            rating,
            start,
            heard,
            weight,
            susceptibility=s.susceptibility,
            own_weight=s.own_weight,
        )
    if s.model == "biased_assimilation":
        return 10 * biased_assimilation(
            rating / 10, heard / 10, weight, bias=s.bias, own_weight=s.own_weight
        )
    # The model knows no bounds: a rating is the tanh of what it moves.
    firm = np.arctanh(np.clip((rating - 5) / 5, -_MOST_EXTREME, _MOST_EXTREME))
    said = np.arctanh(np.clip(effect, -_MOST_EXTREME, _MOST_EXTREME))
    moved = reinforcement(
        firm, said, weight, coupling=s.coupling, controversy=s.controversy, step=s.step
    )
    return 5 + 5 * np.tanh(moved)


def _because(question: Question, value: NDArray[np.float32], lean: NDArray[np.float32]) -> Answer:
    """The answer with its evidence: which way it went, and what bears on it."""
    known = question.known
    weight = known["weight"] * known["importance"] * known["confidence"]
    bears = (known["effect"] != 0) & (weight > 0)  # what has faded from sight weighs nothing
    return Answer(
        value,
        evidence=np.where(bears, question.recalled, -1).astype(np.int32),
        reason=np.where(lean > 0, 1, np.where(lean < 0, 2, 0)).astype(np.uint8),
        reasons=(
            "nothing recalled bears on it",
            "memories speak for it",
            "memories speak against it",
        ),
    )
