"""Copies of a memory, by pickle and by deepcopy, are complete and independent."""

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from memopolis.sim.memory.memory import Memory
from memopolis.sim.memory.retrieval.profiles import PROFILES

TEXTS = ("Saw smoke over the mill", "Heard the bell", "Smoke and fire at the mill", "Bought bread")


def pickled(original: Memory) -> Memory:
    """Return a copy by pickle."""
    copied: Memory = pickle.loads(pickle.dumps(original))  # noqa: S301 - written here
    return copied


def searched(profiles: Any) -> Memory:
    """Return a memory that was searched with some profiles."""
    memory = Memory(agents=2)
    for day in range(30):
        memory.now = 24 * day
        memory[day % 2].stream.add("work", f"{TEXTS[day % 4]} on day {day}", importance=0.5)
    memory[0].status["friends"] = ["Bob"]
    for name in profiles:
        memory[0].stream.search("smoke at the mill", profile=name)
        memory.stream.search("smoke at the mill", profile=name)
    memory[0].search("smoke")
    return memory


@pytest.mark.parametrize("copied", [pickled, copy.deepcopy])
@pytest.mark.parametrize("profiles", [(), *((name,) for name in PROFILES), tuple(PROFILES)])
def test_a_copy_continues_as_the_original(
    copied: Callable[[Memory], Memory], profiles: tuple[str, ...]
) -> None:
    original, expected = searched(profiles), searched(profiles)
    other = copied(original)
    original[0].stream.add("work", "Saw a flood at the mill")  # does not reach the copy
    original[0].status["friends"] = ["Eve"]
    for memory in (other, expected):
        for number in range(70):  # more than fit into the pages so far
            memory[1].stream.add("work", f"Smoke again {number}")
        memory.stream.search("smoke", profile="act")
    for name in PROFILES:
        a, b = (m[1].stream.search("smoke at the mill", profile=name) for m in (other, expected))
        assert [(one.id, one.text, one.score) for one in a] == [
            (one.id, one.text, one.score) for one in b
        ]
    states = other.state(), expected.state()
    for name, values in states[0].items():
        np.testing.assert_array_equal(values, states[1][name], err_msg=name)
    assert other[0].status["friends"] == ["Bob"]
    assert other[0].status.search("Bob") == expected[0].status.search("Bob")


@pytest.mark.parametrize("copied", [pickled, copy.deepcopy])
def test_a_copy_of_a_copy_can_grow(copied: Callable[[Memory], Memory]) -> None:
    memory = copied(copied(searched(("recall",))))
    memory.grow(5)
    memory[4].stream.add("work", "Began to work")
    assert memory[4].stream.search("work", profile="recall")[0].text == "Began to work"
