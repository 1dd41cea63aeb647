"""Tables of the storm in a run: track and wind directions."""

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
    """Return the position of the centre at the beginning of each tick with a storm.

    Args:
        track: The storm.
        clock: Clock of the run.
        ticks: Length of the run.

    Returns:
        Columns tick, lat, lon, wind_kt and pressure_mb.
    """
    storm, present = storm_at_ticks(track, clock.start, ticks, hours=clock.hours)
    return pd.DataFrame(
        {
            "tick": np.flatnonzero(present).astype(np.int32),
            "lat": storm.lat[present],
            "lon": storm.lon[present],
            "wind_kt": storm.wind_kt[present].astype(np.float32),
            "pressure_mb": storm.pressure_mb[present].astype(np.float32),
        }
    )


def wind_directions(track: Track, place: Place, clock: Clock, ticks: int) -> NDArray[np.float32]:
    """Return the wind direction in each zone.

    Args:
        track: The storm.
        place: The zones.
        clock: Clock of the run.
        ticks: Length of the run.

    Returns:
        Degrees clockwise from north, shape (ticks, zones); NaN without a storm.
    """
    storm, present = storm_at_ticks(track, clock.start, ticks, hours=clock.hours)
    bearing = bearing_deg(storm.lat[:, None], storm.lon[:, None], place.lat, place.lon)
    return np.where(present[:, None], direction_from(bearing), np.nan).astype(np.float32)
