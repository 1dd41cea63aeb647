"""Questions and the minds that answer them.

A block puts a `Question`; a `Mind` answers with `Decisions`, arrays over the cohort that was
asked. Every question carries its rule, a pure array function, which is the rule mind's
answer and every other mind's fallback.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.errors import ParameterError
from memopolis.sim.memory.recollection import Recalled
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
    rule: "Callable[[Question], Decisions]"
    about: str = ""
    memories: Recalled | None = None
    known: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    low: float = 0.0
    high: float = 10.0
    options: tuple[str, ...] = ()


@dataclass
class Decisions:
    """Answers to a question, one an agent of its cohort.

    Attributes:
        value: Rating, or number of the chosen option; NaN for a text, float32 (agents,).
        text: Text numbers, int32 (agents,), -1 for none; templates, written out on reading.
        emotion: Number of an emotion word, 0 for none, uint8 (agents,).
        reason: Place in `reasons`, uint8 (agents,).
        reasons: The reasons there are.
        evidence: Ids of the memories an answer rests on, int32 (agents, k), -1 where fewer.
        how: Place in MINDS, uint8 (agents,).
        question: What was asked; set by `complete`.
    """

    value: NDArray[np.float32]
    evidence: NDArray[np.int32] | None = None
    text: NDArray[np.int32] | None = None
    emotion: NDArray[np.uint8] | None = None
    reason: NDArray[np.uint8] | None = None
    reasons: tuple[str, ...] = ("",)
    how: NDArray[np.uint8] | None = None
    question: Question | None = None

    def complete(self, question: Question) -> "Decisions":
        """Fill what the rule left out and check the shapes.

        Raises:
            ParameterError: If an array has not one entry an agent.
        """
        n = len(question.cohort)
        self.question = question
        self.value = np.asarray(self.value, np.float32)
        if self.evidence is None:
            ids = question.memories.ids if question.memories is not None else None
            self.evidence = ids if ids is not None else np.empty((n, 0), np.int32)
        self.text = np.full(n, -1, np.int32) if self.text is None else self.text
        self.emotion = np.zeros(n, np.uint8) if self.emotion is None else self.emotion
        self.reason = np.zeros(n, np.uint8) if self.reason is None else self.reason
        self.how = np.zeros(n, np.uint8) if self.how is None else self.how
        for name in ("value", "text", "emotion", "reason", "how", "evidence"):
            given = len(getattr(self, name))
            if given != n:
                raise ParameterError(
                    f"the answer to {question.kind!r} has {given} entries of {name} for {n} agents"
                )
        return self


class Mind(Protocol):
    """Answers questions. The one method of every mind, also of a user's own."""

    def answer(self, question: Question) -> Decisions:
        """Decide for everyone who is asked."""
        ...
