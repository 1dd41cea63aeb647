from typing import Any

import numpy as np
import pytest

from memopolis.sim.errors import ParameterError
from memopolis.sim.sweep.factors import Range
from memopolis.sim.sweep.sampling import SAMPLINGS, draw_points, shares

SAMPLED = [one for one in SAMPLINGS if one not in {"grid", "points"}]
FACTORS: dict[str, Any] = {"orders": ("default", "none"), "spread": Range(0.5, 1.5)}


def test_a_grid_has_every_combination_once_in_the_order_given() -> None:
    points = draw_points("grid", {"a": (1, 2), "b": ("x", "y", "z")}, samples=1, seed=1)
    assert [tuple(point.values()) for point in points] == [
        (1, "x"), (1, "y"), (1, "z"), (2, "x"), (2, "y"), (2, "z"),
    ]  # fmt: skip
    assert draw_points("grid", {}, samples=1, seed=1) == [{}]


def test_a_grid_takes_no_range() -> None:
    with pytest.raises(ParameterError, match=r"spread is a range.*such as \[0.5, 1.5\]"):
        draw_points("grid", FACTORS, samples=1, seed=1)


@pytest.mark.parametrize("sampling", SAMPLED)
def test_samples_depend_only_on_the_seed(sampling: str) -> None:
    first, again, other = (
        shares(sampling, 3, samples=8, seed=seed)  # type: ignore[arg-type]
        for seed in (1, 1, 2)
    )
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)
    assert first.min() >= 0
    assert first.max() <= 1


@pytest.mark.parametrize(
    ("sampling", "points"),
    [
        ("random", 8),
        ("latin_hypercube", 8),
        ("sobol", 8),
        ("saltelli", 8 * 8),
        ("saltelli_total", 8 * 5),
        ("morris", 8 * 4),
    ],
)
def test_samplings_have_the_documented_number_of_points(sampling: str, points: int) -> None:
    assert shares(sampling, 3, samples=8, seed=1).shape == (points, 3)  # type: ignore[arg-type]


def test_a_latin_hypercube_has_one_point_in_every_slice_of_every_factor() -> None:
    result = shares("latin_hypercube", 4, samples=20, seed=3)
    assert np.array_equal(
        np.sort((result * 20).astype(int), axis=0), np.tile(np.arange(20), (4, 1)).T
    )


def test_sobol_points_fill_the_square_evenly() -> None:
    result = shares("sobol", 2, samples=64, seed=3)
    boxes = np.unique((result * 8).astype(int), axis=0)
    assert len(boxes) == 64


def test_saltelli_changes_one_factor_after_another() -> None:
    block = shares("saltelli", 2, samples=4, seed=1)[:6]  # A, AB1, AB2, BA1, BA2, B
    assert np.array_equal(block[1], [block[5, 0], block[0, 1]])
    assert np.array_equal(block[4], [block[5, 0], block[0, 1]])
    assert np.array_equal(block[2], [block[0, 0], block[5, 1]])


def test_morris_moves_one_factor_a_step() -> None:
    path = shares("morris", 3, samples=5, seed=1).reshape(5, 4, 3)
    assert (np.diff(path, axis=1) != 0).sum(axis=2).tolist() == [[1, 1, 1]] * 5


@pytest.mark.parametrize("sampling", ["sobol", "saltelli", "saltelli_total"])
def test_sobol_sampling_requires_powers_of_two(sampling: str) -> None:
    with pytest.raises(ParameterError, match=r"samples is 60.*use 32 or 64"):
        shares(sampling, 3, samples=60, seed=1)  # type: ignore[arg-type]


def test_a_sample_needs_a_factor() -> None:
    with pytest.raises(ParameterError, match="at least one factor"):
        shares("random", 0, samples=4, seed=1)


@pytest.mark.parametrize("sampling", SAMPLED)
def test_levels_are_sampled_like_ranges(sampling: str) -> None:
    points = draw_points(sampling, FACTORS, samples=16, seed=1)  # type: ignore[arg-type]
    assert {point["orders"] for point in points} == {"default", "none"}
    assert all(0.5 <= point["spread"] <= 1.5 for point in points)
