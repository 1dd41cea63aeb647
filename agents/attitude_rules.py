"""Settings of attitude change, and the rules of the question "attitude" by recalled memories.

In every model, memories take the place of other people's opinions: a memory with effect e, from
-1 (opposes) to 1 (supports), counts as the rating 5 + 5 e. Deffuant's model uses one opinion at a
time, the memory of greatest weight. The other models use all recalled memories.
"""

from collections.abc import Mapping
from typing import Annotated, Literal, Self

import numpy as np
import pydantic

from memopolis.agents import attitude_models as models
from memopolis.sim.arrays import Array, Float32, Floats
from memopolis.sim.mind.mind import MINDS, Answer, Decisions, Question
from memopolis.sim.settings import Field, SettingsGroup, Share

_MOST_EXTREME = 0.999
"""Distance from neutral, relative to the maximum, to which ratings are clipped before arctanh."""


BY_RULE = [MINDS.index(name) for name in ("rule", "fallback")]
"""Minds that answer by the rule."""

type Model = Literal[
    "leaning",
    "deffuant",
    "hegselmann_krause",
    "friedkin_johnsen",
    "degroot",
    "baumann",
    "biased_assimilation",
    "repulsion",
]

type Backfire = Annotated[float, pydantic.Field(ge=0, le=1)]


class OpinionSettings(SettingsGroup, origin="illustrative"):
    """How memories change attitudes."""

    model: Model = Field("leaning", "Model by which attitudes change", origin="choice")
    bound: float = Field(
        2.5,
        "Deffuant, Hegselmann-Krause, repulsion: distance below which opinions attract",
        ge=0,
        le=10,
        unit="points",
        acts_with={"model": ("deffuant", "hegselmann_krause", "repulsion")},
    )
    rate: Share = Field(
        0.5,
        "Deffuant, repulsion: share of the gap closed in one update",
        origin="found",
        acts_with={"model": ("deffuant", "repulsion")},
    )
    reject: float = Field(
        5.0,
        "Repulsion: distance above which a memory repels; at least the bound",
        ge=0,
        le=10,
        unit="points",
        acts_with={"model": ("repulsion",)},
    )
    backfire: Share = Field(
        0.0,
        "Repulsion: strength of repulsion relative to attraction",
        origin="choice",
        acts_with={"model": ("repulsion",)},
    )
    backfire_by_group: dict[str, Backfire] = Field(
        {},
        "Repulsion: backfire of single groups, by name of the group",
        origin="choice",
        names="word",
        acts_with={"model": ("repulsion",)},
    )
    susceptibility: Share = Field(
        0.5,
        "All models but leaning and degroot: weight of the model's result relative to the "
        "predisposition, which is the initial attitude; 1 for the model as published",
        acts_with={
            "model": (
                "friedkin_johnsen",
                "deffuant",
                "hegselmann_krause",
                "baumann",
                "biased_assimilation",
                "repulsion",
            )
        },
    )
    bias: float = Field(
        1.0, "Biased assimilation: bias", ge=0, le=20, acts_with={"model": ("biased_assimilation",)}
    )
    own_weight: float = Field(
        3.0,
        "Hegselmann-Krause, Friedkin-Johnsen, DeGroot, biased assimilation: weight of the "
        "attitude itself",
        gt=0,
        le=1000,
        acts_with={
            "model": ("hegselmann_krause", "friedkin_johnsen", "degroot", "biased_assimilation")
        },
    )
    coupling: float = Field(
        3.0,
        "Baumann: weight of memories",
        ge=0,
        le=100,
        origin="found",
        acts_with={"model": ("baumann",)},
    )
    controversy: float = Field(
        3.0,
        "Baumann: influence of mild opinions relative to extreme ones",
        ge=0,
        le=100,
        origin="found",
        acts_with={"model": ("baumann",)},
    )
    step: float = Field(
        0.05,
        "Baumann: length of a time step",
        gt=0,
        le=1,
        origin="found",
        acts_with={"model": ("baumann",)},
    )

    @property
    def is_anchored(self) -> bool:
        """Whether attitudes stay attached to the initial ones, by `susceptibility`."""
        return self.model not in ("leaning", "degroot")

    @pydantic.model_validator(mode="after")
    def _check_reject(self) -> Self:
        if self.model == "repulsion" and self.reject < self.bound:
            raise ValueError(
                f"reject is {self.reject:g}, below bound, {self.bound:g}: the same opinion "
                f"cannot attract and repel; set reject to at least the bound"
            )
        return self


