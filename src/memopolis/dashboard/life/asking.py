"""A box to ask a citizen something; it answers from what it remembers."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from nicegui import run, ui

from memopolis.dashboard.elements import choice, text_field
from memopolis.dashboard.life.decision_words import MINDS
from memopolis.dashboard.life.minds import mind_settings, minds_of
from memopolis.dashboard.life.opened import Opened
from memopolis.dashboard.life.pieces import Part, evidence, line_box, quiet, said, tell
from memopolis.dashboard.life.sections import section, side_by_side
from memopolis.dashboard.life.shown_text import harmless
from memopolis.dashboard.life.thoughts import decision_row
from memopolis.dashboard.viewer import line_of

if TYPE_CHECKING:
    from memopolis.analysis.interview import Interview
    from memopolis.dashboard.life.thoughts import GoTo
    from memopolis.dashboard.viewer import Viewer


class Asking:
    """The box, and the answer of each run.

    Args:
        viewer: The visitor.
        go_to: Goes to a memory.
    """

    def __init__(self, viewer: "Viewer", go_to: "GoTo") -> None:
        self._viewer, self._go_to = viewer, go_to
        self._opened: Sequence[Opened] = ()
        self._question, self._mind, self._agent = "", "rule", -1
        self._turn = 0
        with section("Ask a question", "asking"):
            with ui.element("form").classes("asked") as form:
                form.on("submit", self._ask, js_handler="(e) => {e.preventDefault(); emit()}")
                text_field("Your question", "", self._typed, named="question")
                minds = minds_of(viewer.runs[0])
                if len(minds) > 1:
                    choice("Answered by", minds, "rule", self._choose, named="answered-by")
                ui.button("Ask").props("type=submit no-caps data-testid=ask")
                self._wait = ui.spinner(size="1.5em")
                self._wait.set_visibility(False)
            self._line = line_box(named="ask-error")
            self._parts = []
            for number, place in enumerate(side_by_side(viewer), 1):
                with place:
                    suffix = "" if number == 1 else f"-{number}"
                    part = Part(f"answer{suffix}")
                    part.box.props("aria-live=polite")
                    self._parts.append(part)

    def show(self, opened: Sequence[Opened]) -> None:
        """Take answers away that are of somebody else; the question stays as typed."""
        self._opened = opened
        if opened and opened[0].agent != self._agent:
            self._agent = opened[0].agent
            self._turn += 1
            for part in self._parts:
                part.show(None, lambda: None)
            tell(self._line, "")

    def _typed(self, text: str) -> None:
        self._question = text

    def _choose(self, mind: str) -> None:
        self._mind = mind

    async def _ask(self) -> None:
        question = self._question.strip()
        if not question:
            tell(self._line, "Type a question, such as: Why did you stay?")
            return
        self._turn += 1
        turn = self._turn
        tell(self._line, "")
        self._wait.set_visibility(True)
        try:
            for number, one in enumerate(self._opened):
                await self._answer(number, one, question, turn)
        except Exception as error:  # noqa: BLE001 - told beside the field, which stays as typed
            if turn == self._turn:
                tell(self._line, line_of(error))
        finally:
            if turn == self._turn:
                self._wait.set_visibility(False)

    async def _answer(self, number: int, one: Opened, question: str, turn: int) -> None:
        part = self._parts[number]
        if one.unremembered:
            part.show(one.unremembered, lambda: quiet(one.unremembered))
            return
        mind = self._mind
        # A model takes its time: it may not keep those waiting who only look.
        held = await run.io_bound(_interview, one, question, mind)
        if held is not None and turn == self._turn:
            part.show(object(), lambda: self._fill(number, one, held))

    def _fill(self, number: int, one: Opened, held: "Interview") -> None:
        def go_to(memory: int) -> None:
            self._go_to(number, memory)

        ui.label(harmless(held.question)).classes("quiet any-text").props("dir=auto")
        with ui.element("div").classes("answer"):
            said(held.text, named="answer-text")
        who = MINDS.get(held.mind, harmless(held.mind))
        when = f"{one.run.end:%a %d %b %Y %H:%M}"
        ui.label(f"Answered by {who}, from what is remembered on {when}.").classes("quiet").props(
            "data-testid=answered"
        )
        if held.evidence.empty:
            quiet("No memory bears on it.")
        else:
            ui.label("What the answer rests on").classes("quiet")
            numbers = [int(memory) for memory in held.evidence.index]
            evidence([str(text) for text in held.evidence["text"]], numbers, go_to)
        rows: list[Any] = held.decisions.to_dict("records")
        if rows:
            ui.label("What it last decided about that").classes("quiet")
            with ui.element("ul").classes("stream"):
                for row in rows:
                    with ui.element("li").classes("memory"):
                        decision_row(row, go_to)


def _interview(one: Opened, question: str, mind: str) -> "Interview":
    from memopolis.analysis.respondent import Respondent

    return Respondent(one.run, one.known, mind_settings(one.run, mind)).interview(question)
