"""Sending a question's prompts to a model: budget, calls, one repair question, log."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from memopolis.sim.errors import AnswerError
from memopolis.sim.mind.budget import Budget
from memopolis.sim.mind.call import Call, Client, Reply
from memopolis.sim.mind.mind import Question
from memopolis.sim.mind.prompting import Prompt, Prompts
from memopolis.sim.mind.reading import Unreadable, json_of


class Logged(NamedTuple):
    """A call and what became of it.

    Attributes:
        call: What was asked.
        reply: What came back.
        outcome: One of OUTCOMES: that of the reply, or "invalid" if it could not be read.
    """

    call: Call
    reply: Reply
    outcome: str


Log = Callable[[Sequence[Logged]], None]
"""Receives the calls of a question, in the order of rows; questions to repair come last."""

_UNSENT = Reply(None, "budget", tries=0)


class Exchange:
    """Sends prompts and reads what comes back; arguments as in `LlmMind`.

    Args:
        client: Sends the calls.
        seed: The run's seed.
        strict: Whether an answer that cannot be used ends the run.
        budget: Most tokens and calls.
        prompts: Makes the question to repair an answer.
        log: Receives every call.
        temperature: How freely the model chooses its words.
        max_tokens: Most tokens of an answer where the prompt says nothing.
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
        """Send prompts and read what comes back; as `LlmMind.exchange`."""
        answers: list[T | None] = [None] * len(prompts)
        logged = self._round(question, dict(enumerate(prompts)), 0)
        again: dict[int, Prompt] = {}
        for at, prompt in enumerate(prompts):
            answers[at], fault = _understood(logged[at], at, read)
            if fault:
                logged[at] = logged[at]._replace(outcome="invalid")
                again[at] = self._prompts.repair(prompt, logged[at].reply.text or "", fault)
        repaired = self._round(question, again, 1)
        for at in again:
            answers[at], fault = _understood(repaired[at], at, read)
            if fault:
                repaired[at] = repaired[at]._replace(outcome="invalid")
        self._fallbacks += sum(answer is None for answer in answers)
        self._tell([*logged.values(), *repaired.values()])
        if self._strict:
            _refuse_gaps(question, answers, logged | repaired)
        return answers

    def _round(
        self, question: Question, prompts: dict[int, Prompt], attempt: int
    ) -> dict[int, Logged]:
        """Send what the budget allows, charged in the order of rows before anything is sent."""
        if not prompts:
            return {}
        calls = [self._call(question, prompt, attempt) for prompt in prompts.values()]
        sent = calls[: self.budget.charge(self._costs(prompts.values(), calls))]
        replies = self.client.complete(sent) if sent else []
        replies += [_UNSENT] * (len(calls) - len(sent))
        answered = zip(prompts, calls, replies, strict=True)
        return {at: Logged(call, reply, reply.outcome) for at, call, reply in answered}

    def _costs(self, prompts: Iterable[Prompt], calls: Sequence[Call]) -> list[int]:
        """Tokens that each call may need; nothing is counted where nothing is limited."""
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

    def _tell(self, logged: Sequence[Logged]) -> None:
        for one in logged:
            self._outcomes[one.outcome] += 1
            self._spent["tokens_in"] += one.reply.tokens_in
            self._spent["tokens_out"] += one.reply.tokens_out
        if self._log is not None:
            self._log(logged)

    def facts(self) -> dict[str, int | str]:
        """Return what was spent and the outcomes so far."""
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
        """What was counted so far, for a checkpoint; the budget is the society's."""
        return {
            "outcomes": dict(self._outcomes),
            "spent": dict(self._spent),
            "fallbacks": self._fallbacks,
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on from what `state` gave."""
        self._outcomes = Counter(state.get("outcomes", {}))
        self._spent = Counter(state.get("spent", {}))
        self._fallbacks = int(state.get("fallbacks", 0))

    def close(self) -> None:
        """End what the client keeps open."""
        close = getattr(self.client, "close", None)
        if close is not None:
            close()


def _understood[T](logged: Logged, at: int, read: Callable[[int, Any], T]) -> tuple[T | None, str]:
    """What was read, and what is wrong with an answer that came but cannot be read."""
    if logged.outcome != "ok":
        return None, ""
    try:
        return read(at, json_of(logged.reply.text or "")), ""
    except Unreadable as fault:
        return None, str(fault)


def _refuse_gaps(question: Question, answers: Sequence[object], logged: dict[int, Logged]) -> None:
    for at, answer in enumerate(answers):
        if answer is None:
            call, _, outcome = logged[at]
            raise AnswerError(
                f"the model gave agent {call.agent} no answer to {question.kind!r} of "
                f"{question.block!r} in step {question.tick}: {outcome}; llm.fallback=rule lets "
                f"the rule decide then"
            )
