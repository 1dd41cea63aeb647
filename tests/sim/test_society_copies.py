"""Copies of a society, by pickle and by deepcopy, make the same steps as the original."""

import copy
import pickle
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memopolis.scenarios.hurricane.scenario import Hurricane
from memopolis.scenarios.polarization.scenario import Polarization
from memopolis.scenarios.ubi.scenario import BasicIncome
from memopolis.sim.errors import StateError
from memopolis.sim.memory.retrieval.profiles import PROFILES
from memopolis.sim.mind.call import ScriptedClient
from memopolis.sim.mind.llm import LlmMind
from memopolis.sim.society import Society
from memopolis.sim.state.state import state_of

STEPS = 3


def pickled(original: Any) -> Any:
    """Return a copy by pickle."""
    return pickle.loads(pickle.dumps(original))  # noqa: S301 - written here


def assert_same(one: Society[Any], other: Society[Any]) -> None:
    """Compare the whole state of two societies."""
    first, second = state_of(one), state_of(other)
    assert first.arrays.keys() == second.arrays.keys()
    for name, values in first.arrays.items():
        np.testing.assert_array_equal(values, second.arrays[name], err_msg=name)
    assert repr(first.plain) == repr(second.plain)


@pytest.mark.parametrize(
    ("society", "copied"),
    [
        (partial(Hurricane, agents=40, days=2), pickled),
        (partial(Hurricane, agents=40, days=2), copy.deepcopy),
        (partial(Polarization, agents=40, days=9), pickled),
        (partial(BasicIncome, agents=40), pickled),
    ],
    ids=["hurricane", "deepcopy", "polarization", "ubi"],
)
def test_a_copy_makes_the_same_steps(
    society: Callable[..., Society[Any]], copied: Callable[[Any], Any]
) -> None:
    original = society(rng=3)
    for _ in range(STEPS):
        original.step()
    people = original.populations[0].memory
    for name in PROFILES:
        people.stream.search("the news", profile=name)
    other = copied(original)
    for _ in range(STEPS):
        original.step()
        other.step()
    assert_same(original, other)
    assert [agent.unique_id for agent in other.agents] == [a.unique_id for a in original.agents]
    assert {id(agent.model) for agent in other.agents} == {id(other)}


@pytest.mark.parametrize("copied", [pickled, copy.deepcopy])
def test_a_society_that_holds_files_or_connections_names_the_alternative(
    tmp_path: Path, copied: Callable[[Any], Any]
) -> None:
    society = Hurricane(agents=10, days=1 / 24, rng=1)
    failures: list[str] = []

    def copy_it(*_: Any) -> None:
        with pytest.raises(StateError, match="while it is recorded; use save_state") as error:
            copied(society)
        failures.append(str(error.value))

    society.run(tmp_path / "run", progress=copy_it)
    assert len(failures) == 1
    copied(society)
    society.mind = LlmMind(ScriptedClient(repr), seed=1)
    with pytest.raises(StateError, match=r"a mind that asks a model .* save_state"):
        copied(society)
