"""The model mind: a language model replaces the answers of the rule, row by row."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.errors import ParameterError
from memopolis.sim.mind.budget import Budget
from memopolis.sim.mind.call import Client
from memopolis.sim.mind.exchange import Exchange, Log
from memopolis.sim.mind.mind import MINDS, MOST_STEPS, Answer, Mind, Question
from memopolis.sim.mind.prompting import Prompt, Prompts
from memopolis.sim.mind.reading import Reading, read_one

Fallback = Literal["rule", "error"]


class LlmMind(Mind):
    """Ask a language model for each agent.

    The rule answers first. Each usable answer of the model then replaces that of the rule in its
    row, whatever the order of replies. Other rows keep the answer of the rule, marked as fallback.

    Args:
        client: Client that sends the calls.
        seed: Random seed of the run, part of the key of each call.
        fallback: Action if an answer is unusable: "rule" to keep the answer of the rule, "error"
            to end the run.
        budget: Maximum number of tokens and calls; None for no limit.
        prompts: Creates the prompts; None for the shipped ones.
        log: Called with the calls of a question and their outcomes, in the order of rows.
        temperature: Sampling temperature.
        max_tokens: Maximum number of tokens of an answer, >= 1.

    Attributes:
        prompts: Creates the prompts.
        max_tokens: Maximum number of tokens of an answer.

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
        """Answer for all agents that are asked.

        Raises:
            AnswerError: If an answer is unusable and the rule may not replace it.
        """
        ruled = question.rule(question)
        if not len(question.cohort):
            return ruled
        prompts = self._empty_prompts(question) or self.prompts_of(question)
        readings = self.exchange(question, prompts, lambda at, data: read_one(question, data, at))
        return apply_readings(question, ruled, readings)

    def _empty_prompts(self, question: Question) -> list[Prompt]:
        """Return empty prompts if the budget is exhausted, since none would be sent."""
        if not self._exchange.budget.reached:
            return []
        return [Prompt(agent, (), {}) for agent in question.cohort.ids.tolist()]

    def prompts_of(self, question: Question) -> list[Prompt]:
        """Return the prompt of each agent, without sending it."""
        return self.prompts.of(question)

    def exchange[T](
        self, question: Question, prompts: Sequence[Prompt], read: Callable[[int, Any], T]
    ) -> list[T | None]:
        """Send prompts and read the replies: budget, calls, one request for repair, log.

        Args:
            question: The question, with block, step and ordinal.
            prompts: Prompts in the order of rows.
            read: Called with the position of a prompt and the JSON of its answer; returns its
                content or raises `Unreadable`.

        Returns:
            Content of each answer; None for an unusable one.

        Raises:
            AnswerError: If an answer is unusable and the rule may not replace it.
        """
        return self._exchange.send(question, prompts, read)

    def facts(self) -> dict[str, int | str]:
        """Return tokens, calls and outcomes so far."""
        return self._exchange.facts()

    def state(self) -> dict[str, Any]:
        """Return the counts so far, for a checkpoint."""
        return self._exchange.state()

    def restore(self, state: Mapping[str, Any]) -> None:
        """Continue counting from the result of `state`."""
        self._exchange.restore(state)

    def close(self) -> None:
        """Close the client."""
        self._exchange.close()


def apply_readings(question: Question, ruled: Answer, readings: Sequence[Reading | None]) -> Answer:
    """Replace answers of the rule by those of a model.

    Args:
        question: The question.
        ruled: Answer of the rule for all agents.
        readings: Answers of the model by row; None to keep that of the rule.

    Returns:
        The answer. The evidence of a model's answer is all memories recalled for the question.
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
        emotion=_overlay(
            ruled.emotion, np.zeros(n, np.uint8), read, [one.emotion for one in parsed]
        ),
        intensities=_overlay(
            ruled.intensities,
            np.full((n, 6), np.nan, np.float32),
            read,
            [one.intensities for one in parsed],
        ),
        steps=_steps(question, ruled, read, parsed),
        reason=reason,
        reasons=reasons,
        how=np.where(read, MINDS.index("model"), MINDS.index("fallback")).astype(np.uint8),
    )


def _overlay(
    ruled_values: NDArray[Any] | None,
    default: NDArray[Any],
    read: NDArray[np.bool_],
    values: list[Any],
) -> NDArray[Any]:
    """Return the values of the rule with other values in the rows that were read."""
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
    """Return numbers of texts; texts of the model are interned in the order of rows."""
    if question.form != "text":
        return ruled.text
    texts = question.cohort.population.memory.texts
    written = texts.intern_many([text or "" for text in replies])
    return _overlay(ruled.text, np.full(len(read), -1, np.int32), read, written.tolist())


def _steps(
    question: Question, ruled: Answer, read: NDArray[np.bool_], parsed: Sequence[Reading]
) -> NDArray[np.int16] | None:
    """Return the steps of the rule, with those of the model in the rows that were read."""
    if question.form != "steps":
        return ruled.steps
    written = np.full((len(parsed), MOST_STEPS, 3), -1, np.int16)
    for row, one in enumerate(parsed):
        written[row, : len(one.steps)] = one.steps
    default = np.full((len(read), MOST_STEPS, 3), -1, np.int16)
    return _overlay(ruled.steps, default, read, list(written))


def _reasons(
    ruled: Answer, read: NDArray[np.bool_], replies: Sequence[str]
) -> tuple[NDArray[np.int32], tuple[str, ...]]:
    """Return the indices of all reasons in one list: those of the rule, then of the model."""
    places = {text: at for at, text in enumerate(ruled.reasons)}
    reasons = np.zeros(len(read), np.int32) if ruled.reason is None else ruled.reason
    reason = reasons.astype(np.int32)
    reason[read] = [places.setdefault(text, len(places)) for text in replies]
    return reason, tuple(places)
