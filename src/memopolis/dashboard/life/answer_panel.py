"""Base of panels with a question to the opened citizen and an answer per run."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from nicegui import ui

from memopolis.dashboard.elements import error_line, note, show_line, text_field
from memopolis.dashboard.life.components import Part, section, side_by_side
from memopolis.dashboard.life.opened import OpenedAgent
from memopolis.dashboard.viewer import line_of

if TYPE_CHECKING:
    from memopolis.dashboard.life.thoughts import GoTo
    from memopolis.dashboard.viewer import Viewer

type Build = Callable[[], None]
"""Builds the answer on the page."""


class AnswerPanel(ABC):
    """A field, a button, and a place for the answer of each run.

    Attributes:
        title: Heading of the section.
        section: data-testid of the section.
        label: Label of the field.
        field: The field's data-testid.
        button: Label of the button.
        press: data-testid of the button, and prefix of that of the error.
        place: Prefix of the answer's data-testid.
        request: Message if nothing was typed.
    """

    title: ClassVar[str]
    section: ClassVar[str]
    label: ClassVar[str]
    field: ClassVar[str]
    button: ClassVar[str]
    press: ClassVar[str]
    place: ClassVar[str]
    request: ClassVar[str]

    def __init__(self, viewer: "Viewer", go_to: "GoTo") -> None:
        self._viewer, self._go_to = viewer, go_to
        self._opened: Sequence[OpenedAgent] = ()
        self._text, self._agent, self._turn = "", -1, 0
        with section(self.title, self.section):
            with ui.element("div").classes("asked"):
                field = text_field(self.label, "", self._type, test_id=self.field)
                field.on("keydown.enter", self._ask, [])
                self._choices()
                button = ui.button(self.button, on_click=self._ask)
                button.props(f"no-caps data-testid={self.press}")
                self._wait = ui.spinner(size="1.5em")
                self._wait.set_visibility(False)
            self._line = error_line(test_id=f"{self.press}-error")
            self._parts = side_by_side(viewer, self._build_part)

    def _build_part(self, number: int) -> Part:
        part = Part(self.place + f"-{number}" * (number > 1))
        part.box.props("aria-live=polite")
        return part

    def show(self, opened: Sequence[OpenedAgent]) -> None:
        """Remove the answers of another citizen; keep the typed text."""
        self._opened = opened
        if opened and opened[0].agent != self._agent:
            self._agent = opened[0].agent
            self._turn += 1
            for part in self._parts:
                part.show(None, lambda: None)
            show_line(self._line, "")
            self._wait.set_visibility(False)

    @abstractmethod
    async def _answer(self, number: int, one: OpenedAgent, text: str) -> Build | None:
        """Ask in one run; None if there is no answer.

        Args:
            number: Number of the run, from 0.
            one: The citizen, who has memories.
            text: The typed text.
        """

    def _choices(self) -> None:  # noqa: B027 - there may be nothing
        """Build further controls beside the field."""

    def _type(self, text: str) -> None:
        self._text = text

    async def _ask(self) -> None:
        """Ask in each run in turn; answers to outdated questions are not shown."""
        text = self._text.strip()
        if not text:
            show_line(self._line, self.request)
            return
        self._turn += 1
        turn = self._turn
        show_line(self._line, "")
        self._wait.set_visibility(True)
        try:
            for number, one in enumerate(self._opened):
                missing = one.missing_memories
                build = partial(note, missing) if missing else await self._answer(number, one, text)
                if turn != self._turn:
                    return  # an outdated question to a model would still cost money
                if build is not None:
                    self._parts[number].show(object(), build)
        except Exception as error:  # noqa: BLE001 - shown beside the field
            if turn == self._turn:
                show_line(self._line, line_of(error))
        finally:
            if turn == self._turn:
                self._wait.set_visibility(False)
