"""Factors of a design: what a setting is varied over, levels or a range."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Any

import numpy as np

from memopolis.sim.errors import ParameterError


@dataclass(frozen=True)
class Range:
    """All numbers from `low` to `high`, each as likely as any other.

    Args:
        low: Least value.
        high: Greatest value, above `low`.
        log: Whether each power of a number is as likely as any other, for what spans several
            of them; `low` must then be above 0.
        whole: Whether only whole numbers are meant, `high` among them.

    Raises:
        ParameterError: If `low` is not below `high`, or a range of powers reaches 0.
    """

    low: float
    high: float
    _: KW_ONLY
    log: bool = False
    whole: bool = False

    def __post_init__(self) -> None:
        if any(isinstance(end, bool | str) for end in (self.low, self.high)) or not (
            math.isfinite(self.low) and math.isfinite(self.high) and self.low < self.high
        ):
            raise ParameterError(
                f"a range from {self.low!r} to {self.high!r} is none; give two numbers, low "
                "below high"
            )
        if self.log and self.low <= 0:
            raise ParameterError(
                f"a range with log starts at {self.low:g}; powers are above 0, such as 0.01"
            )
        if self.whole and not (float(self.low).is_integer() and float(self.high).is_integer()):
            raise ParameterError(
                f"a range of whole numbers runs from {self.low:g} to {self.high:g}; give whole ends"
            )

    def at(self, share: float) -> float | int:
        """The value below which a share of the range lies.

        Args:
            share: In [0, 1].
        """
        # A whole number stands for what rounds to it, so that the ends are as likely as others.
        low, high = (self.low - 0.5, self.high + 0.5) if self.whole else (self.low, self.high)
        value = low * (high / low) ** share if self.log else low + share * (high - low)
        held = min(max(value, self.low), self.high)
        return round(held) if self.whole else float(held)

    def to_dict(self) -> dict[str, float | bool]:
        """The range as a design's file writes it."""
        marks = {name: True for name in ("log", "whole") if getattr(self, name)}
        return {"low": self.low, "high": self.high, **marks}


type Levels = Sequence[Any]
type Factor = Range | Levels


def read_factor(name: str, given: object) -> Factor:
    """Check a factor as it is given.

    Args:
        name: Of the setting, for messages.
        given: A `Range`, a mapping with low and high, or several levels.

    Returns:
        The range, or the levels as plain values.

    Raises:
        ParameterError: If it is neither, or holds no level or one level twice.
    """
    if isinstance(given, Range):
        return given
    if isinstance(given, Mapping):
        return _range(name, given)
    if isinstance(given, str) or not isinstance(given, Sequence | np.ndarray) or not len(given):
        raise ParameterError(
            f"factor {name} is {given!r}; give levels, as {name} = [1, 2], or a range, as "
            f"{name} = {{low = 1, high = 2}}"
        )
    levels = tuple(plain(level) for level in given)
    if _holds_twice(levels):
        raise ParameterError(f"factor {name} holds a level twice: {', '.join(map(str, levels))}")
    return levels


def _holds_twice(levels: Sequence[Any]) -> bool:
    try:
        return len(set(levels)) < len(levels)
    except TypeError:  # lists and groups have no hash
        return any(level in levels[:number] for number, level in enumerate(levels))


def value_at(factor: Factor, share: float) -> Any:
    """The value below which a share of a factor lies; levels are equally wide.

    Args:
        factor: A range or levels.
        share: In [0, 1].
    """
    if isinstance(factor, Range):
        return factor.at(share)
    return factor[min(int(share * len(factor)), len(factor) - 1)]


def plain(value: Any) -> Any:
    """A value as JSON keeps it: dates and paths as texts, arrays and tuples as lists."""
    match value:
        case np.generic() | np.ndarray():
            return plain(value.tolist())
        case datetime() | date():
            return value.isoformat()
        case Path():
            return str(value)
        case Mapping():
            return {str(name): plain(item) for name, item in value.items()}
        case list() | tuple():
            return [plain(item) for item in value]
    return value


def _range(name: str, given: Mapping[str, Any]) -> Range:
    known = {"low", "high", "log", "whole"}
    if not {"low", "high"} <= set(given) <= known:
        raise ParameterError(
            f"factor {name} is {dict(given)}; a range has low and high, and perhaps log = true "
            "or whole = true"
        )
    log, whole = given.get("log", False), given.get("whole", False)
    if not (isinstance(log, bool) and isinstance(whole, bool)):
        raise ParameterError(f"factor {name}: log and whole are true or false")
    try:
        return Range(given["low"], given["high"], log=log, whole=whole)
    except (ParameterError, TypeError) as error:
        raise ParameterError(f"factor {name}: {error}") from None
