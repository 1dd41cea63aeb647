"""The weather of a run: wind, gusts and rain by tick and zone."""

from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memopolis.sim.errors import ParameterError

FieldArray = NDArray[np.float32]


class Local(NamedTuple):
    """Weather of one tick in every zone, each of shape (zones,)."""

    wind_kt: FieldArray
    gust_kt: FieldArray
    rain_in: FieldArray


@dataclass(frozen=True, eq=False)
class Weather:
    """Weather by tick and zone; before the first and after the last tick it is calm."""

    wind_kt: FieldArray  # wind, 1-minute mean at 10 m, knots, shape (ticks, zones)
    gust_kt: FieldArray  # gusts of 3 seconds, knots
    rain_in: FieldArray  # rain fallen in the tick, inches

    def __post_init__(self) -> None:
        for name in ("wind_kt", "gust_kt", "rain_in"):
            field = getattr(self, name)
            if field.ndim != 2 or field.shape != self.wind_kt.shape:
                raise ParameterError(
                    f"weather: {name} has shape {field.shape}; (ticks, zones) is needed, as of "
                    f"wind_kt {self.wind_kt.shape}"
                )
            if not np.isfinite(field).all() or (field < 0).any():
                raise ParameterError(f"weather: {name} has a value below 0 or no number")

    @classmethod
    def of(cls, wind_kt: ArrayLike, gust_kt: ArrayLike, rain_in: ArrayLike) -> Self:
        """Build weather from anything like arrays, shapes (ticks, zones)."""
        return cls(*(np.asarray(field, np.float32) for field in (wind_kt, gust_kt, rain_in)))

    @classmethod
    def calm(cls, zones: int) -> Self:
        """Build weather without wind or rain."""
        return cls.of(*(np.zeros((0, zones)) for _ in range(3)))

    @property
    def ticks(self) -> int:
        """Ticks with weather."""
        return len(self.wind_kt)

    @property
    def zones(self) -> int:
        """Number of zones."""
        return int(self.wind_kt.shape[1])

    def at(self, tick: int) -> Local:
        """Read the weather of a tick, each field of shape (zones,)."""
        if 0 <= tick < self.ticks:
            return Local(self.wind_kt[tick], self.gust_kt[tick], self.rain_in[tick])
        still = np.zeros(self.zones, np.float32)
        return Local(still, still, still)
