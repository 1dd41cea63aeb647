"""Split texts into sentences and shorten them to a length."""

import re
import unicodedata

ELLIPSIS = "…"  # marks the end of a shortened text; counts as one of its characters
# Punctuation that ends a sentence; the last three are Chinese and Japanese.
STOPS = ".!?\u3002\uff01\uff1f"
_QUOTES = "\"'\u201d\u2019)"
_FLAGS = "".join(map(chr, range(0x1F1E6, 0x1F200)))  # letters that form a flag in pairs
_WIDE = "\u3002\uff01\uff1f"
_ENDS = re.compile(
    r"(?<=[.!?])(?<!\bMr\.)(?<!\bMs\.)(?<!\bDr\.)(?<!\bSt\.)(?<!\bMrs\.)\s+(?=[^a-z\s])"
    rf"|(?<=[.!?][{_QUOTES}])\s+(?=[^a-z\s])"
    rf"|(?<=[{_WIDE}])(?![{_WIDE}\u300d\u300f\u201d])"
)


def split_sentences(text: str) -> list[str]:
    """Split a text into its sentences, in reading order, without empty ones.

    A full stop ends a sentence if a space and anything but a lower-case letter follow. Chinese and
    Japanese punctuation always ends one, and so does a line break.
    """
    # Line by line: a pattern that matches line breaks is quadratic in the length of blank text.
    parts = [part.strip() for line in text.splitlines() for part in _ENDS.split(line)]
    return [part for part in parts if part]


def shorten(text: str, limit: int) -> str:
    """Shorten a text to `limit` code points, >= 1, at a word boundary of the second half if any.

    Otherwise it is cut between characters, never within accents, flags or joined emoji. An ellipsis
    marks the end.
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
    """Return the last boundary between characters up to `at`; `at` if there is none."""
    place = at
    while place > 0 and _is_inside(text, place):
        place -= 1
    return place or at


def _is_inside(text: str, place: int) -> bool:
    """Return whether the code points before and at an index form one character."""
    after, before = text[place], text[place - 1]
    if unicodedata.category(after) in ("Mn", "Me", "Mc", "Cf") or before == "\u200d":
        return True
    if "\U0001f3fb" <= after <= "\U0001f3ff":
        return True
    if after not in _FLAGS:
        return False
    run = len(text[:place]) - len(text[:place].rstrip(_FLAGS))
    return run % 2 == 1
