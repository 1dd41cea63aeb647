"""The settings form of the page: change settings and start a new run."""

from collections.abc import Callable
from typing import Any

from nicegui import ui
from nicegui.elements.mixins.value_element import ValueElement

from memopolis.dashboard.elements import (
    button,
    checkbox,
    error_line,
    heading,
    note,
    panel,
    select,
    set_properties,
    show_line,
    show_value,
    text_area,
    text_field,
)
from memopolis.dashboard.settings.fields import MOST_USED, Draft, Section, SettingField
from memopolis.dashboard.viewer import Viewer, typed_seed
from memopolis.dashboard.watch.live import LiveWatch
from memopolis.sim.chance import fresh_seed
from memopolis.sim.errors import SettingsError
from memopolis.sim.scenario_names import typed_name
from memopolis.sim.scenario_reference import reference_if_any


class SettingLine:
    """The controls of one setting."""

    def __init__(self, draft: Draft, field: SettingField, typed: Callable[[], None]) -> None:
        self._draft, self._field, self._typed = draft, field, typed
        self._test_id = f"setting-{field.key}"
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
            options = {option: option for option in (*field.row.options, *none)}
            return select(key, options, text, self._write, test_id=self._test_id)
        if field.form == "lines":
            return text_area(f"{key}, lines of TOML", text, self._write, test_id=self._test_id)
        made = text_field(key, text, self._write, test_id=self._test_id)
        numbers = field.form != "text"
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

    def _write(self, text: str) -> None:
        self._draft.write(self._field.key, text)
        self._typed()


_INTRODUCTION = (
    "Changes take effect when you reset: a new run begins in a new folder, and the steps so "
    "far are kept."
)


def settings_form(viewer: Viewer) -> None:
    """Show all settings of the scenario, and start a new run with the changes."""
    if viewer.live is not None:
        _SettingsForm(viewer, viewer.live)


class _SettingsForm:
    """The form of one visitor; changes reach the run only when they are sent."""

    def __init__(self, viewer: Viewer, live: LiveWatch) -> None:
        self._viewer, self._live = viewer, live
        self._seen = live.settings
        self._draft = Draft(type(live.settings), live.settings)
        kind = type(live.society)
        # The scenario argument of `memopolis run`: its name, or its file and class.
        self._scenario = typed_name(reference_if_any(kind)) or kind.__name__
        self._lines: dict[str, SettingLine] = {}
        self._folds: list[_Fold] = []
        with panel("settings").classes("settings"):
            heading(2, "Settings")
            note(_INTRODUCTION)
            text_field("Search the settings", "", self._search, test_id="settings-search")
            self._found = ui.label().classes("quiet").props("role=status")
            self._build_seed()
            for section in self._draft.sections:
                self._folds.append(_Fold(section, self._line, self._draft))
            self._build_send()
            self._build_exports()
        viewer.on_change(self._show)

    def _line(self, key: str) -> SettingLine:
        self._lines[key] = SettingLine(self._draft, self._draft.fields[key], self._show)
        return self._lines[key]

    def _build_seed(self) -> None:
        with ui.element("div").classes("setting").props("data-testid=setting-row-seed"):
            with ui.element("div"):
                ui.label("seed").classes("setting-name")
                ui.label("Random seed: the same settings and seed reproduce the same run")
                ui.label("whole number, 0 or more").classes("quiet")
            with ui.element("div").classes("setting-typed"):
                with ui.element("div").classes("setting-both"):
                    self._seed = text_field(
                        "seed", self._viewer.seed, self._set_seed, test_id="setting-seed"
                    ).props("inputmode=numeric")
                    draw, look = (lambda: self._set_seed(str(fresh_seed()))), "flat dense"
                    button("Random seed", draw, test_id="draw-seed", look=look)
                self._seed_error = error_line(test_id="setting-error-seed")

    def _build_send(self) -> None:
        with ui.element("div").classes("settings-send"):
            self._summary = ui.label().props("role=status data-testid=settings-summary")
            self._error = error_line(test_id="settings-error")
            with ui.element("div").classes("setting-default"):
                label, look = "Reset with these settings", "unelevated"
                self._send = button(label, self._reset, test_id="settings-apply", look=look)
                label = "Reset all to defaults"
                button(label, self._clear, test_id="settings-clear", look="flat")

    def _build_exports(self) -> None:
        """Build the same run as a command and as a settings file."""
        with ui.expansion("Run without the dashboard").props("data-testid=settings-copy"):
            note("Command line")
            self._command = _CopyField("Command", "command", 2)
            note("Settings file for memopolis run --settings FILE")
            self._toml = _CopyField("TOML", "toml", 6)

    def _show(self) -> None:
        """Show the numbers of changes and errors, and whether the form can be sent."""
        self._load_new_run()
        for line in self._lines.values():
            line.refresh()
        for fold in self._folds:
            fold.refresh()
        show_value(self._seed, self._viewer.seed)
        seed, wrong_seed = self._parse_seed()
        now, draft = self._live.settings, self._draft
        wrong = [*draft.errors.values(), *[wrong_seed] * bool(wrong_seed)]
        show_line(self._seed_error, wrong_seed)
        show_line(self._error, wrong[0] if wrong else "")
        # The Reset button of the header uses the same settings and rejects errors.
        self._viewer.changes = dict(draft.typed) if draft.errors else draft.changes_of(now)
        self._summary.set_text(self._summarise(len(wrong), other_seed=seed != self._live.seed))
        self._send.set_enabled(not wrong and self._viewer.watch.state != "building")
        self._command.show(draft.command(self._scenario, seed))
        self._toml.show("" if draft.errors else draft.toml() or "# nothing is changed\n")

    def _load_new_run(self) -> None:
        """Load the settings of a new run, unless changes wait to be sent."""
        before, self._seen = self._seen, self._live.settings
        if self._seen is not before and self._draft.settings == before:
            self._draft.begin(self._seen)
            for line in self._lines.values():
                line.fill()

    def _summarise(self, wrong: int, *, other_seed: bool) -> str:
        changed = sum(map(self._draft.changed, self._draft.typed))
        summary = f"{changed or 'No'} setting{'s' * (changed != 1)} changed from the default"
        if wrong:
            return (
                f"{summary}; {wrong} cannot be used: correct {'it' if wrong == 1 else 'them'} first"
            )
        differ = len(self._viewer.changes) + other_seed
        return f"{summary}; {f'{differ} not applied yet' if differ else 'all applied'}"

    def _set_seed(self, typed: str) -> None:
        self._viewer.seed = typed
        self._show()

    def _parse_seed(self) -> tuple[int, str]:
        """Return the seed of the next run, and the error in the typed text."""
        try:
            typed = typed_seed(self._viewer.seed)
        except SettingsError as error:
            return self._live.seed, str(error)
        return self._live.seed if typed is None else typed, ""

    def _clear(self) -> None:
        self._draft.clear()
        for line in self._lines.values():
            line.fill()
        self._show()

    def _reset(self) -> None:
        """Start a new run; on errors, keep the typed text and show a message."""
        show_line(self._error, self._viewer.reset())

    def _search(self, words: str) -> None:
        """Show the settings that match the search, and their sections."""
        hits = sum(fold.search(words) for fold in self._folds)
        self._found.set_text(f"{hits} setting{'s' * (hits != 1)} found" if words.strip() else "")


