"""Distances to the coasts of the sea."""

import numpy as np
import pytest

from memopolis.sim.world.shapes import coasts, measure_coast_km, outlines


def km(lat: float, lon: float) -> float:
    return float(measure_coast_km(np.array([lat]), np.array([lon]))[0])


@pytest.mark.parametrize(
    ("place", "lat", "lon", "least", "most"),
    [
        ("Charleston", 32.78, -79.92, 0.0, 3.0),
        ("Columbia", 34.00, -81.03, 160.0, 180.0),
        ("Fort Myers", 26.62, -81.88, 12.0, 22.0),
        ("Denver", 39.74, -104.99, 1_100.0, 1_300.0),
        ("Chicago, on a lake", 41.88, -87.63, 800.0, 1_100.0),
        ("El Paso, on a border", 31.76, -106.49, 500.0, 700.0),
        ("Madrid", 40.42, -3.70, 280.0, 330.0),
        ("Da Nang", 16.05, 108.20, 0.0, 8.0),
        ("Suva, beyond 180 degrees", -18.14, 178.44, 0.0, 8.0),
    ],
)
def test_distances_to_the_sea(
    place: str, lat: float, lon: float, least: float, most: float
) -> None:
    assert least <= km(lat, lon) <= most, place


def test_a_point_on_a_coast_is_at_the_sea() -> None:
    east, north = coasts()[1_000, 0]
    assert km(north, east) == pytest.approx(0.0, abs=1e-6)


def test_coasts_are_parts_of_outlines() -> None:
    lines = coasts()
    assert 0.4 < len(lines) / sum(map(len, outlines())) < 0.8
    assert (np.abs(lines[:, 0] - lines[:, 1]).max(axis=1) < 6).all()
