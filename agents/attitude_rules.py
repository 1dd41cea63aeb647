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
from memopolis.sim.declarations import FROM_TABLE, read_declarations
from memopolis.sim.errors import ParameterError
from memopolis.sim.mind.mind import Answer, Question
from memopolis.sim.settings import SettingsGroup, Share

_MOST_EXTREME = 0.999
"""Distance from neutral, relative to the maximum, to which ratings are clipped before arctanh."""

TABLE = read_declarations(__file__, "settings.toml")

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


class OpinionSettings(SettingsGroup, table=TABLE["opinion"]):
    """How memories change attitudes."""

    model: Model = FROM_TABLE
    bound: float = FROM_TABLE
    rate: Share = FROM_TABLE
    reject: float = FROM_TABLE
    backfire: Share = FROM_TABLE
    backfire_by_group: dict[str, Backfire] = FROM_TABLE
    susceptibility: Share = FROM_TABLE
    ambivalence: float = FROM_TABLE
    bias: float = FROM_TABLE
    own_weight: float = FROM_TABLE
    coupling: float = FROM_TABLE
    controversy: float = FROM_TABLE
    step: float = FROM_TABLE

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
    lean, weight = compute_leaning(
        known["weight"], known["importance"], known["confidence"], known["effect"]
    )
    value = update_attitude(known["rating"], lean, weight, known["conviction"], rate=rate)
    return _build_answer(question, value, lean, _compute_weights(known), known["effect"])


def rate_attitude_by_model(question: Question, *, settings: OpinionSettings) -> Answer:
    """Update an attitude by a published model of attitude change."""
    rating = question.known["rating"]
    value = compute_ratings(question.known, settings)
    weight = _compute_weights(question.known, settings.model)
    # A memory with effect e counts as the rating 5 + 5 e.
    toward = 5 + 5 * question.known["effect"] - rating[:, None]
    return _build_answer(question, value, (weight * toward).sum(axis=1), weight, toward)


def compute_ratings(known: Mapping[str, Array], settings: OpinionSettings) -> Float32:
    """Compute new ratings by the model that the settings select.

    The result is in [0, 10], shape (agents,); unchanged for agents without relevant memories.

    Args:
        known: rating and start, the predisposition to which attitudes are attached, in [0, 10],
            shape (agents,); without start they are not attached; backfire, shape (agents,), if it
            differs between agents; weight, importance and confidence,
            whose product is the weight of a memory, and effect in [-1, 1], shape
            (agents, k).
        settings: The model and its parameters.

    Source: The models are those of `attitude_models`. Friedkin and Johnsen's model attaches the
    model of DeGroot to initial opinions; attaching the others in the same way, and replacing other
    people's opinions by memories, are this project's choices.
    """
    rating, effect = known["rating"], known["effect"]
    weight = _compute_weights(known, settings.model)
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


def _compute_weights(known: Mapping[str, Array], model: Model = "leaning") -> Floats:
    """Compute the weight of each memory: 0 if it is irrelevant or no longer recallable.

    Deffuant's model keeps only the greatest weight of each agent; ties go to the best-ranked
    memory.
    """
    weight = known["weight"] * known["importance"] * known["confidence"] * (known["effect"] != 0)
    if model == "deffuant" and weight.shape[1]:
        only = np.arange(weight.shape[1]) == weight.argmax(axis=1)[:, None]
        weight = weight * only
    return np.asarray(weight)


def _unbound(stance: Floats) -> Floats:
    """Map stances from [-1, 1] to the real line by arctanh."""
    return np.asarray(np.arctanh(np.clip(stance, -_MOST_EXTREME, _MOST_EXTREME)))


def _build_answer(
    question: Question, value: Floats, lean: Floats, weight: Floats, toward: Floats
) -> Answer:
    """Return an answer with the direction of the change and its evidence.

    Memories that speak for the change come first.

    Args:
        question: Question of kind "attitude".
        value: The new ratings, shape (agents,).
        lean: Direction of the change, shape (agents,).
        weight: Weight of each memory, 0 for irrelevant ones, shape (agents, k).
        toward: Direction in which each memory moves the attitude, shape (agents, k).
    """
    ids = np.where(weight > 0, question.recalled, -1).astype(np.int32)
    agrees = (ids >= 0) & (toward * lean[:, None] > 0)
    first = np.argsort(~agrees, axis=1, kind="stable")
    return Answer(
        value,
        evidence=np.take_along_axis(ids, first, axis=1),
        reason=np.where(lean > 0, 1, np.where(lean < 0, 2, 0)).astype(np.uint8),
        reasons=(
            "nothing recalled bears on it",
            "memories speak for it",
            "memories speak against it",
        ),
    )


