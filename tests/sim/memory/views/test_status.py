"""Status: the same verbs for one and for many."""

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from memopolis.sim.errors import ParameterError, SchemaError, StateError, UnknownNameError
from memopolis.sim.memory.memory import Memory
from memopolis.sim.memory.status.columns import Columns
from memopolis.sim.memory.status.schema import Schema
from memopolis.sim.memory.views.status import Status, merged

if TYPE_CHECKING:
    from collections.abc import Callable


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


def test_values_of_one_agent_are_plain() -> None:
    one, _ = one_and_many(a=0.5, b=1, c=False, d="", e=[])
    assert [type(one[key]) for key in "abcd"] == [float, int, bool, str]
    assert isinstance(one["e"], list)


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
    one = Memory(2, schema=schema)[0].status
    with pytest.raises(UnknownNameError, match=r"no attribute 'mood\.jyo'"):
        one["mood"] = {"jyo": 2.0}
    assert one["mood"] == {"joy": 1.0}


def test_a_struct_can_be_read_and_updated() -> None:
    one, _ = one_and_many(mood={"joy": 1.0, "fear": 0.0})
    assert "mood" in one
    one.update("mood", {"joy": 2.0}, mode="merge")
    assert one["mood"] == {"joy": 2.0, "fear": 0.0}


def test_a_change_of_a_value_that_was_read_is_refused() -> None:
    one, many = one_and_many(friends=["Ann"], bag={"a", "b"}, facts={}, mood={"joy": 1.0})
    changes: dict[str, Callable[[Any], Any]] = {
        "friends": lambda status: status["friends"].append("Bob"),
        "bag": lambda status: status["bag"].add("c"),
        "facts": lambda status: status["facts"].update(a=1),
        "mood": lambda status: status["mood"].__setitem__("joy", 2.0),
    }
    for key, change in changes.items():
        with pytest.raises(StateError, match=f"^'{key}' is a copy, so this change would be lost; "):
            change(one)
    with pytest.raises(StateError, match="'friends' is a copy"):
        many["friends"][0].append("Eve")
    with pytest.raises(StateError, match="'mood' is a copy"):
        many["mood"]["joy"] = np.zeros(2)
    with pytest.raises(StateError, match="'friends' is a copy"):
        one.get("friends").append("Eve")
    assert many["friends"].tolist() == [["Ann"], ["Ann"]]
    assert (one["bag"], one["facts"], one["mood"]) == ({"a", "b"}, {}, {"joy": 1.0})


def test_an_operator_assigns_a_new_value() -> None:
    one, _ = one_and_many(friends=["Ann"], bag={"a"}, facts={"a": 1})
    one["friends"] += ["Bob"]
    one["friends"] *= 2
    one["bag"] |= {"b"}
    one["bag"] -= {"a"}
    one["facts"] |= {"b": [2]}
    assert one["friends"] == ["Ann", "Bob", "Ann", "Bob"]
    assert (one["bag"], one["facts"]) == ({"b"}, {"a": 1, "b": [2]})


def test_json_values_are_stored_as_copies() -> None:
    one, many = one_and_many(friends=["Ann"])
    given_list = ["Bob"]
    one["friends"] = given_list
    given_list.append("Eve")
    assert one["friends"] == ["Bob"]
    many["friends"] = given_list
    given_list.append("Joe")
    assert many["friends"].tolist() == [["Bob", "Eve"]] * 2


def test_a_cohort_accepts_one_value_or_one_per_agent() -> None:
    _, many = one_and_many(friends=["Ann"])
    each = np.empty(2, object)
    each[:] = [["a"], ["b", "c"]]
    many["friends"] = each
    assert many["friends"].tolist() == [["a"], ["b", "c"]]


def test_values_that_are_not_json_are_refused() -> None:
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


def test_merging_into_an_unknown_key_declares_it() -> None:
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


def test_get_returns_the_default() -> None:
    for status in one_and_many(a=1):
        assert np.all(status.get("a") == 1)
        assert status.get("b", None) is None
        with pytest.raises(UnknownNameError, match="no attribute 'b'; there are: a"):
            status.get("b")
        with pytest.raises(KeyError):
            status["b"]


def test_keys_can_be_listed_and_tested() -> None:
    one, _ = one_and_many(a=1, mood={"joy": 1.0})
    assert list(one) == ["a", "mood.joy"]
    assert "a" in one
    assert "c" not in one


def test_a_new_key_is_declared_by_its_first_value() -> None:
    one, many = one_and_many()
    one["age"] = 4
    assert np.isnan(many["age"][0])
    assert np.asarray(many.get("age", default=0)).tolist() == [0, 4]
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
        kept.write("b", 0, 1)
    kept.write("a", 0, 2)


