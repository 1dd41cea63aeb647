"""Draw the storm at a moment: wind in the zones, position and track."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.quiver import Quiver
from numpy.typing import NDArray

from memopolis.analysis.figures.cells import KM_PER_DEGREE
from memopolis.analysis.figures.land import draw_land
from memopolis.analysis.figures.place_now import PlaceNow
from memopolis.analysis.figures.style import COLOURS, INK, PALE
from memopolis.analysis.run.run import Run

STORM = COLOURS[1]  # colour of the storm's position
WIND = "#3A3A3A"
"""Colour of wind arrows."""
ARROWS = 60  # maximum number of wind arrows
_CALM_KT = 5.0
_GALE_KT = 34.0
_GALE_INCHES = 0.3


@dataclass(frozen=True, eq=False)
class Track:
    """The track of the storm before and after a moment."""

    table: pd.DataFrame  # columns tick, lat, lon, wind_kt, and pressure_mb where known; by tick
    now: int | None  # row of the moment; None if there is no storm at the moment
    passed: int  # number of rows up to and including the moment

    @property
    def description(self) -> str:
        """Position and strength of the storm, in words."""
        if self.now is None:
            return "the storm has passed" if self.passed else "no storm yet"
        here = self.table.iloc[self.now]
        pressure = float(here.get("pressure_mb", np.nan))
        strong = f"{here['wind_kt']:.0f} kt"
        strong += f", {pressure:.0f} mb" if np.isfinite(pressure) else ""
        return f"storm at {_degrees(here['lat'], 'NS')} {_degrees(here['lon'], 'EW')}: {strong}"


def has_track(run: Run) -> bool:
    """Return whether a run recorded the storm's track."""
    return run.has("track", "tick", "lat", "lon", "wind_kt")


def has_wind(run: Run) -> bool:
    """Return whether a run recorded the wind in its zones."""
    return run.has("weather", "tick", "zone", "wind_kt", "wind_from")


def track_of(run: Run) -> Track | None:
    """Return the storm's track at the run's moment; None without a storm."""
    if not has_track(run):
        return None
    table = run.table("track")
    ticks = table["tick"].to_numpy()
    tick = max(run.ticks - 1, 0)
    passed = int(np.searchsorted(ticks, tick, side="right"))
    is_current = passed > 0 and int(ticks[passed - 1]) == tick
    return Track(table, passed - 1 if is_current else None, passed) if len(table) else None


def draw_wind(axes: Axes, now: PlaceNow) -> Quiver | None:
    """Draw the wind in the zones, except where it is calm or not recorded."""
    weather = now.weather
    if "wind_kt" not in weather or "wind_from" not in weather:
        return None
    speed, source = (weather[name].to_numpy(np.float64) for name in ("wind_kt", "wind_from"))
    blowing = np.flatnonzero(np.isfinite(speed) & np.isfinite(source) & (speed >= _CALM_KT))
    if not len(blowing):
        return None
    blowing = blowing[np.linspace(0, len(blowing) - 1, min(len(blowing), ARROWS)).astype(int)]
    # Convert the direction of origin, clockwise from north, to a direction of motion.
    to = np.radians(source[blowing] + 180)
    return axes.quiver(
        *now.cells.centres[blowing].T,
        speed[blowing] * np.sin(to),
        speed[blowing] * np.cos(to),
        color=WIND,
        edgecolor="white",
        linewidth=0.5,
        pivot="mid",
        units="inches",
        scale_units="inches",
        scale=_GALE_KT / _GALE_INCHES,
        width=0.028,
        headwidth=4.2,
        headlength=4.2,
        headaxislength=3.8,
        zorder=5,
    )


def key_of_wind(axes: Axes, arrows: Quiver, x: float, y: float) -> None:
    """Add a key for the length of wind arrows, at a position in shares of the figure."""
    axes.quiverkey(
        arrows, x, y, _GALE_KT, f"wind, {_GALE_KT:.0f} kt", labelpos="E", coordinates="figure",
        fontproperties={"size": 9}, labelcolor=INK, labelsep=0.08,
    )  # fmt: skip


def draw_track(axes: Axes, track: Track, places: NDArray[np.float64], *, hours: float) -> None:
    """Draw a track at its points on the axes: solid up to now, then dashed, a dot a day."""
    cut = max(track.passed, 1)
    past, coming = places[: track.passed], places[cut - 1 :]
    axes.plot(*coming.T, color=PALE, lw=1.5, ls=(0, (4, 2)), zorder=3.1, label="future track")
    axes.plot(*past.T, color=INK, lw=1.8, zorder=3.3, label="past track")
    daily = np.arange(0, len(places), max(round(24 / hours), 1))
    for chosen, colour in ((daily[daily < track.passed], INK), (daily[daily >= cut], PALE)):
        axes.plot(*places[chosen].T, "o", ms=3, color=colour, mec="white", mew=0.4, zorder=3.4)
    if track.now is not None:
        here = places[track.now]
        axes.plot(*here, "o", ms=11, color=STORM, mec="white", mew=1.2, zorder=6, label="storm now")
        axes.plot(*here, "o", ms=3.5, color="white", zorder=6.1)


def locate(axes: Axes, track: Track, now: PlaceNow, inches: tuple[float, float]) -> None:
    """Draw the whole track on an inset map of a size in inches, with the region as a square."""
    lat, lon = track.table["lat"].to_numpy(np.float64), track.table["lon"].to_numpy(np.float64)
    shrink = float(np.cos(np.radians(np.mean([*lat, now.cells.lat]))))
    places = np.stack([lon * shrink, lat], axis=1)
    place = np.array([now.cells.lon * shrink, now.cells.lat])
    draw_track(axes, track, places, hours=now.run.hours)
    axes.plot(*place, "s", ms=8, mfc="none", mec=INK, mew=1.6, zorder=5, label="region")
    fill(axes, np.vstack([places, place]), inches, margin=0.17)  # below the text
    axes.set_facecolor("#F4F7F9")
    if now.on_land:
        draw_land(axes, (0.0, 0.0), (shrink, 1.0))
    axes.set_xticks([])
    axes.set_yticks([])


def fill(
    axes: Axes, points: NDArray[np.float64], inches: tuple[float, float], *, margin: float
) -> float:
    """Set limits that include all points, with equal aspect; return units per inch.

    `margin` is a share of the box, whose size is given in inches.
    """
    (west, south), (east, north) = points.min(axis=0), points.max(axis=0)
    room = 1 - 2 * margin
    scale = max((east - west) / inches[0], (north - south) / inches[1], 1e-9) / room
    x, y = (west + east) / 2, (south + north) / 2
    axes.set_xlim(x - scale * inches[0] / 2, x + scale * inches[0] / 2)
    axes.set_ylim(y - scale * inches[1] / 2, y + scale * inches[1] / 2)
    return float(scale)


def far_from(track: Track, now: PlaceNow) -> float:
    """Return the distance in km from the storm to the middle of the region; NaN without one."""
    if track.now is None:
        return float("nan")
    here = track.table.iloc[track.now]
    east = (here["lon"] - now.cells.lon) * np.cos(np.radians((here["lat"] + now.cells.lat) / 2))
    return float(np.hypot(east, here["lat"] - now.cells.lat) * KM_PER_DEGREE)


def _degrees(value: float, ends: str) -> str:
    return f"{abs(value):.1f}{ends[int(value < 0)]}"
