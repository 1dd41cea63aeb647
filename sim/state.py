"""The whole state of a society in a folder: arrays and plain JSON, no pickle.

A society is first built anew from its scenario, settings and seed, which gives everything
that never changes; then all that does change takes its saved value: status, streams, texts,
ties, money, timeline, policies, the arrays that blocks declare, and the time.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.errors import RunFolderError, StateError
from memopolis.sim.memory.status.columns import Columns
from memopolis.sim.memory.status.schema import Kind, empty_of
from memopolis.sim.scenario_names import find_scenario, reference_to
from memopolis.sim.timeline import Order

if TYPE_CHECKING:
    from memopolis.sim.population import Population
    from memopolis.sim.society import Society
    from memopolis.sim.world.ledger import LedgerState

FORMAT = 1
"""Changes when older states can no longer be read."""

type Arrays = dict[str, NDArray[Any]]

_JSON, _ARRAYS = "state.json", "arrays.npz"


@dataclass
class State:
    """What is saved: arrays by path, and plain values.

    Attributes:
        arrays: Numbers, such as "citizen/columns/hunger".
        plain: Everything else, as JSON can hold it.
    """

    arrays: Arrays = field(default_factory=dict)
    plain: dict[str, Any] = field(default_factory=dict)

    def put(self, prefix: str, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Add arrays below a path."""
        self.arrays.update({f"{prefix}/{name}": values for name, values in arrays.items()})

    def below(self, prefix: str) -> Arrays:
        """The arrays below a path, by the rest of their path."""
        start = f"{prefix}/"
        return {k.removeprefix(start): v for k, v in self.arrays.items() if k.startswith(start)}


def save_state(society: "Society[Any]", folder: str | Path) -> Path:
    """Save a society between two steps.

    Args:
        society: Which; it can go on afterwards.
        folder: Where; must not exist or be empty.

    Returns:
        The folder, for `load_state`.

    Raises:
        RunFolderError: If the folder holds something or cannot be written.
        StateError: If the society's class lies where it could not be found again, or a state
            that is to be saved is no array.
    """
    state = state_of(society)
    path = Path(folder)
    if path.is_dir() and any(path.iterdir()):
        raise RunFolderError(f"{path} exists and is not empty; name another folder")
    try:
        path.mkdir(parents=True, exist_ok=True)
        np.savez(path / _ARRAYS, allow_pickle=False, **state.arrays)
        # Written last: a folder without it was not finished.
        (path / _JSON).write_text(json.dumps(state.plain) + "\n", encoding="utf-8")
    except OSError as error:
        raise RunFolderError(f"{path} cannot be written: {error.strerror}") from None
    return path


def load_state(folder: str | Path) -> "Society[Any]":
    """Build a society as `save_state` left it.

    Raises:
        RunFolderError: If there is no state, or it is broken or of another format.
        StateError: If the scenario now has other populations or blocks.
        UnknownNameError: If the scenario is not found.
        SettingsError: If it no longer takes the saved settings.
    """
    state = _read(Path(folder))
    scenario = find_scenario(state.plain["scenario"])
    settings = scenario.settings_class(**state.plain["settings"])
    society = scenario(settings, rng=state.plain["seed"])
    restore(society, state)
    return society


def state_of(society: "Society[Any]") -> State:
    """Gather all that changes in a society."""
    for population in society.populations:
        population.memory.flush()
    state = State()
    state.plain = {
        "format": FORMAT,
        "scenario": reference_to(type(society)),
        "settings": json.loads(society.settings.model_dump_json()),
        "seed": society.seed,
        "time": society.time,
        "tick": society.clock.tick,
        "running": society.running,
        "next_id": society.agent_id_counter,
        "random": society.random.getstate(),
        "rng": society.rng.bit_generator.state,
        "timeline": society.timeline.state(),
        "surveys": society.surveys.state(),
        "budget": society.budget.state(),
        "policies": society.policies,
        "measured": society.measured,
        "populations": {p.name: _gather(p, state) for p in society.populations},
        "blocks": [name for name, _ in _declaring(society)],
    }
    for name, owner in _declaring(society):
        state.put(f"blocks/{name}", {key: _array(owner, key) for key in owner.state})
    if society.ledger is not None:
        ledger = dict(society.ledger.state())
        arrays = ("balances", "kind_of")
        state.put("ledger", {name: np.asarray(ledger.pop(name)) for name in arrays})
        state.plain["ledger"] = ledger
    if society.loans is not None:
        loans = society.loans.state()
        state.put("loans", {"outstanding": loans["outstanding"]})
        state.plain["reserves"] = loans["reserves"]
    return state


