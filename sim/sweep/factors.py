"""Factors of a design: the levels or the range over which a setting is varied."""

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
    """Numbers from `low` to `high`, uniformly or log-uniformly distributed.

    With `log`, for values that span orders of magnitude, the logarithm is uniformly distributed,
    and `low` is above 0. With `whole`, only whole numbers are used, including `low` and `high`.
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
                f"{self.low!r} to {self.high!r} is not a range; give two numbers, low below high"
            )
        if self.log and self.low <= 0:
            raise ParameterError(
                f"a range with log starts at {self.low:g}; low must be above 0, such as 0.01"
            )
        if self.whole and not (float(self.low).is_integer() and float(self.high).is_integer()):
            raise ParameterError(
                f"a range of whole numbers runs from {self.low:g} to {self.high:g}; give whole ends"
            )

    def at(self, share: float) -> float | int:
        """Return the quantile of the range at a share in [0, 1]."""
        # A whole number covers all values that round to it, so that both ends are equally likely.
        low, high = (self.low - 0.5, self.high + 0.5) if self.whole else (self.low, self.high)
        value = low * (high / low) ** share if self.log else low + share * (high - low)
        held = min(max(value, self.low), self.high)
        return round(held) if self.whole else float(held)

    def to_dict(self) -> dict[str, float | bool]:
        """Return the range as written in a design file."""
        marks = {name: True for name in ("log", "whole") if getattr(self, name)}
        return {"low": self.low, "high": self.high, **marks}


type Levels = Sequence[Any]
type Factor = Range | Levels


def read_factor(name: str, value: object) -> Factor:
    """Return a factor as a `Range`, or as levels in plain values without duplicates."""
    if isinstance(value, Range):
        return value
    if isinstance(value, Mapping):
        return _range(name, value)
    if isinstance(value, str) or not isinstance(value, Sequence | np.ndarray) or not len(value):
        raise ParameterError(
            f"factor {name} is {value!r}; give levels, such as {name} = [1, 2], or a range, such "
            f"as {name} = {{low = 1, high = 2}}"
        )
    levels = tuple(plain(level) for level in value)
    try:
        has_duplicates = len(set(levels)) < len(levels)
    except TypeError:  # lists and mappings are not hashable
        has_duplicates = any(level in levels[:number] for number, level in enumerate(levels))
    if has_duplicates:
        raise ParameterError(f"factor {name} has a level twice: {', '.join(map(str, levels))}")
    return levels


def value_at(factor: Factor, share: float) -> Any:
    """Return the quantile of a factor for a share in [0, 1]; levels have equal shares."""
    if isinstance(factor, Range):
        return factor.at(share)
    return factor[min(int(share * len(factor)), len(factor) - 1)]


def plain(value: Any) -> Any:
    """Convert a value for JSON: dates and paths to texts, arrays and tuples to lists."""
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


def _range(name: str, ends: Mapping[str, Any]) -> Range:
    known = {"low", "high", "log", "whole"}
    if not {"low", "high"} <= set(ends) <= known:
        raise ParameterError(
            f"factor {name} is {dict(ends)}; a range has low and high, and optionally log = true "
            "or whole = true"
        )
    log, whole = ends.get("log", False), ends.get("whole", False)
    if not (isinstance(log, bool) and isinstance(whole, bool)):
        raise ParameterError(f"factor {name}: log and whole must be true or false")
    try:
        return Range(ends["low"], ends["high"], log=log, whole=whole)
    except (ParameterError, TypeError) as error:
        raise ParameterError(f"factor {name}: {error}") from None
