"""The storm as a run records it: where it is in each step, and where its wind comes from."""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from memopolis.scenarios.hurricane.local_weather import storm_at_ticks
from memopolis.scenarios.hurricane.track import Track
from memopolis.scenarios.hurricane.wind import direction_from
from memopolis.sim.clock import Clock
from memopolis.sim.world.geometry import bearing_deg
from memopolis.sim.world.place import Place


def track_table(track: Track, clock: Clock, ticks: int) -> pd.DataFrame:
    """Where the storm's centre is at the beginning of each tick at which there is a storm.

    Args:
        track: The storm.
        clock: Of the run.
        ticks: Length of the run.

    Returns:
        Columns tick, lat, lon, wind_kt and pressure_mb.
    """
    storm, there = storm_at_ticks(track, clock.start, ticks, hours=clock.hours)
    return pd.DataFrame(
        {
            "tick": np.flatnonzero(there).astype(np.int32),
            "lat": storm.lat[there],
            "lon": storm.lon[there],
            "wind_kt": storm.wind_kt[there].astype(np.float32),
            "pressure_mb": storm.pressure_mb[there].astype(np.float32),
        }
    )


def wind_directions(track: Track, place: Place, clock: Clock, ticks: int) -> NDArray[np.float32]:
    """Direction from which the wind blows in each zone.

    Args:
        track: The storm.
        place: The zones.
        clock: Of the run.
        ticks: Length of the run.

    Returns:
        Degrees clockwise from north, shape (ticks, zones); NaN where there is no storm.
    """
    storm, there = storm_at_ticks(track, clock.start, ticks, hours=clock.hours)
    bearing = bearing_deg(storm.lat[:, None], storm.lon[:, None], place.lat, place.lon)
    return np.where(there[:, None], direction_from(bearing), np.nan).astype(np.float32)
