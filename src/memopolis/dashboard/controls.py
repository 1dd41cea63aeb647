"""The header of the page: title, clock and controls.

The browser keeps a visitor's choice of light or dark mode in a cookie.
"""

from collections.abc import Callable

from nicegui import ui
from nicegui.elements.mixins.text_element import TextElement

from memopolis.analysis.labels import format_moment
from memopolis.commands.shown_text import one_line
from memopolis.dashboard.elements import (
    button,
    error_line,
    heading,
    select,
    set_properties,
    show_line,
    show_value,
    slider,
    text_field,
)
from memopolis.dashboard.tour import Tour
from memopolis.dashboard.viewer import Viewer, line_of
from memopolis.sim.compilation import FIRST_RUN, compilation
from memopolis.sim.errors import MemopolisError

_COOKIE = "memopolis-mode"
_YEAR = 365 * 24 * 3600
_LABELS = {"system": "As the system", "light": "Light", "dark": "Dark"}
_IS_DARK = {"system": None, "light": False, "dark": True}
MODE_SCRIPT = f"""{{
  const mode = document.cookie.match(/(?:^|; ){_COOKIE}=(light|dark)/)?.[1];
  if (mode) document.getElementById("nicegui-color-scheme").content = mode;
}}"""
"""Applies the choice before anything is drawn, so that a dark page does not flash."""


def mode_select() -> None:
    """Build the choice of the mode, and apply the one that the browser has kept."""
    kept = ui.context.client.request.cookies.get(_COOKIE, "")
    first = kept if kept in _LABELS else "system"
    dark = ui.dark_mode(_IS_DARK[first])

    def choose(mode: str) -> None:
        dark.value = _IS_DARK[mode]
        cookie = f"{_COOKIE}={mode}; path=/; max-age={_YEAR}; samesite=strict"
        ui.run_javascript(f"document.cookie = '{cookie}'")

    select("Colours", _LABELS, first, choose, test_id="mode")


# Keyboard shortcuts, which page.js handles, and the dialog that lists them.

_KEYS = {
    "p": "Start or pause",
    "s": "Step",
    "b": "Back, in a replay",
    "1 to 9": "The tabs, from left to right",
    "?": "This list",
}
_SHOW = "memopolis.showKeys()"


def build_keys() -> None:
    """Build the button that opens the dialog, as the key "?" does."""
    button("Keys", lambda: ui.run_javascript(_SHOW), test_id="keys", look="flat")
    dialog = ui.element("dialog").classes("keys").props("data-testid=keys-dialog")
    dialog.props["aria-label"] = "Keyboard shortcuts"
    with dialog:
        heading(2, "Keyboard shortcuts")
        with ui.element("dl").classes("facts"):
            for key, effect in _KEYS.items():
                with ui.element("div"):
                    TextElement(tag="dt", text=effect)
                    TextElement(tag="dd", text=key)
        with ui.element("label"):
            ui.element("input").props("type=checkbox data-testid=keys-used")
            TextElement(tag="span", text="Use these keys in this browser")
        with ui.element("form").props("method=dialog"):
            TextElement(tag="button", text="Close").classes("link").props("data-testid=keys-close")


_SPEEDS = {
    "0.5": "1 step per 2 seconds",
    "1.0": "1 step per second",
    "2.0": "2 steps per second",
    "5.0": "5 steps per second",
    "10.0": "10 steps per second",
    "20.0": "20 steps per second",
    "50.0": "50 steps per second",
    "inf": "maximum speed",
}
_STATES = {
    "building": "Building a new society",
    "paused": "Paused",
    "playing": "Playing",
    "ended": "Ended",
    "failed": "Failed",
}


