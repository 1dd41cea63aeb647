"""What has happened to a society from outside, and what is still to come."""

from collections import Counter
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any

from memopolis.dashboard.setting_text import text_of
from memopolis.dashboard.shock_people import named
from memopolis.sim.society import Society
from memopolis.sim.timeline import Message, News, Order, Policy, Shock

MOST = 200
"""Shocks that are listed at most: the next to come, and the last that have been."""


@dataclass(frozen=True)
class Happening:
    """A shock of a run.

    Attributes:
        tick: The step in which it happens, from 0.
        date: When that step begins.
        kind: News, Order, Policy, Message or a kind of a scenario.
        text: What it says.
        whom: Whom or what it concerns, with its other values.
        past: Whether it has happened.
        by_hand: Whether somebody sent it in.
    """

    tick: int
    date: datetime
    kind: str
    text: str
    whom: str
    past: bool
    by_hand: bool


def happenings(society: Society[Any]) -> list[Happening]:
    """The shocks of a run: first those to come, the next first, then those past, the last first.

    Args:
        society: Between two steps.
    """
    given = Counter((tick, str(shock)) for tick, shock in society.given["shocks"])
    past = len(society.timeline.past)
    found = [
        _happening(society, tick, shock, given, past=place < past)
        for place, (tick, shock) in enumerate(society.timeline)
    ]
    return [*found[past:], *reversed(found[:past])]


def shown(found: list[Happening], most: int = MOST) -> list[Happening]:
    """Those by hand, and of the others as many as there is room for, nearest to now."""
    others = [one for one in found if not one.by_hand]
    coming = [one for one in others if not one.past][: most // 2]
    near = {id(one) for one in (*coming, *[o for o in others if o.past][: most - len(coming)])}
    return [one for one in found if one.by_hand or id(one) in near]


def _happening(
    society: Society[Any], tick: int, shock: Shock, given: Counter[tuple[int, str]], *, past: bool
) -> Happening:
    mark = (tick, str(shock.to_dict()))
    by_hand = given[mark] > 0
    given[mark] -= by_hand
    date, kind = society.clock.date_of(tick), type(shock).__name__
    text, whom = in_words(shock, society)
    return Happening(tick, date, kind, text, whom, past, by_hand)


def in_words(shock: Shock, society: Society[Any]) -> tuple[str, str]:
    """What a shock says, and whom or what it concerns."""
    if isinstance(shock, News):
        rest = (
            f"to {_zone(society, shock.audience)} · topic {shock.topic} · stance {shock.stance:g}"
        )
        return shock.text, f"{rest} · importance {shock.importance:g}"
    if isinstance(shock, Message):
        names = [named(society, one) for one in shock.to[:3]]
        more = f" and {len(shock.to) - 3:,} more" if len(shock.to) > 3 else ""
        by = "" if shock.actor < 0 else f" · from {named(society, shock.actor)}"
        return shock.text, f"to {', '.join(names)}{more}{by} · topic {shock.topic}"
    if isinstance(shock, Order):
        return shock.status, f"to {', '.join(_zone(society, zone) for zone in shock.zones)}"
    if isinstance(shock, Policy):
        return f"{shock.key} = {text_of(shock.value)}", ""
    values = {field.name: text_of(getattr(shock, field.name)) for field in fields(shock)}
    text = values.pop("text", "")
    return text, " · ".join(f"{name} {value}" for name, value in values.items())


def _zone(society: Society[Any], code: str) -> str:
    """Name of a zone, where a text is the code of one."""
    place = society.place
    if place is None or code not in place.zones:
        return code
    return place.labels[place.zones.index(code)]
