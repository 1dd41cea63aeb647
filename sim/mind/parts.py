"""Ask for some agents of a question, and join answers of several parts."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.mind.mind import (
    BY_AGENT,
    MOST_STEPS,
    Answer,
    Decisions,
    Mind,
    Question,
    RuleMind,
)

_MOST_SMALL = 256
"""Number of reasons that 8 bits can distinguish."""


def select_part(question: Question, mask: NDArray[np.bool_]) -> Question:
    """Return a question for some of its agents.

    Args:
        question: The question.
        mask: Agents to select, shape (agents,).

    Returns:
        The question for these agents; the same object if all are selected.
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


def select_decisions(decisions: Decisions, mask: NDArray[np.bool_]) -> Decisions:
    """Return the decisions of the agents selected by a mask of shape (agents,)."""
    return replace(
        decisions,
        question=select_part(decisions.question, mask),
        **{name: getattr(decisions, name)[mask] for name in BY_AGENT},
    )


def answer_choices(mind: Mind, question: Question) -> Answer:
    """Ask a mind, except for agents with a single possible answer, which the rule gives.

    Args:
        mind: The mind.
        question: The question.
    """
    if type(mind) is RuleMind or not len(question.cohort):
        return mind.answer(question)
    chooses = question.has_choice
    if chooses.all():
        return mind.answer(question)
    if not chooses.any():
        return question.rule(question)
    asked, ruled = select_part(question, chooses), select_part(question, ~chooses)
    parts = [(chooses, asked, mind.answer(asked)), (~chooses, ruled, ruled.rule(ruled))]
    return joined(question, parts)


def joined(
    question: Question, parts: Sequence[tuple[NDArray[np.bool_], Question, Answer]]
) -> Answer:
    """Join the answers of several parts of the agents.

    Args:
        question: The question for all agents.
        parts: Mask of shape (agents,), question and answer of each part; the masks cover each
            agent once.

    Returns:
        The answer for all agents. Entries that no part has are left out; entries that only some
        parts have are filled with defaults.
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
        steps=_column(parts, "steps", np.full((len(value), MOST_STEPS, 3), -1, np.int16)),
    )


_Parts = Sequence[tuple[NDArray[np.bool_], Question, Answer]]


def _column(parts: _Parts, name: str, default: NDArray[Any]) -> NDArray[Any] | None:
    """Return one entry of the answers for all agents; None if no part has it."""
    masked = [(mask, getattr(answer, name)) for mask, _, answer in parts]
    if all(values is None for _, values in masked):
        return None
    for mask, values in masked:
        if values is not None:
            default[mask] = values
    return default


def _evidence(parts: _Parts, agents: int) -> NDArray[np.int32]:
    """Return the evidence of all agents, as wide as the widest part."""
    values = [
        (mask, part.recalled if answer.evidence is None else answer.evidence)
        for mask, part, answer in parts
    ]
    table = np.full((agents, max(ids.shape[1] for _, ids in values)), -1, np.int32)
    for mask, ids in values:
        table[np.flatnonzero(mask), : ids.shape[1]] = ids
    return table


def _reasons(parts: _Parts, agents: int) -> tuple[NDArray[Any], tuple[str, ...]]:
    """Return the indices of all reasons in one list of distinct reasons."""
    places: dict[str, int] = {}
    reason = np.zeros(agents, np.int32)
    for mask, _, answer in parts:
        here = np.array([places.setdefault(text, len(places)) for text in answer.reasons])
        reasons = answer.reason
        reason[mask] = here[0] if reasons is None else here[reasons]
    small = len(places) <= _MOST_SMALL
    return reason.astype(np.uint8) if small else reason, tuple(places)
