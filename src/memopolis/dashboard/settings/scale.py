"""The slider of a setting: its places, and the value of each."""

import math
from dataclasses import dataclass
from typing import Self

from memopolis.sim.settings_text import SettingRow

PLACES = 200
"""Approximate maximum number of positions, few enough for the arrow keys."""
_WIDE = 1_000
_BEND = 4


@dataclass(frozen=True)
class Scale:
    """Places of a slider from 0 or 1 to `places`, and the value of each.

    Attributes:
        low: Value of place 0.
        high: Value of the last place.
        places: Number of the last place.
        step: Distance of two values; 0 where they lie closer together at the low end.
        first: First place; 1 where `low` itself is not allowed.
        whole: Whether values are whole numbers.
    """

    low: float
    high: float
    places: int
    step: float
    first: int
    whole: bool

    @classmethod
    def of(cls, row: SettingRow) -> Self | None:
        """Return the scale of a setting; None without two different bounds."""
        if row.low is None or row.high is None or row.high <= row.low:
            return None
        whole, first = row.type == "whole number", int(row.range.startswith("above"))
        span = row.high - row.low
        if span > _WIDE:
            return cls(row.low, row.high, PLACES, 0.0, first, whole)
        step = _nice(span / PLACES)
        if whole:
            step = max(math.ceil(step), 1)
        return cls(row.low, row.high, math.ceil(span / step - 1e-9), step, first, whole)

    def value(self, place: float) -> float:
        """Return the value of a position."""
        place = min(max(round(place), self.first), self.places)
        if place == self.places:
            return self.high
        if self.step:
            return float(f"{self.low + place * self.step:.9g}")
        bent = float(f"{(self.high - self.low) * (place / self.places) ** _BEND:.2g}")
        return self.low + (math.ceil(bent) if self.whole else bent)

    def place(self, value: float) -> int:
        """Return the position nearest to a value."""
        share = min(max((value - self.low) / (self.high - self.low), 0.0), 1.0)
        bent = share if self.step else share ** (1 / _BEND)
        place = (value - self.low) / self.step if self.step else bent * self.places
        return min(max(round(place), self.first), self.places)

    def text(self, place: float) -> str:
        """Return the value of a position as a text to type."""
        value = self.value(place)
        return str(round(value)) if self.whole else f"{value:.12g}"


def _nice(step: float) -> float:
    """Return the next of 1, 2 and 5 times a power of ten."""
    power = 10.0 ** math.floor(math.log10(step))
    return float(next(power * m for m in (1, 2, 5, 10) if power * m >= step * (1 - 1e-9)))
