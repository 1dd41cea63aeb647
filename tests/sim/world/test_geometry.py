import numpy as np
import pytest

from memopolis.sim.world.geometry import along, bearing_deg, great_circle_km, moved


def test_distances_equal_known_values() -> None:
    assert great_circle_km(0, 0, 0, 90) == pytest.approx(10007.6, abs=0.1)
    assert great_circle_km(32.78, -79.93, 34.0, -81.03) == pytest.approx(170.3, abs=1.0)
    assert great_circle_km(10, 20, 10, 20) == 0


def test_bearings_go_clockwise_from_north() -> None:
    assert bearing_deg(0, 0, [1, 0, -1, 0], [0, 1, 0, -1]) == pytest.approx([0, 90, 180, 270])


def test_moved_points_have_the_expected_position() -> None:
    lat, lon = moved(32.0, -80.0, 30.0, 40.0)
    assert great_circle_km(32.0, -80.0, lat, lon) == pytest.approx(50.0, rel=1e-3)
    assert bearing_deg(32.0, -80.0, lat, lon) == pytest.approx(36.87, abs=0.2)


def test_points_along_a_great_circle() -> None:
    lat, lon = along(0, 170, 0, -170, np.array([0.0, 0.5, 1.0]))
    assert lat == pytest.approx([0, 0, 0])
    assert np.mod(lon, 360) == pytest.approx([170, 180, 190])
    lat, lon = along(5, 5, 5, 5, 0.3)
    assert (float(lat), float(lon)) == pytest.approx((5, 5))
