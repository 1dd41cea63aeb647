"""Format the attributes of an agent for readers: yes or no, units, and ranges of ratings."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from memopolis.analysis.labels import scaled, short, words
from memopolis.commands.shown_text import harmless

type Declared = Mapping[str, Mapping[str, Any]]
"""Declarations of the attributes of a population in a run's manifest, by name."""


@dataclass(frozen=True)
class AttributeText:
    """An attribute, formatted for readers.

    Attributes:
        label: Name of the attribute in words.
        value: Value with its unit.
        meaning: Description of the attribute, "" if undeclared.
        is_need: Whether it is the satisfaction of a need.
    """

    label: str
    value: str
    meaning: str
    is_need: bool


def describe_attributes(values: Mapping[str, Any], declared: Declared) -> list[AttributeText]:
    """Format attributes, without those that have no value."""
    formatted = []
    for name, value in values.items():
        if not missing(value):
            facts = declared.get(name, {})
            meaning = harmless(facts.get("description", ""))
            is_need = facts.get("role") == "need"
            formatted.append(AttributeText(words(name), in_words(value, facts), meaning, is_need))
    return formatted


def in_words(value: Any, facts: Mapping[str, Any]) -> str:
    """Format a value with its unit, or with the maximum of its range."""
    if missing(value):
        return "-"
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    if not isinstance(value, int | float | np.number):
        return harmless(value)
    factor, unit = scaled(str(facts.get("unit") or ""))
    number = _number(float(value) * factor) if _measured(value, facts) else str(value)
    if unit:
        return f"{number} {unit}"
    low, high = facts.get("low"), facts.get("high")
    return f"{number} of {high:g}" if low == 0 and high is not None else number


def missing(value: Any) -> bool:
    """Return whether a value is empty or was not recorded."""
    return (isinstance(value, str) and not value) or bool(pd.isna(value))


def _number(value: float) -> str:
    """Format a number without unneeded decimals: 70.0 is "70"."""
    return f"{value:,.0f}" if value == round(value) else short(value)


def _measured(value: Any, facts: Mapping[str, Any]) -> bool:
    """Return whether a number is a measurement; whole numbers without unit are names or counts."""
    return isinstance(value, float | np.floating) or bool(facts.get("unit"))
