"""One request to a language model and its reply, and who sends them."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from typing import Any, Literal, NamedTuple, Protocol

from memopolis.sim.errors import mark_agent

type Role = Literal["system", "user", "assistant"]
type Key = tuple[int, int, str, int, int, int]

OUTCOMES = (
    "ok",
    "invalid",
    "refused",
    "timeout",
    "rate",
    "server",
    "connection",
    "budget",
    "too_long",
)
"""What became of a call: its answer was read (ok) or not (invalid), the model would not answer
(refused), or no answer came: in time, for the server's limit of calls (rate), by a mistake of
the server, without a connection, for want of budget, or longer than is read."""


class Message(NamedTuple):
    """One message of a prompt.

    Attributes:
        role: Who says it.
        text: What is said.
    """

    role: Role
    text: str


@dataclass(frozen=True, eq=False)
class Call:
    """What one agent is asked once.

    Attributes:
        agent: Its unique_id.
        block: Block that asks.
        tick: Step in which it asks.
        ordinal: Number of the question among those of the block in the step, from 0.
        attempt: 0, or 1 for the question to repair an answer that could not be read.
        messages: The prompt.
        schema: JSON schema of the answer.
        max_tokens: Most tokens of the answer.
        seed: The run's seed.
        model: Name of the model.
        temperature: How freely the model chooses its words.
    """

    agent: int
    block: str
    tick: int
    ordinal: int
    attempt: int
    messages: tuple[Message, ...]
    schema: Mapping[str, Any]
    max_tokens: int
    seed: int = 0
    model: str = ""
    temperature: float = 0.0

    @property
    def key(self) -> Key:
        """What names this call among all of a run: seed, agent, block, tick, ordinal, attempt."""
        return (self.seed, self.agent, self.block, self.tick, self.ordinal, self.attempt)

    @cached_property
    def hash(self) -> str:
        """Hash of all that the answer depends on, as 32 hexadecimal digits."""
        asked = {
            "messages": self.messages,
            "schema": self.schema,
            "model": self.model,
            "temperature": self.temperature,
            "max_tokens": self.max_tokens,
        }
        return blake2b(canonical(asked).encode(), digest_size=16).hexdigest()


@dataclass(frozen=True)
class Reply:
    """What came of a call.

    Attributes:
        text: What the model wrote, None if nothing came. Half of a surrogate pair, which no
            file could hold, becomes a question mark.
        outcome: One of OUTCOMES.
        tokens_in: Tokens of the prompt, as the server or the engine counts them.
        tokens_out: Tokens of the answer.
        tries: How often it was sent.
        seconds: How long it took.
    """

    text: str | None
    outcome: str = "ok"
    tokens_in: int = 0
    tokens_out: int = 0
    tries: int = 1
    seconds: float = 0.0

    def __post_init__(self) -> None:
        if self.text is not None and not self.text.isascii():
            encodable = self.text.encode("utf-8", "replace").decode()
            object.__setattr__(self, "text", encodable)


type Heard = Callable[[Call, Reply], None]
"""Receives each answered call as soon as it is answered; from another thread, one at a time."""


class Client(Protocol):
    """Sends calls to a model: a server, a cassette, a script."""

    @property
    def name(self) -> str:
        """Name of the model."""
        ...

    def complete(self, calls: Sequence[Call]) -> list[Reply]:
        """Answer all calls, in their order, however the answers arrive.

        The failure of one call is its reply's outcome, never an error.
        """
        ...


def canonical(value: object) -> str:
    """One text for one value: JSON with sorted keys and without spaces."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


_CHARACTERS = 4
"""Characters of a token, about: a script is to be quick."""


class ScriptedClient:
    """Answers each call by a function of it.

    Args:
        answer: Gives the text of the answer, or a whole reply.
        name: Name of the model it plays.

    Attributes:
        calls: All that were asked, in order.
        heard: Receives each reply when it arrives; None for no receiver.
    """

    def __init__(self, answer: Callable[[Call], str | Reply], *, name: str = "scripted") -> None:
        self.name = name
        self.calls: list[Call] = []
        self.heard: Heard | None = None
        self._answer = answer

    def complete(self, calls: Sequence[Call]) -> list[Reply]:
        """Answer all calls, in their order."""
        self.calls += calls
        replies = []
        for call in calls:
            replies.append(self._reply(call))
            if self.heard is not None:
                self.heard(call, replies[-1])
        return replies

    def _reply(self, call: Call) -> Reply:
        try:
            answer = self._answer(call)
        except Exception as error:
            mark_agent(error, call.agent)
            raise
        if isinstance(answer, Reply):
            return answer
        asked = sum(len(message.text) for message in call.messages)
        return Reply(answer, tokens_in=asked // _CHARACTERS, tokens_out=len(answer) // _CHARACTERS)
