"""Mark of an answer that has more bytes than are read."""

from typing import Any

TOO_LONG = "memopolis_too_long"
"""Extension of an answer that says whether it was too long."""


def is_too_long(response: Any) -> bool:
    """Whether an answer had more bytes than are read; its content is left out then."""
    return bool(response.extensions.get(TOO_LONG))
