"""Interview a citizen, who answers from memory."""

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from nicegui import run, ui

from memopolis.commands.shown_text import harmless
from memopolis.dashboard.elements import agent_text, choice, quiet
from memopolis.dashboard.life.asked import Asked, Build
from memopolis.dashboard.life.decision_words import MINDS
from memopolis.dashboard.life.minds import mind_settings, minds_of
from memopolis.dashboard.life.opened import Opened
from memopolis.dashboard.life.pieces import evidence
from memopolis.dashboard.life.thoughts import decision_row

if TYPE_CHECKING:
    from memopolis.analysis.interview.answering import Interview


class Asking(Asked):
    """A question typed by the visitor, and the mind that answers."""

    title, section = "Ask a question", "asking"
    label, field = "Your question", "question"
    button, press, place = "Ask", "ask", "answer"
    wanted = "Type a question, such as: Why did you stay?"

    _mind = "rule"

    def _choices(self) -> None:
        minds = minds_of(self._viewer.watch.mind)
        if len(minds) > 1:
            choice("Answered by", minds, self._mind, self._choose, named="answered-by")

    def _choose(self, mind: str) -> None:
        self._mind = mind

    async def _answer(self, number: int, one: Opened, text: str) -> Build | None:
        # Answers of a model are slow and must not block other visitors.
        settings = mind_settings(self._mind, self._viewer.watch.mind)
        held = await run.io_bound(_interview, one, text, settings)
        return None if held is None else partial(self._fill, number, one, held)

    def _fill(self, number: int, one: Opened, held: "Interview") -> None:
        go_to = partial(self._go_to, number)
        ui.label(harmless(held.question)).classes("quiet any-text").props("dir=auto")
        with ui.element("div").classes("answer"):
            agent_text(held.text, named="answer-text")
        who = MINDS.get(held.mind, harmless(held.mind))
        when = f"{one.run.end:%a %d %b %Y %H:%M}"
        ui.label(f"Answered by {who}, from the memories of {when}.").classes("quiet").props(
            "data-testid=answered"
        )
        if held.evidence.empty:
            quiet("No memory is relevant to the question.")
        else:
            ui.label("Memories the answer is based on").classes("quiet")
            numbers = [int(memory) for memory in held.evidence.index]
            evidence([str(text) for text in held.evidence["text"]], numbers, go_to)
        rows: list[Any] = held.decisions.to_dict("records")
        if rows:
            ui.label("Latest decisions on this subject").classes("quiet")
            with ui.element("ul").classes("stream"):
                for row in rows:
                    with ui.element("li").classes("memory"):
                        decision_row(row, go_to)


def _interview(one: Opened, question: str, mind: Mapping[str, object]) -> "Interview":
    from memopolis.analysis.interview.restored_agent import RestoredAgent

    return RestoredAgent(one.run, one.known, mind).interview(question)
