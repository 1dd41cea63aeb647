"""One setting on the page: what it means, the control that changes it, and what is wrong."""

from collections.abc import Callable
from typing import Any

from nicegui import ui

from memopolis.dashboard.setting_draft import Draft
from memopolis.dashboard.setting_fields import SettingField

STYLE = """
.setting { display: grid; gap: .2rem 1.2rem; padding: .5rem 0; border-top: 1px solid #e4e4e0;
  grid-template-columns: minmax(0, 1fr); }
@media (min-width: 800px) {
  .setting { grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); } }
.setting-name { font-weight: 600; overflow-wrap: anywhere; }
.setting-typed { min-width: 0; display: flex; flex-direction: column; gap: .2rem; }
.setting-both { display: flex; gap: 1rem; align-items: center; padding-left: .6rem; }
.setting-both > .q-slider { flex: 1 1 8rem; min-width: 5rem; }
.setting-both > .q-field { flex: 0 1 9rem; min-width: 6rem; }
.setting-default { display: flex; gap: .6rem; align-items: center; flex-wrap: wrap; }
.setting.changed .setting-name::after { content: " · changed"; font-weight: 400; color: #8a4b08; }
"""
"""Style of lines of settings; added once by the form."""


class SettingLine:
    """The line of one setting.

    Args:
        draft: Where it is typed to.
        field: The setting.
        typed: Called after each key.
    """

    def __init__(self, draft: Draft, field: SettingField, typed: Callable[[], None]) -> None:
        self._draft, self._field, self._typed = draft, field, typed
        self._id = field.key
        self._filling = False
        self._slider: ui.slider | None = None
        with ui.element("div").classes("setting").props(f"data-testid=setting-row-{self._id}") as line:
            self._explain()
            with ui.element("div").classes("setting-typed"):
                self._control = self._build()
                self._error = ui.label().classes("failed").props("role=alert")
                self._error.props(f"data-testid=setting-error-{self._id}")
                self._way_back()
        self.element = line
        self.refresh()

    def _explain(self) -> None:
        row = self._field.row
        with ui.element("div"):
            ui.label(row.key).classes("setting-name")
            ui.label(row.description)
            ui.label(self._field.facts).classes("quiet")

    def _build(self) -> Any:
        """The control, by the form of the setting."""
        field, key, mark = self._field, self._field.key, f"data-testid=setting-{self._id}"
        text = self._draft.text(key)
        if field.form == "switch":
            made: Any = ui.switch(key, value=text == "true", on_change=self._switched)
        elif field.form == "choice":
            made = self._choice(text)
        elif field.form == "slider":
            return self._with_slider(text)
        elif field.form == "lines":
            made = ui.textarea("Lines of TOML", value=text, on_change=self._written)
            made.props("autogrow outlined dense debounce=200")
        else:
            made = self._field_for(text)
        return made.props(mark)

    def _choice(self, text: str) -> ui.select:
        row = self._field.row
        options = [*row.options, *(["none"] if row.type.endswith("or none") else [])]
        made = ui.select(options, value=text if text in options else None, label=row.key)
        made.on_value_change(self._written)
        return made.props("outlined dense options-dense")

    def _field_for(self, text: str) -> ui.input:
        made = ui.input(self._field.key, value=text, on_change=self._written)
        numbers = self._field.form != "text"
        return made.props(f"outlined dense debounce=200 {'inputmode=decimal' if numbers else ''}")

    def _with_slider(self, text: str) -> ui.input:
        scale = self._field.scale
        assert scale is not None  # noqa: S101 - that is what the form "slider" says
        with ui.element("div").classes("setting-both"):
            self._slider = ui.slider(min=scale.first, max=scale.places, on_change=self._slid)
            self._slider.props(f"data-testid=setting-slider-{self._id}")
            self._slider.props["aria-label"] = f"{self._field.key}, by slider"
            made = self._field_for(text).props(f"data-testid=setting-{self._id}")
        self._place(text)
        return made

    def _way_back(self) -> None:
        with ui.element("div").classes("setting-default") as self._back:
            ui.label(f"Default: {self._draft.default(self._field.key) or 'empty'}").classes(
                "quiet any-text"
            )
            ui.button("Back to the default", on_click=self.back).props(
                f"flat dense no-caps size=sm data-testid=setting-back-{self._id}"
            )

    def back(self) -> None:
        """Put the default in again."""
        self._draft.back(self._field.key)
        self.fill()
        self._typed()

    def fill(self) -> None:
        """Show what the draft says, in the control, too."""
        text = self._draft.text(self._field.key)
        self._filling = True
        self._control.value = text == "true" if self._field.form == "switch" else text
        self._place(text)
        self._filling = False
        self.refresh()

    def refresh(self) -> None:
        """Show whether it is changed, and what is wrong."""
        changed, line = self._draft.changed(self._field.key), ""
        if self._field.key in self._draft.errors:
            line = self._draft.errors[self._field.key]
        self.element.classes(**{"add" if changed else "remove": "changed"})
        self._back.set_visibility(changed)
        self._error.text = line
        self._error.set_visibility(bool(line))

    def _switched(self, event: Any) -> None:
        self._write("true" if event.value else "false")

    def _written(self, event: Any) -> None:
        if not self._filling:
            text = "" if event.value is None else str(event.value)
            self._place(text)
            self._write(text)

    def _slid(self, event: Any) -> None:
        scale = self._field.scale
        if self._filling or scale is None or event.value is None:
            return
        text = scale.text(event.value)
        self._filling = True
        self._control.value = text
        self._filling = False
        self._write(text)

    def _write(self, text: str) -> None:
        if not self._filling:
            self._draft.write(self._field.key, text)
            self._typed()

    def _place(self, text: str) -> None:
        """Move the slider to what was typed, if that is a number."""
        scale = self._field.scale
        if self._slider is None or scale is None:
            return
        try:
            place = scale.place(float(text))
        except (ValueError, OverflowError):
            return
        before, self._filling = self._filling, True
        self._slider.value = place
        self._filling = before
