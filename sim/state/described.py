"""Descriptions of the arrays in the state of a society, with which a saved state is checked."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from memopolis.sim.arrays import Array
from memopolis.sim.errors import RunFolderError
from memopolis.sim.memory.saving.described import (
    StatusSizes,
    check_texts,
    describe_memory,
    describe_present,
)
from memopolis.sim.memory.status.schema import Attribute
from memopolis.sim.memory.streams.side_columns import below
from memopolis.sim.saved_arrays import SavedArray, check_arrays, kind_name
from memopolis.sim.state.state import State, declaring
from memopolis.sim.world.ties import describe_network

if TYPE_CHECKING:
    from memopolis.sim.population import Population
    from memopolis.sim.society_base import SocietyBase

_MOST = 2**62  # greatest number of accounts or cents


def check_state(society: "SocietyBase[Any]", state: State) -> None:
    """Refuse a state whose arrays or JSON values do not fit a society just built for it.

    Its plain values have been checked by `read_checked`. Raises RunFolderError.
    """
    check_arrays(state.arrays, describe_state(society, state))
    for population in society.populations:
        plain = state.plain["populations"][population.name]
        agents = len(state.arrays[f"{population.name}/ids"])
        declared = population.attributes
        for name, kind in plain["kinds"].items():
            attribute = declared.get(name) or Attribute(name, kind, None)
            if attribute.kind != kind or attribute.is_json != (name in plain["json"]):
                raise RunFolderError(
                    f"{population.name}/{name} is of the kind {kind}; {attribute.kind} is needed"
                )
        for name, texts in plain["json"].items():
            check_texts(f"{population.name}/{name}", texts, agents)
            if name not in plain["kinds"]:
                raise RunFolderError(f"{population.name}/{name} has no kind")


def describe_state(society: "SocietyBase[Any]", state: State) -> Iterator[tuple[str, SavedArray]]:
    """Describe the arrays of a state of a society that was just built for it.

    The plain values of the state have been checked.
    """
    for population in society.populations:
        name = population.name
        yield f"{name}/ids", _describe_ids(population, state)
        for path, description in _describe_population(population, society, state):
            yield f"{name}/{path}", description
    # Axes of agents grow when agents join.
    grown: dict[int, int] = {}
    for population in society.populations:
        agents = len(state.arrays[f"{population.name}/ids"])
        grown[len(population)] = max(agents, grown.get(len(population), 0))
    for path, owner in declaring(society):
        for name in owner.state:
            saved = state.arrays.get(f"blocks/{path}/{name}")
            description = _describe_own(owner, name, state, grown, saved=saved)
            yield f"blocks/{path}/{name}", description
    if society.ledger is not None:
        kinds = len(state.plain["ledger"]["kinds"])
        yield (
            "ledger/balances",
            SavedArray(("int64",), (range(len(society.ledger), _MOST),), -_MOST, _MOST),
        )
        accounts = len(state.arrays["ledger/balances"])
        yield "ledger/kind_of", SavedArray(("int16",), (accounts,), low=0, high=kinds - 1)
        if society.loans is not None:
            shape = (range(accounts + 1),)
            yield "loans/outstanding", SavedArray(("int64",), shape, low=0, high=_MOST)


def _describe_ids(population: "Population", state: State) -> SavedArray:
    """Describe the unique_ids of a population, which may have grown unless it is closed."""
    built = len(population)
    shape = built if population.society.closed else range(built, _MOST)
    high = state.plain["next_id"] - 1
    return SavedArray(("int64",), (shape,), low=1, high=high, rising=True)


def _describe_population(
    population: "Population", society: "SocietyBase[Any]", state: State
) -> Iterator[tuple[str, SavedArray]]:
    """Describe memory, status and ties of a population, whose ids have been checked."""
    arrays = state.below(population.name)
    plain = state.plain["populations"][population.name]
    agents = len(arrays["ids"])
    memory = below(arrays, "memory/")
    for name, description in describe_memory(memory, agents, society.texts.capacity):
        yield f"memory/{name}", description
    sizes = StatusSizes(
        agents,
        len(plain["labels"]),
        memory["streams/next"],
        None if society.place is None else len(society.place.zones),
        references=state.plain["next_id"],
    )
    attributes = population.attributes
    for name, kind in plain["kinds"].items():
        # An attribute that was written first during the run is declared when it is restored.
        declared = attributes.get(name) or Attribute(name, kind, None, dtype="", optional=True)
        if name not in plain["json"]:
            yield f"columns/{name}", sizes.describe(declared)
        if declared.optional and f"present/{name}" in arrays:
            yield f"present/{name}", describe_present(agents)
    ties = below(arrays, "ties/")
    for kind in dict.fromkeys(name.rpartition("/")[0] for name in ties):
        for part, description in describe_network(below(ties, f"{kind}/"), agents):
            yield f"ties/{kind}/{part}", description


def _describe_own(
    owner: Any, name: str, state: State, grown: Mapping[int, int], *, saved: Array | None
) -> SavedArray:
    """Describe an array of a block or a part of the world by the array after `setup`.

    `grown` is the number of agents in the state by the number of those that were built.
    """
    built = getattr(owner, name, None)
    if not isinstance(built, np.ndarray) or name in getattr(owner, "varying", ()):
        axes = 0 if saved is None else saved.ndim
        return SavedArray(("number", "bool"), (None,) * axes)
    shape = tuple(
        range(length, grown.get(length, length) + 1) if length else None for length in built.shape
    )
    rows_of = getattr(owner, "refers", {}).get(name)
    low, high = getattr(owner, "limits", {}).get(name, (None, None))
    if rows_of is not None:
        low, high = -1, len(state.arrays[f"{rows_of}/ids"]) - 1
    return SavedArray((kind_name(built.dtype),), shape, low, high)
