"""Format the status of an agent for readers: labels, values with units, and needs in words."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from memopolis.analysis.labels import SHARE, scaled, short, words

NEEDS: Mapping[str, tuple[tuple[float, str], ...]] = {
    "hunger": ((0.7, "well fed"), (0.4, "could eat"), (0.0, "hungry")),
    "energy": ((0.6, "rested"), (0.3, "a bit tired"), (0.0, "very tired")),
    "safety": ((0.7, "feels safe"), (0.4, "not so safe"), (0.0, "feels unsafe")),
    "social": ((0.6, "not lonely"), (0.3, "a bit lonely"), (0.0, "lonely")),
}
"""Least satisfaction of a need, from 0 to 1, for each word, highest first (illustrative)."""
LABELS: Mapping[str, str] = {"income": "Household income"}
"""Labels of attributes whose name alone would mislead."""


def label_attribute(name: str) -> str:
    """Return the label of an attribute: "emotion.fear" is "Emotion fear"."""
    return LABELS.get(name, words(name))


def format_need(name: str, satisfaction: float) -> str:
    """Return the satisfaction of a need, from 0 to 1, in words, "" if it has none."""
    return next((word for least, word in NEEDS.get(name, ()) if satisfaction >= least), "")


def format_status(name: str, value: Any, facts: Mapping[str, Any]) -> str:
    """Format the value of an attribute with its unit; needs are in words."""
    if is_missing(value):
        return "-"
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    if not isinstance(value, int | float | np.number):
        return str(value)
    need = format_need(name, float(value)) if facts.get("role") == "need" else ""
    return need or format_number(value, facts)


def format_number(value: Any, facts: Mapping[str, Any]) -> str:
    """Format a number with its unit, or with the maximum of its range."""
    low, high = facts.get("low"), facts.get("high")
    if facts.get("unit") == SHARE or ((low, high) == (0, 1) and _is_measured(value, facts)):
        return format_share(float(value))
    factor, unit = scaled(str(facts.get("unit") or ""))
    number = _round(float(value) * factor) if _is_measured(value, facts) else str(value)
    if unit:
        return f"{number} {unit}"
    return f"{number} of {high:g}" if low == 0 and high is not None else number


def format_share(share: float) -> str:
    """Format a share of 1 in percent: 0.42 is "42%", 0.0024 is "0.24%"."""
    percent = 100 * share
    return f"{percent:.0f}%" if percent == 0 or abs(percent) >= 1 else f"{percent:.2g}%"


def is_missing(value: Any) -> bool:
    """Return whether a value is empty or was not recorded."""
    return (isinstance(value, str) and not value) or bool(pd.isna(value))


def _round(number: float) -> str:
    """Format a number without unneeded decimals: 70.0 is "70"."""
    return f"{number:,.0f}" if number == round(number) else short(number)


def _is_measured(value: Any, facts: Mapping[str, Any]) -> bool:
    """Return whether a number is a measurement; whole numbers without unit are names or counts."""
    return isinstance(value, float | np.floating) or bool(facts.get("unit"))
