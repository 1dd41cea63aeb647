"""Cutting texts: into sentences, and to a length."""

import re
import unicodedata

ELLIPSIS = "…"
"""Stands where a text was cut, and counts as one of its characters."""

STOPS = ".!?\u3002\uff01\uff1f"
"""Marks that end a sentence; the last three are those of Chinese and Japanese."""

_QUOTES = "\"'\u201d\u2019)"
_WIDE = "\u3002\uff01\uff1f"
_ENDS = re.compile(
    r"(?<=[.!?])(?<!\bMr\.)(?<!\bMs\.)(?<!\bDr\.)(?<!\bSt\.)(?<!\bMrs\.)\s+(?=[^a-z\s])"
    rf"|(?<=[.!?][{_QUOTES}])\s+(?=[^a-z\s])"
    rf"|(?<=[{_WIDE}])(?![{_WIDE}\u300d\u300f\u201d])"
)


def sentences(text: str) -> list[str]:
    """Cut a text into its sentences.

    A full stop ends one before a space and anything but a small letter; the marks of Chinese
    and Japanese end one wherever they stand; a new line always does.

    Args:
        text: Any text.

    Returns:
        The sentences in reading order, without empty ones.
    """
    # Line by line: a pattern for new lines would take for ever on a page of blanks.
    parts = [part.strip() for line in text.splitlines() for part in _ENDS.split(line)]
    return [part for part in parts if part]


def cut(text: str, limit: int) -> str:
    """Cut a text to a length, at a word where one ends in the second half.

    Languages without spaces are cut between characters, never within one that is written
    with several (accents, flags, joined signs).

    Args:
        text: Any text.
        limit: Most characters (code points) of the result, >= 1.

    Returns:
        The text, or its beginning and an ellipsis.
    """
    if len(text) <= limit:
        return text
    room = limit - len(ELLIPSIS)
    words = text[: room + 1].rsplit(maxsplit=1)
    head = words[0] if len(words) == 2 else ""
    if text[room].isspace():
        head = text[:room]
    elif 2 * len(head) < room:
        head = text[: _boundary(text, room)]
    return head.rstrip().rstrip(",;:-") + ELLIPSIS


def _boundary(text: str, at: int) -> int:
    """The last place up to `at` between two whole characters; `at` itself if there is none."""
    place = at
    while place > 0 and _within(text, place):
        place -= 1
    return place or at


def _within(text: str, place: int) -> bool:
    """Whether the code points before and at a place are written as one character."""
    after, before = text[place], text[place - 1]
    if unicodedata.category(after) in ("Mn", "Me", "Mc", "Cf") or before == "\u200d":
        return True
    if "\U0001f3fb" <= after <= "\U0001f3ff":
        return True
    if not _flag(after):
        return False
    run = len(text[:place]) - len(text[:place].rstrip(_FLAGS))
    return run % 2 == 1


_FLAGS = "".join(map(chr, range(0x1F1E6, 0x1F200)))


def _flag(character: str) -> bool:
    return "\U0001f1e6" <= character <= "\U0001f1ff"
