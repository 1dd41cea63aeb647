"""One request to a chat route: its dialect, its result, and the time at which it is sent.

Servers accept different requests. After a refusal, a request is repeated in a simpler dialect:
another name for the limit of tokens, no temperature, JSON without a schema, and finally plain
text, which the prompt asks to be JSON in any case. Nothing here is random: the jitter of a pause
is a hash of the call and the number of tries.
"""

import asyncio
import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from email.utils import parsedate_to_datetime
from hashlib import blake2b
from typing import Any, Literal

from memopolis.sim.mind.call import Call, Reply

type Format = Literal["json_schema", "json_object", "text"]

_SIMPLER: Mapping[Format, Format] = {"json_schema": "json_object", "json_object": "text"}


@dataclass(frozen=True)
class Dialect:
    """Form of the requests that a server accepts."""

    format: Format = "json_schema"  # way of requesting the format of the answer
    # Name of the parameter for the maximum number of tokens
    limit: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    plain: bool = False  # whether to leave out temperature and seed

    def simpler(self, complaint: str) -> "Dialect | None":
        """Return the dialect to try after an error message of the server; None if none is left."""
        if self.limit == "max_tokens" and "max_completion_tokens" in complaint:
            return replace(self, limit="max_completion_tokens")
        if not self.plain and any(f"'{name}'" in complaint for name in ("temperature", "seed")):
            return replace(self, plain=True)
        if self.format in _SIMPLER:
            return replace(self, format=_SIMPLER[self.format])
        return None if self.plain else replace(self, plain=True)

    def body(self, call: Call, model: str) -> dict[str, Any]:
        """Return the JSON body of the request to a model."""
        body: dict[str, Any] = {
            "model": model,
            "messages": [{"role": role, "content": text} for role, text in call.messages],
            self.limit: call.max_tokens,
        }
        if not self.plain:
            body |= {"temperature": call.temperature, "seed": seed_of(call)}
        if self.format == "json_object":
            body["response_format"] = {"type": "json_object"}
        elif self.format == "json_schema":
            asked = {"name": "answer", "schema": call.schema, "strict": True}
            body["response_format"] = {"type": "json_schema", "json_schema": asked}
        return body


def seed_of(call: Call) -> int:
    """Return the seed of a call, 31 bits: agents with equal prompts may answer differently."""
    digest = blake2b(repr(call.key).encode(), digest_size=4).digest()
    return int.from_bytes(digest, "little") >> 1


_MEDIA_TYPE = re.compile(r"[a-z0-9.+-]{1,40}/[a-z0-9.+-]{1,40}")
_TEXT_PARTS = ("text", "output_text")  # types of the parts of a message that are texts

LARGEST = 256 * 1024
"""Maximum number of bytes read of an answer; one of 1,000 tokens has about 6,000."""
_MOST_TOKENS = 2**31 - 1


@dataclass(frozen=True)
class Sent:
    """Result of one request."""

    outcome: str  # one of OUTCOMES
    text: str | None = None  # text of the model, None if there is no answer
    tokens_in: int = 0  # tokens of the prompt, as counted by the server
    tokens_out: int = 0  # tokens of the answer
    # Seconds to wait as requested by the server, None if it requests none
    wait: float | None = None
    complaint: str | None = None  # error message of the server, if it may accept another dialect
    denied: str = ""  # reason why the server accepts no call at all, "" if it may
    is_final: bool = False  # whether the server will accept no other call, such as without credit
    fault: str = ""  # reason why there is no answer, "" if there is one

    def reply(self, tries: int, seconds: float) -> Reply:
        """Return the reply to the call, with the number of tries and the time they took."""
        tokens = self.tokens_in, self.tokens_out
        return Reply(self.text, self.outcome, *tokens, tries, seconds, self.fault)