def rate_attitude(question: Question, *, rate: float) -> Answer:
    """Update an attitude by the weighted mean of relevant memories, which become the evidence."""
    known = question.known
    lean, total = compute_leaning(known["weight"], known["effect"])
    value = update_attitude(known["rating"], lean, total, known["conviction"], rate=rate)
    return _build_answer(question, value, lean, known["weight"], known["effect"])


def rate_attitude_by_model(question: Question, *, settings: OpinionSettings) -> Answer:
    """Update an attitude by a published model of attitude change."""
    rating = question.known["rating"]
    value = compute_ratings(question.known, settings)
    weight = _select_weights(question.known["weight"], settings.model)
    # A memory with effect e counts as the rating 5 + 5 e.
    toward = 5 + 5 * question.known["effect"] - rating[:, None]
    return _build_answer(question, value, (weight * toward).sum(axis=1), weight, toward)


def compute_ratings(known: Mapping[str, Array], settings: OpinionSettings) -> Float32:
    """Compute new ratings, in [0, 10], by the model that the settings select, shape (agents,).

    `known` has rating; start, if attitudes are attached to a predisposition; backfire, if it
    differs between agents; and weight and effect in [-1, 1] of memories,
    shape (agents, k). Agents without relevant memories stay unchanged.

    Source: The models are those of `attitude_models`. Friedkin and Johnsen's model attaches the
    model of DeGroot to initial opinions; attaching the others in the same way, and replacing other
    people's opinions by memories, are this project's choices.
    """
    rating, effect = known["rating"], known["effect"]
    weight = _select_weights(known["weight"], settings.model)
    if not weight.shape[1]:
        return np.asarray(rating, np.float32)
    value = np.clip(_apply_model(known, effect, weight, settings), 0, 10)
    if settings.is_anchored and "start" in known:
        value = models.attach(value, known["start"], susceptibility=settings.susceptibility)
    moved = np.asarray(value, np.float32)
    return np.where(weight.sum(axis=1) > 0, moved, rating)


def _apply_model(
    known: Mapping[str, Array], effect: Floats, weight: Floats, s: OpinionSettings
) -> Floats:
    """Compute new ratings, before they are clipped to the scale."""
    own, heard = known["rating"], 5 + 5 * effect
    match s.model:
        case "deffuant":
            rows, first = np.arange(len(weight)), weight.argmax(axis=1)
            strongest = np.where(weight[rows, first] > 0, heard[rows, first], np.nan)
            return models.deffuant(own, strongest, bound=s.bound, rate=s.rate)
        case "hegselmann_krause":
            return models.hegselmann_krause(
                own, heard, weight, bound=s.bound, own_weight=s.own_weight
            )
        case "repulsion":
            backfire = known.get("backfire", s.backfire)
            return models.repulsion(
                own, heard, weight, bound=s.bound, reject=s.reject, rate=s.rate, backfire=backfire
            )
        case "biased_assimilation":  # on the scale from 0 to 1
            return 10 * models.biased_assimilation(
                own / 10, heard / 10, weight, bias=s.bias, own_weight=s.own_weight
            )
        case "baumann":  # on an unbounded scale
            moved = models.baumann(
                _unbound((own - 5) / 5),
                _unbound(effect),
                weight,
                coupling=s.coupling,
                controversy=s.controversy,
                step=s.step,
            )
            return 5 + 5 * np.tanh(moved)
        case _:  # DeGroot, and Friedkin-Johnsen before it is attached
            return models.degroot(own, heard, weight, own_weight=s.own_weight)


def _select_weights(weight: Floats, model: Model) -> Floats:
    """Keep only the greatest weight for Deffuant's model; ties go to the best-ranked memory."""
    if model == "deffuant" and weight.shape[1]:
        only = np.arange(weight.shape[1]) == weight.argmax(axis=1)[:, None]
        weight = weight * only
    return weight


