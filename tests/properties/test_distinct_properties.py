"""Distinct numbers are those of `np.unique`."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from memopolis.sim.arguments import find_distinct
from memopolis.sim.arrays import Int32


@given(arrays(np.int32, array_shapes(max_dims=2, min_side=0), elements=st.integers(-1, 40)))
def test_distinct_numbers_and_the_index_of_each_are_those_of_a_sort(numbers: Int32) -> None:
    distinct, index = find_distinct(numbers)
    expected, inverse = np.unique(numbers, return_inverse=True)
    np.testing.assert_array_equal(distinct, expected)
    np.testing.assert_array_equal(index, inverse)
