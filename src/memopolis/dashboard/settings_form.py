"""The settings of the scenario on the page: change them, and begin a run anew."""

from collections.abc import Callable

from nicegui import ui

from memopolis.dashboard.setting_draft import Draft
from memopolis.dashboard.setting_fields import MOST_USED, Section
from memopolis.dashboard.setting_line import STYLE, SettingLine
from memopolis.dashboard.viewer import Viewer, line_of
from memopolis.dashboard.watch.live import LiveWatch
from memopolis.sim.chance import fresh_seed
from memopolis.sim.errors import MemopolisError
from memopolis.sim.scenario_names import reference_if_any, typed_name


def settings_form(viewer: Viewer) -> None:
    """Show every setting of the scenario, and begin anew with those that were changed."""
    if viewer.live is not None:
        ui.add_css(STYLE + _STYLE)
        _SettingsForm(viewer, viewer.live)


class _SettingsForm:
    """What one visitor types; nothing of it reaches the run before it is sent."""

    def __init__(self, viewer: Viewer, live: LiveWatch) -> None:
        self._viewer, self._live = viewer, live
        self._draft = Draft(type(live.settings), live.settings)
        self._lines: dict[str, SettingLine] = {}
        self._folds: list[_Fold] = []
        with ui.element("section").classes("panel").props("data-testid=settings"):
            ui.label("Settings").classes("panel-title")
            ui.label(
                "Changes take effect when you reset: a new run begins in a new folder, and the "
                "run so far is kept as it is."
            ).classes("quiet")
            search = ui.input("Search the settings", on_change=lambda e: self._search(e.value))
            search.props("outlined dense clearable debounce=200 data-testid=settings-search")
            self._found = ui.label().classes("quiet").props("role=status")
            self._seed_line()
            for section in self._draft.sections:
                self._folds.append(_Fold(section, self._line, self._draft))
            self._send_line()
            self._elsewhere()
        viewer.on_change(self._show)

    def _line(self, key: str) -> SettingLine:
        self._lines[key] = SettingLine(self._draft, self._draft.fields[key], self._show)
        return self._lines[key]

    def _seed_line(self) -> None:
        with ui.element("div").classes("setting").props("data-testid=setting-row-seed"):
            with ui.element("div"):
                ui.label("seed").classes("setting-name")
                ui.label("Names the run's luck: the same settings and seed make the same run")
                ui.label("whole number, 0 or more").classes("quiet")
            with ui.element("div").classes("setting-typed"):
                with ui.element("div").classes("setting-both"):
                    self._seed = ui.input("seed", value=str(self._live.seed), on_change=self._show)
                    self._seed.props(
                        "outlined dense inputmode=numeric debounce=200 data-testid=setting-seed"
                    )
                    drawn = ui.button("Draw one", on_click=self._draw_seed)
                    drawn.props("flat dense no-caps data-testid=draw-seed")
                self._seed_error = ui.label().classes("failed").props("role=alert")

    def _send_line(self) -> None:
        with ui.element("div").classes("settings-send"):
            self._summary = ui.label().props("role=status data-testid=settings-summary")
            self._error = ui.label().classes("failed any-text")
            self._error.props("role=alert data-testid=settings-error")
            with ui.row():
                self._send = ui.button("Reset with these settings", on_click=self._reset)
                self._send.props("no-caps data-testid=settings-apply")
                ui.button("All back to the defaults", on_click=self._clear).props(
                    "flat no-caps data-testid=settings-clear"
                )

    def _elsewhere(self) -> None:
        """The same run without the page: a command, and a file of settings."""
        with ui.expansion("The same without the page").props("data-testid=settings-copy"):
            ui.label("On the command line").classes("quiet")
            self._command = _Copied("Command", "command")
            ui.label("As a file for `memopolis run --settings FILE`").classes("quiet")
            self._toml = _Copied("TOML", "toml")

    def _show(self) -> None:
        """Say what is changed and what is wrong, and whether it can be sent."""
        for line in self._lines.values():
            line.refresh()
        for fold in self._folds:
            fold.refresh()
        wrong, seed = dict(self._draft.errors), self._seed_number()
        self._seed_error.text = "" if seed is not None else _SEED.format(self._seed.value)
        self._seed_error.set_visibility(seed is None)
        self._summary.text = self._told(len(wrong) + (seed is None))
        self._error.text = next(iter(wrong.values()), "")
        self._error.set_visibility(bool(wrong))
        possible = not wrong and seed is not None and self._viewer.watch.state != "building"
        self._send.set_enabled(possible)
        self._command.text = self._draft.command(_reference(self._live), seed)
        self._toml.text = self._draft.toml() or "# nothing is changed\n" * (not wrong)

    def _told(self, wrong: int) -> str:
        changed = sum(map(self._draft.changed, self._draft.typed))
        told = f"{changed or 'No'} setting{'s' * (changed != 1)} changed from the default"
        if wrong:
            return f"{told}; {wrong} cannot be used, correct {'it' if wrong == 1 else 'them'} first"
        now = self._live.settings
        differ = len(self._draft.changes_of(now)) + (self._seed_number() != self._live.seed)
        return f"{told}; {f'{differ} not in the run yet' if differ else 'the run has them all'}"

    def _seed_number(self) -> int | None:
        text = str(self._seed.value or "").strip()
        return int(text) if text.isascii() and text.isdecimal() and len(text) < 20 else None

    def _draw_seed(self) -> None:
        self._seed.value = str(fresh_seed())

    def _clear(self) -> None:
        self._draft.clear()
        for line in self._lines.values():
            line.fill()
        self._show()

    async def _reset(self) -> None:
        """Begin anew; what is wrong stays typed, with a line that says so."""
        changes, seed = self._draft.changes_of(self._live.settings), self._seed_number()
        try:
            await self._viewer.work(lambda: self._live.reset(changes, seed))
        except MemopolisError as error:
            self._error.text = line_of(error)
            self._error.set_visibility(True)
            return
        ui.notify("A new run begins with these settings.")

    def _search(self, words: str | None) -> None:
        """Show the settings that fit, and the sections that hold some."""
        found = sum(fold.search(words or "") for fold in self._folds)
        self._found.text = f"{found} settings found" if words else ""


