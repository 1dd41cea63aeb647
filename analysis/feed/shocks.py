"""Describe the shocks of a run and the orders in force as lines of a feed."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from memopolis.analysis.labels import words
from memopolis.analysis.run.run import Run

_KINDS = {"News": "news", "Message": "message"}
"""Kind of line by kind of shock; an order for all others."""
_IN_FORCE = {
    0: "Evacuation order lifted",
    1: "Voluntary evacuation order",
    2: "Mandatory evacuation order",
}
"""Text of an order by its number in the table `weather`."""
MOST_NAMED = 3  # most agents or zones that a line names


@dataclass(frozen=True)
class ShockLine:
    """A shock, or a change of the orders in force, in words."""

    tick: int  # step in which it happened, from 0
    kind: str  # kind of line: news, order or message
    title: str  # what it is, such as "News"
    text: str  # text of the shock
    audience: str = ""  # its audience, and other values
    by_hand: bool = False  # whether a user sent it
    zones: tuple[str, ...] = ()  # names of the zones that it is for; () for no zone in particular
    agents: tuple[int, ...] = ()  # agents that it is sent to; () for none in particular


def shock_lines(run: Run) -> list[ShockLine]:
    """Return the past shocks of a run at a moment, in the order of their steps."""
    sent = [(int(tick), repr(shock)) for tick, shock in run.manifest["interventions"]["shocks"]]
    lines = []
    for tick, shock in run.manifest["timeline"]["past"]:
        if tick < run.ticks:
            mark = (int(tick), repr(shock))
            by_hand = mark in sent
            if by_hand:
                sent.remove(mark)
            lines.append(_line(run, int(tick), shock, by_hand=by_hand))
    ordered = {line.tick for line in lines if line.title == "Order"}
    changes = [line for line in _orders_in_force(run) if line.tick not in ordered]
    return sorted([*lines, *changes], key=lambda line: line.tick)


def _line(run: Run, tick: int, shock: Mapping[str, Any], *, by_hand: bool) -> ShockLine:
    name = str(shock.get("shock", ""))
    kind = _KINDS.get(name, "order")
    values = {key: value for key, value in shock.items() if key != "shock"}
    if name == "Message":
        to = tuple(int(agent) for agent in values.get("to", ()))
        return ShockLine(
            tick, kind, name, str(values["text"]), f"to {_named(run, to)}", by_hand, agents=to
        )
    if name == "News":
        zones = _zones_in(run, [values["audience"]])
        audience = f"to {_zone_label(run, str(values['audience']))}"
        return ShockLine(tick, kind, name, str(values["text"]), audience, by_hand, zones)
    if name == "Order":
        named = [str(zone) for zone in values["zones"]]
        text = f"{words(str(values['status']))} order"
        audience = f"to {_listed([_zone_label(run, zone) for zone in named])}"
        return ShockLine(tick, kind, name, text, audience, by_hand, _zones_in(run, named))
    if name == "Policy":
        return ShockLine(tick, kind, name, f"{words(str(values['key']))} is {values['value']}")
    text = str(values.pop("text", ""))
    rest = " · ".join(f"{words(key).lower()} {_plain(value)}" for key, value in values.items())
    return ShockLine(tick, kind, words(name), text, rest, by_hand)


def _orders_in_force(run: Run) -> Iterator[ShockLine]:
    """Yield a line for each change of the orders in force, by the table `weather`."""
    if not run.has("weather", "order"):
        return
    rows = run.table("weather", ["tick", "zone", "order"])
    rows = rows[rows["tick"] < run.ticks]
    ticks, row = np.unique(rows["tick"], return_inverse=True)
    numbers, column = np.unique(rows["zone"], return_inverse=True)
    orders = np.zeros((len(ticks) + 1, len(numbers)), np.int64)  # none before the first step
    orders[row + 1, column] = rows["order"]
    changed = orders[1:] != orders[:-1]
    for at in np.flatnonzero(changed.any(axis=1)).tolist():
        now = orders[at + 1]
        for order in np.unique(now[changed[at]]).tolist():
            where = numbers[changed[at] & (now == order)]
            zones = tuple(run.place_name(int(zone)) for zone in where)
            text, named = _IN_FORCE.get(order, f"Order {order}"), f"in {_listed(zones)}"
            yield ShockLine(int(ticks[at]), "order", "In force", text, named, zones=zones)


def _zones_in(run: Run, named: list[Any]) -> tuple[str, ...]:
    known = set(run.zones["zone"].astype(str)) if run.has("zones", "zone", "label") else set()
    return tuple(_zone_label(run, str(zone)) for zone in named if str(zone) in known)


def _zone_label(run: Run, zone: str) -> str:
    """Return the name of a zone by its code, or a text that is not one unchanged."""
    if zone == "all":
        return "everybody"
    if not run.has("zones", "zone", "label"):
        return zone
    codes = run.zones["zone"].astype(str).tolist()
    return run.place_name(codes.index(zone)) if zone in codes else zone


def _named(run: Run, agents: tuple[int, ...]) -> str:
    return _listed([run.name_of(agent) for agent in agents])


def _listed(names: list[str] | tuple[str, ...]) -> str:
    more = len(names) - MOST_NAMED
    return ", ".join(names[:MOST_NAMED]) + (f" and {more:,} more" if more > 0 else "")


def _plain(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
