"""Read the outlines of a place's zones from its folder."""

from pathlib import Path

import numpy as np
import pandas as pd

from memopolis.scenarios.places.place_files import PlaceFiles
from memopolis.scenarios.places.zone_geojson import read_zones
from memopolis.sim.errors import DataFileError
from memopolis.sim.world.shapes import list_rings


def read_outlines(files: PlaceFiles, zones: pd.DataFrame) -> pd.DataFrame | None:
    """Read zones.geojson of a place: zone (number), ring, point, lon and lat, a row per point.

    Returns None without outlines. Raises DataFileError if features are invalid, or not the zones.
    """
    path = files.find("zones.geojson")
    if path is None:
        return None
    table, shapes = read_zones(path)
    number = _match(path, table["zone"].tolist(), zones["zone"].tolist())
    rings = [
        pd.DataFrame({"zone": np.int16(zone), "ring": np.int32(ring), "lon": lon, "lat": lat})
        for zone, at in enumerate(number)
        for ring, (lon, lat) in enumerate(points.T for points in list_rings(shapes[at]))
    ]
    outlines = pd.concat(rings, ignore_index=True)
    point = outlines.groupby(["zone", "ring"]).cumcount().astype(np.int32)
    outlines.insert(2, "point", point)
    return outlines


def _match(path: Path, features: list[str], zones: list[str]) -> list[int]:
    """Return the number of the feature of each zone."""
    at = {code: number for number, code in enumerate(features)}
    missing = [code for code in zones if code not in at]
    more = [code for code in features if code not in set(zones)]
    if missing or more:
        wrong = f"zone '{missing[0]}' has no feature" if missing else f"'{more[0]}' is no zone"
        raise DataFileError(
            f"{path}: {wrong}; the id of each feature must be the code of a zone in zones.csv"
        )
    return [at[code] for code in zones]
