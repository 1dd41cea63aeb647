"""Rules of the question "attitude": compute a new rating from recalled memories.

In every model, memories take the place of other people's opinions: a memory with effect e, from
-1 (opposes) to 1 (supports), counts as the rating 5 + 5 e. Deffuant's model uses one opinion at a
time, the memory of greatest weight. The other models use all recalled memories.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memopolis.agents import attitude_models as models
from memopolis.agents.appraisal import compute_leaning, update_attitude
from memopolis.agents.attitude_settings import Model, OpinionSettings
from memopolis.sim.mind.mind import Answer, Question

type _Known = Mapping[str, NDArray[Any]]
type _Floats = NDArray[np.floating]

_MOST_EXTREME = 0.999
"""Distance from neutral, relative to the maximum, to which ratings are clipped before arctanh."""


def rate_attitude(question: Question, *, rate: float) -> Answer:
    """Update an attitude by the weighted mean of relevant memories, which become the evidence."""
    known = question.known
    lean, weight = compute_leaning(
        known["weight"], known["importance"], known["confidence"], known["effect"]
    )
    value = update_attitude(known["rating"], lean, weight, known["conviction"], rate=rate)
    return _because(question, value, lean, _weight(known))


def rate_attitude_by_model(question: Question, *, settings: OpinionSettings) -> Answer:
    """Update an attitude by a published model of attitude change."""
    rating = question.known["rating"]
    value = compute_ratings(question.known, settings)
    heard = _weight(question.known, settings.model)
    return _because(question, value, value - rating, heard)


def compute_ratings(
    known: Mapping[str, NDArray[Any]], settings: OpinionSettings
) -> NDArray[np.float32]:
    """Compute new ratings by the model that the settings select.

    Args:
        known: rating and, for Friedkin-Johnsen, start, in [0, 10], shape (agents,); backfire,
            shape (agents,), if it differs between agents; weight, importance and confidence,
            whose product is the weight of a memory, and effect in [-1, 1], shape
            (agents, k).
        settings: The model and its parameters.

    Returns:
        In [0, 10], shape (agents,); unchanged for agents without relevant memories.

    Source:
        The models are those of `attitude_models`; replacing other people's opinions by memories is
        this project's choice.
    """
    rating, effect = known["rating"], known["effect"]
    weight = _weight(known, settings.model)
    if not weight.shape[1]:
        return np.asarray(rating, np.float32)
    value = _MODELS[settings.model](known, effect, weight, settings)
    moved = np.clip(value, 0, 10).astype(np.float32)
    return np.where(weight.sum(axis=1) > 0, moved, rating)


def _deffuant(known: _Known, effect: _Floats, weight: _Floats, s: OpinionSettings) -> _Floats:
    rows, one = np.arange(len(weight)), weight.argmax(axis=1)
    heard = np.where(weight[rows, one] > 0, _held(effect[rows, one]), np.nan)
    return models.deffuant(known["rating"], heard, bound=s.bound, rate=s.rate)


def _hegselmann_krause(
    known: _Known, effect: _Floats, weight: _Floats, s: OpinionSettings
) -> _Floats:
    return models.hegselmann_krause(
        known["rating"], _held(effect), weight, bound=s.bound, own_weight=s.own_weight
    )


def _friedkin_johnsen(
    known: _Known, effect: _Floats, weight: _Floats, s: OpinionSettings
) -> _Floats:
    rating = known["rating"]
    return models.friedkin_johnsen(
        rating,
        known.get("start", rating),
        _held(effect),
        weight,
        susceptibility=s.susceptibility,
        own_weight=s.own_weight,
    )


def _degroot(known: _Known, effect: _Floats, weight: _Floats, s: OpinionSettings) -> _Floats:
    rating = known["rating"]
    return models.friedkin_johnsen(
        rating, rating, _held(effect), weight, susceptibility=1.0, own_weight=s.own_weight
    )


def _baumann(known: _Known, effect: _Floats, weight: _Floats, s: OpinionSettings) -> _Floats:
    """Transform ratings to the unbounded opinions of the model and back by tanh."""
    moved = models.baumann(
        _firm((known["rating"] - 5) / 5),
        _firm(effect),
        weight,
        coupling=s.coupling,
        controversy=s.controversy,
        step=s.step,
    )
    return 5 + 5 * np.tanh(moved)


def _biased_assimilation(
    known: _Known, effect: _Floats, weight: _Floats, s: OpinionSettings
) -> _Floats:
    """Transform ratings to the interval [0, 1] of the model and back."""
    own, heard = known["rating"] / 10, _held(effect) / 10
    return 10 * models.biased_assimilation(own, heard, weight, bias=s.bias, own_weight=s.own_weight)


def _repulsion(known: _Known, effect: _Floats, weight: _Floats, s: OpinionSettings) -> _Floats:
    return models.repulsion(
        known["rating"],
        _held(effect),
        weight,
        bound=s.bound,
        reject=s.reject,
        rate=s.rate,
        backfire=known.get("backfire", s.backfire),
    )


_MODELS: Mapping[str, Callable[[_Known, _Floats, _Floats, OpinionSettings], _Floats]] = {
    "deffuant": _deffuant,
    "hegselmann_krause": _hegselmann_krause,
    "friedkin_johnsen": _friedkin_johnsen,
    "degroot": _degroot,
    "baumann": _baumann,
    "biased_assimilation": _biased_assimilation,
    "repulsion": _repulsion,
}


def _weight(known: _Known, model: Model = "leaning") -> _Floats:
    """Compute the weight of each memory: 0 if it is irrelevant or no longer recallable.

    Deffuant's model keeps only the greatest weight of each agent; ties go to the best-ranked
    memory.
    """
    weight = known["weight"] * known["importance"] * known["confidence"] * (known["effect"] != 0)
    if model == "deffuant" and weight.shape[1]:
        only = np.arange(weight.shape[1]) == weight.argmax(axis=1)[:, None]
        weight = weight * only
    return np.asarray(weight)


def _held(effect: _Floats) -> _Floats:
    """Convert the effect of a memory to a rating."""
    return 5 + 5 * effect


def _firm(share: _Floats) -> _Floats:
    """Map stances from [-1, 1] to the real line by arctanh."""
    return np.asarray(np.arctanh(np.clip(share, -_MOST_EXTREME, _MOST_EXTREME)))


def _because(question: Question, value: _Floats, lean: _Floats, weight: _Floats) -> Answer:
    """Return an answer with its evidence and the direction of the change."""
    return Answer(
        value,
        evidence=np.where(weight > 0, question.recalled, -1).astype(np.int32),
        reason=np.where(lean > 0, 1, np.where(lean < 0, 2, 0)).astype(np.uint8),
        reasons=(
            "nothing recalled bears on it",
            "memories speak for it",
            "memories speak against it",
        ),
    )
