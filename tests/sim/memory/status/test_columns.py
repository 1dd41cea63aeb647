"""Columns: one typed array an attribute, into which only what fits gets."""

from typing import Any

import numpy as np
import pytest

from memopolis.sim.errors import ParameterError, SchemaError
from memopolis.sim.memory.memory import Memory
from memopolis.sim.memory.status.columns import Columns
from memopolis.sim.memory.status.schema import Schema, kind_of
from memopolis.sim.memory.views.status import Status


def columns(agents: int = 3, **declared: Any) -> Columns:
    return Columns(agents, schema_of(**declared))


def schema_of(**declared: Any) -> Schema:
    schema = Schema()
    for name, default in declared.items():
        schema.declare(name, default)
    return schema


def one_and_many(agents: int = 3, **declared: Any) -> tuple[Status[Any], Status[Any]]:
    memory = Memory(agents, schema=schema_of(**declared))
    return memory[1].status, memory.of([0, 1]).status


@pytest.mark.parametrize(
    ("value", "kind", "dtype"),
    [
        (1.5, "float", "f8"),
        (2, "int", "i4"),
        (True, "bool", "b1"),
        ("x", "text", "i4"),
        ([1], "list", "O"),
        ({1}, "set", "O"),
        ({}, "dict", "O"),
        (None, "any", "O"),
        (np.float32(1), "float", "f8"),
        (np.int8(1), "int", "i4"),
        (np.bool_(1), "bool", "b1"),
    ],
)
def test_the_type_of_a_column_is_that_of_its_default(value: Any, kind: str, dtype: str) -> None:
    assert kind_of(value) == kind
    kept = columns(x=value)
    assert kept.schema.attributes["x"].kind == kind
    assert kept.encoded("x").dtype == np.dtype(dtype)
    assert kept.read("x", 0) == value


def test_a_column_may_be_of_another_width() -> None:
    schema = Schema()
    schema.declare("age", 40, "i2", unit="years", low=0, high=110, record=True)
    kept = Columns(2, schema)
    assert kept.encoded("age").dtype == np.int16
    age = kept.schema.attributes["age"]
    assert (age.unit, age.low, age.high, age.record) == ("years", 0, 110, True)


@pytest.mark.parametrize("value", ["full", [1, 2, 3, 4], {"a": 1}, {1}, None])
def test_a_number_takes_numbers_only(value: Any) -> None:
    for status in one_and_many(hunger=0.5):
        with pytest.raises((SchemaError, ValueError)):
            status["hunger"] = value
        assert np.all(status["hunger"] == 0.5)


@pytest.mark.parametrize("value", [np.array(["a", "b"]), np.array([None, 1], object)])
def test_arrays_for_a_number_hold_numbers(value: Any) -> None:
    _, many = one_and_many(hunger=0.5)
    with pytest.raises((SchemaError, ValueError, TypeError)):
        many["hunger"] = value


def test_fractions_are_not_truncated_to_integers() -> None:
    one, many = one_and_many(age=40)
    for status, value in ((one, 40.7), (many, np.array([1.5, 2.5]))):
        with pytest.raises(SchemaError, match="'age' is of type int"):
            status["age"] = value


def test_a_number_beyond_the_column_is_refused() -> None:
    kept = Columns(2, Schema())
    kept.declare("age", 40, "i2")
    with pytest.raises((SchemaError, OverflowError)):
        kept.write("age", 0, 70_000)


EXACT = {"cash": 20_000_000.01, "longitude": -79.93112345, "unix_time": 1_767_225_650.5}


@pytest.mark.parametrize("declared", [{}, dict.fromkeys(EXACT, 0.0)])
def test_a_float_keeps_all_its_digits(declared: dict[str, Any]) -> None:
    one, many = one_and_many(**declared)
    for key, value in EXACT.items():
        one[key] = value
        assert one[key] == value
    one["cash"] = one["cash"] + 0.5
    assert one["cash"] == 20_000_000.51
    one.update(EXACT)
    assert {key: one[key] for key in EXACT} == EXACT
    many["unix_time"] = np.array([1e300, 1_767_225_650.25])
    assert many["unix_time"].tolist() == [1e300, 1_767_225_650.25]


def test_a_declaration_may_name_the_type_of_its_floats() -> None:
    schema = Schema()
    schema.declare("mood", {"joy": 0.5, "days": 3}, float_dtype="f4")
    schema.declare("cash", 0.5, "f8", float_dtype="f4")
    dtypes = {name: a.dtype for name, a in schema.attributes.items()}
    assert dtypes == {"mood.joy": "f4", "mood.days": "i4", "cash": "f8"}


def test_texts_are_stored_as_codes() -> None:
    _, many = one_and_many(job="none")
    many["job"] = np.array(["cook", "none"])
    codes = many.codes("job")
    assert codes.dtype == np.int32
    assert many["job"].dtype == object
    many["job"] = codes[::-1].copy()
    assert many["job"].tolist() == ["none", "cook"]


def test_a_text_takes_texts_only() -> None:
    one, _ = one_and_many(job="none")
    for wrong in (3, 2.5, None):
        with pytest.raises(SchemaError):
            one["job"] = wrong
    assert one["job"] == "none"


