"""The form fields of a shock, from the types and the docstring of its class."""

import re
from dataclasses import MISSING, dataclass, fields, replace
from inspect import getdoc
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from memopolis.dashboard.settings.text import text_of
from memopolis.sim.timeline import Shock

type Offers = tuple[tuple[str, str], ...]
"""Suggested values with their labels."""


@dataclass(frozen=True)
class ShockField:
    """One field of the form of a shock.

    Attributes:
        name: Name of the attribute of the shock.
        description: Description of the attribute.
        form: "words" of several lines, "text", "number", or one of the offers ("choice").
        default: Initial text.
        offers: Suggested values.
        several: Whether several values are allowed, separated by commas.
    """

    name: str
    description: str
    form: Literal["words", "text", "number", "choice"] = "text"
    default: str = ""
    offers: Offers = ()
    several: bool = False


def plain_fields(kind: type[Shock]) -> list[ShockField]:
    """Return the fields of a kind of shock, for any society."""
    descriptions, types = describe_fields(kind), types_of(kind)
    return [
        _by_type(
            ShockField(
                field.name,
                descriptions.get(field.name, ""),
                default="" if field.default is MISSING else text_of(field.default),
            ),
            types[field.name],
        )
        for field in fields(kind)
    ]


def describe_fields(kind: type[Shock]) -> dict[str, str]:
    """Return the descriptions of fields from the Attributes section of the docstring."""
    _, _, descriptions = (getdoc(kind) or "").partition("\nAttributes:\n")
    names = {field.name for field in fields(kind)}
    texts: dict[str, str] = {}
    name = ""
    for line in descriptions.splitlines():
        if line and not line.startswith(" "):
            break
        start = re.match(r" {4}(\w+)(?: \([^)]*\))?: (.*)", line)
        if start and start[1] in names:
            name = start[1]
            texts[name] = start[2]
        elif name and line.strip():
            texts[name] += f" {line.strip()}"
    return texts


def types_of(kind: type[Shock]) -> dict[str, Any]:
    """Return the types of fields by name; text for names that cannot be resolved."""
    try:
        hints = get_type_hints(kind)
    except NameError:
        hints = {}
    return {field.name: hints.get(field.name, str) for field in fields(kind)}


def parts_of(annotation: Any) -> tuple[Any, ...]:
    """Return the members of a type, resolving unions and test_id types."""
    annotation = getattr(annotation, "__value__", annotation)
    if get_origin(annotation) not in (Union, UnionType):
        return (annotation,)
    return tuple(part for one in get_args(annotation) for part in parts_of(one))


def _by_type(field: ShockField, annotation: Any) -> ShockField:
    """Return the form field for a type."""
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
