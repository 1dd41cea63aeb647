"""Interview a citizen, who answers from memory."""

from functools import partial
from typing import TYPE_CHECKING, Any

from nicegui import run, ui

from memopolis.commands.shown_text import harmless
from memopolis.dashboard.elements import agent_text, note, select
from memopolis.dashboard.life.answer_panel import AnswerPanel, Build
from memopolis.dashboard.life.components import evidence
from memopolis.dashboard.life.minds import MODEL, RULE, minds_of
from memopolis.dashboard.life.opened import OpenedAgent
from memopolis.dashboard.life.thoughts import decision_row
from memopolis.dashboard.life.words import MINDS

if TYPE_CHECKING:
    from memopolis.analysis.interview.answering import Interview


class InterviewPanel(AnswerPanel):
    """A question typed by the visitor, and the mind that answers."""

    title, section = "Ask a question", "asking"
    label, field = "Your question", "question"
    button, press, place = "Ask", "ask", "answer"
    request = "Type a question, such as: Why did you stay?"

    _mind = RULE

    def _choices(self) -> None:
        minds = minds_of(self._viewer.watch.mind)
        if len(minds) > 1:
            select("Answered by", minds, self._mind, self._choose, test_id="answered-by")

    def _choose(self, mind: str) -> None:
        self._mind = mind

    async def _answer(self, number: int, one: OpenedAgent, text: str) -> Build | None:
        from memopolis.analysis.interview.restored_agent import RestoredAgent

        mind = self._viewer.watch.mind if self._mind == MODEL else {}
        # Answers of a model are slow and must not block other visitors.
        answered = await run.io_bound(
            lambda: RestoredAgent(one.run, one.required_life, mind).interview(text)
        )
        return None if answered is None else partial(self._fill, number, one, answered)

    def _fill(self, number: int, one: OpenedAgent, answered: "Interview") -> None:
        go_to = partial(self._go_to, number)
        ui.label(harmless(answered.question)).classes("quiet any-text").props("dir=auto")
        with ui.element("div").classes("answer"):
            agent_text(answered.text, test_id="answer-text")
        who = MINDS.get(answered.mind, harmless(answered.mind))
        line = f"Answered by {who}, from the life until {one.run.end:%a %d %b %Y %H:%M}."
        ui.label(line).classes("quiet").props("data-testid=answered")
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
                        decision_row(row, go_to)
