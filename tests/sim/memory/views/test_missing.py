"""Missing values: an agent has an undeclared key only if a value was written to it."""

import copy
from typing import Any

import numpy as np
import pytest

from memopolis.sim.errors import UnknownNameError
from memopolis.sim.memory.memory import Memory
from memopolis.sim.memory.status.schema import Schema

VALUES: dict[str, Any] = {
    "cash": 120.0,
    "children": 2,
    "rich": True,
    "town": "Charleston",
    "friends": ["Cem"],
    "bag": {"key"},
    "facts": {"age": 3},
    "note": None,
}


@pytest.fixture
def memory() -> Memory:
    """Three agents, of which the first one has values."""
    new = Memory(agents=3)
    new[0].status.update(VALUES)
    return new


@pytest.mark.parametrize("key", VALUES)
def test_an_agent_without_a_value_does_not_have_the_key(memory: Memory, key: str) -> None:
    ann, bob, _ = memory
    assert ann.status[key] == ann.status.get(key, default="unknown") == VALUES[key]
    assert bob.status.get(key, default="unknown") == "unknown"
    assert bob.status.get(key, default=None) is None
    assert (key in ann.status, key in bob.status) == (True, False)
    for read in (bob.status.__getitem__, bob.status.get):
        with pytest.raises(UnknownNameError, match=f"no attribute '{key}'; there are: none"):
            read(key)


def test_an_agent_lists_its_own_keys(memory: Memory) -> None:
    memory[1].status["cash"] = 0.0
    assert [list(one.status) for one in memory] == [list(VALUES), ["cash"], []]
    assert list(memory.of([1, 2]).status) == ["cash"]
    assert "town" not in memory.of([1, 2]).status


def test_a_written_value_is_present_even_if_it_is_empty(memory: Memory) -> None:
    empty: dict[str, Any] = {"cash": 0.0, "children": 0, "rich": False, "town": "", "friends": []}
    for key, value in empty.items():
        memory[1].status[key] = value
    assert {key: memory[1].status.get(key, default="unknown") for key in empty} == empty


@pytest.mark.parametrize(
    ("key", "values", "default", "filled"),
    [
        ("cash", [120.0, np.nan, np.nan], 5, [120, 5, 5]),
        ("children", [2, np.nan, np.nan], 0, [2, 0, 0]),
        ("children", [2, np.nan, np.nan], 2**40, [2, 2**40, 2**40]),
        ("children", [2, np.nan, np.nan], "?", [2, "?", "?"]),
        ("rich", [True, None, None], False, [True, False, False]),
        ("town", ["Charleston", None, None], "", ["Charleston", "", ""]),
        ("friends", [["Cem"], None, None], [], [["Cem"], [], []]),
        ("facts", [{"age": 3}, None, None], {}, [{"age": 3}, {}, {}]),
    ],
)
def test_an_array_marks_missing_values_or_has_the_default(
    memory: Memory, key: str, values: list[Any], default: Any, filled: list[Any]
) -> None:
    everyone = memory.of([0, 1, 2]).status
    np.testing.assert_equal(everyone[key].tolist(), values)
    assert np.asarray(everyone.get(key, default=default)).tolist() == filled
    assert memory.of([0]).status[key].tolist() == [VALUES[key]]
    assert len(memory.of([]).status[key]) == 0


def test_an_array_without_missing_values_keeps_its_type(memory: Memory) -> None:
    memory.of([1, 2]).status["children"] = np.array([1, 0])
    assert memory.of([0, 1, 2]).status["children"].dtype == np.int32
    children = memory.of([0, 1, 2]).status.get("children", default=9)
    assert np.asarray(children).tolist() == [2, 1, 0]


def test_an_unknown_key_of_a_cohort_gives_the_default(memory: Memory) -> None:
    assert memory.of([0, 1]).status.get("car", default=3) == 3
    with pytest.raises(UnknownNameError, match="no attribute 'car'"):
        memory.of([0, 1]).status["car"]


def test_merging_into_a_missing_value_writes_it(memory: Memory) -> None:
    memory[1].status.update("friends", ["Ann"], mode="merge")
    memory.of([0, 1, 2]).status.update("friends", ["Eve"], mode="merge")
    each = [one.status["friends"] for one in memory]
    assert each == [["Cem", "Eve"], ["Ann", "Eve"], ["Eve"]]


def test_a_declared_attribute_is_never_missing() -> None:
    schema = Schema()
    schema.declare("cash", 1.5)
    memory = Memory(agents=2, schema=schema)
    memory[0].status["cash"] = 2.0
    assert memory[1].status.get("cash", default="unknown") == 1.5
    assert memory.status.presence("cash") is None


@pytest.mark.parametrize(
    ("key", "default", "values"),
    [
        ("cash", 7.0, [120.0, 7.0, 7.0]),
        ("town", "none", ["Charleston", "none", "none"]),
        ("friends", ["Bob"], [["Cem"], ["Bob"], ["Bob"]]),
    ],
)
def test_a_later_declaration_gives_the_default_to_agents_without_a_value(
    memory: Memory, key: str, default: Any, values: list[Any]
) -> None:
    memory.status.declare(key, default)
    assert [one.status[key] for one in memory] == values
    memory.grow(4)
    assert memory[3].status[key] == default


def test_fields_of_a_struct_may_be_missing() -> None:
    schema = Schema()
    schema.declare("attitude", {"trust": 5.0})
    memory = Memory(agents=2, schema=schema)
    memory[0].status["attitude.taxes"] = 2.0
    assert memory[0].status["attitude"] == {"trust": 5.0, "taxes": 2.0}
    assert memory[1].status["attitude"] == {"trust": 5.0}
    both = memory.of([0, 1]).status["attitude"]
    np.testing.assert_equal(both["taxes"], [2.0, np.nan])


@pytest.mark.parametrize("copied", ["deepcopy", "state", "grow"])
def test_missing_values_stay_missing(memory: Memory, copied: str) -> None:
    other = memory
    if copied == "deepcopy":
        other = copy.deepcopy(memory)
    elif copied == "state":
        other = Memory(agents=3)
        other[0].status.update(VALUES)
        other.status.restore(memory.status.state())
    memory[1].status["cash"] = 7.0
    other.grow(5)
    assert other[1].status.get("cash", default="none") == (7.0 if copied == "grow" else "none")
    assert [other[row].status.get("town", default="none") for row in (0, 2, 4)] == [
        "Charleston", "none", "none",
    ]  # fmt: skip
