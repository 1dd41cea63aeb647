"""A question put to some of those who were asked, and the answers of several put together."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.mind.mind import Answer, Decisions, Question

_BY_AGENT = ("value", "evidence", "text", "emotion", "reason", "how", "intensities")
_MOST_SMALL = 256
"""Number of reasons that 8 bits can distinguish."""


def part_of(question: Question, mask: NDArray[np.bool_]) -> Question:
    """The same question, put to those for whom the mask is true.

    Args:
        question: A question.
        mask: Who stays, shape (agents,).

    Returns:
        The question itself where everyone stays.
    """
    if mask.all():
        return question
    memories = question.memories
    return replace(
        question,
        cohort=question.cohort.where(mask),
        memories=None if memories is None else memories.where(mask),
        known={name: values[mask] for name, values in question.known.items()},
    )


def some_of(decisions: Decisions, mask: NDArray[np.bool_]) -> Decisions:
    """The decisions of those for whom the mask, shape (agents,), is true."""
    return replace(
        decisions,
        question=part_of(decisions.question, mask),
        **{name: getattr(decisions, name)[mask] for name in _BY_AGENT},
    )


def joined(
    question: Question, parts: Sequence[tuple[NDArray[np.bool_], Question, Answer]]
) -> Answer:
    """Put the answers of parts of a question together.

    Args:
        question: The whole question.
        parts: Mask of shape (agents,), question and answer of each part; the masks cover
            everyone once.

    Returns:
        One entry an agent. What no part gives is left out, so that the defaults hold; what
        only some give is filled with the defaults of the others.
    """
    value = np.full(len(question.cohort), np.nan, np.float32)
    for mask, _, answer in parts:
        value[mask] = answer.value
    reason, reasons = _reasons(parts, len(value))
    return Answer(
        value,
        evidence=_evidence(parts, len(value)),
        text=_column(parts, "text", np.full(len(value), -1, np.int32)),
        emotion=_column(parts, "emotion", np.zeros(len(value), np.uint8)),
        reason=reason,
        reasons=reasons,
        how=_column(parts, "how", np.zeros(len(value), np.uint8)),
        intensities=_column(parts, "intensities", np.full((len(value), 6), np.nan, np.float32)),
    )


_Parts = Sequence[tuple[NDArray[np.bool_], Question, Answer]]


def _column(parts: _Parts, name: str, default: NDArray[Any]) -> NDArray[Any] | None:
    """One array of the answers over everyone; None if no part gives it."""
    masked = [(mask, getattr(answer, name)) for mask, _, answer in parts]
    if all(values is None for _, values in masked):
        return None
    for mask, values in masked:
        if values is not None:
            default[mask] = values
    return default


def _evidence(parts: _Parts, agents: int) -> NDArray[np.int32]:
    """Ids the answers rest on, as wide as the widest part; by default what was recalled."""
    values = [
        (mask, part.recalled if answer.evidence is None else answer.evidence)
        for mask, part, answer in parts
    ]
    table = np.full((agents, max(ids.shape[1] for _, ids in values)), -1, np.int32)
    for mask, ids in values:
        table[np.flatnonzero(mask), : ids.shape[1]] = ids
    return table


def _reasons(parts: _Parts, agents: int) -> tuple[NDArray[Any], tuple[str, ...]]:
    """Places of everyone's reason in one list of all reasons, each once."""
    places: dict[str, int] = {}
    reason = np.zeros(agents, np.int32)
    for mask, _, answer in parts:
        here = np.array([places.setdefault(text, len(places)) for text in answer.reasons])
        reasons = answer.reason
        reason[mask] = here[0] if reasons is None else here[reasons]
    small = len(places) <= _MOST_SMALL
    return reason.astype(np.uint8) if small else reason, tuple(places)
