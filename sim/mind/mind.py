"""Questions and the minds that answer them.

A block puts a `Question`; a `Mind` answers with arrays over the cohort that was asked, and
the block applies the `Decisions`. Every question carries its rule, a pure array function,
which is the rule mind's answer and every other mind's fallback.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.errors import ParameterError
from memopolis.sim.memory.streams.recollection import Recalled
from memopolis.sim.population import Cohort

Form = Literal["rating", "choice", "text"]

MINDS = ("rule", "model", "replay", "fallback")
"""How an answer was reached, by number."""


@dataclass(frozen=True)
class Question:
    """What is to be decided by some agents at once.

    Attributes:
        kind: What is asked: attitude, thought, stay_or_go, plan, ...
        cohort: Who is asked.
        form: A rating in [low, high], a choice among options, or a text.
        rule: Answers for the whole cohort from this question alone.
        about: Topic or item the question is about, "" where there is only one.
        memories: What each one recalled, ids and scores of shape (agents, k).
        known: What each one knows beside memories: arrays of shape (agents, ...).
        low: Least rating.
        high: Greatest rating.
        options: Names of the choices.
    """

    kind: str
    cohort: Cohort
    form: Form
    rule: "Callable[[Question], Answer]"
    about: str = ""
    memories: Recalled | None = None
    known: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    low: float = 0.0
    high: float = 10.0
    options: tuple[str, ...] = ()

    @property
    def recalled(self) -> NDArray[np.int32]:
        """Ids of the memories recalled, shape (agents, k); k is 0 where none were asked for."""
        if self.memories is None:
            return np.empty((len(self.cohort), 0), np.int32)
        return self.memories.ids


@dataclass(frozen=True, eq=False)
class Answer:
    """What a rule or a mind answers, one entry an agent; what is left out gets a default.

    Attributes:
        value: Rating, or number of the chosen option; NaN for a text, shape (agents,).
        evidence: Ids of the memories an answer rests on, shape (agents, k), -1 where fewer;
            by default all that were recalled.
        text: Numbers of texts, shape (agents,), -1 for none; templates, written out on reading.
        emotion: Numbers of emotion words, 0 for none, shape (agents,).
        reason: Places in `reasons`, shape (agents,).
        reasons: The reasons there are.
        how: Places in MINDS, shape (agents,); by default the rule.
    """

    value: NDArray[Any]
    evidence: NDArray[np.int32] | None = None
    text: NDArray[np.int32] | None = None
    emotion: NDArray[np.uint8] | None = None
    reason: NDArray[np.uint8] | None = None
    reasons: tuple[str, ...] = ("",)
    how: NDArray[np.uint8] | None = None


@dataclass(frozen=True, eq=False)
class Decisions:
    """A question and its complete answer; attributes as in `Answer`."""

    question: Question
    value: NDArray[np.float32]
    evidence: NDArray[np.int32]
    text: NDArray[np.int32]
    emotion: NDArray[np.uint8]
    reason: NDArray[np.uint8]
    reasons: tuple[str, ...]
    how: NDArray[np.uint8]


def decided(question: Question, answer: Answer) -> Decisions:
    """Complete an answer and check that it has one entry an agent.

    Raises:
        ParameterError: If an array has another length.
    """
    n = len(question.cohort)
    decisions = Decisions(
        question,
        np.asarray(answer.value, np.float32),
        question.recalled if answer.evidence is None else answer.evidence,
        np.full(n, -1, np.int32) if answer.text is None else answer.text,
        np.zeros(n, np.uint8) if answer.emotion is None else answer.emotion,
        np.zeros(n, np.uint8) if answer.reason is None else answer.reason,
        answer.reasons,
        np.zeros(n, np.uint8) if answer.how is None else answer.how,
    )
    for name in ("value", "evidence", "text", "emotion", "reason", "how"):
        given = len(getattr(decisions, name))
        if given != n:
            raise ParameterError(
                f"the answer to {question.kind!r} has {given} entries of {name} for {n} agents"
            )
    return decisions


class Mind(Protocol):
    """Answers questions. The one method of every mind, also of a user's own."""

    def answer(self, question: Question) -> Answer:
        """Decide for everyone who is asked."""
        ...
