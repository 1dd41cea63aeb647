"""Answers about the opened citizen: a place for each run, and panels with a field and a button.

One of them interviews the citizen, who answers from memory.
"""

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Hashable, Sequence
from functools import partial
from typing import Any, ClassVar

from nicegui import background_tasks, run, ui

from memopolis.analysis.interview.answering import Interview
from memopolis.analysis.labels import format_moment
from memopolis.analysis.run.conversations import Conversation
from memopolis.commands.shown_text import harmless
from memopolis.dashboard.ask.answers import answer_row, describe_asked, keep, kept
from memopolis.dashboard.elements import (
    agent_text,
    button,
    error_line,
    note,
    select,
    show_line,
    text_field,
)
from memopolis.dashboard.life.components import Part, evidence, section, side_by_side
from memopolis.dashboard.life.minds import MODEL, RULE, minds_of
from memopolis.dashboard.life.opened import OpenedAgent
from memopolis.dashboard.life.thoughts import GoTo, decision_row
from memopolis.dashboard.life.words import describe_mind
from memopolis.dashboard.viewer import Viewer, line_of
from memopolis.sim.errors import MemopolisError

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


_MOST_KEPT = 10  # most earlier answers of a citizen that are shown


class InterviewPanel(AnswerPanel):
    """A question typed by the visitor, and the mind that answers."""

    title, section = "Ask a question", "asking"
    label, field = "Your question", "question"
    button, press, place = "Ask", "ask", "answer"
    request = "Type a question, such as: Why did you stay?"

    _mind = RULE

    def __init__(self, viewer: Viewer, go_to: GoTo) -> None:
        super().__init__(viewer, go_to)
        with section("Earlier questions", "asked-before"):
            self._kept_line = error_line(test_id="kept-error")
            self._kept = side_by_side(viewer, lambda number: Part(f"kept-{number}"))

    def _choices(self) -> None:
        minds = minds_of(self._viewer.watch.mind)
        if len(minds) > 1:
            select("Answered by", minds, self._mind, self._choose, test_id="answered-by")

    def _choose(self, mind: str) -> None:
        self._mind = mind

    async def _answer(self, number: int, one: OpenedAgent, text: str) -> Build | None:
        from memopolis.analysis.interview.group import conversation_of
        from memopolis.analysis.interview.restored_agent import RestoredAgent

        mind = self._viewer.watch.mind if self._mind == MODEL else {}
        # Answers of a model are slow and must not block other visitors.
        answered = await run.io_bound(
            lambda: RestoredAgent(one.run, one.required_life, mind).interview(text)
        )
        if answered is None:
            return None
        unkept = await self._viewer.work(
            lambda: keep(one.run, [conversation_of(one.run, answered)])
        )
        await self._show_kept()
        return partial(self._fill, number, one, answered, unkept)

    def show(self, opened: Sequence[OpenedAgent]) -> None:
        """Show what the citizen was asked before, after a change of citizen or of the step."""
        super().show(opened)
        background_tasks.create(self._show_kept())

    async def _show_kept(self) -> None:
        opened = self._opened
        try:
            asked = [await self._viewer.work(partial(kept, agent.run)) for agent in opened]
        except MemopolisError as error:
            show_line(self._kept_line, line_of(error))
            return
        if opened is not self._opened:
            return
        for one, part, all_asked in zip(opened, self._kept, asked, strict=True):
            own = [each for each in all_asked if each.agent == one.agent][:_MOST_KEPT]
            part.show(tuple(own), partial(self._build_kept, one, own))

    def _build_kept(self, one: OpenedAgent, asked: Sequence[Conversation]) -> None:
        note("Asked before" if asked else "No question was asked so far.")
        with ui.element("ul").classes("stream").props("data-testid=kept-answers"):
            for each in asked:
                with ui.element("li"):
                    ui.label(harmless(each.question)).classes("any-text").props("dir=auto")
                    note(describe_asked(one.run, each))
                answer_row(each)

    def _fill(self, number: int, one: OpenedAgent, answered: Interview, unkept: str) -> None:
        go_to = partial(self._go_to, number)
        ui.label(harmless(answered.question)).classes("quiet any-text").props("dir=auto")
        with ui.element("div").classes("answer"):
            agent_text(answered.text, test_id="answer-text")
        if answered.details:
            with ui.expansion("Details").props("dense data-testid=answer-details"):
                agent_text(answered.details)
        who = describe_mind(answered.mind, answered.fault)
        line = (
            f"Answered by {who}, from the life until {format_moment(one.run.end, one.run.hours)}."
        )
        ui.label(line).classes("quiet").props("data-testid=answered")
        if unkept:
            note(unkept)
        if answered.evidence.empty:
            note("No memory is relevant to the question.")
        else:
            note("Memories the answer is based on")
            numbers = [int(memory) for memory in answered.evidence.index]
            evidence([str(text) for text in answered.evidence["text"]], numbers, go_to)
        rows: list[Any] = answered.decisions.to_dict("records")
        if rows:
            note("Decisions on this subject")
            with ui.element("ul").classes("stream"):
                for row in rows:
                    with ui.element("li").classes("memory"):
                        decision_row(row, go_to, hours=one.run.hours)
