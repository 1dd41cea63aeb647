import numpy as np
import pytest

from memopolis.sim.errors import ParameterError
from memopolis.sim.world.weather import Weather


def test_weather_is_read_by_tick_and_calm_outside() -> None:
    weather = Weather.of([[1, 2], [3, 4]], [[2, 3], [4, 5]], [[0, 0], [1, 1]])
    assert weather.at(1).wind_kt.tolist() == [3, 4]
    assert weather.at(1).rain_in.tolist() == [1, 1]
    for tick in (-1, 2):
        assert not weather.at(tick).gust_kt.any()
    assert (weather.ticks, weather.zones) == (2, 2)
    assert Weather.calm(5).at(0).wind_kt.shape == (5,)


@pytest.mark.parametrize("wind", [[[1, -1]], [[np.nan, 0]], [1, 2], [[1, 2, 3]]])
def test_invalid_weather_is_refused(wind: object) -> None:
    with pytest.raises(ParameterError, match="weather: "):
        Weather.of(wind, [[0, 0]], [[0, 0]])  # type: ignore[arg-type]
