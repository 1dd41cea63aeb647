"""Rebuild a society from a saved state, with the same or with changed settings.

The society is built with the numbered words of the state: texts, labels, topics and tags keep
their saved numbers, and new words are numbered after them. A block may therefore store such a
number in `setup`, even if the settings differ from those saved. With changed settings, past events
come from the state; future events and surveys come from the society built with the new settings.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np

from memopolis.sim.errors import StateError
from memopolis.sim.run_size import check_size
from memopolis.sim.running.trust import Trust
from memopolis.sim.settings import Settings
from memopolis.sim.society import Society
from memopolis.sim.state.plain import read_checked
from memopolis.sim.state.rebuilding import built_for, refusing_invalid, restore_read
from memopolis.sim.state.state import State, restore


def load_state(
    folder: str | Path, *, scenario: "type[Society[Any]] | None" = None, trust: bool = False
) -> "Society[Any]":
    """Rebuild a society as `save_state` saved it, between two steps.

    The folder may also be a checkpoint. The scenario is found by its saved name, if it is
    installed; pass its class if it is defined in a notebook or a function. With `trust`, the state
    may name any code, files and servers, see SECURITY.md. Raises StateError if the scenario now has
    other populations or blocks, or no name was saved.
    """
    state = read_checked(Path(folder))
    plain = state.plain
    if scenario is None and not plain["scenario"]:
        raise StateError(
            "the scenario was defined in a notebook or a function, so it cannot be imported; pass "
            "its class as `scenario`"
        )
    allowed = Trust(scenario=scenario, everything=trust)
    kind = allowed.find(plain["scenario"], "the saved state")
    settings = settings_of(state, kind)
    allowed.check(settings, "the saved state")
    check_size(kind, settings)
    society = built_for(state, kind, settings)
    restore_read(society, state)
    return society


def settings_of[S: Settings](state: State, scenario: "type[Society[S]]") -> S:
    """Return the settings in a state; RunFolderError if the scenario does not allow them."""
    with refusing_invalid():
        return scenario.settings_class(**state.plain["settings"])  # type: ignore[return-value]


type Entries = list[list[Any]]


@dataclass(frozen=True)
class Built:
    """Describe a society as it was built, before its first step.

    `timeline` and `surveys` are states of the society's; `status` has a checksum of each attribute
    and of the ties.
    """

    start: datetime
    hours: float
    agents: dict[str, int]
    blocks: dict[str, list[str]]
    zones: tuple[str, ...]
    timeline: dict[str, Any]
    surveys: dict[str, Any]
    status: dict[str, int]

    @classmethod
    def of(cls, society: Society[Any]) -> "Built":
        """Describe a society before its first step."""
        place = society.place
        return cls(
            society.clock.start,
            society.clock.hours,
            {population.name: len(population) for population in society.populations},
            {p.name: [block.name for block in p.blocks] for p in society.populations},
            () if place is None else tuple(place.zones),
            society.timeline.state(),
            society.surveys.state(),
            _status(society),
        )


def society_from(
    state: State, scenario: type[Society[Any]], settings: Settings, *, before: Built | None = None
) -> tuple[Society[Any], Built]:
    """Rebuild a society from a state, between two steps.

    Settings are those of the state, unless `before`, the description of its society as first built,
    is given. Returns a description of the new society as first built, too.
    """
    society = built_for(state, scenario, settings)
    built = Built.of(society)
    if before is not None:
        # It was checked with the settings of the state.
        state = State(state.arrays, {**state.plain, **_moved(state.plain, settings, before, built)})
        restore(society, state)
    else:
        restore_read(society, state)
    # The settings determine the last step, not the state.
    society.running = round(society.time) < society.ticks
    counted = state.plain.get("position", {}).get("mind")
    if counted:
        with refusing_invalid():
            society.mind.restore(counted)
    return society, built


def _moved(
    plain: Mapping[str, Any], settings: Settings, before: Built, built: Built
) -> dict[str, Any]:
    """Return the plain values of a state that changed settings affect."""
    step, budget = round(plain["time"]), dict(plain["budget"])
    if _limits(plain["settings"]) != _limits(settings.model_dump()):
        budget["reached"] = 0  # a larger budget may not be spent yet
    return {
        "timeline": _timeline(plain["timeline"], before.timeline, built.timeline, step),
        "surveys": _surveys(plain["surveys"], before.surveys, built.surveys, step),
        "budget": budget,
    }


def _timeline(
    saved: Mapping[str, Entries],
    before: Mapping[str, Entries],
    built: Mapping[str, Entries],
    step: int,
) -> dict[str, Entries]:
    """Combine past shocks, shocks of the new settings, and shocks added in other ways."""
    others = _without(saved["pending"], before["pending"])
    coming = [entry for entry in built["pending"] if entry[0] >= step]
    pending = sorted([*coming, *others], key=lambda entry: int(entry[0]))
    return {"past": list(saved["past"]), "pending": pending}


def _surveys(
    saved: Mapping[str, Any], before: Mapping[str, Any], built: Mapping[str, Any], step: int
) -> dict[str, Any]:
    by_name = {survey["name"]: survey for plan in (saved, built) for survey in plan["surveys"]}
    ticks: dict[int, list[str]] = {
        tick: list(names) for tick, names in saved["ticks"] if tick < step
    }
    others = _without(_pairs(saved, step), _pairs(before, step))
    for tick, name in [*_pairs(built, step), *others]:
        names = ticks.setdefault(tick, [])
        if name not in names:
            names.append(name)
    return {"surveys": list(by_name.values()), "ticks": sorted(ticks.items())}


def _pairs(plan: Mapping[str, Any], step: int) -> Entries:
    return [[tick, name] for tick, names in plan["ticks"] if tick >= step for name in names]


def _without(entries: list[Any], known: list[Any]) -> list[Any]:
    """Remove each known entry once from a list of entries."""
    left = list(known)
    others = []
    for entry in entries:
        if entry in left:
            left.remove(entry)
        else:
            others.append(entry)
    return others


def _limits(settings: Mapping[str, Any]) -> list[Any]:
    return [settings["llm"][name] for name in ("budget_tokens", "budget_calls")]


def _status(society: Society[Any]) -> dict[str, int]:
    sums: dict[str, int] = {}
    for population in society.populations:
        name = population.name
        status = population.memory.status.state()["arrays"]
        arrays = {f"{name}.{key}": values for key, values in status.items()}
        arrays |= {f"{name}.ties.{key}": v for key, v in population.ties.state().items()}
        for key, values in arrays.items():
            if values.dtype != object:
                sums[key] = crc32(np.ascontiguousarray(values).tobytes())
    return sums
