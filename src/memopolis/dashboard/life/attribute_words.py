"""Attributes of an agent in words: yes and no, units, and of how much a rating is."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from memopolis.analysis.labels import scaled, short, words
from memopolis.commands.shown_text import harmless

type Declared = Mapping[str, Mapping[str, Any]]
"""What a run's manifest says of the attributes of a population, by their names."""


@dataclass(frozen=True)
class AttributeTold:
    """An attribute as a reader sees it.

    Attributes:
        label: Its name in words.
        value: Its value in words, with the unit.
        meaning: What it says, "" if nobody declared it.
    """

    label: str
    value: str
    meaning: str


def attributes_told(values: Mapping[str, Any], declared: Declared) -> list[AttributeTold]:
    """Tell attributes in words; what has no value says nothing.

    Args:
        values: By name, as `Life.profile` and a row of `Life.status` give them.
        declared: Of the same population.
    """
    told = []
    for name, value in values.items():
        if not missing(value):
            facts = declared.get(name, {})
            meaning = harmless(facts.get("description", ""))
            told.append(AttributeTold(words(name), in_words(value, facts), meaning))
    return told


def in_words(value: Any, facts: Mapping[str, Any]) -> str:
    """A value with its unit, or with the most that it can be.

    Args:
        value: As it was recorded; zones by name and ticks as dates.
        facts: What the manifest says of the attribute: unit, low and high.
    """
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
    """Whether a value is none: empty, or not recorded."""
    return (isinstance(value, str) and not value) or bool(pd.isna(value))


def _number(value: float) -> str:
    """Without decimals that say nothing: 70.0 years are 70 years."""
    return f"{value:,.0f}" if value == round(value) else short(value)


def _measured(value: Any, facts: Mapping[str, Any]) -> bool:
    """Whether a number measures something; a whole number without a unit names or counts."""
    return isinstance(value, float | np.floating) or bool(facts.get("unit"))
