"""The fields of a shock, as the types and the docstring of its kind say."""

import re
from dataclasses import MISSING, dataclass, fields, replace
from inspect import getdoc
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from memopolis.dashboard.settings.text import text_of
from memopolis.sim.timeline import Shock

type Offers = tuple[tuple[str, str], ...]
"""Values that may be taken without typing, each with what is shown for it."""


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


def plain_fields(kind: type[Shock]) -> list[ShockField]:
    """The fields of a kind of shock, whatever society it is for.

    Args:
        kind: News, Order, Policy, Message or a kind of a scenario.
    """
    told, types = meanings(kind), types_of(kind)
    return [
        _by_type(
            ShockField(
                field.name,
                told.get(field.name, ""),
                default="" if field.default is MISSING else text_of(field.default),
            ),
            types[field.name],
        )
        for field in fields(kind)
    ]


def meanings(kind: type[Shock]) -> dict[str, str]:
    """What each field of a kind means, as the attributes in its docstring say."""
    _, _, told = (getdoc(kind) or "").partition("\nAttributes:\n")
    names = {field.name for field in fields(kind)}
    found: dict[str, str] = {}
    name = ""
    for line in told.splitlines():
        if line and not line.startswith(" "):
            break
        start = re.match(r" {4}(\w+)(?: \([^)]*\))?: (.*)", line)
        if start and start[1] in names:
            name = start[1]
            found[name] = start[2]
        elif name and line.strip():
            found[name] += f" {line.strip()}"
    return found


def types_of(kind: type[Shock]) -> dict[str, Any]:
    """Types of a kind's fields by name; of an unknown name text is taken."""
    try:
        hints = get_type_hints(kind)
    except NameError:
        hints = {}
    return {field.name: hints.get(field.name, str) for field in fields(kind)}


def parts_of(annotation: Any) -> tuple[Any, ...]:
    """What a type allows, a union and a named type opened."""
    annotation = getattr(annotation, "__value__", annotation)
    if get_origin(annotation) not in (Union, UnionType):
        return (annotation,)
    return tuple(part for one in get_args(annotation) for part in parts_of(one))


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
