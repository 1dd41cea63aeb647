"""The chosen citizen: its life up to the displayed moment, in each run."""

import asyncio
from functools import partial
from typing import TYPE_CHECKING

from nicegui import background_tasks, ui

from memopolis.commands.shown_text import harmless
from memopolis.dashboard.elements import error_line, heading, show_line, show_value, text_field
from memopolis.dashboard.life.components import contents
from memopolis.dashboard.life.curves import Curves
from memopolis.dashboard.life.interview_panel import InterviewPanel
from memopolis.dashboard.life.knowledge import Knowledge, Review
from memopolis.dashboard.life.memories import Memories
from memopolis.dashboard.life.opened import OpenedAgent, open_life
from memopolis.dashboard.life.profile import Profile
from memopolis.dashboard.life.thoughts import Attitudes, Decisions, Thoughts
from memopolis.dashboard.viewer import line_of

if TYPE_CHECKING:
    from memopolis.dashboard.viewer import Viewer

_LEAST = 0.5
"""Seconds between two updates of a life while the run is playing."""
_CONTENTS = {
    "profile": "Profile",
    "status": "Status",
    "asking": "Ask",
    "over-time": "Over time",
    "memories": "Memories",
    "thoughts": "Thoughts",
    "attitudes": "Attitudes",
    "decisions": "Decisions",
    "knowledge": "Knowledge",
    "review": "Review",
}
_MOMENT = 0.02
"""Seconds for the browser to receive what was built."""


def citizen(viewer: "Viewer") -> None:
    """Show the life of the chosen citizen."""
    _Life(viewer)


