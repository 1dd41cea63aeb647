"""The timeline of a run: past and future shocks."""

from collections import Counter
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any

from memopolis.dashboard.settings.text import text_of
from memopolis.dashboard.shocks.people import label_agent, label_agents
from memopolis.sim.society import Society
from memopolis.sim.timeline import Message, News, Order, Policy, Shock

MOST = 200  # maximum number of listed shocks: the next and the latest


@dataclass(frozen=True)
class Entry:
    """A shock of a run, formatted for the page."""

    tick: int  # the step in which it happens, from 0
    date: datetime  # when that step begins
    kind: str  # news, Order, Policy, Message or a kind of a scenario
    text: str  # text of the shock
    audience: str  # audience of the shock, with its other values
    past: bool  # whether it has happened
    by_hand: bool  # whether a visitor sent it


def list_entries(society: Society[Any]) -> list[Entry]:
    """Return the shocks of a run: future ones, the next first, then past ones, the latest first."""
    past, clock = len(society.timeline.past), society.clock
    listed = [
        Entry(
            tick,
            clock.date_of(tick),
            type(shock).__name__,
            *describe_shock(shock, society),
            past=place < past,
            by_hand=sent,
        )
        for place, ((tick, shock), sent) in enumerate(
            zip(society.timeline, by_hand(society), strict=True)
        )
    ]
    return [*listed[past:], *reversed(listed[:past])]


def by_hand(society: Society[Any]) -> list[bool]:
    """Return for each shock of the timeline whether a visitor sent it."""
    sent_shocks = Counter((tick, str(shock)) for tick, shock in society.interventions["shocks"])
    listed = []
    for tick, shock in society.timeline:
        mark = (tick, str(shock.to_dict()))
        listed.append(sent_shocks[mark] > 0)
        sent_shocks[mark] -= listed[-1]
    return listed


def select_shown(listed: list[Entry], most: int = MOST) -> list[Entry]:
    """Select all sent shocks, and of the others the nearest in time."""
    others = [one for one in listed if not one.by_hand]
    coming = [one for one in others if not one.past][: most // 2]
    near = {id(one) for one in (*coming, *[o for o in others if o.past][: most - len(coming)])}
    return [one for one in listed if one.by_hand or id(one) in near]


def describe_shock(shock: Shock, society: Society[Any]) -> tuple[str, str]:
    """Return the text of a shock, and its audience and other values."""
    if isinstance(shock, News):
        rest = (
            f"to {_zone(society, shock.audience)} · topic {shock.topic} · stance {shock.stance:g}"
        )
        return shock.text, f"{rest} · importance {shock.importance:g}"
    if isinstance(shock, Message):
        by = "" if shock.actor < 0 else f" · from {label_agent(society, shock.actor)}"
        return shock.text, f"to {label_agents(society, shock.to)}{by} · topic {shock.topic}"
    if isinstance(shock, Order):
        return shock.status, f"to {', '.join(_zone(society, zone) for zone in shock.zones)}"
    if isinstance(shock, Policy):
        return f"{shock.key} = {text_of(shock.value)}", ""
    values = {field.name: text_of(getattr(shock, field.name)) for field in fields(shock)}
    text = values.pop("text", "")
    return text, " · ".join(f"{name} {value}" for name, value in values.items())


def _zone(society: Society[Any], code: str) -> str:
    """Return the name of a zone if a text is its code, else the text."""
    place = society.place
    if place is None or code not in place.zones:
        return code
    return place.labels[place.zones.index(code)]
