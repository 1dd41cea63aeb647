"""Questions and the minds that answer them.

A block asks a `Question`, a `Mind` answers it with arrays over the cohort, and the block applies
the `Decisions`. Every question has a rule, a pure function of arrays: the answer of the rule mind,
and the fallback of every other mind.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.arguments import INT32
from memopolis.sim.errors import ParameterError
from memopolis.sim.memory.retrieval.recollection import Recalled

if TYPE_CHECKING:
    from memopolis.sim.population import Cohort

Form = Literal["rating", "choice", "text", "steps"]

MOST_STEPS = 6  # maximum number of steps of an answer that is a list of steps

MINDS = ("rule", "model", "replay", "fallback")
"""How an answer was reached; answers store the index."""

SURVEY_BLOCK = "survey"  # name of the block that asks the questions of surveys


@dataclass(frozen=True)
class Question:
    """A question for several agents at once.

    Attributes:
        kind: Kind of the question, such as attitude, thought, stay_or_go or plan.
        cohort: Agents that are asked.
        form: A rating in [low, high], a choice among options, a text, or a list of up to
            `MOST_STEPS` steps, each one of the options at one of the places for low to high hours.
        rule: Answers for the whole cohort, using only this question.
        about: Topic or item of the question, "" if there is only one.
        memories: Recalled memories, ids and scores of shape (agents, k).
        known: Other knowledge of the agents: arrays of shape (agents, ...), by name.
        options: Names of the choices; `descriptions` describe each for prompts, () for none.
        places: Names of the places of steps.
        block: Name of the block that asks; set by the society, as are the next two.
        tick: Step in which it asks.
        ordinal: Number of the question among those of the block in the step, from 0.
    """

    kind: str
    cohort: "Cohort"
    form: Form
    rule: "Callable[[Question], Answer]"
    about: str = ""
    memories: Recalled | None = None
    known: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    low: float = 0.0
    high: float = 10.0
    options: tuple[str, ...] = ()
    descriptions: tuple[str, ...] = ()
    places: tuple[str, ...] = ()
    block: str = ""
    tick: int = 0
    ordinal: int = 0

    @property
    def recalled(self) -> NDArray[np.int32]:
        """Ids of the recalled memories, shape (agents, k); k is 0 if there are none."""
        if self.memories is None:
            return np.empty((len(self.cohort), 0), np.int32)
        return self.memories.ids

    @property
    def has_choice(self) -> NDArray[np.bool_]:
        """Whether each agent has more than one possible answer, shape (agents,)."""
        if self.form == "text":
            return np.ones(len(self.cohort), np.bool_)
        if self.form == "rating":
            return np.full(len(self.cohort), self.low < self.high)
        possible = self.known.get("possible")
        if possible is None:
            return np.full(len(self.cohort), len(self.options) > 1)
        return np.asarray(np.count_nonzero(possible, axis=1) > 1)

    def select(self, mask: NDArray[np.bool_]) -> "Question":
        """Return the question for the agents selected by a mask of shape (agents,)."""
        if mask.all():
            return self
        return replace(
            self,
            cohort=self.cohort.where(mask),
            memories=None if self.memories is None else self.memories.where(mask),
            known={name: values[mask] for name, values in self.known.items()},
        )


@dataclass(frozen=True, eq=False)
class Answer:
    """Answer of a rule or a mind, one entry per agent; all entries except `value` have defaults.

    Attributes:
        value: Rating, or number of the chosen option, that of the first step of a list of steps;
            NaN for a text, shape (agents,).
        evidence: Ids of the memories that an answer is based on, shape (agents, k), padded with
            -1; by default all recalled memories.
        text: Numbers of texts, -1 for none, shape (agents,); templates, filled on reading.
        emotion: Numbers of emotion words, 0 for none, shape (agents,).
        intensities: Six feelings from 0 to 10, in the order of the fields of `emotion`, shape
            (agents, 6); NaN does not change a feeling.
        steps: Number of the option, number of the place, and hours of each step, -1 for none,
            shape (agents, MOST_STEPS, 3).
        reason: Indices in `reasons`, shape (agents,).
        reasons: Distinct reasons.
        how: Indices in MINDS, shape (agents,); by default the rule.
    """

    value: NDArray[Any]
    evidence: NDArray[np.int32] | None = None
    text: NDArray[np.int32] | None = None
    emotion: NDArray[np.uint8] | None = None
    reason: NDArray[np.integer[Any]] | None = None
    reasons: tuple[str, ...] = ("",)
    how: NDArray[np.uint8] | None = None
    intensities: NDArray[np.float32] | None = None
    steps: NDArray[np.int16] | None = None

    def select(self, mask: NDArray[np.bool_]) -> "Answer":
        """Return the answer of the agents selected by a mask of shape (agents,)."""
        values = {name: getattr(self, name) for name in BY_AGENT}
        return replace(self, **{n: one[mask] for n, one in values.items() if one is not None})


@dataclass(frozen=True, eq=False)
class Decisions:
    """A question and its complete answer; attributes as in `Answer`."""

    question: Question
    value: NDArray[np.float32]
    evidence: NDArray[np.int32]
    text: NDArray[np.int32]
    emotion: NDArray[np.uint8]
    reason: NDArray[np.integer[Any]]
    reasons: tuple[str, ...]
    how: NDArray[np.uint8]
    intensities: NDArray[np.float32]
    steps: NDArray[np.int16]

    def select(self, mask: NDArray[np.bool_]) -> "Decisions":
        """Return the decisions of the agents selected by a mask of shape (agents,)."""
        values = {name: getattr(self, name)[mask] for name in BY_AGENT}
        return replace(self, question=self.question.select(mask), **values)


@dataclass(frozen=True, eq=False)
class Words:
    """One of several texts for each agent."""

    number: NDArray[np.integer[Any]]  # number of the text, shape (agents,)
    texts: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.number)

    def __getitem__(self, mask: NDArray[np.bool_]) -> "Words":
        """Return the words of the agents selected by a mask of shape (agents,)."""
        return Words(self.number[mask], self.texts)


@dataclass(frozen=True, eq=False)
class Outcome:
    """How decisions were carried out: what `Block.apply` returns, to be recorded with them.

    Attributes:
        probability: Probability of the action that a draw decided, NaN for none, shape (agents,).
        draw: The draw from [0, 1); the action is taken if it is below the probability, shape
            (agents,).
        threshold: Value of the rule at which the choice changes, NaN for none, shape (agents,).
        group: Number of the group that decided together, such as a household, -1 for agents that
            decided alone, shape (agents,).
        choice: Name of what is carried out, if the options do not name it, such as a plan.
        note: Remark that is added to the reason, such as why a plan was changed.
    """

    probability: NDArray[np.floating[Any]] | None = None
    draw: NDArray[np.floating[Any]] | None = None
    threshold: NDArray[np.floating[Any]] | None = None
    group: NDArray[np.integer[Any]] | None = None
    choice: Words | None = None
    note: Words | None = None

    def check(self, question: Question) -> None:
        """Refuse an attribute that has not one entry per agent of a question."""
        n = len(question.cohort)
        for name in OUTCOMES:
            values = getattr(self, name)
            if values is not None and len(values) != n:
                raise ParameterError(
                    f"the outcome of {question.kind!r} has {len(values)} entries of {name} for "
                    f"{n} agents; it must have one per agent"
                )

    def select(self, mask: NDArray[np.bool_]) -> "Outcome":
        """Return the outcome of the agents selected by a mask of shape (agents,)."""
        values = {name: getattr(self, name) for name in OUTCOMES}
        return Outcome(**{name: one[mask] for name, one in values.items() if one is not None})


OUTCOMES = ("probability", "draw", "threshold", "group", "choice", "note")
"""Names of the attributes of an `Outcome`, each with one entry per agent."""

NO_OUTCOME = Outcome()  # outcome of decisions that are carried out without a draw or a threshold


BY_AGENT = ("value", "evidence", "text", "emotion", "reason", "how", "intensities", "steps")
"""Names of the arrays of an `Answer`, one entry per agent."""


def complete_answer(question: Question, answer: Answer) -> Decisions:
    """Complete an answer; ParameterError unless it is an `Answer` with one entry per agent."""
    if not isinstance(answer, Answer):
        raise ParameterError(
            f"the mind answered {question.kind!r} with a {type(answer).__name__}; it must return "
            f"an Answer"
        )
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
        _NO_INTENSITIES[:n] if answer.intensities is None else answer.intensities,
        _NO_STEPS[:n] if answer.steps is None else answer.steps,
    )
    for name in BY_AGENT:
        entries = len(getattr(decisions, name))
        if entries != n:
            raise ParameterError(
                f"the answer to {question.kind!r} has {entries} entries of {name} for {n} agents"
            )
    return decisions


def _repeat[T: np.generic](value: T, *shape: int) -> NDArray[T]:
    """Return a read-only array of one value; faster than `np.broadcast_to`."""
    return np.ndarray(shape, value.dtype, value.tobytes(), strides=(0,) * len(shape))


# For any number of agents, since an array of one value takes no memory.
_NO_INTENSITIES = _repeat(np.float32(np.nan), INT32[1], 6)
_NO_STEPS = _repeat(np.int16(-1), INT32[1], MOST_STEPS, 3)


class Mind:
    """Answer questions. Subclass it and define `answer`; the other methods are optional hooks."""

    def answer(self, question: Question) -> Answer:
        """Return an answer with one entry per agent; its rule is `question.rule(question)`."""
        raise NotImplementedError

    def facts(self) -> dict[str, Any]:
        """Return facts about its work as plain values, for the manifest of the run."""
        return {}

    def state(self) -> dict[str, Any]:
        """Return what it has counted so far as plain values, for a checkpoint."""
        return {}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Continue counting from what `state` returned, in the run that is continued."""

    def close(self) -> None:
        """Release what it keeps open, such as connections, at the end of the run."""


def check_is_mind(mind: object) -> None:
    """Refuse anything that is not a mind, such as the name of one."""
    if not isinstance(mind, Mind):
        raise ParameterError(
            f"{mind!r} is not a mind: a mind is an instance of a subclass of Mind, which defines "
            "answer; use the setting mind for the name of a registered mind"
        )


class RuleMind(Mind):
    """Answer every question with its rule."""

    def answer(self, question: Question) -> Answer:
        """Answer for all agents that are asked, in one call of the rule."""
        return question.rule(question)