class _Fold:
    """A section of settings: folded, and built when it is opened first."""

    def __init__(
        self, section: Section, line: Callable[[str], SettingLine], draft: Draft
    ) -> None:
        self._section, self._line, self._draft = section, line, draft
        self._lines: dict[str, SettingLine] = {}
        self._open = section.name == MOST_USED
        name = section.name.replace(".", "-").replace("_", "-")
        self._fold = ui.expansion(section.title, caption=section.description, value=self._open)
        self._fold.props(f"data-testid=settings-{name}").classes("settings-fold")
        self._fold.on_value_change(lambda event: self._build() if event.value else None)
        if self._open:
            self._build()

    def refresh(self) -> None:
        """Say in the heading how many of its settings are changed or wrong."""
        keys = [field.key for field in self._section.fields]
        changed = sum(map(self._draft.changed, keys))
        wrong = sum(key in self._draft.errors for key in keys)
        told = [f"{changed} changed"] * bool(changed) + [f"{wrong} wrong"] * bool(wrong)
        self._fold.props["label"] = " · ".join([self._section.title, *told])

    def search(self, words: str) -> int:
        """Show the lines that fit some words; gives how many."""
        fit = {field.key for field in self._section.fields if field.matches(words)}
        if fit and words:
            self._build()
        for key, line in self._lines.items():
            line.element.set_visibility(key in fit)
        self._fold.set_visibility(bool(fit))
        self._fold.value = bool(fit) if words else self._open
        return len(fit)

    def _build(self) -> None:
        if not self._lines:
            with self._fold:
                for field in self._section.fields:
                    self._lines[field.key] = self._line(field.key)


class _Copied:
    """A text to copy."""

    def __init__(self, label: str, name: str) -> None:
        with ui.element("div").classes("setting-both"):
            self._area = ui.textarea(label).props(
                f"readonly outlined dense autogrow data-testid=settings-{name}"
            )
            self._area.style("flex: 1 1 auto")
            ui.button("Copy", on_click=lambda: ui.clipboard.write(self.text)).props(
                f"flat dense no-caps data-testid=copy-{name} aria-label='Copy the {label}'"
            )

    @property
    def text(self) -> str:
        """What is copied."""
        return str(self._area.value)

    @text.setter
    def text(self, text: str) -> None:
        self._area.value = text


def _reference(live: LiveWatch) -> str:
    """What `memopolis run` takes for the scenario: its name, or its file and class."""
    kind = type(live.society)
    return typed_name(reference_if_any(kind)) or kind.__name__


_SEED = "seed was given '{}'; allowed: a whole number, 0 or more"
_STYLE = """
.settings-fold > .q-expansion-item__container > .q-item { font-weight: 600; }
.settings-fold .q-item__label--caption { font-weight: 400; }
.settings-send { position: sticky; bottom: 0; background: #fff; padding: .6rem 0; z-index: 2;
  border-top: 1px solid #c9c9c4; }
"""
