from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memopolis.sim.errors import ParameterError
from memopolis.sim.sweep.factors import Range, plain, read_factor, value_at


def test_a_range_is_sampled_evenly() -> None:
    assert [Range(2, 4).at(share) for share in (0.0, 0.25, 1.0)] == [2.0, 2.5, 4.0]
    assert isinstance(Range(2, 4).at(0.0), float)


def test_a_log_range_is_sampled_by_powers() -> None:
    powers = Range(0.01, 100, log=True)
    assert [powers.at(share) for share in (0.0, 0.25, 0.5, 1.0)] == pytest.approx(
        [0.01, 0.1, 1, 100]
    )


def test_arguments_are_equally_likely_also_at_the_ends() -> None:
    shares = np.linspace(0, 1, 4_000, endpoint=False)
    values, counts = np.unique([Range(1, 4, whole=True).at(s) for s in shares], return_counts=True)
    assert values.tolist() == [1, 2, 3, 4]
    assert counts == pytest.approx([1_000] * 4, abs=2)
    assert isinstance(Range(1, 4, whole=True).at(0.3), int)


def test_levels_are_equally_wide() -> None:
    assert [value_at(("a", "b", "c"), share) for share in (0, 0.3, 0.34, 0.99, 1.0)] == list(
        "aabcc"
    )


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ((2, 2), "low below high"),
        ((3, 1), "low below high"),
        ((0, float("inf")), "low below high"),
        (("0", 1), "low below high"),
    ],
)
def test_an_invalid_range_is_refused(value: tuple[Any, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        Range(*value)


def test_log_and_integer_ranges_have_their_own_limits() -> None:
    with pytest.raises(ParameterError, match="low must be above 0"):
        Range(0, 1, log=True)
    with pytest.raises(ParameterError, match="give whole ends"):
        Range(0.5, 3, whole=True)


def test_factors_are_levels_or_ranges() -> None:
    assert read_factor("x", [1, 2]) == (1, 2)
    assert read_factor("x", np.array([0.5, 1.0])) == (0.5, 1.0)
    assert read_factor("x", {"low": 1, "high": 9, "log": True}) == Range(1, 9, log=True)
    assert Range(1, 9, log=True).to_dict() == {"low": 1, "high": 9, "log": True}


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("none", "give levels"),
        ([], "give levels"),
        (3, "give levels"),
        ([1, 2, 1], "a level twice"),
        ({"low": 1}, "a range has low and high"),
        ({"low": 1, "high": 2, "hihg": 3}, "a range has low and high"),
        ({"low": 1, "high": 2, "log": 1}, "true or false"),
        ({"low": 2, "high": 1}, "factor x: 2 to 1 is not a range"),
    ],
)
def test_an_invalid_factor_is_refused(value: object, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        read_factor("x", value)


def test_values_are_stored_as_json_types() -> None:
    result = plain({"a": (np.float64(1.5), Path("x")), "b": datetime(2026, 1, 2)})
    assert result == {"a": [1.5, "x"], "b": "2026-01-02T00:00:00"}