class Controls:
    """The header of the page; `refresh` updates it."""

    def __init__(self, viewer: Viewer, tour: Tour) -> None:
        self._viewer, self._watch = viewer, viewer.watch
        self._seen_seed = viewer.seed
        with ui.element("header").classes("head"):
            self._headline()
            with ui.element("div").classes("controls").props('role=group aria-label="Controls"'):
                self._buttons()
                self._speed = select(
                    "Speed", _SPEEDS, str(self._watch.speed), self._set_speed, test_id="speed"
                )
                if viewer.live is not None:
                    self._add_reset()
                mode_select()
                tour.build_button()
                build_keys()
            self._slider: ui.element | None = None
            if viewer.live is None:
                watch = self._watch
                self._slider = slider(
                    "Step", watch.steps, watch.step, watch.go_to, test_id="slider"
                )
            tour.build_offer()
            self._after = ui.label().classes("quiet any-text").props("data-testid=after")
            self._error = error_line(test_id="error")
        self._message = ""
        self.refresh()

    def _headline(self) -> None:
        with ui.element("div").classes("headline"):
            heading(1, self._watch.title).props("data-testid=title")
            self._of_run = ui.label().classes("quiet any-text").props("data-testid=run")
            self._state = ui.label().classes("state").props("data-testid=state role=status")
            self._clock = ui.label().classes("clock").props("data-testid=clock data-clock")
        if self._viewer.live is not None:  # in a replay, the slider shows the step
            self._bar = ui.linear_progress(0, show_value=False, size="5px")
            self._bar.props('instant-feedback aria-label="Steps done" data-testid=progress')

    def _buttons(self) -> None:
        self._play = _button("Start", self._start_or_pause)
        if self._viewer.live is None:
            self._back = _button("Back", self._step_back, "outline")
        self._step = _button("Step", self._watch.step_once, "outline")
        if self._viewer.live is not None:
            self._finish = _button("Finish", self._end_here, "outline")
            self._finish.tooltip("End the run after this step")

    def _add_reset(self) -> None:
        self._seed = text_field("Seed", self._viewer.seed, self._set_seed, test_id="seed")
        self._seed.props("inputmode=numeric size=12")
        self._reset = _button("Reset", self._reset_run, "outline")
        self._changed = ui.label().classes("quiet").props("data-testid=changes")

    # Buttons

    def _start_or_pause(self) -> None:
        if self._watch.playing:
            self._watch.pause()
        else:
            self._watch.play()
        self._viewer.refresh()
        self.refresh()

    def _step_back(self) -> None:
        self._watch.go_to(self._watch.step - 1)

    async def _end_here(self) -> None:
        live = self._viewer.live
        if live is not None:
            try:
                await self._viewer.work(live.finish)
            except MemopolisError as error:
                self._message = line_of(error)

    def _reset_run(self) -> None:
        self._message = self._viewer.reset()
        self.refresh()

    def _set_speed(self, value: str) -> None:
        self._watch.set_speed(float(value))

    def _set_seed(self, value: str) -> None:
        self._viewer.seed = value

    def show_error(self, error: Exception) -> None:
        """Show an error of a button in one line."""
        self._message = line_of(error)
        self.refresh()

    # Display

    def refresh(self) -> None:
        """Update the header; unchanged values are not sent."""
        watch, now = self._watch, self._viewer.moment
        state, step, steps = watch.state, now.step, watch.steps
        date = format_moment(now.date, min(run.hours for run in now.runs))
        self._clock.text = f"{date} · step {step:,} of {steps:,}"
        # Screen readers announce it only while paused; announcements would never end while playing.
        live = "off" if watch.playing else "polite"
        set_properties(self._clock, **{"aria-live": live, "data-turn": self._viewer.turn})
        self._state.text = FIRST_RUN.notice if compilation.is_active else _STATES.get(state, state)
        self._state.classes(replace=f"state state-{state}")
        self._of_run.text = self._describe_run()
        show_value(self._speed, str(watch.speed))
        if self._slider is not None:
            set_properties(self._slider, max=steps, value=step)
        self._show_buttons(state)
        self._after.text = self._describe_ended_run()
        self._after.set_visibility(bool(self._after.text))
        show_line(self._error, self._message or watch.error)

    def _show_buttons(self, state: str) -> None:
        playing, live = state == "playing", self._viewer.live
        self._play.text = "Pause" if playing else "Start"
        set_properties(self._play, **{"data-testid": "pause" if playing else "start"})
        over = state in {"building", "failed"} or (live is not None and state == "ended")
        self._play.set_enabled(not over)
        self._step.set_enabled(not over and self._watch.step < self._watch.steps)
        if live is None:
            self._back.set_enabled(self._watch.step > 0)
            return
        self._bar.set_value(self._viewer.moment.step / self._watch.steps)
        self._finish.set_enabled(state in {"paused", "playing"} and self._watch.step > 0)
        self._reset.set_enabled(state != "building")
        count = len(self._viewer.changes)
        self._changed.text = f"with {count} changed setting{'s' * (count > 1)}" if count else ""
        if str(live.seed) != self._seen_seed:
            self._seen_seed = self._viewer.seed = str(live.seed)
            show_value(self._seed, self._viewer.seed)

    def _describe_ended_run(self) -> str:
        """Describe how to open a run that has ended; "" before."""
        live = self._viewer.live
        if live is None or live.state != "ended":
            return ""
        return (
            f"The run is recorded in {live.folder}. `memopolis dashboard {live.folder}` replays "
            f"it; `memopolis report {live.folder}` writes its report."
        )

    def _describe_run(self) -> str:
        runs = self._viewer.runs
        seeds = ", ".join(dict.fromkeys(str(run.seed) for run in runs))
        names = dict.fromkeys(str(run.facts.get("place") or "") for run in runs)
        places = [name[:1].upper() + name[1:] for name in names if name]
        parts = [*places, f"seed {seeds}", " and ".join(self._watch.names)]
        return one_line(" · ".join(parts), most=200)


def _button(text: str, press: Callable[[], object], look: str = "") -> ui.button:
    return button(text, press, test_id=text.lower(), look=f"unelevated {look}")
