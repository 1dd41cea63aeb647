"""The model mind: the rule's answer for everyone, then a language model's, row by row."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.errors import ParameterError
from memopolis.sim.mind.budget import Budget
from memopolis.sim.mind.call import Client
from memopolis.sim.mind.exchange import Exchange, Log
from memopolis.sim.mind.mind import MINDS, Answer, Mind, Question
from memopolis.sim.mind.prompting import Prompt, Prompts
from memopolis.sim.mind.reading import Reading, read_one

Fallback = Literal["rule", "error"]


class LlmMind(Mind):
    """Lets a language model answer for everyone who is asked.

    The rule answers first. Each answer of the model then takes the place of the rule's in its
    row, whatever the order in which answers arrive; where none can be used the rule's stays,
    marked as a fallback.

    Args:
        client: Sends the calls.
        seed: The run's seed, part of each call's key.
        fallback: What happens where no answer can be used: "rule", or "error" to end the run.
        budget: Most tokens and calls; None for no limit.
        prompts: Makes the prompts; None for the shipped ones.
        log: Receives every call and its outcome, in the order of rows.
        temperature: How freely the model chooses its words.
        max_tokens: Most tokens of an answer, >= 1.

    Attributes:
        prompts: Makes the prompts.
        max_tokens: Most tokens of an answer.

    Raises:
        ParameterError: If an argument is out of range.
        ExtraError: If a package of the extra `llm` is missing.
    """

    def __init__(
        self,
        client: Client,
        *,
        seed: int,
        fallback: Fallback = "rule",
        budget: Budget | None = None,
        prompts: Prompts | None = None,
        log: Log | None = None,
        temperature: float = 0.0,
        max_tokens: int = 256,
    ) -> None:
        if fallback not in {"rule", "error"}:
            raise ParameterError(f"fallback is {fallback!r}; allowed are 'rule' and 'error'")
        self.prompts = prompts or Prompts()
        self.max_tokens = max_tokens
        self._exchange = Exchange(
            client,
            seed=seed,
            strict=fallback == "error",
            budget=budget or Budget(),
            prompts=self.prompts,
            log=log,
            temperature=temperature,
            max_tokens=max_tokens,
        )

    def answer(self, question: Question) -> Answer:
        """Decide for everyone who is asked.

        Raises:
            AnswerError: If an answer cannot be used and the rule may not replace it.
        """
        ruled = question.rule(question)
        if not len(question.cohort):
            return ruled
        prompts = self._unwritten(question) or self.prompts_of(question)
        readings = self.exchange(question, prompts, lambda at, data: read_one(question, data, at))
        return applied(question, ruled, readings)

    def _unwritten(self, question: Question) -> list[Prompt]:
        """Empty prompts where the budget lets none be sent: writing them would be for nothing."""
        if not self._exchange.budget.reached:
            return []
        return [Prompt(agent, (), {}) for agent in question.cohort.ids.tolist()]

    def prompts_of(self, question: Question) -> list[Prompt]:
        """The prompt of each agent that is asked; nothing is sent."""
        return self.prompts.of(question)

    def exchange[T](
        self, question: Question, prompts: Sequence[Prompt], read: Callable[[int, Any], T]
    ) -> list[T | None]:
        """Send prompts and read what comes back: budget, calls, one repair question, log.

        Args:
            question: What is asked; gives block, step and ordinal.
            prompts: What to send, in the order of rows.
            read: Makes of a prompt's place and the JSON of its answer what is wanted, or
                raises `Unreadable`.

        Returns:
            What was read for each prompt; None where no answer can be used.

        Raises:
            AnswerError: If that is so and the rule may not replace it.
        """
        return self._exchange.send(question, prompts, read)

    def facts(self) -> dict[str, int | str]:
        """Return what was spent and the outcomes so far."""
        return self._exchange.facts()

    def state(self) -> dict[str, Any]:
        """What was counted so far, for a checkpoint."""
        return self._exchange.state()

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on from what `state` gave."""
        self._exchange.restore(state)

    def close(self) -> None:
        """End what the client keeps open."""
        self._exchange.close()


def applied(question: Question, ruled: Answer, readings: Sequence[Reading | None]) -> Answer:
    """Put a model's answers in the place of the rule's.

    Args:
        question: What was asked.
        ruled: The rule's answer for everyone.
        readings: The model's answers by row; None where the rule's stands.

    Returns:
        The rule's answer with the model's rows in it. What a model says rests on all memories
        that were recalled for the question.
    """
    n = len(question.cohort)
    read = np.array([one is not None for one in readings])
    parsed = [one for one in readings if one is not None]
    value = np.array(ruled.value, np.float32)
    value[read] = [one.value for one in parsed]
    reason, reasons = _reasons(ruled, read, [one.reason for one in parsed])
    return replace(
        ruled,
        value=value,
        evidence=_evidence(question, ruled, read),
        text=_texts(question, ruled, read, [one.text for one in parsed]),
        emotion=_laid(ruled.emotion, np.zeros(n, np.uint8), read, [one.emotion for one in parsed]),
        intensities=_laid(
            ruled.intensities,
            np.full((n, 6), np.nan, np.float32),
            read,
            [one.intensities for one in parsed],
        ),
        reason=reason,
        reasons=reasons,
        how=np.where(read, MINDS.index("model"), MINDS.index("fallback")).astype(np.uint8),
    )


def _laid(
    ruled_values: NDArray[Any] | None,
    default: NDArray[Any],
    read: NDArray[np.bool_],
    values: list[Any],
) -> NDArray[Any]:
    """Values laid over those of the rule in the rows that were read."""
    laid = default if ruled_values is None else np.array(ruled_values)
    if values:
        laid[read] = values
    return laid


def _evidence(question: Question, ruled: Answer, read: NDArray[np.bool_]) -> NDArray[np.int32]:
    if ruled.evidence is None:
        return question.recalled
    width = max(ruled.evidence.shape[1], question.recalled.shape[1])
    table = np.full((len(read), width), -1, np.int32)
    table[:, : ruled.evidence.shape[1]] = ruled.evidence
    table[read] = -1
    table[np.flatnonzero(read), : question.recalled.shape[1]] = question.recalled[read]
    return table


def _texts(
    question: Question, ruled: Answer, read: NDArray[np.bool_], replies: Sequence[str | None]
) -> NDArray[np.int32] | None:
    """Numbers of texts: those that were said are interned in the order of rows."""
    if question.form != "text":
        return ruled.text
    texts = question.cohort.population.memory.texts
    written = texts.intern_many([text or "" for text in replies])
    return _laid(ruled.text, np.full(len(read), -1, np.int32), read, written.tolist())


def _reasons(
    ruled: Answer, read: NDArray[np.bool_], replies: Sequence[str]
) -> tuple[NDArray[np.int32], tuple[str, ...]]:
    """Places of everyone's reason in one list: the rule's, then what the model said."""
    places = {text: at for at, text in enumerate(ruled.reasons)}
    reasons = np.zeros(len(read), np.int32) if ruled.reason is None else ruled.reason
    reason = reasons.astype(np.int32)
    reason[read] = [places.setdefault(text, len(places)) for text in replies]
    return reason, tuple(places)
