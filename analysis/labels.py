"""Format names, units and numbers of a run for readers."""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from math import inf
from typing import Any

SCORE = "0-10"  # unit of feelings and attitudes
SHARE = "share"  # unit of shares from 0 to 1, which are shown in percent

_STEPS = {1.0: "an hour", 24.0: "a day", 168.0: "a week", 720.0: "a month", 8_760.0: "a year"}
_MONTH = 600.0  # least hours of a step that is a month
_SCALES = {"cents": (0.01, "USD"), SHARE: (1.0, "")}
_NAMES = {
    "gdp": "GDP",
    "ei": "E-I of",
    "esteban ray": "Esteban-Ray",
    "ces d": "CES-D",
    "pid": "Party identification",
    "in warmth": "Warmth to own party",
}
_WRITTEN = re.compile(rf"\b({'|'.join(_NAMES)})\b", re.IGNORECASE)


def words(name: str) -> str:
    """Convert a name of code to words: `evacuated_share` is "Evacuated share", `gdp` is "GDP"."""
    plain = name.replace("_", " ").replace(".", " ").capitalize()
    return _WRITTEN.sub(lambda match: _NAMES[match[0].lower()], plain)


def plural(word: str) -> str:
    """Return the plural of a word; names of code lose their "_"."""
    word = word.replace("_", " ")
    if word.endswith("y") and word[-2:-1] not in "aeiou":
        return f"{word[:-1]}ies"
    return f"{word}s"


def lower_first(text: str) -> str:
    """Lower the first letter of a sentence, unless it starts with an abbreviation."""
    return text if text[1:2].isupper() else text[:1].lower() + text[1:]


def flatten_settings(settings: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Return settings in nested groups by their full names, such as "record.tables"."""
    flat: dict[str, Any] = {}
    for name, value in settings.items():
        if isinstance(value, Mapping) and value:
            flat |= flatten_settings(value, f"{prefix}{name}.")
        else:
            flat[prefix + name] = value
    return flat


def is_share(declared: Mapping[str, Any]) -> bool:
    """Check whether a declared measure is a share, to be shown in percent."""
    return (str(declared["of"]), str(declared["unit"])) == ("mean", SHARE)


def is_score(declared: Mapping[str, Any]) -> bool:
    """Check whether a declared measure is a mean from 0 to 10."""
    return (str(declared["of"]), str(declared["unit"])) == ("mean", SCORE)


def limits_of(declared: Mapping[str, Any]) -> tuple[float, float]:
    """Return the least and the largest value that a declared measure can have, as it is shown."""
    return (0, 1) if is_share(declared) else (0, 10) if is_score(declared) else (-inf, inf)


def scaled(unit: str) -> tuple[float, str]:
    """Return the factor and name by which a unit is shown: cents as USD, shares without unit."""
    return _SCALES.get(unit, (1.0, unit))


def axis_unit(measures: Sequence[Mapping[str, Any]], hours: float) -> str:
    """Return the unit of declared measures that share an axis, as it is shown.

    Flows, which are summed over `hours`, have the time: "USD a month". It is "" for scores and for
    measures with different units.
    """
    units = {scaled(measure["unit"])[1] for measure in measures}
    if len(units) > 1 or all(is_score(measure) for measure in measures):
        return ""
    (unit,) = units
    is_flow = any(measure["of"] == "sum" for measure in measures)
    return f"{unit} {a_step(hours)}".strip() if is_flow else unit


def a_step(hours: float) -> str:
    """Describe a step of the run: "an hour", "a day", "a month", else "in 6 h"."""
    return _STEPS.get(hours, f"in {hours:g} h")


def format_time(when: datetime) -> str:
    """Format a date with its time of day: "30 Aug 2019 09:00"."""
    return f"{when:%d %b %Y %H:%M}"


def format_moment(when: datetime, hours: float) -> str:
    """Format a local time between two steps as finely as the steps; a month has 720 hours.

    "Fri 30 Aug 2019 09:00" for steps below a day, "Fri 30 Aug 2019" below 600 hours, else the
    month that begins then, "Sep 2019".
    """
    if hours < 24:
        return f"{when:%a %d %b %Y %H:%M}"
    if hours < _MONTH:
        return f"{when:%a %d %b %Y}"
    # Months of a mean length begin near the first day of a month, before or after it.
    return f"{when + timedelta(hours=hours / 2):%b %Y}"


def day_form(start: datetime, end: datetime) -> str:
    """Return a format of days, with the year if the period extends beyond one calendar year."""
    last = max(start, end - timedelta(microseconds=1))
    return "%d %b" if start.year == last.year else "%d %b %Y"


def date_form(hours: float) -> str:
    """Return a date format as fine as the steps of the run."""
    if hours < 24:
        return "%d %b %H:%M"
    return "%d %b %Y" if hours < _MONTH else "%b %Y"


def short(value: float) -> str:
    """Format a number with three digits, large ones as whole numbers with separators."""
    if value != value:  # noqa: PLR0124 - not a number
        return "-"
    if abs(value) >= 1_000:
        return f"{value:,.0f}"
    # Rounding errors are not shown.
    return f"{value:.2f}" if abs(value) >= 1 else f"{round(value, 6):.3g}"
