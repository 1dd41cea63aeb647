"""Answers of the rule mind to items: from a status attribute, or from recalled memories.

Illustrative throughout: an answer reflects the status or the memories of an agent. It is no claim
about how people fill in questionnaires.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.mind.mind import Answer, Question
from memopolis.sim.survey.survey import Item

Float32 = NDArray[np.float32]

REASONS = (
    "from its status",
    "memories lean this way",
    "nothing recalled bears on it",
    "its status has no value",
)

BEARS = 0.25  # minimum relevance of a memory that counts (illustrative)


def share_of(level: Float32, *, least: float, most: float) -> Float32:
    """Scale levels, shape (agents,), linearly to [0, 1], and clip them (illustrative).

    `most`, the level for 1, may be below `least`, that for 0.
    """
    return np.asarray(np.clip((level - least) / (most - least), 0, 1), np.float32)


def on_scale(rating: NDArray[np.floating], *, low: float, high: float, step: float) -> Float32:
    """Round ratings to the nearest possible rating in [low, high], halves up; NaN for none.

    `step` is the distance between ratings, counted from `low`; 0 if any number is possible.
    """
    inside = np.clip(rating, low, high)
    if step == 0:
        return np.asarray(inside, np.float32)
    whole = np.floor((inside - low) / step + 0.5) * step + low
    return np.where(whole > high, high, whole).astype(np.float32)


def option_at(share: Float32, options: int) -> NDArray[np.int32]:
    """Choose among ordered options that divide [0, 1] equally (this project, illustrative)."""
    return np.minimum(np.floor(share * options), options - 1).astype(np.int32)


def bearing(relevance: Float32) -> Float32:
    """Set relevance below `BEARS` to 0, since the best memories may still be irrelevant."""
    return np.where(relevance >= BEARS, relevance, 0).astype(np.float32)


def mean_valence(weight: Float32, valence: Float32) -> Float32:
    """Average the valence of recalled memories by weight, shape (agents, k) each; 0 without weight.

    Source: Information integration as a weighted average (Anderson 1971, doi:10.1037/h0030852) with
    weights from retrieval.
    """
    sums = weight.sum(axis=1)
    mean = (weight * valence).sum(axis=1) / np.where(sums > 0, sums, 1)
    return np.clip(mean, -1, 1).astype(np.float32)


def best_option(support: Float32) -> NDArray[np.int32]:
    """Choose the option with the most support, shape (agents, options); the first one of ties."""
    return support.argmax(axis=1).astype(np.int32)


def answer_item(question: Question, *, item: Item) -> Answer:
    """Answer an item for all agents that are asked: the rule of a `survey_item`.

    The `known` of the question contains "level" and "deviation" (a share of the scale) if the item
    reads a status attribute; otherwise "weight" and "valence" of recalled memories, or for options
    without order "support" and "found", the ids of the memories for each option, or for a text
    "weight". Returns ratings on their scale or numbers of options; NaN if the agent does not have
    the attribute, if no recalled memory is relevant, and for texts, which are read from the
    evidence.
    """
    known = question.known
    if "level" in known:
        share = share_of(known["level"], least=item.least, most=item.most)
        share = np.clip(share + known.get("deviation", np.float32(0)), 0, 1)
        nothing = np.full((len(share), 0), -1, np.int32)
        missing = np.isnan(share)
        value = np.where(missing, np.nan, _answer_at(np.nan_to_num(share), item))
        reason = np.where(missing, 3, 0).astype(np.uint8)
        return Answer(value, evidence=nothing, reason=reason, reasons=REASONS)
    if item.form == "text":
        value = np.full(len(question.cohort), np.nan, np.float32)
        return _from_memories(value, np.where(known["weight"] > 0, question.recalled, -1))
    if "support" in known:
        chosen = best_option(known["support"])
        return _from_memories(chosen, known["found"][np.arange(len(chosen)), chosen])
    lean = item.sign * mean_valence(known["weight"], known["valence"])
    moved = (known["weight"] > 0) & (known["valence"] != 0)
    value = _answer_at(((1 + lean) / 2).astype(np.float32), item)
    return _from_memories(value, np.where(moved, question.recalled, -1))


def _answer_at(share: Float32, item: Item) -> NDArray[Any]:
    """Return the answer for a position from 0 (lowest) to 1 (highest)."""
    if item.form == "choice":
        return option_at(share, len(item.options))
    rating = item.low + (item.high - item.low) * share
    return on_scale(rating, low=item.low, high=item.high, step=item.step)


def _from_memories(value: NDArray[Any], evidence: NDArray[np.integer]) -> Answer:
    some = (evidence >= 0).any(axis=1)
    return Answer(
        np.where(some, value, np.nan).astype(np.float32),
        evidence=evidence.astype(np.int32),
        reason=np.where(some, 1, 2).astype(np.uint8),
        reasons=REASONS,
    )