def sample_considerations(settled: Floats, u: Floats, *, ambivalence: float | Floats) -> Floats:
    """Return predispositions as they come to mind on one occasion.

    People hold considerations for and against, and answer by those that come to mind. Their mean is
    settled, and one occasion differs from it, least at the ends of the scale, where all
    considerations agree. Returns quantiles of the Beta distribution on [0, 10] with mean `settled`
    and variance ambivalence * settled * (10 - settled), shape (agents,).

    Args:
        settled: Mean of the considerations of each agent, in [0, 10], shape (agents,).
        u: Uniform draws in [0, 1), shape (agents,).
        ambivalence: Variance around the mean relative to its maximum, in [0, 1), one value or
            shape (agents,): 1 / k if k considerations, each fully for or against, come to mind.

    Source: Answers as samples of considerations: Zaller and Feldman 1992, doi:10.2307/2111583;
    answers that vary around settled dispositions: Kiley and Vaisey 2020,
    doi:10.1177/0003122420922989 (both recalled). The Beta distribution is this project's.
    """
    from scipy.special import betaincinv

    varied = (settled > 0) & (settled < 10) & (np.asarray(ambivalence) > 0)
    if not varied.any():
        return settled
    mean = np.where(varied, settled, 5.0).astype(np.float64) / 10
    number = 1 / np.where(varied, ambivalence, 0.5) - 1
    drawn = 10 * betaincinv(number * mean, number * (1 - mean), u)
    return np.asarray(np.where(varied, drawn, settled))


def compute_leaning(
    score: Float32, importance: Float32, confidence: Float32, effect: Float32
) -> tuple[Float32, Float32]:
    """Compute the direction and the total weight of the memories that concern an attitude.

    Returns the leaning in [-1, 1], 0 without relevant memories, and their total weight sum(score *
    importance * confidence), both of shape (agents,).

    Args:
        score: Retrieval score times recency, >= 0, 0 without a memory, shape (agents, k).
        importance: In [0, 1], shape (agents, k).
        confidence: In [0, 1], shape (agents, k).
        effect: Support (+) or opposition (-) expressed by each memory, in [-1, 1], shape
            (agents, k).

    Source: This project: information integration as a weighted average (Anderson 1971,
    doi:10.1037/h0030852) with weights from retrieval.
    """
    weight = score * importance * confidence * (effect != 0)
    total = weight.sum(axis=1)
    lean = (weight * effect).sum(axis=1) / np.where(total > 0, total, 1)
    return np.clip(lean, -1, 1).astype(np.float32), total.astype(np.float32)


def update_attitude(
    rating: Float32, lean: Float32, weight: Float32, conviction: Float32, *, rate: float
) -> Float32:
    """Move an attitude in the direction of memories, more slowly at higher conviction.

    The result is in [0, 10], shape (agents,). Raises ParameterError if the rate is out of range.

    Args:
        rating: In [0, 10], shape (agents,).
        lean: In [-1, 1], shape (agents,).
        weight: Weight of the memories behind the leaning, >= 0, shape (agents,).
        conviction: In [0, 1], shape (agents,).
        rate: Share of the remaining distance covered by one full update, in [0, 1].

    Source: This project: the change is rate * (1 - conviction / 2) * (1 - exp(-weight)) * |lean|
    times the distance to the end of the scale.
    """
    if not 0 <= rate <= 1:
        raise ParameterError(f"rate is {rate}; it must be in [0, 1]")
    room = np.where(lean >= 0, 10 - rating, rating)
    step = rate * (1 - conviction / 2) * (1 - np.exp(-weight)) * lean
    return np.asarray(np.clip(rating + step * room, 0, 10), np.float32)


def update_conviction(
    conviction: Float32, rating: Float32, lean: Float32, *, rate: float
) -> Float32:
    """Raise conviction if memories agree with the attitude, lower it otherwise.

    The result is in [0, 1], shape (agents,).

    Args:
        conviction: In [0, 1], shape (agents,).
        rating: In [0, 10], shape (agents,).
        lean: In [-1, 1], shape (agents,).
        rate: Share of the distance to the agreement covered in one update, in [0, 1].

    Source: This project, after attitude strength in Krosnick and Petty 1995 (recalled).
    """
    agreement = np.clip(lean * (rating - 5) / 5, 0, 1)
    moved = np.where(lean == 0, conviction, conviction + rate * (agreement - conviction))
    return np.asarray(np.clip(moved, 0, 1), np.float32)


def compute_backfire(labels: Array, settings: OpinionSettings) -> Float32:
    """Return the backfire of each agent by its group, shape (agents,).

    Args:
        labels: Name of the group of each agent, shape (agents,).
        settings: General backfire, and backfire of single groups.
    """
    backfire = np.full(len(labels), settings.backfire, np.float32)
    for label, value in settings.backfire_by_group.items():
        backfire[labels == label] = value
    return backfire
