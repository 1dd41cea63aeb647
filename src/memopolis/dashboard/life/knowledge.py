"""A citizen's knowledge of a topic as a map and a list, and memories due for review."""

import textwrap
from collections import Counter
from collections.abc import Sequence
from functools import partial
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
from nicegui import ui

from memopolis.analysis.figures.style import COLOURS
from memopolis.analysis.interview.restored_agent import Assessment
from memopolis.commands.shown_text import harmless, one_line
from memopolis.dashboard.elements import link_button, note
from memopolis.dashboard.life.answer_panel import Answer, AnswerPanel, Answers, Build
from memopolis.dashboard.life.components import evidence, section
from memopolis.dashboard.life.opened import OpenedAgent
from memopolis.dashboard.life.thoughts import GoTo
from memopolis.dashboard.viewer import Viewer

_DUE = 8
_KNOWN = 10
_LABELLED = 18  # most relevant memories whose text is beside their symbol
_AREA = (800, 400)  # width and height of the map
_LINE = 30  # characters in a line of a label
_SHAPES = ("circle", "rect", "triangle", "diamond", "pin", "roundRect", "arrow")
"""Symbols of memories without a cluster, then of the clusters, the largest first."""


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
        name, memories = harmless(one.required_life.name), len(graph)
        words = f"What {name} knows about {one_line(text)}: {memories} memories"
        return partial(self._fill, number, assessment, graph, words)

    def _fill(
        self, number: int, assessment: Assessment, graph: "nx.Graph[int]", words: str
    ) -> None:
        with (
            ui.element("div").props(f"data-testid=knowledge-message-{number + 1}").classes("stack")
        ):
            ui.label(f"“{harmless(assessment.message)}”").classes("any-text").props("dir=auto")
            note(_describe(assessment))
            for suggestion in assessment.suggestions:
                ui.label(harmless(suggestion)).classes("quiet any-text").props("dir=auto")
        if len(graph):
            note(
                f"{len(graph)} memories and {graph.number_of_edges()} links between related ones; "
                "size: relevance to the topic; colour and shape: cluster; grey circles: none."
            )
            go_to = partial(self._go_to, number)
            # Colours of the page by their names are known to SVG, but not to a canvas.
            drawn = ui.echart(
                map_options(graph), lambda point: go_to(int(point.data["id"])), renderer="svg"
            )
            drawn.classes("knowledge-map").props(f"data-testid=knowledge-graph-{number + 1}")
            drawn.props.update({"role": "img", "aria-label": words})
        nodes = sorted(graph.nodes(data=True), key=lambda node: (-node[1]["score"], node[0]))
        texts = [f"{one_line(node['text'])} ({float(node['score']):.2f})" for _, node in nodes]
        numbers = [int(memory) for memory, _ in nodes]
        evidence(texts, numbers, partial(self._go_to, number), most=_KNOWN, test_id="known")


class Review:
    """Memories due for review in each run, the most urgent first."""

    def __init__(self, viewer: Viewer, go_to: GoTo) -> None:
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

    def _list(self, number: int, due: pd.DataFrame) -> None:
        if due.empty:
            note("Nothing is due: all important memories were recalled recently.")
        with ui.element("ul").classes("evidence"):
            for memory, row in zip(due.index.tolist(), due.to_dict("records"), strict=True):
                with ui.element("li"):
                    press = partial(self._go_to, number, memory)
                    link_button(one_line(row["text"]), press, test_id=f"due-{memory}")
                    note(f"{float(row['overdue']):.1f} days overdue")


def map_options(graph: "nx.Graph[int]") -> dict[str, Any]:
    """Return what an agent knows about a topic as a graph of ECharts."""
    sizes = Counter(cluster for _, cluster in graph.nodes(data="cluster") if cluster >= 0)
    clusters = [-1, *(one for one, _ in sizes.most_common())]
    ranked = sorted(graph, key=lambda memory: -graph.nodes[memory]["score"])
    at = nx.spring_layout(graph, k=2 / len(graph) ** 0.5, seed=1, weight="weight")
    # About pixels, to which ECharts rounds the ends of links.
    scale = _AREA / np.maximum(np.ptp([*at.values()], axis=0), 1e-9)
    nodes = []
    for memory in graph:
        node = graph.nodes[memory]
        place, text = clusters.index(node["cluster"]), one_line(node["text"])
        nodes.append(
            {
                "id": str(memory),
                "name": text,
                "x": float(at[memory][0] * scale[0]),
                "y": float(at[memory][1] * scale[1]),
                "symbol": _SHAPES[place % len(_SHAPES)],
                "symbolSize": 10 + 16 * float(node["score"]),
                "itemStyle": {
                    "color": COLOURS[(place - 1) % len(COLOURS)] if place else "var(--unknown)",
                    "borderColor": "var(--grey)",
                },
                "label": {
                    "show": memory in ranked[:_LABELLED],
                    "formatter": textwrap.fill(text, _LINE, max_lines=2, placeholder=" ..."),
                },
            }
        )
    links = [
        {"source": str(a), "target": str(b), "lineStyle": {"width": 0.5 + 3 * float(weight)}}
        for a, b, weight in graph.edges(data="weight", default=0.5)
    ]
    series = {
        "type": "graph",
        "layout": "none",
        "preserveAspect": True,
        "left": 90,
        "right": 90,
        "top": 20,
        "bottom": 40,
        "data": nodes,
        "links": links,
        "roam": True,
        "draggable": True,
        "emphasis": {"disabled": True},
        "lineStyle": {"color": "var(--grey)", "opacity": 0.4},
        "label": {"position": "bottom", "color": "var(--ink)", "fontSize": 11, "lineHeight": 13},
        "labelLayout": {"hideOverlap": True},
    }
    tip = {"renderMode": "richText", "formatter": "{b}", "confine": True}
    return {"animation": False, "tooltip": tip, "series": [series]}


def _describe(assessment: Assessment) -> str:
    level = f"Knowledge: {assessment.level.replace('_', ' ')} ({assessment.score:.2f} of 1)"
    if not assessment.memories:
        return f"{level}; no memory is relevant"
    return (
        f"{level}; {assessment.memories} relevant memories; their confidence "
        f"{assessment.confidence:.2f}, recency {assessment.recency:.2f}, "
        f"consolidation {assessment.consolidation:.2f}"
    )
