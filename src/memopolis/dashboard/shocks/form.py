"""The form of one kind of shock, with suggestions, and the shock that its texts describe."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, Field, fields
from functools import partial
from types import NoneType
from typing import Any, Literal, get_args, get_origin

from nicegui import ui
from nicegui.element import Element
from nicegui.elements.mixins.value_element import ValueElement

from memopolis.commands.shown_text import one_line
from memopolis.dashboard.elements import select, show_value, text_area, text_field
from memopolis.dashboard.shocks.kinds import ShockField, parts_of, types_of
from memopolis.dashboard.shocks.people import describe_reach, select_agents
from memopolis.sim.errors import MemopolisError, ParameterError
from memopolis.sim.society import Society
from memopolis.sim.timeline import Message, Policy, Shock

_LONG = 300  # maximum characters of an error, and of typed text in it


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


_WORDS = {int: "whole number", float: "number", bool: "true or false", NoneType: "none"}


_TAKE = "Choose ..."


class ShockForm:
    """The fields of a form.

    `typed` has the initial texts by field, and is updated while the visitor types; `changed` is
    called with the name of a field after each change.
    """

    def __init__(
        self, fields: list[ShockField], typed: dict[str, str], changed: Callable[[str], None]
    ) -> None:
        self._typed, self._changed = typed, changed
        self._controls: dict[str, ValueElement[Any]] = {}
        self._places: dict[str, Element] = {}
        for field in fields:
            typed.setdefault(field.name, field.default)
            self._places[field.name] = ui.element("div").classes("shock-field")
            self._build(field)

    def write(self, name: str, text: str) -> None:
        """Set the text of a field."""
        show_value(self._controls[name], text)
        self._type(name, text)

    def place(self, name: str) -> Element:
        """Return the element of a field."""
        return self._places[name]

    def replace(self, field: ShockField) -> None:
        """Replace a field, with its default."""
        self._typed[field.name] = field.default
        self._places[field.name].clear()
        self._build(field)

    def _type(self, name: str, text: str) -> None:
        self._typed[name] = text
        self._changed(name)

    def _build(self, field: ShockField) -> None:
        with self._places[field.name]:
            self._controls[field.name] = self._control(field)
            ui.label(field.description).classes("quiet any-text")

    def _control(self, field: ShockField) -> ValueElement[Any]:
        name, text, test_id = field.name, self._typed[field.name], f"shock-{field.name}"
        label = name.replace("_", " ").capitalize()

        typed = partial(self._type, name)
        if field.form == "choice":
            if text not in dict(field.offers):
                self._typed[name] = text = field.offers[0][0]
            return select(label, dict(field.offers), text, typed, test_id=test_id)
        if field.form == "words":
            return text_area(label, text, typed, test_id=test_id)
        with ui.element("div").classes("shock-offered"):
            made = text_field(label, text, typed, test_id=test_id)
            if field.form == "number":
                made.props("inputmode=decimal")
            if field.offers:
                self._offers(field, label)
        return made

    def _offers(self, field: ShockField, label: str) -> None:
        """Build a list of suggestions; a choice is copied into the field."""

        def take(value: str) -> None:
            if value != _TAKE:
                before = self._typed[field.name].strip().rstrip(",")
                joined = f"{before}, {value}" if field.several and before else value
                self.write(field.name, joined)
                show_value(offered, _TAKE)

        options = {_TAKE: "…", **dict(field.offers)}
        offered = select(
            f"{label}, suggestions", options, _TAKE, take, test_id=f"shock-{field.name}-offers"
        )
