"""Descriptions of the arrays in the state of a society, with which a saved state is checked."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from memopolis.sim.arrays import Array
from memopolis.sim.errors import RunFolderError
from memopolis.sim.memory.saving.described import describe_memory
from memopolis.sim.memory.status.described import StatusSizes, check_texts, describe_present
from memopolis.sim.memory.status.schema import Attribute
from memopolis.sim.saved_arrays import SavedArray, check_arrays, kind_name
from memopolis.sim.state.state import State, declaring
from memopolis.sim.world.ties import describe_network

if TYPE_CHECKING:
    from memopolis.sim.population import Population
    from memopolis.sim.society_base import SocietyBase


def check_state(society: "SocietyBase[Any]", state: State) -> None:
    """Refuse a state whose arrays or JSON values do not fit a society just built for it.

    Its plain values have been checked by `read_checked`. Raises RunFolderError.
    """
    check_arrays(state.arrays, describe_state(society, state))
    for population in society.populations:
        plain = state.plain["populations"][population.name]
        agents = len(state.arrays[f"{population.name}/ids"])
        declared = population.memory.columns.schema.attributes
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
    texts = society.texts.capacity
    for population in society.populations:
        name = population.name
        yield f"{name}/ids", _describe_ids(population, state)
        below = _Below(state, name, texts)
        for path, description in below.describe(population, society):
            yield f"{name}/{path}", description
    for path, owner in declaring(society):
        for name in owner.state:
            yield f"blocks/{path}/{name}", _describe_own(owner, name, society, state)
    if society.ledger is not None:
        kinds = len(state.plain["ledger"]["kinds"])
        yield (
            "ledger/balances",
            SavedArray(("int64",), (range(len(society.ledger), _MOST),), -_LIMIT, _LIMIT),
        )
        accounts = len(state.arrays["ledger/balances"])
        yield "ledger/kind_of", SavedArray(("int16",), (accounts,), low=0, high=kinds - 1)
        if society.loans is not None:
            shape = (range(accounts + 1),)
            yield "loans/outstanding", SavedArray(("int64",), shape, low=0, high=_LIMIT)


_MOST, _LIMIT = 2**62, 2**62


def _describe_ids(population: "Population", state: State) -> SavedArray:
    """Describe the unique_ids of a population, which may have grown unless it is closed."""
    built = len(population)
    shape = built if population.society.closed else range(built, _MOST)
    high = state.plain["next_id"] - 1
    return SavedArray(("int64",), (shape,), low=1, high=high, rising=True)


class _Below:
    """The arrays of a population in a state."""

    def __init__(self, state: State, name: str, texts: int) -> None:
        self._arrays = state.below(name)
        self._plain = state.plain["populations"][name]
        self._next_id = state.plain["next_id"]
        self._texts = texts
        self._agents = len(self._arrays["ids"])

    def describe(
        self, population: "Population", society: "SocietyBase[Any]"
    ) -> Iterator[tuple[str, SavedArray]]:
        """Describe memory, status and ties."""
        memory = _below(self._arrays, "memory")
        for name, description in describe_memory(memory, self._agents, self._texts):
            yield f"memory/{name}", description
        sizes = StatusSizes(
            self._agents,
            len(self._plain["labels"]),
            memory["streams/next"],
            None if society.place is None else len(society.place.zones),
            references=self._next_id,
        )
        attributes = population.memory.columns.schema.attributes
        for name, kind in self._plain["kinds"].items():
            # An attribute that was written first during the run is declared when it is restored.
            declared = attributes.get(name) or Attribute(name, kind, None, dtype="", optional=True)
            if name not in self._plain["json"]:
                yield f"columns/{name}", sizes.describe(declared)
            if declared.optional and f"present/{name}" in self._arrays:
                yield f"present/{name}", describe_present(self._agents)
        ties = _below(self._arrays, "ties")
        for kind in dict.fromkeys(name.rpartition("/")[0] for name in ties):
            for part, description in describe_network(_below(ties, kind), self._agents):
                yield f"ties/{kind}/{part}", description


def _describe_own(owner: Any, name: str, society: "SocietyBase[Any]", state: State) -> SavedArray:
    """Describe an array of a block or a part of the world by the array after `setup`."""
    built = getattr(owner, name, None)
    if not isinstance(built, np.ndarray) or name in getattr(owner, "varying", ()):
        path = next(path for path, one in declaring(society) if one is owner)
        saved = state.arrays.get(f"blocks/{path}/{name}")
        axes = 0 if saved is None else saved.ndim
        return SavedArray(("number", "bool"), (None,) * axes)
    # Axes of agents grow when agents join.
    grown = {
        length: max(
            len(state.arrays[f"{population.name}/ids"])
            for population in society.populations
            if len(population) == length
        )
        for length in map(len, society.populations)
    }
    shape = tuple(
        range(length, grown.get(length, length) + 1) if length else None for length in built.shape
    )
    rows_of = getattr(owner, "refers", {}).get(name)
    low, high = None, None
    if rows_of is not None:
        low, high = -1, len(state.arrays[f"{rows_of}/ids"]) - 1
    return SavedArray((kind_name(built.dtype),), shape, low, high)


def _below(arrays: Mapping[str, Array], prefix: str) -> dict[str, Array]:
    start = f"{prefix}/"
    return {k.removeprefix(start): v for k, v in arrays.items() if k.startswith(start)}