def read(body: bytes, content_type: str = "application/json") -> Sent:
    """Read the body of an answer with status 200; half an answer is an error of the server."""
    try:
        # As UTF-8, like the mask of the key: json would guess UTF-16 if there are zero bytes.
        answer = json.loads(body.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return Sent("server", fault=f"the server answered {_shown_type(content_type)}")
    try:
        choice = answer["choices"][0]
        message = choice["message"]
        text = _joined(message.get("content"))
        refused = message.get("refusal") or choice.get("finish_reason") == "content_filter"
    except (TypeError, LookupError, AttributeError):
        return Sent("server", fault="the server answered JSON without choices")
    used = answer.get("usage")
    tokens_in, tokens_out = _count(used, "prompt_tokens"), _count(used, "completion_tokens")
    if refused:
        return Sent("refused", None, tokens_in, tokens_out, fault="the model refused to answer")
    return Sent("ok", text, tokens_in, tokens_out)


def _shown_type(content_type: str) -> str:
    """Describe what a server answered in place of JSON, by its media type."""
    media_type = content_type.partition(";")[0].strip().lower()
    if not _MEDIA_TYPE.fullmatch(media_type):
        return "no JSON"
    return "invalid JSON" if media_type.endswith("json") else f"{media_type}, not JSON"


def _joined(content: Any) -> str:
    """Return the text of a message: itself, or its parts that are texts.

    Other parts, such as thinking, are no answer. A message without text is an empty one, also if
    the server sends the reasoning in a field of its own.
    """
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    texts = [
        part.get("text")
        for part in parts
        if isinstance(part, dict) and part.get("type", "text") in _TEXT_PARTS
    ]
    return "".join(text for text in texts if isinstance(text, str))


def _count(used: Any, name: str) -> int:
    tokens = used.get(name) if isinstance(used, dict) else None
    return tokens if isinstance(tokens, int) and 0 <= tokens <= _MOST_TOKENS else 0


SHORTEST = 0.5
_LONGEST_SLEEP = 0.5  # seconds after which a waiting request checks whether it is still wanted
LONGEST = 8.0  # shortest and longest pause after a failure in seconds, before jitter


def pause(call: str, tries: int) -> float:
    """Return the seconds to wait before the call of a hash is repeated, after some tries.

    It doubles with each try from 0.5 to 8 seconds, multiplied by a factor from 0.5 to 1, so that
    calls that failed together are not repeated together.

    Source: Brooker, "Exponential Backoff And Jitter" (AWS Architecture Blog, 2015), equal jitter.
    """
    draw = blake2b(f"{call}/{tries}".encode(), digest_size=4).digest()
    share = int.from_bytes(draw, "little") / 2**32
    return min(SHORTEST * 2.0 ** (tries - 1), LONGEST) * (0.5 + 0.5 * share)


def asked_to_wait(header: str | None, date: str | None = None) -> float | None:
    """Return the seconds in a header Retry-After, None if it is missing or invalid.

    If it is a date, the seconds count from that in the header Date, since clocks may differ.
    """
    try:
        seconds = float(header or "")
    except ValueError:
        seconds = _seconds_between(date, header)
    return None if math.isnan(seconds) else max(seconds, 0.0)


def _seconds_between(start: str | None, end: str | None) -> float:
    try:
        first, last = (parsedate_to_datetime(date or "") for date in (start, end))
        return (last - first).total_seconds()
    except (ValueError, TypeError, OverflowError):
        return math.nan


class Pace:
    """Limit the rate of the requests of a client, evenly spaced; None for no limit.

    `max_wait` is the total number of seconds that a server may request to wait. `stopped` is the
    reason why no further request is sent, "" if there is none; with a reason, none waits.
    """

    def __init__(self, rate: float | None, *, max_wait: float = 600.0) -> None:
        self._gap = 0.0 if rate is None else 60.0 / rate
        self._next = 0.0
        self._held_until = 0.0
        self._left = max_wait
        self.stopped = ""

    async def turn(self) -> None:
        """Wait until the next request may be sent."""
        clock = asyncio.get_running_loop().time
        turn = max(clock(), self._next)
        self._next = turn + self._gap
        # A hold may be extended, and the client stopped, during the sleep.
        while (wait := max(turn, self._held_until) - clock()) > 0 and not self.stopped:  # noqa: ASYNC110
            await asyncio.sleep(min(wait, _LONGEST_SLEEP))

    def hold(self, seconds: float) -> bool:
        """Send no request for some seconds, as the server requests; False if that is too long.

        Requests that wait together are counted once.
        """
        now = asyncio.get_running_loop().time()
        longer = now + seconds - max(self._held_until, now)
        if longer > self._left:
            return False
        if longer > 0:
            self._left -= longer
            self._held_until = now + seconds
        return True
