"""Answers about the opened citizen: a place for each run, and panels with a field and a button."""

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Hashable, Sequence
from functools import partial
from typing import ClassVar

from nicegui import ui

from memopolis.dashboard.elements import button, error_line, note, show_line, text_field
from memopolis.dashboard.life.components import Part, section, side_by_side
from memopolis.dashboard.life.opened import OpenedAgent
from memopolis.dashboard.life.thoughts import GoTo
from memopolis.dashboard.viewer import Viewer, line_of

type Build = Callable[[], None]
"""Builds an answer on the page."""
type Answer = tuple[Hashable, Build] | None
"""An answer with the key of its content; None for nothing."""


class Answers:
    """A place for an answer in each run, with a spinner and a line for errors.

    `place` is the prefix of the places' data-testid, `error` that of the line for errors.
    """

    def __init__(self, viewer: Viewer, place: str, error: str) -> None:
        self._turn = 0
        self._wait = ui.spinner(size="1.5em")
        self._line = error_line(test_id=error)
        self._parts = side_by_side(viewer, lambda number: Part(f"{place}-{number}"))
        for part in self._parts:
            part.box.props("aria-live=polite")
        self.clear()

    def clear(self) -> None:
        """Remove the answers, also those that are still awaited."""
        self._turn += 1
        self._wait.set_visibility(False)
        self.show_error("")
        for part in self._parts:
            part.show(None, lambda: None)

    def show_error(self, error: str) -> None:
        """Show an error in one line, "" for none."""
        show_line(self._line, error)

    async def fill(
        self, opened: Sequence[OpenedAgent], ask: Callable[[int, OpenedAgent], Awaitable[Answer]]
    ) -> None:
        """Ask in each run in turn; answers to outdated questions are not shown."""
        self._turn += 1
        turn = self._turn
        self.show_error("")
        self._wait.set_visibility(True)
        try:
            for number, one in enumerate(opened):
                key, build = await ask(number, one) or (None, lambda: None)
                if turn != self._turn:
                    return  # an outdated question to a model would still cost money
                self._parts[number].show(key, build)
        except Exception as error:  # noqa: BLE001 - shown beside the field
            if turn == self._turn:
                self.show_error(line_of(error))
        finally:
            if turn == self._turn:
                self._wait.set_visibility(False)


class AnswerPanel(ABC):
    """A field, a button, and an answer in each run."""

    title: ClassVar[str]  # heading of the section
    section: ClassVar[str]  # data-testid of the section
    label: ClassVar[str]  # label of the field
    field: ClassVar[str]  # data-testid of the field
    button: ClassVar[str]  # label of the button
    press: ClassVar[str]  # data-testid of the button, and prefix of that of the error
    place: ClassVar[str]  # prefix of the answers' data-testid
    request: ClassVar[str]  # message if nothing was typed

    def __init__(self, viewer: Viewer, go_to: GoTo) -> None:
        self._viewer, self._go_to = viewer, go_to
        self._opened: Sequence[OpenedAgent] = ()
        self._text = ""
        with section(self.title, self.section):
            with ui.element("div").classes("asked"):
                field = text_field(self.label, "", self._type, test_id=self.field)
                field.on("keydown.enter", self._ask, [])
                self._choices()
                button(self.button, self._ask, test_id=self.press)
            self._answers = Answers(viewer, self.place, f"{self.press}-error")

    def show(self, opened: Sequence[OpenedAgent]) -> None:
        """Remove the answers of another citizen; keep the typed text."""
        before, self._opened = self._opened, opened
        if opened and (not before or opened[0].agent != before[0].agent):
            self._answers.clear()

    @abstractmethod
    async def _answer(self, number: int, one: OpenedAgent, text: str) -> Build | None:
        """Ask a citizen with memories in the run of a number, from 0; None without an answer."""

    def _choices(self) -> None:  # noqa: B027 - there may be nothing
        """Build further controls beside the field."""

    def _type(self, text: str) -> None:
        self._text = text

    async def _ask(self) -> None:
        text = self._text.strip()
        if not text:
            self._answers.show_error(self.request)
            return

        async def ask(number: int, one: OpenedAgent) -> Answer:
            missing = one.missing_memories
            build = partial(note, missing) if missing else await self._answer(number, one, text)
            return None if build is None else (object(), build)

        await self._answers.fill(self._opened, ask)
