"""The complete state of a society as arrays and plain values, without pickle.

To restore a state, a society is built from its scenario, settings and seed, which recreates
everything constant; then everything that changes is set to its saved value: status, streams,
texts, ties, money, timeline, policies, the arrays declared by blocks, and the time.
"""

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.errors import StateError
from memopolis.sim.memory.status.schema import Kind, empty_of
from memopolis.sim.memory.streams.side_columns import below
from memopolis.sim.memory.views.status import StatusTable
from memopolis.sim.scenario_reference import reference_if_any
from memopolis.sim.timeline import Order

if TYPE_CHECKING:
    from memopolis.sim.population import Population
    from memopolis.sim.society_base import SocietyBase

type Arrays = dict[str, NDArray[Any]]


@dataclass
class State:
    """State of a society: arrays by path, such as "citizen/columns/hunger", and plain values."""

    arrays: Arrays = field(default_factory=dict)
    plain: dict[str, Any] = field(default_factory=dict)

    def put(self, prefix: str, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Add arrays below a path."""
        self.arrays.update({f"{prefix}/{name}": values for name, values in arrays.items()})

    def below(self, prefix: str) -> Arrays:
        """Return the arrays below a path, by the rest of their path."""
        return below(self.arrays, f"{prefix}/")


def state_of(society: "SocietyBase[Any]") -> State:
    """Collect everything that changes in a society.

    Its arrays are shared with the society where possible, so write or copy them before the society
    continues.
    """
    for population in society.populations:
        population.memory.flush()
    state = State()
    state.plain = {
        "scenario": reference_if_any(type(society)),
        "settings": json.loads(society.settings.model_dump_json()),
        "seed": society.seed,
        "time": society.time,
        "tick": society.clock.tick,
        "running": society.running,
        "next_id": society.agent_id_counter,
        "random": society.random.getstate(),
        "rng": society.rng.bit_generator.state,
        "timeline": society.timeline.state(),
        "interventions": society.interventions,
        "surveys": society.surveys.state(),
        "budget": society.budget.state(),
        "policies": _changed_rules(society),
        "measured": society.measured,
        "collected": {m.name: society.datacollector.model_vars[m.name] for m in society.measures},
        "populations": {p.name: _collect(society, p, state) for p in society.populations},
        "blocks": [name for name, _ in declaring(society)],
    }
    for name, owner in declaring(society):
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


def restore(society: "SocietyBase[Any]", state: State) -> None:
    """Restore a checked state in a society that was just built with its numbered words."""
    plain = state.plain
    society.skip(plain["time"])
    society.clock.tick = plain["tick"]
    society.running = plain["running"]
    for population in society.populations:
        _restore_population(population, state)
    society.agent_id_counter = plain["next_id"]
    version, words, gauss = plain["random"]
    society.random.setstate((version, tuple(words), gauss))
    society.rng.bit_generator.state = plain["rng"]
    society.timeline.restore(plain["timeline"])
    society.interventions = {
        name: list(entries) for name, entries in plain["interventions"].items()
    }
    society.surveys.restore(plain["surveys"])
    society.budget.restore(plain["budget"])
    for tick, shock in society.timeline.past:
        if isinstance(shock, Order):
            # Its effect is not part of the state, so it is applied again.
            society.clock.tick = tick
            society.happen(shock)
    society.clock.tick = plain["tick"]
    society.policies |= plain["policies"]
    society.measured = plain["measured"]
    society.datacollector.model_vars.update(plain["collected"])
    for name, owner in declaring(society):
        for key, values in state.below(f"blocks/{name}").items():
            setattr(owner, key, values.copy())
    if society.ledger is not None:
        society.ledger.restore(plain["ledger"] | state.below("ledger"))
    if society.loans is not None:
        outstanding = state.arrays["loans/outstanding"]
        society.loans.restore({"outstanding": outstanding, "reserves": plain["reserves"]})


def _changed_rules(society: "SocietyBase[Any]") -> dict[str, Any]:
    """Return the rules changed since the society was built; others follow the settings."""
    built = society.rules
    return {k: v for k, v in society.policies.items() if k not in built or built[k] != v}


def _collect(society: "SocietyBase[Any]", population: "Population", state: State) -> dict[str, Any]:
    """Add the arrays of a population to a state, and return its plain values."""
    name, memory = population.name, population.memory
    stored = memory.state()
    if population is not society.populations[0]:
        # All populations share one set of texts, saved with the first.
        stored = {key: values for key, values in stored.items() if not key.startswith("texts/")}
    status = memory.status.state()
    texts = {key: v.tolist() for key, v in status["arrays"].items() if v.dtype == object}
    numbers = {key: v for key, v in status["arrays"].items() if key not in texts}
    state.put(f"{name}/columns", numbers)
    state.put(f"{name}/present", status["present"])
    state.put(f"{name}/memory", stored)
    state.put(f"{name}/ties", population.ties.state())
    state.put(name, {"ids": population.ids})
    return {
        "labels": status["labels"],
        "json": dict(sorted(texts.items())),
        "kinds": {key: a.kind for key, a in population.attributes.items()},
        "blocks": [block.name for block in population.blocks],
    }


def _restore_population(population: "Population", state: State) -> None:
    name, memory = population.name, population.memory
    plain = state.plain["populations"][name]
    columns = state.below(f"{name}/columns")
    population.restore(state.arrays[f"{name}/ids"].copy(), columns["alive"])
    present = state.below(f"{name}/present")
    _declare(memory.status, plain["kinds"], optional=present)
    texts = {key: np.array(values, dtype=object) for key, values in plain["json"].items()}
    labels, topics, tags = memory.status.labels, list(memory.topics), list(memory.tags.all)
    memory.status.restore(
        {"arrays": columns | texts, "present": present, "labels": plain["labels"]}
    )
    memory.restore(state.below(f"{name}/memory"), texts=population.society.texts, is_checked=True)
    # New words of this society, numbered after those of the state.
    for label in labels:
        memory.status.label(label)
    for topic in topics:
        memory.topic_number(topic)
    memory.tags.bits(tags)
    population.ties.restore(state.below(f"{name}/ties"))


def _declare(status: StatusTable, kinds: Mapping[str, Kind], *, optional: Collection[str]) -> None:
    """Declare the attributes that were added during the run."""
    for name, kind in kinds.items():
        if name not in status.attributes:
            status.declare(name, empty_of(kind), optional=name in optional)


def declaring(society: "SocietyBase[Any]") -> Iterator[tuple[str, Any]]:
    """Yield the path of each block and part of the world that declares a state, and itself."""
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


def check_fits(society: "SocietyBase[Any]", plain: Mapping[str, Any]) -> None:
    """Refuse a state of a society with other populations or blocks."""
    saved = {name: p["blocks"] for name, p in plain["populations"].items()}
    built = {p.name: [block.name for block in p.blocks] for p in society.populations}
    if saved != built:
        raise StateError(
            f"{type(society).__name__} now has other populations or blocks than when its state "
            f"was saved: {built}, saved {saved}"
        )
