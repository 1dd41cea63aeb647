"""Build a society for a saved state, and restore the state after checking its arrays."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from memopolis.sim.arrays import Array
from memopolis.sim.errors import (
    DataFileError,
    ExtraError,
    MemopolisError,
    RunFolderError,
    ServerError,
    StateError,
)
from memopolis.sim.memory.saving.arrays import (
    StatusSizes,
    check_texts,
    describe_memory,
    describe_present,
    describe_words,
    restore_texts,
)
from memopolis.sim.memory.status.schema import Attribute
from memopolis.sim.memory.streams.side_columns import below
from memopolis.sim.memory.text.texts import Texts, unpack_texts
from memopolis.sim.saved_arrays import SavedArray, check_arrays, kind_name
from memopolis.sim.settings import Settings
from memopolis.sim.society_base import SocietyBase
from memopolis.sim.state.state import State, check_fits, declaring, restore
from memopolis.sim.survey.survey import Survey
from memopolis.sim.timeline import Shock
from memopolis.sim.world.ties import describe_network

if TYPE_CHECKING:
    from memopolis.sim.memory.memory import Memory
    from memopolis.sim.population import Population


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


class WordsOfState:
    """The numbered words of a state, with all its texts, for the society to be rebuilt."""

    def __init__(self, state: State) -> None:
        self._plain = state.plain["populations"]
        self._arrays = {name: state.below(f"{name}/memory") for name in self._plain}
        first = next(iter(self._arrays.values()), None)
        for name, words in self._arrays.items():
            described = describe_words(words, has_texts=words is first)
            check_arrays(words, described, f"{name}/memory/", others=True)
        self.texts = Texts() if first is None else restore_texts(first)

    def teach(self, name: str, memory: "Memory") -> None:
        """Add the saved words to the empty memory of a population, with their numbers."""
        if name not in self._plain:
            return
        labels = self._plain[name]["labels"]
        if memory.status.labels == labels[: len(memory.status.labels)]:
            for label in labels:
                memory.status.label(label)
        for topic in unpack_texts(self._arrays[name]["topics"]):
            memory.topic_number(topic)
        memory.tags.bits(unpack_texts(self._arrays[name]["tags"]))


def built_for[S: SocietyBase[Any]](state: State, scenario: type[S], settings: Settings) -> S:
    """Build a society with the numbered words of a state, before the state is restored."""
    society = scenario.__new__(scenario)
    with refusing_invalid():
        society.words = WordsOfState(state)
        scenario.__init__(society, settings, rng=state.plain["seed"])
    society.words = None  # they hold the arrays of the state
    return society


def restore_read(society: SocietyBase[Any], state: State) -> None:
    """Restore a state that was read, in a society built for it, after checking it.

    Raises RunFolderError if a value is not what a society saves, or StateError if the society has
    other populations or blocks.
    """
    check_fits(society, state.plain)
    with refusing_invalid():
        check_state(society, state)
        restore(society, state)


@contextmanager
def refusing_invalid() -> Iterator[None]:
    """Turn errors that invalid values of a state cause into a RunFolderError."""
    try:
        yield
    except (RunFolderError, StateError, DataFileError, ExtraError, ServerError):
        raise
    except (
        ArithmeticError, AttributeError, LookupError, TypeError, ValueError, RecursionError,
    ) as error:  # fmt: skip
        kind = "" if isinstance(error, MemopolisError) else f"{type(error).__name__}: "
        raise RunFolderError(f"the state is not what its scenario saves: {kind}{error}") from error


def add_interventions(society: SocietyBase[Any], added: Mapping[str, Sequence[Any]]) -> None:
    """Add shocks and surveys of a run, as in its manifest, except the first, which it has.

    Raises TypeError, ValueError or LookupError if an entry is invalid.
    """
    clock, known = society.clock, society.interventions
    for tick, shock in added["shocks"][len(known["shocks"]) :]:
        society.steer(clock.date_of(tick), Shock.from_dict(shock))
    for tick, survey in added["surveys"][len(known["surveys"]) :]:
        society.survey(clock.date_of(tick), Survey.from_dict(survey))