class _Life:
    """The chosen citizen for one visitor."""

    def __init__(self, viewer: "Viewer") -> None:
        self._viewer = viewer
        self._typed = ""
        self._turn = 0
        self._reading: int | None = None
        self._newer = False
        self._opened: tuple[OpenedAgent, ...] = ()
        self._drawn: tuple[OpenedAgent, ...] | None = None
        with ui.element("div").classes("stack"):
            self._build_heading()
            self._body = ui.element("div").classes("stack").props("data-testid=life")
        with self._body:
            contents(_CONTENTS)
            self._profile = Profile(viewer)
            self._interview = InterviewPanel(viewer, self._go_to)
            self._curves = Curves(viewer)
            self._memories = Memories(viewer)
            self._thoughts = Thoughts(viewer, self._go_to)
            self._attitudes = Attitudes(viewer)
            self._decisions = Decisions(viewer, self._go_to)
            self._knowledge = Knowledge(viewer, self._go_to)
            self._review = Review(viewer, self._go_to)
        self._body.set_visibility(False)
        viewer.on_change(self._changed)

    def _build_heading(self) -> None:
        with ui.element("section").classes("panel").props("data-testid=citizen"):
            with ui.element("div").classes("who"):
                self._name = heading(2, "").classes("any-text").props("dir=auto")
                self._name.props("data-testid=citizen-name aria-live=polite")
                self._wait = ui.spinner(size="1.5em")
                self._wait.set_visibility(False)
                self._before = self._button("Previous", -1)
                self._after = self._button("Next", 1)
                self._number = text_field("Number", "", self._type, test_id="citizen-number")
                self._number.props("inputmode=numeric size=8").on("keydown.enter", self._go, [])
                go = ui.button("Open", on_click=self._go).props("outline no-caps")
                go.props("data-testid=citizen-open")
            self._about = ui.label().classes("quiet any-text").props("data-testid=citizen-about")
            self._line = error_line(test_id="citizen-error")

    def _button(self, text: str, by: int) -> ui.button:
        button = ui.button(text, on_click=lambda: self._step(by)).props("outline no-caps")
        return button.props(f"data-testid=citizen-{text.lower()}")

    # Buttons and fields

    def _go_to(self, number: int, memory: int) -> None:
        self._memories.go_to(number, memory)

    def _type(self, text: str) -> None:
        self._typed = text

    def _go(self) -> None:
        typed = self._typed.strip()
        if not (typed.isascii() and typed.isdigit()) or len(typed) > 9:
            show_line(self._line, f"{harmless(typed[:40])!r} is not a number; type one such as 17.")
            return
        self._viewer.choose(int(typed))

    def _step(self, by: int) -> None:
        known = next((one for one in self._opened if one.life is not None), None)
        other = None if known is None else known.before if by < 0 else known.after
        if other is not None:
            self._viewer.choose(other)

    # Display

    def _changed(self) -> None:
        """Read the life of the chosen citizen, without waiting for an earlier choice."""
        agent, self._newer = self._viewer.agent, True
        if agent is None:
            self._turn += 1
            self._show_no_citizen()
        elif self._reading != agent:
            self._turn += 1
            self._reading = agent
            background_tasks.create(self._read(agent, self._turn))

    def _show_no_citizen(self) -> None:
        self._reading = None
        self._name.text = "No citizen is chosen"
        self._about.text = "Choose a citizen in the list, or type a number."
        self._body.set_visibility(False)
        self._before.set_enabled(False)
        self._after.set_enabled(False)

    async def _read(self, agent: int, turn: int) -> None:
        """Update a life at each new moment, until another citizen is chosen."""
        if not self._opened or self._opened[0].agent != agent:
            self._wait.set_visibility(True)
            self._name.text, self._about.text = f"Opening number {agent}", ""
            self._body.classes("stale")
        while turn == self._turn and self._newer and not self._body.is_deleted:
            self._newer = False
            started = asyncio.get_running_loop().time()
            try:
                with self._body.client:
                    await self._show(agent, turn)
            except Exception as error:  # noqa: BLE001 - shown in one line
                if turn == self._turn:
                    show_line(self._line, line_of(error))
            spent = asyncio.get_running_loop().time() - started
            await asyncio.sleep(max(0.0, _LEAST - spent) if self._viewer.watch.playing else 0)
        if turn == self._turn:
            self._reading = None

    async def _show(self, agent: int, turn: int) -> None:
        runs = self._viewer.runs
        read = [await self._viewer.work(partial(open_life, run, agent)) for run in runs]
        if turn != self._turn:
            return
        self._opened = opened = tuple(read)
        self._show_heading(opened)
        for part in (self._profile, self._interview, self._memories):
            part.show(opened)
        # The parts above are sent to the browser first.
        await asyncio.sleep(_MOMENT)
        if turn != self._turn:
            return
        for later in (self._thoughts, self._attitudes, self._decisions, self._knowledge):
            later.show(opened)
        await self._memories.find()
        if self._drawn is None:
            background_tasks.create(self._draw())

    async def _draw(self) -> None:
        """Draw the slow parts of the displayed life; repeat if it changed."""
        while self._drawn is not self._opened and not self._body.is_deleted:
            opened = self._drawn = self._opened

            def is_current(opened: tuple[OpenedAgent, ...] = opened) -> bool:
                agent = opened[0].agent
                same = self._viewer.agent == agent and self._opened[0].agent == agent
                # A playing run always has a newer moment, so its figures are drawn to the end.
                newest = self._opened is opened or self._viewer.watch.playing
                return same and newest

            try:
                with self._body.client:
                    await self._curves.show(opened, is_current)
                    await self._attitudes.draw(opened, is_current)
                    if is_current():
                        await self._review.show(opened)
            except Exception as error:  # noqa: BLE001 - shown in one line
                show_line(self._line, line_of(error))
        self._drawn = None

    def _show_heading(self, opened: tuple[OpenedAgent, ...]) -> None:
        known = next((one for one in opened if one.life is not None), None)
        self._wait.set_visibility(False)
        self._body.classes(remove="stale")
        agent = opened[0].agent
        show_line(self._line, "" if known else opened[0].error)
        self._body.set_visibility(known is not None)
        self._name.text = harmless(known.required_life.name) if known else f"Number {agent}"
        population = known.required_life.population.replace("_", " ") if known else ""
        self._about.text = f"{population} {agent}" if known else ""
        self._before.set_enabled(known is not None and known.before is not None)
        self._after.set_enabled(known is not None and known.after is not None)
        show_value(self._number, self._typed)
