"""Moments of a run for map and network in the browser: all at first, then only what changed."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from memopolis.analysis.figures.network_now import NetworkNow
from memopolis.analysis.figures.place_now import PlaceNow
from memopolis.analysis.figures.shades import DENSITY, Shade, column_in_words, limits, shade_of
from memopolis.analysis.figures.storm_now import far_from, track_of
from memopolis.analysis.figures.style import OPINION_COLOURS
from memopolis.analysis.labels import short
from memopolis.analysis.run.positions import Positions
from memopolis.analysis.run.run import Run
from memopolis.commands.shown_text import one_line
from memopolis.dashboard.map.packing import numbers_or_none, pack, pack_gaps, shares

# Activities of people in words, and the groups by which the map colours them.

GROUPS = (
    "at home",
    "at work or school",
    "eating, free time, friends",
    "shopping",
    "preparing to stay or leave",
    "driving out",
    "other",
)
"""Groups of activities, in the order of their colours in `colours.css`."""
_CITIZENS = {
    "idle": ("at home", "at leisure"),
    "sleep": ("at home", "asleep"),
    "rest": ("at home", "resting at home"),
    "television": ("at home", "watching television"),
    "housework": ("at home", "doing housework"),
    "care": ("at home", "looking after others"),
    "personal care": ("at home", "washing and dressing"),
    "study": ("at home", "studying at home"),
    "work": ("at work or school", "at work"),
    "school": ("at work or school", "at school"),
    "in care": ("at work or school", "looked after by others"),
    "eat": ("eating, free time, friends", "eating"),
    "meet": ("eating, free time, friends", "meeting a friend"),
    "message": ("eating, free time, friends", "exchanging messages"),
    "leisure": ("eating, free time, friends", "spending free time"),
    "sport": ("eating, free time, friends", "doing sport"),
    "religion": ("eating, free time, friends", "at a service or volunteering"),
    "shop": ("shopping", "shopping"),
    "travel": ("other", "on the way"),
    "stock up": ("preparing to stay or leave", "buying supplies"),
    "fuel": ("preparing to stay or leave", "filling the tank"),
    "secure home": ("preparing to stay or leave", "securing the home"),
    "pack": ("preparing to stay or leave", "packing to leave"),
    "drive": ("driving out", "driving out of the region"),
    "away": ("other", "away from the region"),
}
"""Group and words of the activities of citizens."""
_ON_ROAD = "drive"


def groups_of(activities: Sequence[str], noun: str) -> list[dict[str, str]]:
    """Return the groups in which the map colours people, as label and name of a colour.

    Activities of citizens have groups, others their own. People without activities are called
    `noun`.
    """
    labels = list(dict.fromkeys(_group_of(name, activities, noun) for name in activities))
    if set(labels) <= set(GROUPS):
        numbers = {name: i for i, name in enumerate(GROUPS, 1) if name in labels}
    else:
        numbers = {name: i % len(GROUPS) + 1 for i, name in enumerate(labels)}
    return [{"label": name, "colour": f"--group-{i}"} for name, i in numbers.items()]


def activities_in_words(activities: Sequence[str], noun: str) -> list[dict[str, Any]]:
    """Return for each activity the number of its group, its words, and whether it is on a road."""
    labels = [group["label"] for group in groups_of(activities, noun)]
    return [
        {
            "group": labels.index(_group_of(name, activities, noun)),
            "phrase": _CITIZENS[name][1] if name in _CITIZENS else name,
            "onRoad": name == _ON_ROAD,
        }
        for name in activities
    ]


def _group_of(name: str, activities: Sequence[str], noun: str) -> str:
    if not any(activities):
        return noun
    if set(activities) <= set(_CITIZENS):
        return _CITIZENS[name][0]
    return name or "other"


PLAIN = "plain"  # shade of zones that are not shaded
ACTIVITY = "activity"  # colour of people by what they do
_MOST = 254
_MOST_NARROW = 127
_MOST_SHADE, _ABSENT = 250, 254
_NAME = 24


@dataclass
class MapOptions:
    """What a visitor chose to see."""

    shade: str = PLAIN  # `PLAIN`, "density", or a recorded numeric attribute of people
    colour: str = ACTIVITY  # `ACTIVITY`, or a recorded numeric attribute of people


class MapFrames:
    """Frames of a map, each with what changed since the one before; see `js/index.js`."""

    def __init__(self) -> None:
        self._positions = Positions()
        self._sent: dict[str, Any] = {}

    def next(self, run: Run, options: MapOptions, step: int) -> dict[str, Any]:
        """Return the frame of a moment of a run; always of the same run.

        `step` is that of the clock, which differs from that of the run if two runs share it.
        """
        changes = self._positions.go_to(run)
        now = _place_now(run, self._positions, {options.shade, options.colour})
        people: dict[str, Any] = {
            "zone": pack(changes.zone, "i1" if len(run.zones) <= _MOST_NARROW else "i2"),
            "doing": pack(changes.doing, "u1"),
        }
        if changes.whole:
            people["agents"] = pack(self._positions.agents, "i4")
        else:
            people["gaps"] = pack_gaps(changes.rows)
        colouring, values = _colouring(now, options.colour)
        if values is not None and (changes.whole or self._is_new("values", values.tobytes())):
            people["colour"] = pack(values, "u1")
        activities = self._positions.activities
        parts = {
            "activities": activities_in_words(activities, now.noun),
            "groups": groups_of(activities, now.noun),
            "colouring": colouring,
            "shade": _shading(now, options.shade),
            "wind": _wind(now),
            "orders": _orders(now),
            "storm": _storm(now),
        }
        new = {name: part for name, part in parts.items() if self._is_new(name, part)}
        return {"step": step, "people": people, **new}

    def _is_new(self, name: str, part: object) -> bool:
        if name in self._sent and self._sent[name] == part:
            return False
        self._sent[name] = part
        return True


def _place_now(run: Run, positions: Positions, columns: set[str]) -> PlaceNow:
    """Return the place with the people present, and only the columns that are shown."""
    here = positions.zone >= -1
    agents = positions.agents[here]
    people = pd.DataFrame(
        {"tick": run.ticks - 1, "agent": agents, "zone": positions.zone[here].astype(np.int64)}
    )
    wanted = columns - {PLAIN, DENSITY, ACTIVITY} | {"home"} if columns != {PLAIN, ACTIVITY} else ()
    table = f"agents_{run.first_population}"
    known = [name for name in wanted if run.has(table, name)]
    if known:
        rows = run.reader.newest(table, run.ticks, known).to_pandas()
        status = rows.set_index("agent")[known].reindex(agents)
        people = pd.concat([people, status.reset_index(drop=True)], axis=1)
    return PlaceNow(run, run.zones, people)


def _colouring(now: PlaceNow, column: str) -> tuple[dict[str, Any] | None, NDArray | None]:  # type: ignore[type-arg]
    """Return the scale of an attribute, and the value of each person from 0 to 254."""
    if column == ACTIVITY or column not in now.people:
        return None, None
    values = pd.to_numeric(now.people[column], errors="coerce").to_numpy(
        np.float64, na_value=np.nan
    )
    low, high = limits(values, now.run.attributes(now.run.first_population).get(column))
    scale = {
        "title": column_in_words(column),
        "colours": OPINION_COLOURS,
        "low": short(low),
        "high": short(high),
    }
    return scale, shares(values, low, high, _MOST)


def _shading(now: PlaceNow, name: str) -> dict[str, Any] | None:
    if name == PLAIN:
        return None
    shade: Shade = shade_of(now, name)
    return {
        "title": shade.title,
        "label": shade.label,
        "values": numbers_or_none(shade.amounts),
        "low": shade.low,
        "high": shade.high,
        "stretched": shade.stretched,
        "texts": [shade.format(shade.low), shade.format(shade.high)],
    }


def _wind(now: PlaceNow) -> dict[str, Any] | None:
    if not {"wind_kt", "wind_from"}.issubset(now.weather):
        return None
    columns = {"kt": "wind_kt", "from": "wind_from"}
    return {key: numbers_or_none(now.weather[name], 0) for key, name in columns.items()}


def _orders(now: PlaceNow) -> list[int] | None:
    orders: list[int] = now.orders.tolist()
    return orders if any(orders) else None


def _storm(now: PlaceNow) -> dict[str, Any] | None:
    track = track_of(now.run)
    if track is None:
        return None
    row = -1 if track.now is None else track.now
    away = far_from(track, now)
    text = track.description + (f", {away:,.0f} km away" if np.isfinite(away) else "")
    return {"row": row, "passed": track.passed, "text": text, "km": numbers_or_none([away], 0)[0]}


def describe_ties(now: NetworkNow) -> dict[str, Any]:
    """Describe agents, their places and ties as `js/network.js` expects them."""
    layout = now.layout
    return {
        "agents": pack(layout.agents, "i4"),
        "places": pack(layout.places.ravel(), "f4"),
        "ties": pack(layout.ties.ravel(), "i2"),
    }


def describe_colours(now: NetworkNow) -> dict[str, Any]:
    """Describe the colour and the group of each agent at a moment."""
    rows = now.rows
    own = np.full(len(rows), np.nan)
    own[rows >= 0] = now.amounts[rows[rows >= 0]]
    low, high = limits(now.amounts, now.facts)
    values = shares(own, low, high, _MOST_SHADE)
    if len(now.people):
        values[rows < 0] = _ABSENT
    groups, group = now.groups
    return {
        "values": pack(values, "u1"),
        "lowest": low,
        "highest": high,
        "low": short(low),
        "high": short(high),
        "title": now.called if now.column in now.people else "",
        "colours": OPINION_COLOURS,
        "groups": [one_line(name, most=_NAME) for name in groups],
        "group": pack(group, "u1"),
        "note": now.counts,
    }