# What must not pass silently


def test_merging_different_types_is_refused() -> None:
    one, many = one_and_many(friends=["Ann"], bag={"a"}, facts={}, note=None)
    for status in (one, many):
        for key, value in (("friends", "Bob"), ("bag", 3), ("facts", ["y"]), ("friends", {"a": 1})):
            with pytest.raises(SchemaError, match=f"'{key}' is a .* cannot be merged in"):
                status.update(key, value, mode="merge")
    one["note"] = 3
    with pytest.raises(SchemaError, match="merge needs a list, set or dict"):
        one.update("note", 4, mode="merge")
    assert (one["friends"], one["bag"], one["facts"], one["note"]) == (["Ann"], {"a"}, {}, 3)


def test_a_cohort_merges_one_value_or_one_per_agent() -> None:
    _, many = one_and_many(friends=["Ann"])
    each = np.empty(2, object)
    each[:] = [["a"], ["b", "c"]]
    many.update("friends", each, mode="merge")
    assert many["friends"].tolist() == [["Ann", "a"], ["Ann", "b", "c"]]
    with pytest.raises(ParameterError, match="'friends' got 1 values for 2 agents"):
        many.update("friends", each[:1], mode="merge")


def test_an_update_changes_all_keys_or_none() -> None:
    for status in one_and_many(a=1, b=2.0, friends=["Ann"]):
        with pytest.raises(SchemaError):
            status.update({"a": 5, "new": 3, "b": "x"})
        with pytest.raises(SchemaError):
            status.update({"friends": ["Bob"], "a": [1]}, mode="merge")
        assert np.all(status["a"] == 1)
        assert "new" not in status


def test_a_struct_is_written_whole_or_not_at_all() -> None:
    one, _ = one_and_many(mood={"joy": 1.0, "fear": 0.0})
    with pytest.raises(SchemaError):
        one["mood"] = {"joy": 2.0, "fear": "much"}
    assert one["mood"] == {"joy": 1.0, "fear": 0.0}


def test_a_name_is_an_attribute_or_a_struct() -> None:
    for status in one_and_many(age=3, mood={"joy": 1.0}):
        with pytest.raises(SchemaError, match="'mood' cannot be an attribute and a struct"):
            status["mood"] = 3
        with pytest.raises(SchemaError, match="'age' cannot be an attribute and a struct"):
            status["age.years"] = 3


@pytest.mark.parametrize("key", ["", ".", "a.", ".a", 3])
def test_a_key_must_be_a_name(key: Any) -> None:
    one, _ = one_and_many()
    with pytest.raises(SchemaError, match="an attribute has a name"):
        one[key] = 1


def test_a_list_takes_lists_only() -> None:
    one, many = one_and_many(friends=["Ann"], bag={"a"}, facts={})
    for status in (one, many):
        for key in ("friends", "bag", "facts"):
            for wrong in ("Bob", 3, None):
                with pytest.raises(SchemaError, match=f"'{key}' is of type"):
                    status[key] = wrong
    one["friends"] = ("Bob", "Eve")
    one["bag"] = frozenset({"b"})
    assert (one["friends"], one["bag"]) == (["Bob", "Eve"], {"b"})


def test_a_failed_update_declares_nothing() -> None:
    one, many = one_and_many()
    with pytest.raises(ParameterError):
        many["age"] = np.arange(3)
    with pytest.raises(SchemaError):
        one["thing"] = [object()]
    assert list(one) == []


def test_an_undeclared_whole_number_may_be_large() -> None:
    one, many = one_and_many()
    one["account"] = 5_000_000_000
    many["number"] = np.array([1, 7_000_000_000])
    assert one["account"] == 5_000_000_000
    assert many["number"].tolist() == [1, 7_000_000_000]


@pytest.mark.parametrize(
    ("default", "dtype"),
    [(1.0, "i1"), (1.0, "c16"), (1.0, ">f8"), (1.0, "f16"), (1, "f4"), (True, "i1"), ("x", "u4"),
     (1.0, "U5"), (1.0, 3), (1.0, "no type"), (1.0, "\ud800")],
)  # fmt: skip
def test_a_type_must_store_the_kind(default: Any, dtype: Any) -> None:
    with pytest.raises(SchemaError, match="cannot store it"):
        Schema().declare("value", default, dtype)


def test_sets_of_sets_are_read_again() -> None:
    one, _ = one_and_many()
    one["groups"] = {frozenset({1, 2}), frozenset({3})}
    assert one["groups"] == {frozenset({1, 2}), frozenset({3})}
