"""A citizen's knowledge of a topic as a map and a list, and memories due for review."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from matplotlib.figure import Figure
from nicegui import ui

from memopolis.analysis.figures.memories import knowledge_map
from memopolis.analysis.run.run import Run
from memopolis.commands.shown_text import harmless, one_line
from memopolis.dashboard.elements import error_line, link_button, note, show_line
from memopolis.dashboard.figure import Drawn, gallery
from memopolis.dashboard.life.answer_panel import AnswerPanel, Build
from memopolis.dashboard.life.components import Part, evidence, section, side_by_side
from memopolis.dashboard.life.opened import OpenedAgent
from memopolis.dashboard.viewer import line_of

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
        drawn = await _picture(one, text, graph) if len(graph) else None
        return partial(self._fill, number, assessment, graph, drawn)

    def _fill(
        self, number: int, assessment: "Assessment", graph: "nx.Graph[int]", drawn: Drawn | None
    ) -> None:
        with (
            ui.element("div").props(f"data-testid=knowledge-message-{number + 1}").classes("stack")
        ):
            ui.label(f"“{harmless(assessment.message)}”").classes("any-text").props("dir=auto")
            ui.label(_assessed(assessment)).classes("quiet")
            for one in assessment.suggestions:
                ui.label(harmless(one)).classes("quiet any-text").props("dir=auto")
        if drawn is not None:
            with ui.element("figure").classes("figure"):
                image = ui.element("img").props(f"data-testid=image-knowledge-{number + 1}")
                image.props["src"], image.props["alt"] = drawn.address, drawn.alt
        nodes = sorted(graph.nodes(data=True), key=lambda node: (-node[1]["score"], node[0]))
        texts = [f"{one_line(node['text'])} ({float(node['score']):.2f})" for _, node in nodes]
        numbers = [int(memory) for memory, _ in nodes]
        evidence(texts, numbers, partial(self._go_to, number), most=_KNOWN, test_id="known")


class Review:
    """Memories due for review in each run, the most urgent first."""

    def __init__(self, viewer: "Viewer", go_to: "GoTo") -> None:
        self._viewer, self._go_to = viewer, go_to
        with section("Due for review", "review"):
            self._wait = ui.spinner(size="1.5em")
            self._line = error_line()
            self._parts = side_by_side(viewer, lambda number: Part(f"review-{number}"))

    async def show(self, opened: Sequence[OpenedAgent]) -> None:
        """Compute which memories are due now."""
        self._wait.set_visibility(True)
        show_line(self._line, "")
        try:
            for number, one in enumerate(opened):
                await self._due(number, one)
        except Exception as error:  # noqa: BLE001 - the other parts still work
            show_line(self._line, line_of(error))
        finally:
            self._wait.set_visibility(False)

    async def _due(self, number: int, one: OpenedAgent) -> None:
        part = self._parts[number]
        if one.missing_memories:
            part.show(one.missing_memories, lambda: note(one.missing_memories))
            return
        due = await self._viewer.work(lambda: one.restored_agent.review(_DUE))
        rows = tuple(zip(due.index, due["text"], due["overdue"], strict=True))
        part.show((one.agent, rows), lambda: self._list(number, due))

    def _list(self, number: int, due: "pd.DataFrame") -> None:
        if due.empty:
            note("Nothing is due: all important memories were recalled recently.")
        with ui.element("ul").classes("evidence"):
            for memory, row in zip(due.index.tolist(), due.to_dict("records"), strict=True):
                with ui.element("li"):
                    press = partial(self._go_to, number, memory)
                    link_button(one_line(row["text"]), press, test_id=f"due-{memory}")
                    overdue = float(row["overdue"])
                    ui.label(f"{overdue:.1f} days overdue").classes("quiet")


async def _picture(one: OpenedAgent, topic: str, graph: "nx.Graph[int]") -> Drawn | None:
    def draw(_run: Run) -> Figure:
        return knowledge_map(graph)

    def alt(_run: Run) -> str:
        clear = one_line(topic)
        return f"What {harmless(one.required_life.name)} knows about {clear}: {len(graph)} memories"

    return await gallery.drawn(lambda: one.run, f"knowledge-{one.agent}-{topic}", draw, alt)


def _assessed(assessment: "Assessment") -> str:
    level = assessment.level.replace("_", " ")
    if not assessment.memories:
        return f"Knowledge: {level} ({assessment.score:.2f} of 1); no memory is relevant"
    return (
        f"Knowledge: {level} ({assessment.score:.2f} of 1); "
        f"{assessment.memories} relevant memories; their confidence "
        f"{assessment.confidence:.2f}, recency {assessment.recency:.2f}, "
        f"consolidation {assessment.consolidation:.2f}"
    )
