"""Land and water behind maps."""

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.path import Path
from shapely import Point

from memopolis.analysis.figures.land import (
    LAND,
    WATER,
    _land_around,
    draw_land,
    is_on_land,
)
from memopolis.scenarios.places.place_files import PLACES
from memopolis.scenarios.places.zones import read_place
from memopolis.sim.world.shapes import outlines

ATLANTIC = np.array([[-70.0, 32.0], [-69.0, 32.5]])


def contains(rings: tuple[np.ndarray, ...], lon: float, lat: float) -> bool:
    return any(Path(ring).contains_point((lon, lat)) for ring in rings)


def test_outlines_are_closed_and_on_the_globe() -> None:
    for ring in outlines():
        assert (ring[0] == ring[-1]).all()
        assert (np.abs(ring) <= (180.001, 90.001)).all()


@pytest.mark.parametrize("place", PLACES)
def test_shipped_places_are_on_land(place: str) -> None:
    zones = read_place(place)
    assert is_on_land(zones.lat, zones.lon)


def test_points_in_the_sea_are_not_on_land() -> None:
    assert not is_on_land(ATLANTIC[:, 1], ATLANTIC[:, 0])


@pytest.mark.parametrize(
    ("lon", "lat", "land"),
    [
        (-79.94, 32.85, True),  # the neck of Charleston
        (-79.80, 32.65, False),  # off Folly Beach
        (-81.03, 34.00, True),  # Columbia
        (-82.46, 27.95, True),  # Tampa
        (-83.20, 27.95, False),  # the Gulf off Tampa
        (2.35, 48.86, True),  # Paris
    ],
)
def test_land_and_sea_are_where_they_are(lon: float, lat: float, *, land: bool) -> None:
    around = np.array([[lon - 0.3, lat - 0.3], [lon + 0.3, lat + 0.3]])
    assert contains(outlines(), lon, lat) == land
    assert any(one.contains(Point(lon, lat)) for one in _land_around(around)) == land


def test_land_is_drawn_within_the_limits_and_clips_what_is_on_it() -> None:
    axes = Figure().add_subplot()
    axes.set(xlim=(-80.3, -79.5), ylim=(32.5, 33.1))
    land = draw_land(axes, (0.0, 0.0), (1.0, 1.0))
    assert (axes.get_xlim(), axes.get_ylim()) == ((-80.3, -79.5), (32.5, 33.1))
    assert axes.get_facecolor()[:3] != land.get_facecolor()[:3]
    assert (WATER, LAND["facecolor"]) == ("#DCE8F0", "#F6F4EF")
    assert land.get_path().contains_point((-79.94, 32.85))
    assert not land.get_path().contains_point((-79.80, 32.65))
