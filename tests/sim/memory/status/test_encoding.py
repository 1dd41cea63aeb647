"""Open values as JSON text, and back."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memopolis.sim.errors import SchemaError
from memopolis.sim.memory.memory import Memory
from memopolis.sim.memory.status.encoding import from_json, to_json

plain = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text() | st.floats(-1e6, 1e6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(plain)
def test_any_plain_value_survives_a_round_trip(value: Any) -> None:
    assert from_json(to_json(value)) == value
    memory = Memory(2)
    memory[1].status["anything"] = [value]
    assert memory[1].status["anything"] == [value]


@given(st.sets(st.integers()) | st.sets(st.text()))
def test_a_set_survives_a_round_trip(value: set[Any]) -> None:
    assert from_json(to_json(value)) == value
    assert to_json(value) == to_json({*sorted(value, reverse=True)})


@pytest.mark.parametrize(
    "value",
    [
        {1: "a", 2: "b"},
        {"1": "a", 1: "b"},
        {"__set__": [1]},
        {"__pairs__": [[1, 2]]},
        [{1, 2}, {"a": {"b"}}],
        {1, "a", None},
        {(1, 2), (3, 4)},
        {(1, 2): {3}},
        "__set__",
    ],
)
def test_values_without_a_json_form_survive_a_round_trip(value: Any) -> None:
    assert from_json(to_json(value)) == value


def test_numpy_numbers_become_plain_numbers() -> None:
    value = [np.float32(0.5), np.int8(3), np.bool_(1), np.arange(2), (1, 2)]
    assert from_json(to_json(value)) == [0.5, 3, True, [0, 1], [1, 2]]


def test_a_value_that_is_not_plain_is_refused() -> None:
    inner: list[Any] = []
    inner.append(inner)
    for wrong, item in ((object(), "got object"), (b"x", "got bytes"), (inner, "contains itself")):
        with pytest.raises(SchemaError, match=item):
            to_json([wrong])
