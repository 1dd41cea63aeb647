"""One attack: what is tried, what should happen, and what happened."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from tests.attack.workshop import Workshop

_LONGEST = 200


class Outcome(NamedTuple):
    """The result of one attack.

    Attributes:
        passed: Whether what was expected happened.
        got: What happened, in a few words.
    """

    passed: bool
    got: str


@dataclass(frozen=True)
class Case:
    """One attack.

    Attributes:
        tried: What is attempted.
        expected: What should happen.
        run: Attempts it in a folder of its own and reports what happened.
    """

    tried: str
    expected: str
    run: "Callable[[Workshop], Outcome]"


def judge(faults: Iterable[str], got: str) -> Outcome:
    """Return the outcome of a case.

    Args:
        faults: Everything that should not have happened; the case passes if there is none.
        got: What happened, reported if the case passes.
    """
    wrong = list(dict.fromkeys(faults))
    return Outcome(not wrong, shorten("; ".join(wrong) if wrong else got))


def shorten(text: str, longest: int = _LONGEST) -> str:
    """Return a text as one line of at most `longest` characters."""
    line = " ".join(text.split())
    return line if len(line) <= longest else f"{line[: longest - 3]}..."
