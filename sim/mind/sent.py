"""What came back from a server for one request."""

import json
from dataclasses import dataclass
from typing import Any

from memopolis.sim.mind.call import Reply

LARGEST = 256 * 1024
"""Most bytes of an answer that are read; one of 1,000 tokens has some 6,000."""
_MOST_TOKENS = 2**31 - 1


@dataclass(frozen=True)
class Sent:
    """One request's end.

    Attributes:
        outcome: One of OUTCOMES.
        text: What the model wrote, None if nothing came.
        tokens_in: Tokens of the prompt, as the server counts them.
        tokens_out: Tokens of the answer.
        wait: Seconds that the server asks to wait, None if it names none.
        complaint: What the server does not take, if it may take it in another form.
        denied: Why the server takes no call at all, "" if it may.
    """

    outcome: str
    text: str | None = None
    tokens_in: int = 0
    tokens_out: int = 0
    wait: float | None = None
    complaint: str | None = None
    denied: str = ""

    def reply(self, tries: int, seconds: float) -> Reply:
        """What the asker gets, after so many tries and so much time."""
        return Reply(self.text, self.outcome, self.tokens_in, self.tokens_out, tries, seconds)


def read(body: bytes) -> Sent:
    """Read the answer of a chat route.

    What is no such answer, such as half of one, is a mistake of the server; what the model
    wrote is not looked at here.

    Args:
        body: What the server sent with status 200.
    """
    try:
        # As UTF-8, like the mask of the key: json would guess UTF-16 where there are zero bytes.
        answer = json.loads(body.decode("utf-8", "replace"))
        choice = answer["choices"][0]
        message = choice["message"]
        text = message.get("content")
        refused = message.get("refusal") or choice.get("finish_reason") == "content_filter"
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
        return Sent("server")
    used = answer.get("usage")
    tokens_in, tokens_out = _count(used, "prompt_tokens"), _count(used, "completion_tokens")
    if refused:
        return Sent("refused", None, tokens_in, tokens_out)
    return Sent("ok", _clean(text), tokens_in, tokens_out)


def _clean(text: object) -> str:
    """A text that can be written to a file: halves of characters become question marks."""
    if not isinstance(text, str):
        return ""  # nothing said, as when all tokens went into thinking
    return text.encode("utf-8", "replace").decode()


def _count(used: Any, name: str) -> int:
    tokens = used.get(name) if isinstance(used, dict) else None
    return tokens if isinstance(tokens, int) and 0 <= tokens <= _MOST_TOKENS else 0
