"""Make texts of runs safe to show on a page or in a terminal, and shorten long ones."""

import re
from dataclasses import dataclass

MOST = 500  # maximum number of characters that are shown at first

_UNSHOWN = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
_MARK = "\ufffd"


@dataclass(frozen=True)
class Beginning:
    """The beginning of a text."""

    text: str  # the characters shown at first
    whole: int  # number of characters of the full text

    @property
    def cut(self) -> bool:
        """Whether the text is longer than what is shown."""
        return self.whole > len(self.text)


def harmless(text: object) -> str:
    """Replace control characters, lone surrogates and other characters that XML does not allow.

    Terminals obey control characters, and pages reject lone surrogates.

    Returns the text with a replacement character for each of them. Tabs, line ends and markup are
    kept: a page shows markup as text.
    """
    return _UNSHOWN.sub(_MARK, str(text))


def beginning(text: object, *, most: int = MOST) -> Beginning:
    """Return the beginning of a text, without control characters."""
    whole = str(text)
    return Beginning(harmless(whole[:most]), len(whole))


def one_line(text: object, *, most: int = 120) -> str:
    """Return a text on one line, such as for a button, with an ellipsis if it was cut."""
    # Twice as many, because collapsing white space shortens the text.
    words = " ".join(harmless(str(text)[: 2 * most]).split())
    if len(words) > most or len(str(text)) > 2 * most:
        return f"{words[: most - 1].rstrip()}…"
    return words or "(an empty text)"