def test_columns_do_not_change_the_schema_they_came_from() -> None:
    schema = Schema()
    schema.declare("a", 1)
    first, second = Columns(1, schema), Columns(1, schema)
    first.write("b", 0, 2)
    assert "b" not in schema.attributes
    assert not second.has("b")


def test_growing_keeps_what_there_is() -> None:
    kept = columns(2, a=1, job="none", friends=["Ann"])
    kept.write_all({"a": 5, "job": "cook", "friends": []}, 0)
    kept.grow(4)
    assert kept.read("a", slice(None)).tolist() == [5, 1, 1, 1]
    assert kept.read("job", slice(None)).tolist() == ["cook", "none", "none", "none"]
    assert kept.read("friends", slice(None)).tolist() == [[], ["Ann"], ["Ann"], ["Ann"]]


def test_the_state_is_restored() -> None:
    kept = columns(2, a=1, job="none", friends=["Ann"])
    kept.write_all({"a": 5, "job": "cook", "friends": ["Bob"]}, 0)
    again = columns(2, a=1, job="none", friends=["Ann"])
    again.restore(kept.state())
    for key in ("a", "job", "friends"):
        assert again.read(key, slice(None)).tolist() == kept.read(key, slice(None)).tolist()
    again.write("job", 1, "smith")
    again.write("a", 1, 9)
    assert kept.read("a", 1) == 1
    assert again.read("job", slice(None)).tolist() == ["cook", "smith"]


def test_an_agent_needs_little_memory() -> None:
    kept = columns(1_000, a=1, b=1.0, c=True, d="x")
    assert kept.nbytes == 17_000


# What NumPy would let pass


@pytest.mark.parametrize(
    ("dtype", "default", "value"),
    [
        ("i2", 0, 70_000),
        ("u1", 0, -1),
        ("u1", 0, 256),
        ("i4", 0, 2**31),
        ("i4", 0, float("inf")),
        ("i4", 0, float("nan")),
        ("f4", 0.0, 1e39),
        ("?", False, 2),
        ("?", False, 0.5),
    ],
)
def test_values_that_a_column_cannot_hold_are_refused(dtype: str, default: Any, value: Any) -> None:
    kept = Columns(3, Schema())
    kept.declare("x", default, dtype)
    for rows, item in ((0, value), (slice(0, 2), np.array([0, value])), ([0, 1], value)):
        with pytest.raises(SchemaError, match="'x' is"):
            kept.write("x", np.array(rows) if isinstance(rows, list) else rows, item)
    assert kept.read("x", slice(None)).tolist() == [default] * 3


def test_missing_numbers_stay_missing() -> None:
    kept = columns(2, x=0.5)
    kept.write("x", slice(None), np.array([np.nan, np.inf]))
    assert np.isnan(kept.read("x", slice(None))[0])
    assert kept.read("x", 1) == np.inf


@pytest.mark.parametrize("length", [0, 1, 3])
@pytest.mark.parametrize("name", ["number", "text", "bag"])
def test_an_array_of_another_length_is_refused(name: str, length: int) -> None:
    kept = columns(4, number=1.0, text="a", bag=[])
    values = {
        "number": np.zeros(length),
        "text": np.array(["b"] * length, object),
        "bag": np.array([None, *[[1]] * length], object)[1:],
    }
    for rows in (slice(0, 2), np.array([0, 2])):
        with pytest.raises(ParameterError, match=f"'{name}' got"):
            kept.write(name, rows, values[name])
    for wrong in (np.zeros((1, 2)), np.zeros((2, 1))):
        with pytest.raises(ParameterError, match="'number' got values of shape"):
            kept.write("number", slice(0, 2), wrong)
    with pytest.raises(ParameterError, match="needed is one value"):
        kept.write("number", 0, np.zeros(1))
    assert kept.read("number", slice(None)).tolist() == [1.0] * 4


def test_numbers_of_labels_are_those_there_are() -> None:
    kept = columns(2, job="none")
    for wrong in (np.array([0, 1]), np.array([-1, 0])):
        with pytest.raises(SchemaError, match="numbers of labels are"):
            kept.write("job", slice(None), wrong)


def test_a_label_is_the_original_text() -> None:
    kept = columns(3, job="none")
    kept.write("job", slice(None), np.array(["a\0", "a", ""], object))
    assert kept.read("job", slice(None)).tolist() == ["a\0", "a", ""]
    with pytest.raises(ParameterError, match="surrogate"):
        kept.write("job", 0, "\ud800")


def test_codes_do_not_depend_on_the_order_of_agents() -> None:
    first, second = columns(2, job="none"), columns(2, job="none")
    first.write("job", slice(None), np.array(["b", "a"]))
    second.write("job", slice(None), np.array(["a", "b"]))
    assert first.texts == second.texts == ["none", "a", "b"]


def test_a_widened_column_is_restored() -> None:
    kept, again = columns(2), columns(2, account=0)
    kept.write("account", 0, 5_000_000_000)
    again.restore(kept.state())
    again.write("account", 1, 6_000_000_000)
    assert again.read("account", slice(None)).tolist() == [5_000_000_000, 6_000_000_000]
