"""Rebuild a society from a saved state, with the same or with changed settings.

With changed settings, past events come from the state; future events and surveys come from the
society built with the new settings.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from zlib import crc32

import numpy as np

from memopolis.sim.settings import Settings
from memopolis.sim.society import Society
from memopolis.sim.state.building import built_for
from memopolis.sim.state.state import State, restore

type Entries = list[list[Any]]


@dataclass(frozen=True)
class Built:
    """Describe a society as it was built, before its first step.

    Attributes:
        start: Date of tick 0.
        hours: Length of a tick.
        agents: Number of agents in each population.
        blocks: Names of the blocks of each population.
        zones: Zones of the place.
        timeline: Shocks, from `Timeline.state`.
        surveys: Surveys, from `Schedule.state`.
        status: Checksums of all attributes and ties.
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
    state: State, scenario: type[Society[Any]], settings: Settings
) -> tuple[Society[Any], Built]:
    """Rebuild a society from a state with the settings of that state.

    Returns:
        The society between two steps, and a description of it as first built.

    Raises:
        StateError: If the society has other populations or blocks than the state.
    """
    society = built_for(state, scenario, settings)
    built = Built.of(society)
    _take(society, state)
    return society, built


def society_moved(
    state: State, scenario: type[Society[Any]], settings: Settings, before: Built
) -> tuple[Society[Any], Built]:
    """Rebuild a society from a state with changed settings.

    Args:
        state: State of the old society.
        scenario: Class of both societies.
        settings: New settings.
        before: Description of the old society as first built.

    Returns:
        The society, and a description of it as first built.

    Raises:
        StateError: If the society has other populations or blocks than the state.
    """
    society = built_for(state, scenario, settings)
    built = Built.of(society)
    plain, step = state.plain, round(state.plain["time"])
    budget = dict(plain["budget"])
    if _limits(plain["settings"]) != _limits(settings.model_dump()):
        budget["reached"] = 0  # a larger budget may not be spent yet
    changed = {
        "timeline": _timeline(plain["timeline"], before.timeline, built.timeline, step),
        "surveys": _surveys(plain["surveys"], before.surveys, built.surveys, step),
        "budget": budget,
    }
    _take(society, State(state.arrays, {**plain, **changed}))
    return society, built


def _take(society: Society[Any], state: State) -> None:
    restore(society, state)
    # The settings determine the last step, not the state.
    society.running = round(society.time) < society.ticks
    counted = state.plain.get("position", {}).get("mind")
    if counted:
        society.mind.restore(counted)


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
    by_name = {one["name"]: one for plan in (saved, built) for one in plan["surveys"]}
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
        arrays = {f"{name}.{key}": v for key, v in population.memory.columns.arrays.items()}
        arrays |= {f"{name}.ties.{key}": v for key, v in population.ties.state().items()}
        for key, values in arrays.items():
            if values.dtype != object:
                sums[key] = crc32(np.ascontiguousarray(values).tobytes())
    return sums
