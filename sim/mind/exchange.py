"""Send the prompts of a question to a model: budget, calls, one request for repair, log."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from memopolis.sim.errors import AnswerError
from memopolis.sim.mind.budget import Budget
from memopolis.sim.mind.call import Call, Client, Reply
from memopolis.sim.mind.mind import Question
from memopolis.sim.mind.prompting import Prompt, Prompts
from memopolis.sim.mind.reading import Unreadable, parse_json


class LoggedCall(NamedTuple):
    """A call and its outcome.

    Attributes:
        call: The call.
        reply: Its reply.
        outcome: One of OUTCOMES: that of the reply, or "invalid" for an unreadable answer.
    """

    call: Call
    reply: Reply
    outcome: str


Log = Callable[[Sequence[LoggedCall]], None]
"""Called with the calls of a question, in the order of rows; requests for repair come last."""

_UNSENT = Reply(None, "budget", tries=0)


class Exchange:
    """Send prompts and read the replies; arguments as in `LlmMind`.

    Args:
        client: Client that sends the calls.
        seed: Random seed of the run.
        strict: Whether an unusable answer ends the run.
        budget: Maximum number of tokens and calls.
        prompts: Creates the request to repair an answer.
        log: Called with every call.
        temperature: Sampling temperature.
        max_tokens: Maximum number of tokens of an answer, unless the prompt sets it.
    """

    def __init__(
        self,
        client: Client,
        *,
        seed: int,
        strict: bool,
        budget: Budget,
        prompts: Prompts,
        log: Log | None,
        temperature: float,
        max_tokens: int,
    ) -> None:
        self.client = client
        self.budget = budget
        self._seed = seed
        self._strict = strict
        self._prompts = prompts
        self._log = log
        self._temperature = temperature
        self._max_tokens = max_tokens
        self._outcomes: Counter[str] = Counter()
        self._spent: Counter[str] = Counter()
        self._fallbacks = 0

    def send[T](
        self, question: Question, prompts: Sequence[Prompt], read: Callable[[int, Any], T]
    ) -> list[T | None]:
        """Send prompts and read the replies, see `LlmMind.exchange`."""
        answers: list[T | None] = [None] * len(prompts)
        logged = self._round(question, dict(enumerate(prompts)), 0)
        again: dict[int, Prompt] = {}
        for at, prompt in enumerate(prompts):
            answers[at], fault = _read_reply(logged[at], at, read)
            if fault:
                logged[at] = logged[at]._replace(outcome="invalid")
                again[at] = self._prompts.repair(prompt, logged[at].reply.text or "", fault)
        repaired = self._round(question, again, 1)
        for at in again:
            answers[at], fault = _read_reply(repaired[at], at, read)
            if fault:
                repaired[at] = repaired[at]._replace(outcome="invalid")
        self._fallbacks += sum(answer is None for answer in answers)
        self._count([*logged.values(), *repaired.values()])
        if self._strict:
            _check_complete(question, answers, logged | repaired)
        return answers

    def _round(
        self, question: Question, prompts: dict[int, Prompt], attempt: int
    ) -> dict[int, LoggedCall]:
        """Charge the budget in the order of rows, and send the calls that it allows."""
        if not prompts:
            return {}
        calls = [self._call(question, prompt, attempt) for prompt in prompts.values()]
        sent = calls[: self.budget.charge(self._costs(prompts.values(), calls))]
        replies = self.client.complete(sent) if sent else []
        replies += [_UNSENT] * (len(calls) - len(sent))
        answered = zip(prompts, calls, replies, strict=True)
        return {at: LoggedCall(call, reply, reply.outcome) for at, call, reply in answered}

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
            max_tokens=prompt.max_tokens or self._max_tokens,
            seed=self._seed,
            model=self.client.name,
            temperature=self._temperature,
        )

    def _count(self, logged: Sequence[LoggedCall]) -> None:
        for one in logged:
            self._outcomes[one.outcome] += 1
            self._spent["tokens_in"] += one.reply.tokens_in
            self._spent["tokens_out"] += one.reply.tokens_out
        if self._log is not None:
            self._log(logged)

    def facts(self) -> dict[str, int | str]:
        """Return tokens, calls and outcomes so far."""
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
        }

    def state(self) -> dict[str, Any]:
        """Return the counts so far, for a checkpoint; the society saves the budget."""
        return {
            "outcomes": dict(self._outcomes),
            "spent": dict(self._spent),
            "fallbacks": self._fallbacks,
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Continue counting from the result of `state`."""
        self._outcomes = Counter(state.get("outcomes", {}))
        self._spent = Counter(state.get("spent", {}))
        self._fallbacks = int(state.get("fallbacks", 0))

    def close(self) -> None:
        """Close the client."""
        close = getattr(self.client, "close", None)
        if close is not None:
            close()


def _read_reply[T](
    logged: LoggedCall, at: int, read: Callable[[int, Any], T]
) -> tuple[T | None, str]:
    """Return the content of an answer, or the reason why it is unreadable."""
    if logged.outcome != "ok":
        return None, ""
    try:
        return read(at, parse_json(logged.reply.text or "")), ""
    except Unreadable as fault:
        return None, str(fault)


def _check_complete(
    question: Question, answers: Sequence[object], logged: dict[int, LoggedCall]
) -> None:
    for at, answer in enumerate(answers):
        if answer is None:
            call, _, outcome = logged[at]
            raise AnswerError(
                f"the model gave agent {call.agent} no answer to {question.kind!r} of "
                f"{question.block!r} in step {question.tick}: {outcome}; with llm.fallback=rule, "
                f"the rule decides instead"
            )
