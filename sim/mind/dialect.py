"""How a request is put to a server: servers differ in what they take.

A server that refuses a request is asked again in a simpler dialect: another name for the
limit of tokens, no temperature, JSON without a schema, at last plain text, which the prompt
asks to be JSON anyway.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Any, Literal

from memopolis.sim.mind.call import Call

type Format = Literal["json_schema", "json_object", "text"]

_SIMPLER: Mapping[Format, Format] = {"json_schema": "json_object", "json_object": "text"}


@dataclass(frozen=True)
class Dialect:
    """What a server takes.

    Attributes:
        format: How the form of the answer is asked for.
        limit: Name of the greatest number of tokens.
        plain: Whether temperature and seed are left to the server.
    """

    format: Format = "json_schema"
    limit: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    plain: bool = False

    def simpler(self, complaint: str) -> "Dialect | None":
        """What to try after a refusal; None if nothing is left.

        Args:
            complaint: What the server said.
        """
        if self.limit == "max_tokens" and "max_completion_tokens" in complaint:
            return replace(self, limit="max_completion_tokens")
        if not self.plain and any(f"'{name}'" in complaint for name in ("temperature", "seed")):
            return replace(self, plain=True)
        if self.format in _SIMPLER:
            return replace(self, format=_SIMPLER[self.format])
        return None if self.plain else replace(self, plain=True)

    def body(self, call: Call, model: str) -> dict[str, Any]:
        """The request's JSON, put to a model."""
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
    """The server's seed for a call, 31 bits: two citizens asked the same may answer differently."""
    digest = blake2b(repr(call.key).encode(), digest_size=4).digest()
    return int.from_bytes(digest, "little") >> 1
