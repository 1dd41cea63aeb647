"""Compute the shades of zones on the map: density of people, or an attribute."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from memopolis.analysis.figures.place_now import PlaceNow, people_now
from memopolis.analysis.labels import short, words
from memopolis.analysis.run.run import Run

DENSITY = "density"  # name of the shade by density
_NOT_SHOWN = frozenset(
    {"tick", "agent", "zone", "home", "place", "household", "thought", "left_at", "returned_at"}
)
"""Columns of codes, whose mean is meaningless."""

_OUTLIERS = 0.02
_INTERVALS = 6
_STEPS = (1, 1.5, 2, 3, 5, 7, 10)

type FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Shade:
    """The shade of each zone."""

    title: str  # title of the map
    label: str  # label of the scale
    amounts: FloatArray  # values by zone, NaN if unknown, shape (zones,)
    low: float  # minimum of the scale
    high: float  # maximum of the scale
    share: bool = False  # whether values are shown in percent
    # Whether low values are stretched, because densities vary by orders of magnitude
    stretched: bool = False

    def format(self, value: float) -> str:
        """Format a value."""
        return f"{value:.0%}" if self.share else short(value)


def number_choices(run: Run) -> dict[str, str]:
    """Return the columns of people that can be shown as colours, and their labels.

    Attitudes come first, then shares, then other numbers; none before people were recorded.
    """
    people = people_now(run)
    if people.empty:
        return {}
    declared = _attributes(run)
    groups: dict[str, list[str]] = {"attitude": [], "share": [], "other": []}
    for name, values in people.items():
        column = str(name)
        number = pd.api.types.is_numeric_dtype(values.dtype)
        is_code = declared.get(column, {}).get("role") == "code"
        if not number or column in _NOT_SHOWN or is_code:
            continue
        kind = "share" if _is_flag(values) else "other"
        groups["attitude" if column.startswith("attitude.") else kind].append(column)
    return {column: column_in_words(column) for columns in groups.values() for column in columns}


def shade_of(now: PlaceNow, name: str) -> Shade:
    """Compute a shade: `DENSITY`, or one of `number_choices`; zones without values are white."""
    return _density(now) if name == DENSITY else _mean(now, name)


def column_in_words(column: str) -> str:
    """Return the label of a column, such as "Attitude: gun control"."""
    name, _, key = column.partition(".")
    return f"{words(name)}: {words(key).lower()}" if key else words(column)


def limits(values: FloatArray, facts: Mapping[str, Any] | None = None) -> tuple[float, float]:
    """Return round limits of a colour scale that shows the differences between finite values.

    They include all but the lowest and the highest 2% of the values, so that a few outliers do
    not give all others the same colour. Different values are within the range that `facts`, the
    declaration of the attribute, may have.
    """
    finite = values[np.isfinite(values)]
    if not len(finite):
        return 0.0, 1.0
    low, high = np.quantile(finite, (_OUTLIERS, 1 - _OUTLIERS))
    if high <= low:
        low, high = finite.min(), finite.max()
    if high <= low:
        return float(low) - 0.5, float(high) + 0.5
    step = _rounded(float(high - low) / _INTERVALS)
    scale = (np.floor(low / step + 1e-9) * step, np.ceil(high / step - 1e-9) * step)
    least, most = ((facts or {}).get(name) for name in ("low", "high"))
    return (
        float(scale[0] if least is None else max(scale[0], least)),
        float(scale[1] if most is None else min(scale[1], most)),
    )


def _density(now: PlaceNow) -> Shade:
    scale = now.run.facts.get("people_per_agent")
    each = float(scale) if isinstance(scale, int | float) and scale > 0 else 1.0
    land = now.zones.get("land_km2", pd.Series(np.nan, range(len(now.zones))))
    area = pd.to_numeric(land, errors="coerce").to_numpy(np.float64)
    area = np.where(np.isfinite(area) & (area > 0), area, np.maximum(now.cells.area, 1e-6))
    # The scale is based on residence, so that it does not change from step to step.
    homes = now.numbers("home")
    homes = now.where if (homes < 0).all() else homes
    living = np.bincount(homes[homes >= 0], minlength=len(area)) * each / area
    values = now.here * each / area if now.known else np.full(len(area), np.nan)
    of = "people" if each != 1.0 else now.noun
    high = _rounded(float(living.max(initial=0.0)))
    return Shade(
        "Population density",
        f"{of.capitalize()} present, per km²",
        values,
        0.0,
        high or 1.0,
        stretched=True,
    )


def _mean(now: PlaceNow, column: str) -> Shade:
    homes = now.numbers("home")
    by_home = not (homes < 0).all()
    zones, count = homes if by_home else now.where, len(now.zones)
    values = pd.Series(np.nan, range(len(now.people)))
    if column in now.people:
        values = pd.to_numeric(now.people[column], errors="coerce").reset_index(drop=True)
    array = np.asarray(values, np.float64)
    means = pd.Series(array).groupby(zones).mean().reindex(range(count)).to_numpy(np.float64)
    share = column in now.people and _is_flag(now.people[column])
    low, high = (0.0, 1.0) if share else limits(array)
    called, of = column_in_words(column), "who live in the zone" if by_home else "now in the zone"
    kind = "Share" if share else "Mean"
    return Shade(called, f"{kind} of people {of}", np.asarray(means, np.float64), low, high, share)


def _rounded(value: float) -> float:
    """Round a value up to 1, 1.5, 2, 3, 5, 7, 10, ...; 0 stays 0."""
    if not value > 0:
        return 0.0
    power = 10.0 ** np.floor(np.log10(value))
    return float(next(step * power for step in _STEPS if step * power >= value * (1 - 1e-9)))


def _is_flag(values: pd.Series) -> bool:
    return bool(pd.api.types.is_bool_dtype(values.dtype))


def _attributes(run: Run) -> dict[str, dict[str, Any]]:
    """Return the declarations of the people's attributes."""
    return run.attributes(run.populations[0]) if run.populations else {}