class _Fold:
    """A collapsible section of settings, built when first opened."""

    def __init__(self, section: Section, line: Callable[[str], SettingLine], draft: Draft) -> None:
        self._section, self._line, self._draft = section, line, draft
        self._lines: dict[str, SettingLine] = {}
        self._open = section.name == MOST_USED
        self._fold = ui.expansion(section.title, caption=section.description, value=self._open)
        self._fold.props(f"data-testid=settings-{section.name} dense").classes("settings-fold")
        self._fold.on_value_change(lambda event: self._build() if event.value else None)
        if self._open:
            self._build()

    def refresh(self) -> None:
        """Show in the heading how many settings are changed or invalid."""
        keys = [field.key for field in self._section.fields]
        changed = sum(map(self._draft.changed, keys))
        wrong = sum(key in self._draft.errors for key in keys)
        summary = [f"{changed} changed"] * bool(changed) + [f"{wrong} invalid"] * bool(wrong)
        set_properties(self._fold, label=" · ".join([self._section.title, *summary]))

    def search(self, words: str) -> int:
        """Show the lines that match some words; return their number."""
        fit = {field.key for field in self._section.fields if field.matches(words)}
        is_searching = bool(words.strip())
        if fit and is_searching:
            self._build()
        for key, line in self._lines.items():
            line.element.set_visibility(key in fit)
        self._fold.set_visibility(bool(fit))
        self._fold.set_value(bool(fit) if is_searching else self._open)
        return len(fit)

    def _build(self) -> None:
        if not self._lines:
            with self._fold:
                for field in self._section.fields:
                    self._lines[field.key] = self._line(field.key)


class _CopyField:
    """A text with a Copy button."""

    def __init__(self, label: str, name: str, rows: int) -> None:
        with ui.element("div").classes("setting-default"):
            self._area = ui.textarea(label).classes("copied").props("readonly dense outlined")
            self._area.props(f"rows={rows} data-testid=settings-{name} spellcheck=false")
            copy = button("Copy", self._copy, test_id=f"copy-{name}", look="outline dense")
            copy.props["aria-label"] = f"Copy: {label}"

    def show(self, text: str) -> None:
        """Show another text."""
        show_value(self._area, text)

    def _copy(self) -> None:
        ui.clipboard.write(self._area.value or "")
