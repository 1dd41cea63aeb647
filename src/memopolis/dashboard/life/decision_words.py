"""Format decisions and attitudes for readers."""

from typing import Any

import pandas as pd

from memopolis.analysis.labels import short, words
from memopolis.commands.shown_text import harmless

MINDS = {
    "rule": "the rules",
    "model": "a language model",
    "replay": "a recorded answer of a language model",
    "fallback": "the rules, because the language model gave no answer",
}
"""Names of minds for readers, by their names in the tables."""
_RATED = {
    "attitude": "from 0, opposes, to 10, supports",
    "stay_or_go": "readiness to leave, from 0 to 10",
}
"""Meaning of the number of a rating, by kind of decision."""


def describe_subject(kind: str, item: str) -> str:
    """Format the subject of a decision, such as "Attitude: government trust"."""
    subject = f"{words(kind)}: {item}" if item not in {"", kind} else words(kind)
    return harmless(subject.replace("_", " "))


def format_answer(choice: str, value: float) -> str:
    """Format a decision: the name of the choice, else the number."""
    return harmless(choice.replace("_", " ")) if choice else short(float(value))


def describe_scale(kind: str, choice: str) -> str:
    """Format the meaning of a rating: " (readiness to leave, from 0 to 10)", or "".

    Decisions with a choice show no number.
    """
    return f" ({_RATED[kind]})" if kind in _RATED and not choice else ""


def describe_reason(reason: str, mind: str) -> str:
    """Format the reason of a decision and the mind that decided."""
    who = f"by {MINDS.get(mind, harmless(mind))}"
    return f"{harmless(reason)}; {who}" if reason else who


def describe_draw(probability: float, draw: float, choice: str = "") -> str:
    """Format the probability and the draw that carried out a decision, "" without a draw.

    Args:
        probability: Probability of the action, NaN without a draw.
        draw: The draw from [0, 1).
        choice: Name of the choice, which states what was done; "" for a rating.
    """
    if pd.isna(probability):
        return ""
    result = "" if choice else ": carried out" if draw < probability else ": not carried out"
    return f"A chance of {probability:.2g}; the draw was {draw:.2g}{result}."


def count_without_memories(decisions: pd.DataFrame) -> str:
    """Count decisions based on no memory by kind, as a sentence; "" if there are none."""
    if decisions.empty:
        return ""
    alone = decisions[decisions["rests_on"].str.len() == 0]
    counts = alone["kind"].astype(str).value_counts()
    parts = [f"{words(str(kind)).lower()} {count:,}" for kind, count in counts.items()]
    return f"Decisions based on no memory: {', '.join(parts)}." if parts else ""


def describe_attitude(name: str, value: float, before: float) -> str:
    """Format an attitude: its rating, direction and change."""
    lean = "supports" if value >= 6 else "opposes" if value <= 4 else "is undecided"
    moved = value - before
    since = f"{moved:+.1f} since the first record" if abs(moved) >= 0.05 else "unchanged"
    return f"{harmless(name)}: {value:.1f} of 10, {lean}; {since}"


def latest_first(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows of a table by time, the latest first."""
    return [] if frame.empty else frame.iloc[::-1].to_dict("records")  # type: ignore[return-value]
