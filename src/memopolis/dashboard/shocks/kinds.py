"""The kinds of shocks that a society reacts to, their form fields, and shocks from typed texts."""

from collections.abc import Iterator, Mapping
from dataclasses import MISSING, Field, dataclass, fields, replace
from inspect import getdoc
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from memopolis.commands.shown_text import one_line
from memopolis.dashboard.settings.text import text_of
from memopolis.dashboard.shocks.people import describe_reach, select_agents
from memopolis.sim.errors import MemopolisError, ParameterError
from memopolis.sim.society import Society
from memopolis.sim.timeline import Message, News, Order, Policy, Shock

USUAL: tuple[type[Shock], ...] = (News, Order, Policy, Message)  # kinds of shocks of the core
_WORDS = {int: "whole number", float: "number", bool: "true or false", NoneType: "none"}
_LONG = 300  # maximum characters of an error, and of typed text in it
type Offers = tuple[tuple[str, str], ...]
"""Suggested values with their labels."""


def kinds_of(society: Society[Any]) -> list[type[Shock]]:
    """Return the kinds of shocks that a society reacts to, the scenario's own last.

    They are those that the society and its blocks declare in `reacts_to`, policies where there are
    rules, and messages, which reach agents in every society.
    """
    blocks = (block for population in society.populations for block in population.blocks)
    declared = {*society.reacts_to, *(kind for block in blocks for kind in block.reacts_to)}
    declared |= {Policy} if society.rules else set()
    declared |= {Message} if society.populations else set()
    others = sorted(declared.difference(USUAL), key=lambda kind: kind.__name__)
    return [*(kind for kind in USUAL if kind in declared), *others]


def missing_kinds(society: Society[Any]) -> list[type[Shock]]:
    """Return the core kinds that nothing in a society reacts to."""
    offered = kinds_of(society)
    return [kind for kind in USUAL if kind not in offered]


def describe_kind(kind: type[Shock]) -> str:
    """Describe a kind of shock in one line."""
    return (getdoc(kind) or kind.__name__).splitlines()[0]


@dataclass(frozen=True)
class ShockField:
    """One field of the form of a shock."""

    name: str  # name of the attribute of the shock
    description: str  # description of the attribute
    # "words" of several lines, "text", "number", or one of the offers ("choice")
    form: Literal["words", "text", "number", "choice"] = "text"
    default: str = ""  # initial text
    offers: Offers = ()  # suggested values
    several: bool = False  # whether several values are allowed, separated by commas


def plain_fields(kind: type[Shock]) -> list[ShockField]:
    """Return the fields of a kind of shock, for any society."""
    descriptions, types = _descriptions_of(kind), types_of(kind)
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


def types_of(kind: type[Shock]) -> dict[str, Any]:
    """Return the types of fields by name; text for names that cannot be resolved."""
    hints = _hints_of(kind)
    return {field.name: hints.get(field.name, str) for field in fields(kind)}


def _descriptions_of(kind: type[Shock]) -> dict[str, str]:
    """Return the descriptions of fields by name, as in `Annotated[str, "Text of the news."]`."""
    hints = _hints_of(kind, include_extras=True).items()
    return {name: hint.__metadata__[0] for name, hint in hints if get_origin(hint) is Annotated}


def _hints_of(kind: type[Shock], *, include_extras: bool = False) -> dict[str, Any]:
    try:
        return get_type_hints(kind, include_extras=include_extras)
    except NameError:
        return {}


def parts_of(annotation: Any) -> tuple[Any, ...]:
    """Return the members of a type, resolving unions and type aliases."""
    annotation = getattr(annotation, "__value__", annotation)
    if get_origin(annotation) not in (Union, UnionType):
        return (annotation,)
    return tuple(part for arg in get_args(annotation) for part in parts_of(arg))


def _by_type(field: ShockField, annotation: Any) -> ShockField:
    """Return the form field for a type."""
    parts = [part for part in parts_of(annotation) if part is not NoneType]
    several = any(get_origin(part) is tuple or part is tuple for part in parts)
    if field.name == "text":
        return replace(field, form="words")
    if parts == [bool]:
        return replace(field, form="choice", offers=(("true", "true"), ("false", "false")))
    if any(get_origin(part) is Literal for part in parts):
        options = tuple(str(arg) for part in parts for arg in get_args(part))
        return replace(field, form="choice", offers=tuple((option, option) for option in options))
    if parts and set(parts) <= {int, float}:
        return replace(field, form="number")
    return replace(field, several=several)


def shock_of(kind: type[Shock], typed: Mapping[str, str], society: Society[Any]) -> Shock:
    """Create the shock that a form describes, and check that it is possible.

    Raises MemopolisError if a typed text is invalid.
    """
    types, values = types_of(kind), {}
    for field in fields(kind):
        if field.name in typed:
            values[field.name] = _value(kind, field.name, typed, types[field.name], society)
        elif _is_needed(field):
            raise ParameterError(f"{field.name} is missing")
    shock = kind(**values)
    society.check_shock(shock)
    return shock


def preview(kind: type[Shock], typed: Mapping[str, str], society: Society[Any]) -> tuple[str, str]:
    """Describe the reach of a shock, or its error, while it is typed.

    Returns the reach and the error, one of them empty; both are empty while a field is missing.
    """
    needed = [field.name for field in fields(kind) if _is_needed(field)]
    try:
        if not all(typed.get(name, "").strip() for name in needed):
            to = typed.get("to", "")
            return (f"To {select_agents(society, to).described}" if to.strip() else ""), ""
        return describe_reach(society, shock_of(kind, typed, society)), ""
    except MemopolisError as error:
        return "", one_line(error, most=_LONG)


def _is_needed(field: "Field[Any]") -> bool:
    return field.default is MISSING and field.default_factory is MISSING


def _value(
    kind: type[Shock], name: str, typed: Mapping[str, str], annotation: Any, society: Society[Any]
) -> Any:
    text = typed[name]
    if kind is Message and name == "to":
        return select_agents(society, text).ids
    if kind is Policy and name == "value":
        rule = society.policies.get(typed.get("key", ""))
        if rule is not None:
            return _parse(name, text, (type(rule),))
    return _parse(name, text, parts_of(annotation))


def _parse(name: str, text: str, kinds: tuple[Any, ...]) -> Any:
    """Parse a text as the first matching type."""
    for inner in kinds:
        if get_origin(inner) is tuple or inner is tuple:
            inside = next((arg for arg in get_args(inner) if arg is not ...), str)
            parts = [part.strip() for part in text.split(",") if part.strip()]
            return tuple(_parse(name, part, parts_of(inside)) for part in parts)
    for candidate in _candidates(text, kinds):
        return candidate
    allowed = " or ".join(_WORDS.get(kind, "text") for kind in kinds)
    raise ParameterError(f"{name} takes a {allowed}, given {text[:_LONG]!r}")


def _candidates(text: str, kinds: tuple[Any, ...]) -> Iterator[Any]:
    plain = text.strip()
    if NoneType in kinds and plain in {"", "none"}:
        yield None
    if bool in kinds and plain.lower() in {"true", "false"}:
        yield plain.lower() == "true"
    for number in (int, float):
        if number in kinds:
            try:
                yield number(plain)
            except ValueError:
                continue
    for kind in kinds:
        if get_origin(kind) is Literal and plain in map(str, get_args(kind)):
            yield next(value for value in get_args(kind) if str(value) == plain)
    if str in kinds:
        yield text.strip()
