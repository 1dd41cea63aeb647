"""One setting of the form: description, control and error."""

from collections.abc import Callable
from typing import Any

from nicegui import ui
from nicegui.elements.mixins.value_element import ValueElement

from memopolis.dashboard.elements import (
    button,
    checkbox,
    error_line,
    note,
    select,
    set_properties,
    show_line,
    show_value,
    slider,
    text_area,
    text_field,
)
from memopolis.dashboard.settings.draft import Draft
from memopolis.dashboard.settings.fields import SettingField


class SettingLine:
    """The controls of one setting."""

    def __init__(self, draft: Draft, field: SettingField, typed: Callable[[], None]) -> None:
        self._draft, self._field, self._typed = draft, field, typed
        self._test_id = f"setting-{field.key}"
        self._slider: ui.element | None = None
        with ui.element("div").classes("setting") as self.element:
            self.element.props(f"data-testid=setting-row-{field.key}")
            self._explain()
            with ui.element("div").classes("setting-typed"):
                self._control = self._build(draft.text(field.key))
                self._error = error_line(test_id=f"setting-error-{field.key}")
                self._way_back()
        self.refresh()

    def _explain(self) -> None:
        row = self._field.row
        with ui.element("div"):
            ui.label(row.key).classes("setting-name")
            ui.label(row.description)
            note(self._field.facts)

    def _build(self, text: str) -> ValueElement[Any]:
        """Build the control of the setting."""
        field, key = self._field, self._field.key
        if field.form == "switch":
            return checkbox(key, self._switch, checked=text == "true", test_id=self._test_id)
        if field.form == "choice":
            none = ("none",) if field.row.type.endswith("or none") else ()
            options = {one: one for one in (*field.row.options, *none)}
            return select(key, options, text, self._write, test_id=self._test_id)
        if field.form == "lines":
            return text_area(f"{key}, lines of TOML", text, self._write, test_id=self._test_id)
        if field.scale is None:
            return self._number_or_text(text)
        with ui.element("div").classes("setting-both"):
            self._slider = slider(
                f"{key}, by slider",
                field.scale.places,
                0,
                self._slid,
                test_id=f"setting-slider-{key}",
            )
            made = self._number_or_text(text)
        self._place(text)
        return made

    def _number_or_text(self, text: str) -> ui.input:
        made = text_field(self._field.key, text, self._written, test_id=self._test_id)
        numbers = self._field.form != "text"
        return made.props("inputmode=decimal spellcheck=false" if numbers else "spellcheck=false")

    def _way_back(self) -> None:
        key = self._field.key
        with ui.element("div").classes("setting-default") as self._back:
            note(f"Changed; default: {self._draft.default(key) or 'empty'}")
            test_id = f"setting-back-{key}"
            back = button("Reset to default", self._reset, test_id=test_id, look="flat dense")
            back.props["aria-label"] = f"{key}: reset to default"

    def _reset(self) -> None:
        self._draft.back(self._field.key)
        self.fill()
        self._typed()

    def fill(self) -> None:
        """Show the draft, in the control too."""
        text = self._draft.text(self._field.key)
        show_value(self._control, text == "true" if self._field.form == "switch" else text)
        self._place(text)
        self.refresh()

    def refresh(self) -> None:
        """Show whether the setting is changed, and its error."""
        changed = self._draft.changed(self._field.key)
        line = self._draft.errors.get(self._field.key, "")
        if changed != ("changed" in self.element.classes):
            self.element.classes(**{"add" if changed else "remove": "changed"})
        self._back.set_visibility(changed)
        show_line(self._error, line)
        set_properties(self._control, **{"aria-invalid": "true" if line else "false"})

    def _switch(self, on: bool) -> None:  # noqa: FBT001 - called with the value of the box
        self._write("true" if on else "false")

    def _written(self, text: str) -> None:
        self._place(text)
        self._write(text)

    def _slid(self, place: int) -> None:
        if self._field.scale is not None:
            text = self._field.scale.text(place)
            show_value(self._control, text)
            self._write(text)

    def _write(self, text: str) -> None:
        self._draft.write(self._field.key, text)
        self._typed()

    def _place(self, text: str) -> None:
        """Move the slider to a typed number."""
        scale = self._field.scale
        if self._slider is None or scale is None:
            return
        try:
            place = scale.place(float(text))
        except (ValueError, OverflowError):
            return
        set_properties(self._slider, value=place)
