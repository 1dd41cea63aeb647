"""The form of one kind of shock, with suggestions."""

from collections.abc import Callable
from functools import partial
from typing import Any

from nicegui import ui
from nicegui.element import Element
from nicegui.elements.mixins.value_element import ValueElement

from memopolis.dashboard.elements import select, show_value, text_area, text_field
from memopolis.dashboard.shocks.kinds import ShockField

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