def _unbound(stance: Floats) -> Floats:
    """Map stances from [-1, 1] to the real line by arctanh."""
    return np.asarray(np.arctanh(np.clip(stance, -_MOST_EXTREME, _MOST_EXTREME)))


def _build_answer(
    question: Question, value: Floats, lean: Floats, weight: Floats, toward: Floats
) -> Answer:
    """Return an answer with the direction of the change and its evidence, first what speaks for it.

    `toward` is the direction in which each memory moves the attitude, shape (agents, k).
    """
    from memopolis.agents.attitude_kernels import sort_evidence

    return Answer(
        value,
        evidence=sort_evidence(question.recalled, weight, toward, lean),
        reason=np.where(lean > 0, 1, np.where(lean < 0, 2, 0)).astype(np.uint8),
        reasons=(
            "nothing recalled bears on it",
            "memories speak for it",
            "memories speak against it",
        ),
    )


def weigh_answers(decisions: Decisions, settings: OpinionSettings) -> Float32:
    """Return new ratings where a model of attitude change is attached to a predisposition.

    The rule has weighed recalled memories, the attitude and the predisposition. The rating that a
    language model gives is its answer to the recalled memories alone, and replaces their mean with
    their total weight; the own opinion and the predisposition keep theirs. So a model's attitudes
    persist and fade like those of rules. Agents that recall nothing relevant stay unchanged.

    Source: This project, in the form of Friedkin and Johnsen's model.
    """
    known, value = decisions.question.known, np.asarray(decisions.value, np.float32)
    answered = ~np.isin(decisions.how, BY_RULE)
    if not answered.any():
        return value
    total = known["weight"].sum(axis=1)
    moved = models.friedkin_johnsen(
        known["rating"],
        known["start"],
        value[:, None],
        total[:, None],
        susceptibility=settings.susceptibility,
        own_weight=settings.own_weight,
    )
    weighed = np.where(total > 0, np.clip(moved, 0, 10), known["rating"])
    return np.where(answered, weighed, value).astype(np.float32)


def compute_leaning(weight: Float32, effect: Float32) -> tuple[Float32, Float32]:
    """Compute the direction, in [-1, 1], and total weight of memories that concern an attitude.

    The effect of each memory is support (+) or opposition (-), in [-1, 1]; without a memory, its
    weight is 0. Arguments have shape (agents, k), results (agents,).

    Source: This project: information integration as a weighted average (Anderson 1971,
    doi:10.1037/h0030852) with weights from retrieval.
    """
    total = weight.sum(axis=1)
    lean = (weight * effect).sum(axis=1) / np.where(total > 0, total, 1)
    return np.clip(lean, -1, 1).astype(np.float32), total.astype(np.float32)


def update_attitude(
    rating: Float32, lean: Float32, weight: Float32, conviction: Float32, *, rate: float
) -> Float32:
    """Move an attitude in the direction of memories, more slowly at higher conviction, (agents,).

    Source: This project: the change is rate * (1 - conviction / 2) * (1 - exp(-weight)) * |lean|
    times the distance to the end of the scale.
    """
    room = np.where(lean >= 0, 10 - rating, rating)
    step = rate * (1 - conviction / 2) * (1 - np.exp(-weight)) * lean
    return np.asarray(np.clip(rating + step * room, 0, 10), np.float32)


def update_conviction(
    conviction: Float32, rating: Float32, lean: Float32, *, rate: float
) -> Float32:
    """Raise conviction, in [0, 1], if memories agree with the attitude, lower it otherwise.

    Source: This project, after attitude strength in Krosnick and Petty 1995 (recalled).
    """
    agreement = np.clip(lean * (rating - 5) / 5, 0, 1)
    moved = np.where(lean == 0, conviction, conviction + rate * (agreement - conviction))
    return np.asarray(np.clip(moved, 0, 1), np.float32)


def compute_backfire(labels: Array, settings: OpinionSettings) -> Float32:
    """Return the backfire of each agent by the name of its group, shape (agents,)."""
    backfire = np.full(len(labels), settings.backfire, np.float32)
    for label, value in settings.backfire_by_group.items():
        backfire[labels == label] = value
    return backfire
