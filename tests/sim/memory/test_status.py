"""Status: typed columns, the same verbs for one and for many."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memopolis.sim.errors import ParameterError, SchemaError, UnknownNameError
from memopolis.sim.memory.memory import Memory
from memopolis.sim.memory.status import (
    Columns,
    Schema,
    Status,
    empty_of,
    from_json,
    kind_of,
    merged,
    to_json,
)


def columns(agents: int = 3, **declared: Any) -> Columns:
    schema = Schema()
    for name, default in declared.items():
        schema.declare(name, default)
    return Columns(agents, schema)


def one_and_many(agents: int = 3, **declared: Any) -> tuple[Status, Status]:
    kept = columns(agents, **declared)
    return Status(kept, 1), Status(kept, np.array([0, 1]))


# Types


@pytest.mark.parametrize(
    ("value", "kind", "dtype"),
    [
        (1.5, "float", "f4"),
        (2, "int", "i4"),
        (True, "bool", "b1"),
        ("x", "text", "i4"),
        ([1], "list", "O"),
        ({1}, "set", "O"),
        ({}, "dict", "O"),
        (None, "any", "O"),
        (np.float32(1), "float", "f4"),
        (np.int8(1), "int", "i4"),
        (np.bool_(1), "bool", "b1"),
    ],
)
def test_the_type_of_a_column_is_that_of_its_default(value: Any, kind: str, dtype: str) -> None:
    assert kind_of(value) == kind
    kept = columns(x=value)
    assert kept.schema.attributes["x"].kind == kind
    assert kept.arrays["x"].dtype == np.dtype(dtype)
    assert kept.read("x", 0) == value


def test_a_column_may_be_of_another_width() -> None:
    schema = Schema()
    schema.declare("age", 40, "i2", unit="years", low=0, high=110, record=True)
    kept = Columns(2, schema)
    assert kept.arrays["age"].dtype == np.int16
    age = kept.schema.attributes["age"]
    assert (age.unit, age.low, age.high, age.record) == ("years", 0, 110, True)


def test_values_of_one_are_plain() -> None:
    one, _ = one_and_many(a=0.5, b=1, c=False, d="", e=[])
    assert [type(one[key]) for key in "abcde"] == [float, int, bool, str, list]


def test_one_and_many_see_the_same() -> None:
    one, many = one_and_many(hunger=0.5, name="nobody")
    one["hunger"] = 0.75
    assert many["hunger"].tolist() == [0.5, 0.75]
    many["hunger"] = np.array([0.1, 0.2], np.float32)
    assert one["hunger"] == pytest.approx(0.2)
    many["name"] = np.array(["Ann", "Bob"])
    assert one["name"] == "Bob"
    assert many["name"].tolist() == ["Ann", "Bob"]
    many["name"] = "Eve"
    assert many["name"].tolist() == ["Eve", "Eve"]


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


def test_a_whole_number_is_not_cut_off() -> None:
    one, many = one_and_many(age=40)
    for status, value in ((one, 40.7), (many, np.array([1.5, 2.5]))):
        with pytest.raises(SchemaError, match="'age' holds int"):
            status["age"] = value


def test_a_number_beyond_the_column_is_refused() -> None:
    kept = Columns(2, Schema())
    kept.declare("age", 40, "i2")
    with pytest.raises((SchemaError, OverflowError)):
        Status(kept, 0)["age"] = 70_000


def test_texts_are_kept_as_numbers_of_labels() -> None:
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


# Structs


def test_a_dict_with_keys_is_a_struct_of_columns() -> None:
    one, many = one_and_many(mood={"joy": 1.0, "fear": 0.0})
    assert one["mood"] == {"joy": 1.0, "fear": 0.0}
    one["mood.joy"] = 3.0
    assert many["mood.joy"].tolist() == [1, 3]
    assert [values.tolist() for values in many["mood"].values()] == [[1, 3], [0, 0]]
    many["mood"] = {"fear": np.array([4.0, 5.0])}
    assert one["mood"] == {"joy": 3.0, "fear": 5.0}


def test_a_struct_of_a_closed_schema_has_the_fields_it_was_declared_with() -> None:
    schema = Schema(closed=True)
    schema.declare("mood", {"joy": 1.0})
    one = Status(Columns(2, schema), 0)
    with pytest.raises(UnknownNameError, match=r"no attribute 'mood\.jyo'"):
        one["mood"] = {"jyo": 2.0}
    assert one["mood"] == {"joy": 1.0}


def test_a_struct_is_there_and_can_be_updated() -> None:
    one, _ = one_and_many(mood={"joy": 1.0, "fear": 0.0})
    assert "mood" in one
    one.update("mood", {"joy": 2.0}, mode="merge")
    assert one["mood"] == {"joy": 2.0, "fear": 0.0}


# JSON


plain = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text() | st.floats(-1e6, 1e6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(plain)
def test_any_plain_value_comes_back(value: Any) -> None:
    assert from_json(to_json(value)) == value
    memory = Memory(2)
    memory[1].status["anything"] = [value]
    assert memory[1].status["anything"] == [value]


@given(st.sets(st.integers()) | st.sets(st.text()))
def test_a_set_comes_back_as_a_set(value: set[Any]) -> None:
    assert from_json(to_json(value)) == value
    assert to_json(value) == to_json({*sorted(value, reverse=True)})


def test_what_is_read_of_json_is_an_own_copy() -> None:
    one, many = one_and_many(friends=["Ann"], bag={"a", "b"})
    one["friends"].append("Bob")
    one["bag"].add("c")
    many["friends"][0].append("Eve")
    assert one["friends"] == ["Ann"]
    assert one["bag"] == {"a", "b"}
    assert many["friends"].tolist() == [["Ann"], ["Ann"]]


def test_what_is_written_is_an_own_copy() -> None:
    one, many = one_and_many(friends=["Ann"])
    given_list = ["Bob"]
    one["friends"] = given_list
    given_list.append("Eve")
    assert one["friends"] == ["Bob"]
    many["friends"] = given_list
    given_list.append("Joe")
    assert many["friends"].tolist() == [["Bob", "Eve"]] * 2


def test_many_take_one_value_or_one_an_agent() -> None:
    _, many = one_and_many(friends=["Ann"])
    each = np.empty(2, object)
    each[:] = [["a"], ["b", "c"]]
    many["friends"] = each
    assert many["friends"].tolist() == [["a"], ["b", "c"]]


def test_what_cannot_be_kept_as_json_is_refused() -> None:
    one, _ = one_and_many(friends=["Ann"])
    with pytest.raises((SchemaError, TypeError)):
        one["friends"] = [object()]
    assert one["friends"] == ["Ann"]


# Update


def test_an_update_replaces_or_merges() -> None:
    one, many = one_and_many(friends=["Ann"], bag={"a"}, facts={})
    one.update("friends", ["Bob"])
    assert one["friends"] == ["Bob"]
    one.update("friends", ["Ann"], mode="merge")
    assert one["friends"] == ["Bob", "Ann"]
    one.update("bag", ["b"], mode="merge")
    assert one["bag"] == {"a", "b"}
    one.update("facts", {"x": 1}, mode="merge")
    one.update("facts", {"y": 2}, mode="merge")
    assert one["facts"] == {"x": 1, "y": 2}
    many.update("bag", {"z"}, mode="merge")
    assert many["bag"].tolist() == [{"a", "z"}, {"a", "b", "z"}]


def test_a_merge_into_nothing_makes_the_key() -> None:
    one, _ = one_and_many()
    one.update("friends", ["Bob"], mode="merge")
    assert one["friends"] == ["Bob"]


def test_several_are_updated_at_once() -> None:
    one, _ = one_and_many(a=1, b=2.0)
    one.update({"a": 5, "b": 6.0})
    assert (one["a"], one["b"]) == (5, 6.0)


def test_a_number_or_text_is_not_merged() -> None:
    for status in one_and_many(age=3, job="cook"):
        for key, value in (("age", 4), ("job", "smith")):
            with pytest.raises(SchemaError, match="merge needs a list, set or dict"):
                status.update(key, value, mode="merge")


def test_a_mode_is_replace_or_merge() -> None:
    one, _ = one_and_many(a=1)
    with pytest.raises(ParameterError, match="mode is 'add'; allowed are 'replace' and 'merge'"):
        one.update("a", 2, mode="add")  # type: ignore[arg-type]


def test_values_merge_by_type() -> None:
    assert merged([1], [2]) == [1, 2]
    assert merged({1}, [2]) == {1, 2}
    assert merged({"a": 1, "b": 1}, {"b": 2}) == {"a": 1, "b": 2}
    assert merged(None, 3) == 3


# Keys


def test_get_knows_a_default() -> None:
    for status in one_and_many(a=1):
        assert np.all(status.get("a") == 1)
        assert status.get("b", None) is None
        with pytest.raises(UnknownNameError, match="no attribute 'b'; there are: a"):
            status.get("b")
        with pytest.raises(KeyError):
            status["b"]


def test_keys_are_listed_and_found() -> None:
    one, _ = one_and_many(a=1, mood={"joy": 1.0})
    assert list(one) == ["a", "mood.joy"]
    assert "a" in one
    assert "c" not in one


def test_a_new_key_is_declared_by_its_first_value() -> None:
    one, many = one_and_many()
    one["age"] = 4
    assert many["age"].tolist() == [0, 4]
    many["job"] = np.array(["cook", "smith"])
    assert one["job"] == "smith"
    one["note"] = None
    assert one["note"] is None
    assert many["note"].tolist() == [None, None]


def test_a_none_default_holds_anything() -> None:
    one, many = one_and_many(note=None)
    for value in (3, "x", [1, 2], {"a": [None]}, None):
        one["note"] = value
        assert one["note"] == value
        assert many["note"].tolist() == [None, value]


def test_a_closed_schema_refuses_new_keys() -> None:
    schema = Schema(closed=True)
    schema.declare("a", 1)
    kept = Columns(2, schema)
    with pytest.raises(UnknownNameError, match="no attribute 'b' and the schema is closed"):
        Status(kept, 0)["b"] = 1
    Status(kept, 0)["a"] = 2


def test_a_name_keeps_its_type() -> None:
    schema = Schema()
    schema.declare("a", 1)
    with pytest.raises(SchemaError, match="'a' is declared as int, now as float"):
        schema.declare("a", 1.5)


def test_columns_do_not_change_the_schema_they_came_from() -> None:
    schema = Schema()
    schema.declare("a", 1)
    first, second = Columns(1, schema), Columns(1, schema)
    Status(first, 0)["b"] = 2
    assert "b" not in schema.attributes
    assert "b" not in second.arrays


def test_growing_keeps_what_there_is() -> None:
    kept = columns(2, a=1, job="none", friends=["Ann"])
    Status(kept, 0).update({"a": 5, "job": "cook", "friends": []})
    kept.grow(4)
    everyone = Status(kept, slice(None))
    assert everyone["a"].tolist() == [5, 1, 1, 1]
    assert everyone["job"].tolist() == ["cook", "none", "none", "none"]
    assert everyone["friends"].tolist() == [[], ["Ann"], ["Ann"], ["Ann"]]


def test_the_state_comes_back() -> None:
    kept = columns(2, a=1, job="none", friends=["Ann"])
    Status(kept, 0).update({"a": 5, "job": "cook", "friends": ["Bob"]})
    again = columns(2, a=1, job="none", friends=["Ann"])
    again.restore(kept.state())
    for key in ("a", "job", "friends"):
        assert Status(again, slice(None))[key].tolist() == Status(kept, slice(None))[key].tolist()
    Status(again, 1)["job"] = "smith"
    Status(again, 1)["a"] = 9
    assert Status(kept, 1)["a"] == 1
    assert Status(again, slice(None))["job"].tolist() == ["cook", "smith"]


def test_an_agent_needs_little_room() -> None:
    kept = columns(1_000, a=1, b=1.0, c=True, d="x")
    assert kept.nbytes == 13_000


@pytest.mark.parametrize(
    ("value", "empty"),
    [(1.5, 0.0), (3, 0), (True, False), ("x", ""), ([1], []), ({1}, set()), ({"a": 1}, {})],
)
def test_a_column_declared_in_passing_starts_empty(value: Any, empty: Any) -> None:
    assert empty_of(kind_of(value)) == empty
    assert empty_of(kind_of(None)) is None
