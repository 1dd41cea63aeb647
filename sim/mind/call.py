"""Calls to a language model, their replies, and the clients that send them."""

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
    "ok", "invalid", "refused", "timeout", "rate", "server", "connection", "budget", "too_long",
)  # fmt: skip
"""Outcomes of a call. The answer was read (ok) or unreadable (invalid), or the model refused to
answer. Otherwise there is no answer: after a timeout, because of the rate limit or an error of the
server, a failed connection or an exhausted budget, or because the answer is too long."""


class Message(NamedTuple):
    """One message of a prompt."""

    role: Role
    text: str


@dataclass(frozen=True, eq=False)
class Call:
    """A request to a model on behalf of one agent."""

    agent: int  # unique_id of the agent
    block: str  # block that asks
    tick: int  # step in which it asks
    ordinal: int  # number of the question among those of the block in the step, from 0
    attempt: int  # 0, or 1 for the request to repair an unreadable answer
    messages: tuple[Message, ...]  # the prompt
    schema: Mapping[str, Any]  # JSON schema of the answer
    max_tokens: int  # maximum number of tokens of the answer
    seed: int = 0  # random seed of the run
    model: str = ""  # name of the model
    temperature: float = 0.0  # sampling temperature

    @property
    def key(self) -> Key:
        """Key of the call within a run: seed, agent, block, tick, ordinal, attempt."""
        return (self.seed, self.agent, self.block, self.tick, self.ordinal, self.attempt)

    @cached_property
    def hash(self) -> str:
        """Hash of everything the answer depends on, 32 hexadecimal digits."""
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
    """Result of a call."""

    # Text of the model, None if there is no answer. Lone surrogates, which no file could contain,
    # become question marks.
    text: str | None
    outcome: str = "ok"  # one of OUTCOMES
    tokens_in: int = 0  # tokens of the prompt, as counted by the server or by Memopolis
    tokens_out: int = 0  # tokens of the answer
    tries: int = 1  # number of times the call was sent
    seconds: float = 0.0  # time until the answer arrived
    fault: str = ""  # reason why there is no answer, "" if there is one

    def __post_init__(self) -> None:
        if self.text is not None and not self.text.isascii():
            encodable = self.text.encode("utf-8", "replace").decode()
            object.__setattr__(self, "text", encodable)


type ReplyListener = Callable[[Call, Reply], None]
"""Called with each call and its reply when it arrives, from another thread, one at a time."""


class LoggedCall(NamedTuple):
    """A call and its outcome."""

    call: Call
    reply: Reply
    outcome: str  # one of OUTCOMES: that of the reply, or "invalid" for an unreadable answer
    fault: str = ""  # reason why there is no usable answer, "" if there is one


type Log = Callable[[Sequence[LoggedCall]], None]
"""Called with the calls of a question, in the order of rows; requests for repair come last."""


class Client(Protocol):
    """Sends calls to a model: a server, a cassette or a script."""

    @property
    def name(self) -> str:
        """Name of the model."""

    def complete(self, calls: Sequence[Call]) -> list[Reply]:
        """Return the replies in the order of the calls; a failure is the outcome of its reply."""


def canonical(value: object) -> str:
    """Return the canonical JSON of a value, with sorted keys and without spaces."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


_CHARACTERS = 4  # approximate number of characters of a token, which is fast to compute


class ScriptedClient:
    """Answer each call with a function, for tests or to try a scenario without a model.

    The function returns the text of the answer, or a complete reply. `calls` lists all calls so
    far, and `on_reply` is called with each call and its reply.
    """

    def __init__(self, answer: Callable[[Call], str | Reply], *, name: str = "scripted") -> None:
        self.name = name
        self.calls: list[Call] = []
        self.on_reply: ReplyListener | None = None
        self._answer = answer

    def complete(self, calls: Sequence[Call]) -> list[Reply]:
        """Return the replies in the order of the calls."""
        self.calls += calls
        replies = []
        for call in calls:
            replies.append(self._reply(call))
            if self.on_reply is not None:
                self.on_reply(call, replies[-1])
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
