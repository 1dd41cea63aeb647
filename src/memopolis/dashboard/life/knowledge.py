"""A citizen's knowledge of a topic as a map and a list, and memories due for review."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from nicegui import ui

from memopolis.analysis.figures.memories import knowledge_map
from memopolis.commands.shown_text import harmless, one_line
from memopolis.dashboard.elements import link_button, note
from memopolis.dashboard.figure import Drawn, FigureImage, gallery
from memopolis.dashboard.life.answer_panel import Answer, AnswerPanel, Answers, Build
from memopolis.dashboard.life.components import evidence, section
from memopolis.dashboard.life.opened import OpenedAgent

if TYPE_CHECKING:
    import networkx as nx
    import pandas as pd

    from memopolis.analysis.interview.restored_agent import Assessment
    from memopolis.dashboard.life.thoughts import GoTo
    from memopolis.dashboard.viewer import Viewer

_DUE = 8
_KNOWN = 10


class Knowledge(AnswerPanel):
    """How much a citizen knows about a topic, and a map of the relevant memories."""

    title, section = "Knowledge map", "knowledge"
    label, field = "Topic", "knowledge-topic"
    button, press, place = "Draw the map", "knowledge-draw", "knowledge-map"
    request = "Type a topic, such as the storm."

    async def _answer(self, number: int, one: OpenedAgent, text: str) -> Build | None:
        assessment, graph = await self._viewer.work(
            lambda: (one.restored_agent.assess(text), one.restored_agent.map(text))
        )
        drawn = await _draw_map(one, text, graph) if len(graph) else None
        return partial(self._fill, number, assessment, graph, drawn)

    def _fill(
        self, number: int, assessment: "Assessment", graph: "nx.Graph[int]", drawn: Drawn | None
    ) -> None:
        with (
            ui.element("div").props(f"data-testid=knowledge-message-{number + 1}").classes("stack")
        ):
            ui.label(f"“{harmless(assessment.message)}”").classes("any-text").props("dir=auto")
            note(_describe(assessment))
            for one in assessment.suggestions:
                ui.label(harmless(one)).classes("quiet any-text").props("dir=auto")
        if drawn is not None:
            with ui.element("figure").classes("figure"):
                FigureImage(f"image-knowledge-{number + 1}").show(drawn)
        nodes = sorted(graph.nodes(data=True), key=lambda node: (-node[1]["score"], node[0]))
        texts = [f"{one_line(node['text'])} ({float(node['score']):.2f})" for _, node in nodes]
        numbers = [int(memory) for memory, _ in nodes]
        evidence(texts, numbers, partial(self._go_to, number), most=_KNOWN, test_id="known")


class Review:
    """Memories due for review in each run, the most urgent first."""

    def __init__(self, viewer: "Viewer", go_to: "GoTo") -> None:
        self._viewer, self._go_to = viewer, go_to
        with section("Due for review", "review"):
            self._answers = Answers(viewer, "review", "review-error")

    async def show(self, opened: Sequence[OpenedAgent]) -> None:
        """Compute which memories are due now."""
        await self._answers.fill(opened, self._due)

    async def _due(self, number: int, one: OpenedAgent) -> Answer:
        missing = one.missing_memories
        if missing:
            return missing, partial(note, missing)
        due = await self._viewer.work(lambda: one.restored_agent.review(_DUE))
        rows = tuple(zip(due.index, due["text"], due["overdue"], strict=True))
        return (one.agent, rows), lambda: self._list(number, due)

    def _list(self, number: int, due: "pd.DataFrame") -> None:
        if due.empty:
            note("Nothing is due: all important memories were recalled recently.")
        with ui.element("ul").classes("evidence"):
            for memory, row in zip(due.index.tolist(), due.to_dict("records"), strict=True):
                with ui.element("li"):
                    press = partial(self._go_to, number, memory)
                    link_button(one_line(row["text"]), press, test_id=f"due-{memory}")
                    note(f"{float(row['overdue']):.1f} days overdue")


async def _draw_map(one: OpenedAgent, topic: str, graph: "nx.Graph[int]") -> Drawn | None:
    name, memories = harmless(one.required_life.name), len(graph)
    return await gallery.drawn(
        lambda: one.run,
        f"knowledge-{one.agent}-{topic}",
        lambda _: knowledge_map(graph),
        lambda _: f"What {name} knows about {one_line(topic)}: {memories} memories",
    )


def _describe(assessment: "Assessment") -> str:
    level = f"Knowledge: {assessment.level.replace('_', ' ')} ({assessment.score:.2f} of 1)"
    if not assessment.memories:
        return f"{level}; no memory is relevant"
    return (
        f"{level}; {assessment.memories} relevant memories; their confidence "
        f"{assessment.confidence:.2f}, recency {assessment.recency:.2f}, "
        f"consolidation {assessment.consolidation:.2f}"
    )
