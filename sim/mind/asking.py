"""Ask the mind of a society, and record its decisions."""

from collections import Counter
from collections.abc import Sequence
from copy import copy
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.clock import Clock
from memopolis.sim.mind.mind import (
    MOST_STEPS,
    NO_OUTCOME,
    Answer,
    Decisions,
    Mind,
    Outcome,
    Question,
    RuleMind,
    check_is_mind,
    complete_answer,
)
from memopolis.sim.threads import THREAD

_MOST_SMALL = 256  # number of reasons that 8 bits can distinguish


class Recorder(Protocol):
    """The part of the recorder of a run that decisions use."""

    def decisions(self, decided: Decisions, outcome: Outcome) -> None:
        """Record the decisions of one question, and how they were carried out."""


class Host(Protocol):
    """The part of a society that its questions use."""

    clock: Clock
    mind: Mind

    @property
    def recorder(self) -> Recorder | None:
        """Recorder of the run; None if it is not recorded."""


class _Waiting:
    """Decisions of parts of a cohort that wait to be recorded, in order."""

    def __init__(self) -> None:
        self.decided: list[tuple[Decisions, Outcome]] = []
        self.counts: Counter[str] = Counter()

    def extend(self, other: "_Waiting") -> None:
        """Add the decisions of another part; both have the same questions."""
        self.decided += other.decided
        self.counts |= other.counts


class Questions:
    """Ask the mind of a society; the questions of each block are numbered from 0 in each step."""

    def __init__(self, society: Host) -> None:
        self._society = society
        self._tick = -1
        self._waiting = _Waiting()

    @property
    def _queue(self) -> _Waiting:
        """Decisions of the part of a cohort that this thread runs, or of the whole cohort."""
        part = THREAD.part
        return self._waiting if part is None else part.queue_of(self._waiting)

    def begin_step(self) -> None:
        """Number the questions from 0 if a new step has begun; called before parts ask."""
        tick = self._society.clock.tick
        if tick != self._tick:
            self._waiting, self._tick = _Waiting(), tick

    def ask(self, question: Question, *, block: str) -> Decisions:
        """Ask a question, and record its decisions."""
        decisions = self.answer(question, block=block)
        self.record(decisions)
        return decisions

    def answer(self, question: Question, *, block: str) -> Decisions:
        """Ask a question whose decisions the caller records."""
        mind, tick = self._society.mind, self._society.clock.tick
        if THREAD.part is None:
            self.begin_step()
        counts = self._queue.counts
        numbered = copy(question)  # faster than `dataclasses.replace`
        vars(numbered).update(block=block, tick=tick, ordinal=counts[block])
        counts[block] += 1
        check_is_mind(mind)
        return complete_answer(numbered, answer_choices(mind, numbered))

    def record(self, decisions: Decisions, outcome: Outcome | None = None) -> None:
        """Record the decisions of a question, and how they were carried out."""
        if outcome is not None:
            outcome.check(decisions.question)
        if self._society.recorder is None:
            return
        if THREAD.part is not None:
            self._queue.decided.append((decisions, outcome or NO_OUTCOME))
        else:
            self._society.recorder.decisions(decisions, outcome or NO_OUTCOME)

    def record_parts(self) -> None:
        """Record the decisions of the parts of a cohort, in the order of parts."""
        waiting, self._waiting.decided = self._waiting.decided, []
        for decisions, outcome in waiting:
            self.record(decisions, outcome)


def answer_choices(mind: Mind, question: Question) -> Answer:
    """Ask a mind; for agents with a single possible answer, apply the rule instead."""
    if isinstance(mind, RuleMind) or not len(question.cohort):
        return mind.answer(question)
    chooses = question.has_choice
    if chooses.all():
        return mind.answer(question)
    if not chooses.any():
        return question.rule(question)
    asked, ruled = question.select(chooses), question.select(~chooses)
    parts = [(chooses, asked, mind.answer(asked)), (~chooses, ruled, ruled.rule(ruled))]
    return join_answers(question, parts)


type Parts = Sequence[tuple[NDArray[np.bool_], Question, Answer]]
"""Mask of shape (agents,), question and answer of each part of the agents."""


def join_answers(question: Question, parts: Parts) -> Answer:
    """Join the answers of several parts of the agents, of which each is in exactly one.

    An entry that all parts lack is None; if some lack it, their agents get a default.
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


def _column(parts: Parts, name: str, default: NDArray[Any]) -> NDArray[Any] | None:
    """Return one entry of the answers for all agents; None if no part has it."""
    masked = [(mask, getattr(answer, name)) for mask, _, answer in parts]
    if all(values is None for _, values in masked):
        return None
    for mask, values in masked:
        if values is not None:
            default[mask] = values
    return default


def _evidence(parts: Parts, agents: int) -> NDArray[np.int32]:
    """Return the evidence of all agents, as wide as the widest part."""
    values = [
        (mask, part.recalled if answer.evidence is None else answer.evidence)
        for mask, part, answer in parts
    ]
    table = np.full((agents, max(ids.shape[1] for _, ids in values)), -1, np.int32)
    for mask, ids in values:
        table[np.flatnonzero(mask), : ids.shape[1]] = ids
    return table


def _reasons(parts: Parts, agents: int) -> tuple[NDArray[Any], tuple[str, ...]]:
    """Return the index of each agent's reason, and the distinct reasons of all parts."""
    numbers: dict[str, int] = {}
    joined = np.zeros(agents, np.int32)
    for mask, _, answer in parts:
        renumbered = np.array([numbers.setdefault(text, len(numbers)) for text in answer.reasons])
        joined[mask] = renumbered[0 if answer.reason is None else answer.reason]
    is_small = len(numbers) <= _MOST_SMALL
    return joined.astype(np.uint8) if is_small else joined, tuple(numbers)
