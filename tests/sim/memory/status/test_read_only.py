"""Read-only values: every method that changes a list, set or dict is refused."""

import copy
import json
import pickle
from types import MappingProxyType
from typing import Any

import pytest

from memopolis.sim.errors import StateError
from memopolis.sim.memory.status.encoding import read_only

PLAIN: list[Any] = [[3, "a", [1], {"b": [2]}], {"a": 1, "b": {"c": [1]}}, {1, 2}, [], {}, set()]


def changing_methods(plain: Any) -> list[str]:
    """Return the methods of a built-in type that its immutable relatives lack."""
    immutable = {"list": tuple, "set": frozenset, "dict": MappingProxyType}[type(plain).__name__]
    names = set(dir(type(plain))) - set(dir(immutable)) - {"copy", "fromkeys"}
    in_place = {name for name in names if name.startswith("__i")}
    return sorted(names - in_place - {"__class_getitem__", "__reversed__"})


ARGUMENTS: dict[str, tuple[Any, ...]] = {
    "insert": (0, 1), "__setitem__": (0, 1), "__delitem__": (0,), "setdefault": ("a", 1),
    "append": (1,), "extend": ([1],), "remove": (1,), "add": (1,), "discard": (1,),
}  # fmt: skip


@pytest.mark.parametrize("plain", PLAIN[:3], ids=["list", "dict", "set"])
def test_no_method_changes_a_value(plain: Any) -> None:
    value = read_only(plain, "items")
    methods = changing_methods(plain)
    assert len(methods) >= 7
    for name in methods:
        with pytest.raises(StateError, match="'items' is a copy"):
            getattr(value, name)(*ARGUMENTS.get(name, ()))
    assert value == plain


@pytest.mark.parametrize("plain", PLAIN)
def test_a_value_behaves_as_a_plain_one(plain: Any) -> None:
    value = read_only(plain, "items")
    assert value == plain
    assert isinstance(value, type(plain))
    assert repr(value) == repr(plain) or isinstance(plain, set)
    for same in (value.copy(), copy.copy(value), copy.deepcopy(value), _pickled(value)):
        assert type(same) is type(plain)
        assert same == plain
    if not isinstance(plain, set):
        assert json.dumps(value) == json.dumps(plain)


def _pickled(value: Any) -> Any:
    return pickle.loads(pickle.dumps(value))  # noqa: S301 - written here


def test_inner_values_are_read_only() -> None:
    value: Any = read_only([[1], {"a": [2]}], "items")
    for inner in (value[0], value[1]["a"]):
        with pytest.raises(StateError, match="'items' is a copy"):
            inner.append(3)
    with pytest.raises(StateError, match="'items' is a copy"):
        value[1]["a"] = 3
    copied = copy.deepcopy(value)
    copied[1]["a"].append(3)
    assert copied == [[1], {"a": [2, 3]}]
    assert value == [[1], {"a": [2]}]


def test_other_values_are_unchanged() -> None:
    for value in (3, "x", None, (1, 2)):
        assert read_only(value, "items") is value
