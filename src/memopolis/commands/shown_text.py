"""Texts of runs as a page or a terminal can show them: harmless, and cut where they are long."""

import re
from dataclasses import dataclass

MOST = 500
"""Characters of a text that are shown at once."""

_UNSHOWN = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
_MARK = "\ufffd"


@dataclass(frozen=True)
class Beginning:
    """The beginning of a text.

    Attributes:
        text: What is shown at first.
        whole: How many characters the text has.
    """

    text: str
    whole: int

    @property
    def cut(self) -> bool:
        """Whether there is more of it."""
        return self.whole > len(self.text)


def harmless(text: object) -> str:
    """Replace what no page can hold and what a terminal obeys: control characters, lone surrogates.

    Args:
        text: Anything; what is no text is written as one.

    Returns:
        The text with a replacement mark for each of them; tabs and line ends stay. Markup stays,
        too: a page shows it as text.
    """
    return _UNSHOWN.sub(_MARK, str(text))


def beginning(text: object, *, most: int = MOST) -> Beginning:
    """The beginning of a text, harmless.

    Args:
        text: As an agent or a model wrote it.
        most: Most characters shown, >= 1.
    """
    whole = str(text)
    return Beginning(harmless(whole[:most]), len(whole))


def one_line(text: object, *, most: int = 120) -> str:
    """A text on one line, with an ellipsis where it was cut, such as on a button.

    Args:
        text: As an agent or a model wrote it.
        most: Most characters, >= 2.
    """
    # Twice as many: white space that is folded leaves room for more words.
    words = " ".join(harmless(str(text)[: 2 * most]).split())
    if len(words) > most or len(str(text)) > 2 * most:
        return f"{words[: most - 1].rstrip()}…"
    return words or "(an empty text)"
