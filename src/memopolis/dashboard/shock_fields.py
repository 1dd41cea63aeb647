"""The form of a shock: the fields of each kind, and what a society offers for them."""

from dataclasses import MISSING, dataclass, fields, replace
from types import NoneType
from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin

from memopolis.agents.blocks.cognition import UpdateAttitudes
from memopolis.dashboard.setting_text import text_of
from memopolis.dashboard.shock_kinds import meanings, parts_of, types_of
from memopolis.sim.errors import MemopolisError
from memopolis.sim.settings_text import describe
from memopolis.sim.society import Society
from memopolis.sim.timeline import EVERYONE, Message, News, Order, Policy, Shock

if TYPE_CHECKING:
    from collections.abc import Callable

type Offers = tuple[tuple[str, str], ...]
"""Values that may be taken without typing, each with what is shown for it."""

STATUSES = ("mandatory", "voluntary", "lifted", "none")
"""What an order may say in societies that do not refuse it."""


@dataclass(frozen=True)
class ShockField:
    """One field of a form.

    Attributes:
        name: As the kind of shock calls it.
        description: What it means.
        form: "words" of several lines, "text", "number", or one of the offers ("choice").
        default: What is there at first.
        offers: Values that may be taken.
        several: Whether several values may stand there, joined by commas.
    """

    name: str
    description: str
    form: Literal["words", "text", "number", "choice"] = "text"
    default: str = ""
    offers: Offers = ()
    several: bool = False


def fields_of(kind: type[Shock], society: Society[Any]) -> list[ShockField]:
    """The fields of a kind of shock, with what a society offers for them.

    Args:
        kind: News, Order, Policy, Message or a kind of a scenario.
        society: Between two steps.
    """
    told, types = meanings(kind), types_of(kind)
    made = []
    for field in fields(kind):
        said = told.get(field.name, "")
        default = "" if field.default is MISSING else text_of(field.default)
        made.append(_by_type(ShockField(field.name, said, default=default), types[field.name]))
    return [_offering(kind, field, society) for field in made]


def value_field(society: Society[Any], key: str) -> ShockField:
    """The field for the value of a rule, which depends on the rule.

    Args:
        society: Between two steps.
        key: Name of the rule.
    """
    field = ShockField("value", meanings(Policy).get("value", ""))
    if key not in society.policies:
        return field
    now = text_of(society.policies[key])
    rows = {row.key: row for row in describe(type(society.settings))}
    field = replace(field, default=now, description=f"{field.description} Now it is {now}.")
    row = rows.get(key)
    if row is None:
        return field
    allowed = f"{row.description}: {row.range} {row.unit}".strip()
    field = replace(field, description=f"{allowed}. Now it is {now}.")
    if row.options:
        return replace(field, form="choice", offers=tuple((one, one) for one in row.options))
    return field


def _by_type(field: ShockField, annotation: Any) -> ShockField:
    """A field as its type asks for."""
    parts = [part for part in parts_of(annotation) if part is not NoneType]
    several = any(get_origin(part) is tuple or part is tuple for part in parts)
    if field.name == "text":
        return replace(field, form="words")
    if parts == [bool]:
        return replace(field, form="choice", offers=(("true", "true"), ("false", "false")))
    if any(get_origin(part) is Literal for part in parts):
        options = tuple(str(one) for part in parts for one in get_args(part))
        return replace(field, form="choice", offers=tuple((one, one) for one in options))
    if parts and set(parts) <= {int, float}:
        return replace(field, form="number")
    return replace(field, several=several)


def _offering(kind: type[Shock], field: ShockField, society: Society[Any]) -> ShockField:
    """A field with what the society knows for it."""
    offers: dict[str, Callable[[], Offers]] = {
        "topic": lambda: _topics(society),
        "audience": lambda: _places(society),
        "to": lambda: _places(society),
        "zone": lambda: _places(society),
        "zones": lambda: (*_places(society), *_areas(kind, society)),
    }
    if kind is Order and field.name == "status":
        return _status(field, society)
    if kind is Policy and field.name == "key":
        return _rules(field, society)
    if kind is Policy and field.name == "value":
        return value_field(society, next(iter(society.policies), ""))
    if kind is Message and field.name == "to":
        field = replace(field, description=_TO)
    if kind is News and field.name == "audience":
        field = replace(field, description=_AUDIENCE)
    found = offers.get(field.name)
    if found is None or field.form != "text":
        return field
    return replace(field, offers=found())


_TO = (
    "Numbers of citizens (3, 5, 20-30), all, a zone, or conditions (evacuated=false, age>60) "
    "that all hold"
)
_AUDIENCE = "Who it is meant for: all, a zone they live in, or key=value (evacuated=false)"


def _topics(society: Society[Any]) -> Offers:
    """Topics that are remembered, will be news, or move an attitude."""
    known = {topic for population in society.populations for topic in population.memory.topics}
    known |= {s.topic for _, s in society.timeline if isinstance(s, News | Message)}
    for population in society.populations:
        for block in population.blocks:
            if isinstance(block, UpdateAttitudes):
                known |= {topic for one in block.attitudes for topic in (one.topic, *one.effect)}
    return tuple((topic, topic) for topic in sorted(known) if topic)


def _places(society: Society[Any]) -> Offers:
    place = society.place
    zones = () if place is None else zip(place.zones, place.labels, strict=True)
    named = ((code, name if code in name else f"{name} ({code})") for code, name in zones)
    return ((EVERYONE, "everybody"), *named)


def _areas(kind: type[Shock], society: Society[Any]) -> Offers:
    """Areas of several zones that orders may name, where the society takes them."""
    if kind is not Order or society.place is None:
        return ()
    table = society.place.table
    named = [f"{c} {one}" for c in ("county", "band") if c in table for one in sorted({*table[c]})]
    possible = ("ordered", *named) if "ordered" in table else tuple(named)
    return tuple((area, area) for area in possible if _takes(society, Order((area,), "none")))


def _status(field: ShockField, society: Society[Any]) -> ShockField:
    """Statuses that the society takes: a choice, unless it takes whatever is said."""
    taken = [one for one in STATUSES if _takes(society, Order((EVERYONE,), one))]
    closed = not _takes(society, Order((EVERYONE,), "?"))
    offers = tuple((one, one) for one in taken)
    form: Literal["choice", "text"] = "choice" if closed and offers else "text"
    return replace(field, form=form, offers=offers, default=taken[0] if taken else "")


def _rules(field: ShockField, society: Society[Any]) -> ShockField:
    rules = society.policies
    if not rules:
        return field
    offers = tuple((key, f"{key} (now {text_of(value)})") for key, value in rules.items())
    field = replace(field, description="Which rule of the society changes.")
    return replace(field, form="choice", offers=offers, default=next(iter(rules)))


def _takes(society: Society[Any], shock: Shock) -> bool:
    try:
        society.check_shock(shock)
    except MemopolisError:
        return False
    return True
