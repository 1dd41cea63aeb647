"""Decisions and attitudes in words."""

from typing import Any

import pandas as pd

from memopolis.analysis.labels import short, words
from memopolis.commands.shown_text import harmless

MINDS = {
    "rule": "the rules",
    "model": "a language model",
    "replay": "a recorded answer of a language model",
    "fallback": "the rules, since the language model gave no answer",
}
"""Who decided or answered, by the name in the tables."""
_RATED = {
    "attitude": "from 0, opposes, to 10, supports",
    "stay_or_go": "readiness to leave, from 0 to 10",
}
"""What the number of a decision is that is a rating, by the kind of decision."""


def what(kind: str, item: str) -> str:
    """What a decision is about: "attitude", "government_trust" is "Attitude: government trust"."""
    named = f"{words(kind)}: {item}" if item else words(kind)
    return harmless(named.replace("_", " "))


def answer(choice: str, value: float) -> str:
    """What was decided: the name of the choice, else the number."""
    return harmless(choice.replace("_", " ")) if choice else short(float(value))


def scale(kind: str, choice: str) -> str:
    """What the number of a decision means: " (readiness to leave, from 0 to 10)", or "".

    Args:
        kind: Of the decision.
        choice: Its name; a decision that has one shows no number.
    """
    return f" ({_RATED[kind]})" if kind in _RATED and not choice else ""


def by_whom(reason: str, mind: str) -> str:
    """Why something was decided, and who decided it."""
    who = f"by {MINDS.get(mind, harmless(mind))}"
    return f"{harmless(reason)}; {who}" if reason else who


def counted(decisions: pd.DataFrame) -> str:
    """How many decisions of each kind rest on no memory, in words; "" if there are none."""
    if decisions.empty:
        return ""
    alone = decisions[decisions["rests_on"].str.len() == 0]
    counts = alone["kind"].astype(str).value_counts()
    parts = [f"{words(str(kind)).lower()} {count:,}" for kind, count in counts.items()]
    return f"Decisions that rest on no memory: {', '.join(parts)}." if parts else ""


def attitude_told(name: str, value: float, before: float) -> str:
    """An attitude in words: its rating, which way it leans, and how it changed.

    Args:
        name: In words.
        value: Now, 0 (oppose) to 10 (support).
        before: When it was first recorded.
    """
    lean = "supports" if value >= 6 else "opposes" if value <= 4 else "is undecided"
    moved = value - before
    since = f"{moved:+.1f} since the first record" if abs(moved) >= 0.05 else "as at first"
    return f"{harmless(name)}: {value:.1f} of 10, {lean}; {since}"


def latest_first(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Rows of a table by time, the latest first."""
    return [] if frame.empty else frame.iloc[::-1].to_dict("records")  # type: ignore[return-value]
