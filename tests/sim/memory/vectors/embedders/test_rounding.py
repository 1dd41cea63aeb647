"""Vectors in whole numbers."""

import numpy as np
import pytest

from memopolis.sim.memory.vectors.embedders.protocol import (
    measure_rounding,
    nearest,
    round_vectors,
    sample,
)
from memopolis.sim.memory.vectors.embedders.static import static_table


def test_rounding_by_hand() -> None:
    result = np.array([[3.0, -4.0, 0.0], [0.0, 0.0, 0.0], [1e-30, 0.0, -1e-30]], np.float32)
    # 3 / 4 * 127 = 95.25; and 3 / 5 * 4000 = 2400; 4000 / sqrt 2 = 2828.4.
    assert round_vectors(result, 8).tolist() == [[95, -127, 0], [0, 0, 0], [127, 0, -127]]
    assert round_vectors(result, 16).tolist() == [[2400, -3200, 0], [0, 0, 0], [2828, 0, -2828]]
    assert round_vectors(result, 8).dtype == np.int8
    assert round_vectors(result, 16).dtype == np.int16


@pytest.mark.parametrize("dimensions", [1, 3, 384, 4096])
def test_sums_of_products_are_exact_in_float32(dimensions: int) -> None:
    vectors = np.random.default_rng(1).normal(size=(50, dimensions)).astype(np.float32)
    vectors[0] = 1
    whole = round_vectors(vectors, 16).astype(np.int64)
    # By Cauchy and Schwarz no sum of products, nor a part of one, is above this.
    assert (whole * whole).sum(axis=1).max() < 1 << 24


def test_nearest_by_hand() -> None:
    points = np.array([[1, 0], [1, 1], [0, 1], [2, 1]], np.int16)
    assert nearest(points, 2).tolist() == [[3, 1], [3, 0], [1, 3], [1, 0]]


def test_rounding_keeps_the_documented_share_of_neighbours() -> None:
    vectors = static_table().vectors(sample())
    assert measure_rounding(vectors, 8) == pytest.approx(0.9946, abs=0.0005)
    assert measure_rounding(vectors, 16) == pytest.approx(0.999, abs=0.0005)


def test_a_few_large_components_need_sixteen_bits() -> None:
    # As language models give them: two directions hold nearly all of the length.
    vectors = np.random.default_rng(2).normal(size=(200, 64)).astype(np.float32)
    vectors[:, :2] += 200
    assert measure_rounding(vectors, 8) < 0.8
    assert measure_rounding(vectors, 16) > measure_rounding(vectors, 8) + 0.1
