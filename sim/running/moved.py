"""A saved state taken over by a society, with the same settings or with others.

With others, what has happened comes from the state, and what is still to happen from the
society that is built with them: its timeline and its surveys from the step on.
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
    """What a society was like when it was built.

    Attributes:
        start: Date of tick 0.
        hours: Length of a tick.
        agents: How many agents each population had.
        blocks: Their behaviours.
        zones: Zones of the place.
        timeline: Its shocks, as `Timeline.state`.
        surveys: Its surveys, as `Schedule.state`.
        status: Checksum of each attribute of everyone, and of their ties.
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
        """Look at a society before its first step."""
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
    """Build a society that takes over a state with the settings it was saved with.

    Returns:
        The society as it was between two steps, and what it was like when it was built.

    Raises:
        StateError: If it has other populations or blocks.
    """
    society = built_for(state, scenario, settings)
    built = Built.of(society)
    _take(society, state)
    return society, built


def society_moved(
    state: State, scenario: type[Society[Any]], settings: Settings, before: Built
) -> tuple[Society[Any], Built]:
    """Build a society that takes over a state of one with other settings.

    Args:
        state: The state.
        scenario: Class of both.
        settings: Settings from now on.
        before: What the society that was saved was like when it was built.

    Returns:
        The society, and what it was like when it was built.

    Raises:
        StateError: If it has other populations or blocks.
    """
    society = built_for(state, scenario, settings)
    built = Built.of(society)
    plain, step = state.plain, round(state.plain["time"])
    budget = dict(plain["budget"])
    if _limits(plain["settings"]) != _limits(settings.model_dump()):
        budget["reached"] = 0  # a larger one may have something left
    changed = {
        "timeline": _timeline(plain["timeline"], before.timeline, built.timeline, step),
        "surveys": _surveys(plain["surveys"], before.surveys, built.surveys, step),
        "budget": budget,
    }
    _take(society, State(state.arrays, {**plain, **changed}))
    return society, built


def _take(society: Society[Any], state: State) -> None:
    restore(society, state)
    # The settings, and not what a mere step found, say how far the society is to go.
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
    """What has happened, then what the settings let happen, and what was set by other means."""
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
    """Entries but for those known, each of which takes away one."""
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
