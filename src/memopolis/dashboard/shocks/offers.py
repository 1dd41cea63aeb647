"""Suggestions for the fields of a shock: topics, zones, policies and orders of a society.

Societies are read between two steps.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime
from typing import Any, Literal

from memopolis.agents.blocks.cognition import UpdateAttitudes
from memopolis.analysis.labels import words
from memopolis.dashboard.settings.text import text_of
from memopolis.dashboard.shocks.kinds import Offers, ShockField, plain_fields
from memopolis.dashboard.shocks.people import label_agent, label_agents
from memopolis.sim.errors import MemopolisError
from memopolis.sim.settings_text import describe
from memopolis.sim.society import Society
from memopolis.sim.timeline import EVERYONE, Message, News, Order, Policy, Shock

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
    others = [entry for entry in listed if not entry.by_hand]
    coming = [entry for entry in others if not entry.past][: most // 2]
    near = {id(entry) for entry in (*coming, *[o for o in others if o.past][: most - len(coming)])}
    return [entry for entry in listed if entry.by_hand or id(entry) in near]


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


STATUSES = {
    "mandatory": "everyone there must leave",
    "voluntary": "people there are advised to leave",
    "lifted": "people may return",
    "none": "no order",
}
"""Statuses of an order for societies that accept any, and what they mean."""
_PLACES = {"audience", "to", "zone", "zones"}  # fields that take zones
_DESCRIPTIONS = {
    (Message, "to"): "Numbers of citizens (3, 5, 20-30), all, a zone, or conditions "
    "(evacuated=false, age>60)",
    (News, "audience"): "Audience: all, residents of a zone, or key=value (evacuated=false)",
}
"""Descriptions of fields that accept more than the shock itself."""


def fields_of(kind: type[Shock], society: Society[Any]) -> list[ShockField]:
    """Return the fields of a kind of shock, with a society's suggestions."""
    return [_offering(kind, field, society) for field in plain_fields(kind)]


def value_field(key: str, society: Society[Any]) -> ShockField:
    """Return the field for the value of a policy."""
    field = next(plain_field for plain_field in plain_fields(Policy) if plain_field.name == "value")
    if key not in society.policies:
        return field
    now = text_of(society.policies[key])
    row = {row.key: row for row in describe(type(society.settings))}.get(key)
    if row is None:
        return replace(field, default=now, description=f"{field.description} Currently {now}.")
    allowed = f"{row.description}: {row.range} {row.unit}".strip()
    field = replace(field, default=now, description=f"{allowed}. Currently {now}.")
    return replace(field, form="choice", offers=_same(row.options)) if row.options else field


def _offering(kind: type[Shock], field: ShockField, society: Society[Any]) -> ShockField:
    """Return a field with the society's suggestions."""
    if kind is Order and field.name == "status":
        return _status(field, society)
    if kind is Policy and field.name == "key":
        return _rule(field, society)
    if kind is Policy and field.name == "value":
        return value_field(next(iter(society.policies), ""), society)
    field = replace(field, description=_DESCRIPTIONS.get((kind, field.name), field.description))
    if field.form == "text" and field.name == "topic":
        return _topic(kind, field, society)
    if field.form == "text" and field.name in _PLACES:
        return replace(field, offers=(*_places(society), *_areas(kind, society)))
    return field


def _topic(kind: type[Shock], field: ShockField, society: Society[Any]) -> ShockField:
    """Return the topics of a society, those of its own shocks of the kind first.

    News affects agents by its topic, so a topic without attitude or emotion has no effect.
    So news begins with the commonest of the society's own, or with what moves an attitude.
    """
    topics = [(str(getattr(shock, "topic", "")), shock) for _, shock in society.timeline]
    own = Counter(
        topic
        for (topic, shock), sent in zip(topics, by_hand(society), strict=True)
        if isinstance(shock, kind) and not sent
    )
    common, moving = [topic for topic, _ in own.most_common()], _attitude_topics(society)
    others = {topic for topic, _ in topics}.union(*(p.memory.topics for p in society.populations))
    known = [topic for topic in dict.fromkeys([*common, *moving, *sorted(others)]) if topic]
    begin = common or (moving if kind is News else [])
    return replace(field, offers=_same(known), default=next(iter(begin), field.default))


def _attitude_topics(society: Society[Any]) -> list[str]:
    """Return the topics that change attitudes of citizens, in the order of the blocks."""
    attitudes = (
        attitude
        for block in society.populations[0].blocks
        if isinstance(block, UpdateAttitudes)
        for attitude in block.attitudes
    )
    return [
        topic for declared in attitudes for topic in (declared.topic, *declared.effect) if topic
    ]


def _same(values: Sequence[str]) -> Offers:
    """Return values that are their own labels."""
    return tuple((value, value) for value in values)


def _places(society: Society[Any]) -> Offers:
    place = society.place
    zones = () if place is None else zip(place.zones, place.labels, strict=True)
    named = ((code, name if code in name else f"{name} ({code})") for code, name in zones)
    return ((EVERYONE, "everybody"), *named)


def _areas(kind: type[Shock], society: Society[Any]) -> Offers:
    """Return areas of several zones that orders may name, if the society supports them."""
    if kind is not Order or society.place is None:
        return ()
    table = society.place.table
    named = [
        f"{c} {place}" for c in ("county", "band") if c in table for place in sorted({*table[c]})
    ]
    possible = ("ordered", *named) if "ordered" in table else tuple(named)
    return _same([area for area in possible if _accepts(society, Order((area,), "none"))])


def _status(field: ShockField, society: Society[Any]) -> ShockField:
    """Return the field for the status: a choice, unless the society accepts any text."""
    taken = [status for status in STATUSES if _accepts(society, Order((EVERYONE,), status))]
    closed = not _accepts(society, Order((EVERYONE,), "?"))
    form: Literal["choice", "text"] = "choice" if closed and taken else "text"
    return replace(
        field,
        form=form,
        offers=tuple((status, f"{status}: {STATUSES[status]}") for status in taken),
        default=taken[0] if taken else "",
    )


def _rule(field: ShockField, society: Society[Any]) -> ShockField:
    rules = society.policies
    if not rules:
        return field
    meaning = {row.key: row.description for row in describe(type(society.settings))}
    offers = tuple(
        (key, f"{words(key)}, now {text_of(value)}: {meaning.get(key, 'a policy')}")
        for key, value in rules.items()
    )
    field = replace(field, description="Policy that changes.")
    return replace(field, form="choice", offers=offers, default=next(iter(rules)))


def _accepts(society: Society[Any], shock: Shock) -> bool:
    try:
        society.check_shock(shock)
    except MemopolisError:
        return False
    return True
