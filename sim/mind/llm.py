"""The model mind: a language model replaces the answers of the rule, row by row."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import batched
from typing import Any, Literal, NoReturn

import numpy as np

from memopolis.sim.arguments import check_range
from memopolis.sim.errors import AnswerError, ParameterError, StateError
from memopolis.sim.mind.answer_text import read_answer
from memopolis.sim.mind.asking import join_answers
from memopolis.sim.mind.budget import Budget
from memopolis.sim.mind.call import Call, Client, Log, LoggedCall, Reply
from memopolis.sim.mind.mind import MINDS, MOST_STEPS, Answer, Mind, Question
from memopolis.sim.mind.prompting import Prompt, Prompts
from memopolis.sim.mind.reading import FEELINGS, Reading, Unreadable, read_one

WINDOW = 50  # number of consecutive questions of which a share must have been answered


class AnsweredShare:
    """Whether a model has answered a share of any `WINDOW` consecutive questions.

    `least` is the minimum share, from 0 to 1; with 0, nothing is counted.
    """

    def __init__(self, least: float) -> None:
        check_range("min_answered", least)
        self.least = least
        self._latest: list[bool] = []

    def fewest(self, answered: Sequence[bool]) -> int | None:
        """Return the fewest answers in a window that ends in further questions, None if enough.

        Args:
            answered: Whether each further question was answered, in their order.
        """
        if not self.least:
            return None
        asked = np.array([*self._latest, *answered], np.int64)
        if len(asked) < WINDOW:
            return None
        counts = np.convolve(asked, np.ones(WINDOW, np.int64), mode="valid")
        fewest = int(counts.min())
        return fewest if fewest < self.least * WINDOW else None

    def add(self, answered: Sequence[bool]) -> None:
        """Count further questions."""
        if self.least:
            self._latest = [*self._latest, *answered][1 - WINDOW :]

    def state(self) -> list[bool]:
        """Return the latest questions, for a checkpoint."""
        return list(self._latest)

    def restore(self, state: Sequence[Any]) -> None:
        """Continue from the result of `state`."""
        self._latest = [bool(answered) for answered in state][1 - WINDOW :]


Fallback = Literal["rule", "error"]

_UNSENT = Reply(None, "budget", tries=0, fault="the budget is used up")
_BATCH = 1_000  # number of calls after which too few answers end the run
_MOST_FAULTS = 100  # maximum number of distinct faults that are counted


class LlmMind(Mind):
    """Ask a language model for each agent.

    The rule answers first. Each usable answer of the model then replaces that of the rule in its
    row, whatever the order of replies. Other rows keep the answer of the rule, marked as fallback;
    with the fallback "error", the run ends instead. Raises ExtraError if a package of the extra
    `llm` is missing.

    Args:
        client: Client that sends the calls.
        seed: Random seed of the run, part of the key of each call.
        fallback: "rule" or "error".
        budget: Maximum number of tokens and calls; None for no limit.
        prompts: Creates the prompts; None for the shipped ones.
        log: Called with the calls of a question and their outcomes, in the order of rows.
        temperature: Sampling temperature.
        max_tokens: Maximum number of tokens of an answer, >= 1.
        min_answered: Share of any 50 consecutive questions that the model must have answered, from
            0 to 1. Below it, AnswerError ends the run. Calls beyond the budget do not count.
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
        min_answered: float = 0.0,
    ) -> None:
        if fallback not in {"rule", "error"}:
            raise ParameterError(f"fallback is {fallback!r}; allowed are 'rule' and 'error'")
        self.client = client
        self.prompts = prompts or Prompts()
        self.budget = budget or Budget()
        self.max_tokens = max_tokens
        self._seed = seed
        self._strict = fallback == "error"
        self._log = log
        self._temperature = temperature
        self._outcomes: Counter[str] = Counter()
        self._spent: Counter[str] = Counter()
        self._faults: Counter[str] = Counter()
        self._fallbacks = 0
        self._answered = AnsweredShare(min_answered)

    def __getstate__(self) -> NoReturn:
        """Raise a StateError: a copy cannot have the connections and open files of a client."""
        raise StateError(
            "a mind that asks a model cannot be copied or pickled; save the society with "
            "save_state, and use load_state for the copy"
        )

    def answer(self, question: Question) -> Answer:
        """Answer for all agents that are asked; AnswerError if the rule may not replace one."""
        ruled = question.rule(question)
        if not len(question.cohort):
            return ruled
        if self.budget.reached:  # none would be sent
            prompts = [Prompt(agent, (), {}) for agent in question.cohort.ids.tolist()]
        else:
            prompts = self.prompts.of(question)
        readings = self.exchange(question, prompts, lambda at, data: read_one(question, data, at))
        return apply_readings(question, ruled, readings)

    def exchange[T](
        self, question: Question, prompts: Sequence[Prompt], read: Callable[[int, Any], T]
    ) -> list[T | None]:
        """Send prompts and read the replies: budget, calls, one request for repair, log.

        Returns the content of each answer; None for an unusable one. `read` gets the position of a
        prompt and the JSON of its answer; it returns the content or raises `Unreadable`. Raises
        AnswerError if the model answers too few questions.
        """
        answers: list[T | None] = [None] * len(prompts)
        logged = self._round(question, dict(enumerate(prompts)), 0)
        again: dict[int, Prompt] = {}
        for at, prompt in enumerate(prompts):
            answers[at], fault = _read_reply(logged[at], at, read)
            if fault:
                logged[at] = _unreadable(logged[at], fault)
                again[at] = self.prompts.repair(prompt, logged[at].reply.text or "", fault)
        repaired = self._round(question, again, 1)
        for at in again:
            answers[at], fault = _read_reply(repaired[at], at, read)
            if fault:
                repaired[at] = _unreadable(repaired[at], fault)
        self._fallbacks += sum(answer is None for answer in answers)
        self._count([*logged.values(), *repaired.values()])
        if self._strict:
            _check_complete(question, answers, logged | repaired)
        sent = [at for at, call in logged.items() if call.outcome != _UNSENT.outcome]
        answered = [answers[at] is not None for at in sent]
        self._check_answered(answered, [call.fault for call in (logged | repaired).values()])
        self._answered.add(answered)
        return answers

    def _round(
        self, question: Question, prompts: dict[int, Prompt], attempt: int
    ) -> dict[int, LoggedCall]:
        """Charge the budget in the order of rows, and send the calls that it allows."""
        if not prompts:
            return {}
        calls = [self._call(question, prompt, attempt) for prompt in prompts.values()]
        sent = calls[: self.budget.charge(self._costs(prompts.values(), calls))]
        replies: list[Reply] = []
        for batch in batched(sent, _BATCH):
            replies += self.client.complete(batch)
            if attempt == 0:  # before more calls are sent in vain
                arrived = [reply.text is not None for reply in replies]
                self._check_answered(arrived, [reply.fault for reply in replies])
        replies += [_UNSENT] * (len(calls) - len(sent))
        answered = zip(prompts, calls, replies, strict=True)
        return {
            at: LoggedCall(call, reply, reply.outcome, reply.fault) for at, call, reply in answered
        }

    def _check_answered(self, answered: Sequence[bool], faults: Iterable[str]) -> None:
        """Refuse to continue if the model answers too few questions."""
        fewest = self._answered.fewest(answered)
        if fewest is None:
            return
        latest = Counter(fault for fault in faults if fault)
        reason = _most_frequent(latest or self._faults) or "unknown"
        raise AnswerError(
            f"the model {self.client.name} answered only {fewest} of {WINDOW} consecutive "
            f"questions, and llm.min_answered is {self._answered.least:g}; most frequent reason: "
            f"{reason}"
        )

    def _costs(self, prompts: Iterable[Prompt], calls: Sequence[Call]) -> list[int]:
        """Return the maximum tokens of each call; zeros if tokens are not limited."""
        if self.budget.tokens is None:
            return [0] * len(calls)
        pairs = zip(prompts, calls, strict=True)
        return [prompt.tokens + call.max_tokens for prompt, call in pairs]

    def _call(self, question: Question, prompt: Prompt, attempt: int) -> Call:
        return Call(
            agent=prompt.agent,
            block=question.block,
            tick=question.tick,
            ordinal=question.ordinal,
            attempt=attempt,
            messages=prompt.messages,
            schema=prompt.schema,
            max_tokens=prompt.max_tokens or self.max_tokens,
            seed=self._seed,
            model=self.client.name,
            temperature=self._temperature,
        )

    def _count(self, logged: Sequence[LoggedCall]) -> None:
        for one in logged:
            self._outcomes[one.outcome] += 1
            if one.fault and (one.fault in self._faults or len(self._faults) < _MOST_FAULTS):
                self._faults[one.fault] += 1
            self._spent["tokens_in"] += one.reply.tokens_in
            self._spent["tokens_out"] += one.reply.tokens_out
        if self._log is not None:
            self._log(logged)

    def facts(self) -> dict[str, int | str]:
        """Return tokens, calls and outcomes so far, and the most frequent fault."""
        unsent = self._outcomes["budget"]
        return {
            "model": self.client.name,
            "calls": self._outcomes.total() - unsent,
            "tokens_in": self._spent["tokens_in"],
            "tokens_out": self._spent["tokens_out"],
            "failed": self._outcomes.total() - unsent - self._outcomes["ok"],
            "unsent": unsent,
            "fallbacks": self._fallbacks,
            "budget": "reached" if self.budget.reached else "kept",
            "fault": _most_frequent(self._faults),
        }

    def state(self) -> dict[str, Any]:
        """Return the counts so far, for a checkpoint; the society saves the budget."""
        return {
            "outcomes": dict(self._outcomes),
            "spent": dict(self._spent),
            "fallbacks": self._fallbacks,
            "faults": dict(self._faults),
            "answered": self._answered.state(),
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Continue counting from the result of `state`."""
        self._outcomes = Counter(state.get("outcomes", {}))
        self._spent = Counter(state.get("spent", {}))
        self._fallbacks = int(state.get("fallbacks", 0))
        self._faults = Counter(state.get("faults", {}))
        self._answered.restore(state.get("answered", ()))

    def close(self) -> None:
        """Close the client."""
        close = getattr(self.client, "close", None)
        if close is not None:
            close()


def apply_readings(question: Question, ruled: Answer, readings: Sequence[Reading | None]) -> Answer:
    """Replace answers of the rule by those of a model; their evidence is all recalled memories."""
    read = np.array([one is not None for one in readings])
    kept = np.full(np.count_nonzero(~read), MINDS.index("fallback"), np.uint8)
    by_rule = replace(ruled.select(~read), how=kept)
    by_model = _answer_of(question, [one for one in readings if one is not None])
    parts = [
        (mask, question.select(mask), one) for mask, one in ((~read, by_rule), (read, by_model))
    ]
    return join_answers(question, parts)


def _answer_of(question: Question, readings: Sequence[Reading]) -> Answer:
    """Return the answer of the agents for which the model gave a valid one."""
    n = len(readings)
    text = steps = None
    if question.form == "text":
        # New texts get their numbers in the order of rows.
        texts = question.cohort.population.memory.texts
        text = texts.intern_many([one.text or "" for one in readings])
    if question.form == "steps":
        steps = np.full((n, MOST_STEPS, 3), -1, np.int16)
        for row, one in enumerate(readings):
            steps[row, : len(one.steps)] = one.steps
    intensities = np.array([one.intensities for one in readings], np.float32)
    reasons = dict.fromkeys(one.reason for one in readings)
    places = {reason: place for place, reason in enumerate(reasons)}
    return Answer(
        np.array([one.value for one in readings], np.float32),
        text=text,
        emotion=np.array([one.emotion for one in readings], np.uint8),
        intensities=intensities.reshape(n, len(FEELINGS)),
        steps=steps,
        reason=np.array([places[one.reason] for one in readings], np.int32),
        reasons=tuple(reasons),
        how=np.full(n, MINDS.index("model"), np.uint8),
    )


def _read_reply[T](
    logged: LoggedCall, at: int, read: Callable[[int, Any], T]
) -> tuple[T | None, str]:
    """Return the content of an answer, or the reason why it is unreadable."""
    if logged.outcome != "ok":
        return None, ""
    try:
        return read_answer(logged.reply.text or "", lambda data: read(at, data)), ""
    except Unreadable as fault:
        return None, str(fault)


def _most_frequent(faults: Counter[str]) -> str:
    return max(faults, key=faults.__getitem__, default="")


def _unreadable(logged: LoggedCall, fault: str) -> LoggedCall:
    empty = not (logged.reply.text or "").strip()
    reason = "the answer is empty" if empty else f"the answer is unreadable: {fault}"
    return logged._replace(outcome="invalid", fault=reason)


def _check_complete(
    question: Question, answers: Sequence[object], logged: dict[int, LoggedCall]
) -> None:
    for at, answer in enumerate(answers):
        if answer is None:
            call, _, outcome, fault = logged[at]
            reason = f"{outcome}, {fault}" if fault else outcome
            raise AnswerError(
                f"the model gave agent {call.agent} no answer to {question.kind!r} of "
                f"{question.block!r} in step {question.tick}: {reason}; with llm.fallback=rule, "
                f"the rule decides instead"
            )
