"""Interview a citizen, who answers from memory."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from nicegui import background_tasks, run, ui

from memopolis.analysis.interview.answering import Interview
from memopolis.analysis.labels import format_moment
from memopolis.analysis.run.conversations import Conversation
from memopolis.commands.shown_text import harmless
from memopolis.dashboard.ask.answers import answer_row, describe_asked, keep, kept
from memopolis.dashboard.elements import agent_text, error_line, note, select, show_line
from memopolis.dashboard.life.answer_panel import AnswerPanel, Build
from memopolis.dashboard.life.components import Part, evidence, section, side_by_side
from memopolis.dashboard.life.minds import MODEL, RULE, minds_of
from memopolis.dashboard.life.opened import OpenedAgent
from memopolis.dashboard.life.thoughts import GoTo, decision_row
from memopolis.dashboard.life.words import describe_mind
from memopolis.dashboard.viewer import Viewer, line_of
from memopolis.sim.errors import MemopolisError

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
