"""Outlines of zones."""

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

from memopolis.sim.world.shapes import (
    cells,
    circle,
    find_land,
    find_sea_bearing,
    measure_km2,
)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 999), st.integers(1, 12))
def test_cells_divide_the_land_and_each_point_is_in_the_cell_of_the_nearest_centre(
    seed: int, zones: int
) -> None:
    rng = np.random.Generator(np.random.Philox(seed))
    lat, lon = 40 + rng.random(zones), 10 + rng.random(zones)
    land = shapely.box(10, 40, 11, 41).difference(shapely.Point(10.5, 40.5).buffer(0.2))
    shapes = cells(lat, lon, land)
    centres = shapely.points(lon, lat)
    dry = shapely.contains(land, centres)  # others may have a circle in the water
    own = [shape for shape, kept in zip(shapes, dry, strict=True) if kept]
    assert all(shape.is_valid for shape in shapes)
    for shape, centre in zip(own, centres[dry], strict=True):
        assert shape.buffer(1e-9).contains(centre)
    whole = shapely.union_all([shape.intersection(land) for shape in shapes])
    assert whole.area == pytest.approx(land.area, rel=1e-6)
    narrow = np.cos(np.radians(lat.mean()))
    for x, y in 10 + rng.random((20, 2)) + (0, 30):
        if land.contains(shapely.Point(x, y)):
            far = np.hypot((lon - x) * narrow, lat - y)
            assert shapes[far.argmin()].buffer(1e-9).contains(shapely.Point(x, y))


def test_equal_centres_share_the_land() -> None:
    shapes = cells(np.full(3, 40.5), np.full(3, 10.5), shapely.box(10, 40, 11, 41))
    assert all(shape.area > 0 for shape in shapes)
    assert shapely.union_all(shapes).area == pytest.approx(1.0)


def test_a_zone_without_land_has_a_small_outline() -> None:
    shapes = cells(np.array([40.5, 0.0]), np.array([10.5, 0.0]), shapely.box(10, 40, 11, 41))
    assert measure_km2(shapes)[1] == pytest.approx(np.pi * 0.3**2, rel=0.02)


def test_areas_are_in_square_kilometres() -> None:
    square = shapely.box(0, -0.5, 1, 0.5)  # one degree at the equator
    assert measure_km2([square])[0] == pytest.approx(111.195**2, rel=1e-3)
    assert measure_km2([circle(60.0, 10.0, 5.0)])[0] == pytest.approx(np.pi * 25, rel=0.01)


@pytest.mark.parametrize(
    ("lat", "lon", "low", "high"),
    [(32.78, -79.93, 100, 170), (26.5, -82.0, 200, 280), (16.05, 108.2, 20, 90)],
)
def test_the_sea_is_in_its_direction(lat: float, lon: float, low: float, high: float) -> None:
    bearing = find_sea_bearing(lat, lon)
    assert bearing is not None
    assert low < bearing < high


def test_there_is_no_sea_inland_and_no_land_at_sea() -> None:
    assert find_sea_bearing(39.7, -105.0) is None
    assert find_land(-60, 30, -59, 31).is_empty