def restore(society: "Society[Any]", state: State) -> None:
    """Give a society, freshly built from the same settings and seed, its saved state.

    Raises:
        StateError: If it has other populations or blocks.
    """
    plain = state.plain
    _check(society, plain)
    society.skip(plain["time"])
    society.clock.tick = plain["tick"]
    society.running = plain["running"]
    for population in society.populations:
        _take(population, state)
    society.texts = society.populations[0].memory.texts if society.populations else society.texts
    society.agent_id_counter = plain["next_id"]
    version, words, gauss = plain["random"]
    society.random.setstate((version, tuple(words), gauss))
    society.rng.bit_generator.state = plain["rng"]
    society.timeline.restore(plain["timeline"])
    society.surveys.restore(plain["surveys"])
    society.budget.restore(plain["budget"])
    for tick, shock in society.timeline.past:
        if isinstance(shock, Order):
            # Its effect lies in what `build` made anew, so it is given again.
            society.clock.tick = tick
            society.happen(shock)
    society.clock.tick = plain["tick"]
    society.policies = plain["policies"]
    society.measured = plain["measured"]
    for name, owner in _declaring(society):
        for key, values in state.below(f"blocks/{name}").items():
            setattr(owner, key, values)
    if society.ledger is not None:
        society.ledger.restore(cast("LedgerState", plain["ledger"] | state.below("ledger")))
    if society.loans is not None:
        outstanding = state.arrays["loans/outstanding"]
        society.loans.restore({"outstanding": outstanding, "reserves": plain["reserves"]})


def _gather(population: "Population", state: State) -> dict[str, Any]:
    """Add the arrays of a population; give what is no array."""
    name, memory = population.name, population.memory
    stored = memory.state()
    if population is not population.society.populations[0]:
        # All populations share one set of texts: it is saved with the first.
        stored = {key: values for key, values in stored.items() if not key.startswith("texts/")}
    columns = memory.columns
    texts = {key for key, values in columns.arrays.items() if values.dtype == object}
    numbers = {key: values for key, values in columns.arrays.items() if key not in texts}
    state.put(f"{name}/columns", numbers)
    state.put(f"{name}/memory", stored)
    state.put(f"{name}/ties", population.ties.state())
    state.put(name, {"ids": population.ids})
    return {
        "labels": columns.texts,
        "json": {key: columns.arrays[key].tolist() for key in sorted(texts)},
        "kinds": {key: a.kind for key, a in columns.schema.attributes.items()},
        "blocks": [block.name for block in population.blocks],
    }


def _take(population: "Population", state: State) -> None:
    name, memory = population.name, population.memory
    plain = state.plain["populations"][name]
    columns = state.below(f"{name}/columns")
    first = population.society.populations[0].memory
    population.restore(state.arrays[f"{name}/ids"], columns["alive"])
    _declare(memory.columns, plain["kinds"])
    texts = {key: np.array(values, dtype=object) for key, values in plain["json"].items()}
    memory.columns.restore({"arrays": columns | texts, "labels": plain["labels"]})
    memory.restore(state.below(f"{name}/memory"), texts=None if memory is first else first.texts)
    population.ties.restore(state.below(f"{name}/ties"))


def _declare(columns: Columns, kinds: Mapping[str, Kind]) -> None:
    """Declare the attributes that came up during the run."""
    for name, kind in kinds.items():
        if name not in columns.arrays:
            columns.declare(name, empty_of(kind))


def _declaring(society: "Society[Any]") -> Iterator[tuple[str, Any]]:
    """Blocks and parts of the world that declare a state, by path."""
    for population in society.populations:
        for block in population.blocks:
            if block.state:
                yield f"{population.name}/{block.name}", block
    for number, part in enumerate(society.world):
        if getattr(part, "state", ()):
            yield f"world/{number}", part


def _array(owner: Any, key: str) -> NDArray[Any]:
    values = getattr(owner, key)
    if not isinstance(values, np.ndarray) or values.dtype == object:
        raise StateError(
            f"{type(owner).__name__}.{key} is declared as state and must be an array of numbers, "
            f"so that it can be saved; it is {type(values).__name__}"
        )
    return values


def _check(society: "Society[Any]", plain: Mapping[str, Any]) -> None:
    saved = {name: p["blocks"] for name, p in plain["populations"].items()}
    built = {p.name: [block.name for block in p.blocks] for p in society.populations}
    if saved != built:
        raise StateError(
            f"{type(society).__name__} now has other populations or blocks than when its state "
            f"was saved: {built}, saved {saved}"
        )


def _read(folder: Path) -> State:
    try:
        plain = json.loads((folder / _JSON).read_text(encoding="utf-8"))
        with np.load(folder / _ARRAYS, allow_pickle=False) as arrays:
            state = State({name: arrays[name] for name in arrays.files}, plain)
    except FileNotFoundError as error:
        raise RunFolderError(
            f"{folder} holds no saved state: no {Path(error.filename).name}"
        ) from None
    except (OSError, ValueError) as error:
        raise RunFolderError(f"the state in {folder} is broken: {error}") from None
    if plain.get("format") != FORMAT:
        raise RunFolderError(
            f"the state in {folder} has format {plain.get('format')}; this version reads {FORMAT}"
        )
    return state
