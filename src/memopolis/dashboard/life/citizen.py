"""The chosen citizen: its life up to the displayed moment, in each run."""

import asyncio
import textwrap
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
from nicegui import background_tasks, ui
from nicegui.elements.mixins.text_element import TextElement

from memopolis.analysis.figures.style import COLOURS
from memopolis.analysis.interview.restored_agent import Assessment
from memopolis.analysis.labels import format_moment
from memopolis.commands.shown_text import harmless, one_line
from memopolis.dashboard.elements import (
    button,
    error_line,
    heading,
    link_button,
    note,
    panel,
    show_line,
    show_value,
    text_field,
)
from memopolis.dashboard.life.answer_panel import (
    Answer,
    AnswerPanel,
    Answers,
    Build,
    InterviewPanel,
)
from memopolis.dashboard.life.components import Part, contents, evidence, section, side_by_side
from memopolis.dashboard.life.curves import Curves
from memopolis.dashboard.life.memories import Memories
from memopolis.dashboard.life.opened import OpenedAgent, open_life
from memopolis.dashboard.life.thoughts import Decisions, GoTo, Thoughts, show_attitudes
from memopolis.dashboard.life.words import AttributeText, describe_attributes
from memopolis.dashboard.viewer import Viewer, line_of
from memopolis.sim.memory.status.schema import REFERENCES

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
            note(_describe_assessment(assessment))
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


def _describe_assessment(assessment: Assessment) -> str:
    level = f"Knowledge: {assessment.level.replace('_', ' ')} ({assessment.score:.2f} of 1)"
    if not assessment.memories:
        return f"{level}; no memory is relevant"
    return (
        f"{level}; {assessment.memories} relevant memories; their confidence "
        f"{assessment.confidence:.2f}, recency {assessment.recency:.2f}, "
        f"consolidation {assessment.consolidation:.2f}"
    )


# Profile and current status of a citizen.

_START = "At the start, before the first step."


def show_profile(part: Part, one: OpenedAgent) -> None:
    """Show the attributes that do not change, or why there are none."""
    facts: list[AttributeText] = []
    if one.life is not None:
        # Attributes of a group, such as emotions, belong to the status even if they never changed.
        profile = one.life.profile.items()
        facts = _describe(one, {n: v for n, v in profile if n != "name" and "." not in n})
    part.show((one.error, *facts), partial(_build_profile, one.error, facts))


def show_status(part: Part, one: OpenedAgent) -> None:
    """Show the latest record of the attributes that change, in the order of the declarations."""
    life, facts = one.life, list[AttributeText]()
    when = "" if life is None else "No changing attribute is recorded in this run."
    if life is not None and not life.status.empty:
        gone = "" if one.is_present else ". The agent has since died or left"
        recorded = format_moment(life.status.index[-1], one.run.hours)
        is_start = one.run.agent_rows(one.agent)["tick"].iloc[-1] < 0
        when = _START if is_start else f"Recorded in the step of {recorded}{gone}."
        (last,) = life.status.tail(1).to_dict("records")
        values: dict[str, Any] = {str(name): value for name, value in last.items()}
        values |= {name: value for name, value in life.profile.items() if "." in name}
        declared = one.run.attributes(life.population)
        facts = _describe(one, {n: values[n] for n in [*declared, *values] if n in values})
    part.show((when, *facts), partial(_build_status, when, facts))


def _describe(one: OpenedAgent, values: Mapping[str, Any]) -> list[AttributeText]:
    """Format attributes, without internal references."""
    declared = one.run.attributes(one.required_life.population)
    is_inner = {name: declared.get(name, {}).get("role") in REFERENCES for name in values}
    return describe_attributes({n: v for n, v in values.items() if not is_inner[n]}, declared)


def _build_profile(error: str, facts: Sequence[AttributeText]) -> None:
    show_line(error_line(), error)
    _build_facts(facts)


def _build_status(when: str, facts: Sequence[AttributeText]) -> None:
    note(when)
    _build_facts(facts)


def _build_facts(facts: Sequence[AttributeText]) -> None:
    if not facts:
        return
    with ui.element("dl").classes("facts"):
        for fact in facts:
            with ui.element("div") as pair:
                pair.props["title"] = fact.meaning
                TextElement(tag="dt", text=fact.label)
                TextElement(tag="dd", text=fact.value).props("dir=auto")


_UPDATE_INTERVAL = 0.5  # seconds between two updates of a life while the run is playing
_CONTENTS = {
    "profile": "Profile",
    "status": "Status",
    "asking": "Ask",
    "over-time": "Over time",
    "memories": "Memories",
    "thoughts": "Thoughts",
    "attitudes": "Attitudes",
    "decisions": "Decisions",
    "knowledge": "Knowledge",
    "review": "Review",
}
_SEND_DELAY = 0.02  # seconds for the browser to receive what was built

type Opened = Sequence[OpenedAgent]
type Show = Callable[[OpenedAgent], None]
"""Shows a life in one run."""


def citizen(viewer: Viewer) -> None:
    """Show the life of the chosen citizen."""
    _Life(viewer)


class _Life:
    """The chosen citizen for one visitor."""

    def __init__(self, viewer: Viewer) -> None:
        self._viewer = viewer
        self._typed = ""
        self._turn = 0
        self._reading: int | None = None
        self._newer = False
        self._opened: Opened = ()
        with ui.element("div").classes("stack"):
            self._build_heading()
            self._body = ui.element("div").classes("stack").props("data-testid=life")
        with self._body:
            self._build_sections()
        self._body.set_visibility(False)
        viewer.on_change(self._changed)

    def _build_heading(self) -> None:
        with panel("citizen"):
            with ui.element("div").classes("who"):
                self._name = heading(2, "").classes("any-text").props("dir=auto")
                self._name.props("data-testid=citizen-name aria-live=polite")
                self._wait = ui.spinner(size="1.5em")
                self._wait.set_visibility(False)
                self._before = self._button("Previous", partial(self._step, -1))
                self._after = self._button("Next", partial(self._step, 1))
                self._number = text_field("Number", "", self._type, test_id="citizen-number")
                self._number.props("inputmode=numeric size=8").on("keydown.enter", self._go, [])
                self._button("Open", self._go)
            self._about = ui.label().classes("quiet any-text").props("data-testid=citizen-about")
            self._line = error_line(test_id="citizen-error")

    def _button(self, text: str, press: Callable[[], None]) -> ui.button:
        return button(text, press, test_id=f"citizen-{text.lower()}", look="outline")

    def _build_sections(self) -> None:
        contents(_CONTENTS)
        profile = self._section("Profile", "profile", _part(show_profile))
        status = self._section("Current status", "status", _part(show_status))
        self._interview = InterviewPanel(self._viewer, self._go_to)
        curves = Curves(self._viewer)
        self._memories = Memories(self._viewer)
        thoughts = self._section("Thoughts", "thoughts", self._rows(Thoughts))
        attitudes = self._section("Attitudes", "attitudes", _part(show_attitudes))
        title = "Decisions and the memories they are based on"
        decisions = self._section(title, "decisions", self._rows(Decisions))
        self._knowledge = Knowledge(self._viewer, self._go_to)
        self._review = Review(self._viewer, self._go_to)
        self._first = (profile, status, self._interview.show, self._memories.show)
        self._later = (thoughts, attitudes, decisions, curves.show, self._knowledge.show)

    def _section(
        self, title: str, test_id: str, build: Callable[[str, int], Show]
    ) -> Callable[[Opened], None]:
        """Build a section that shows the life in each run; return what updates it."""
        with section(title, test_id):
            sides = side_by_side(self._viewer, lambda n: build(f"{test_id}-{n}", n - 1))

        def show(opened: Opened) -> None:
            for one, side in zip(opened, sides, strict=True):
                side(one)

        return show

    # Buttons and fields

    def _go_to(self, number: int, memory: int) -> None:
        self._memories.go_to(number, memory)

    def _type(self, text: str) -> None:
        self._typed = text

    def _go(self) -> None:
        typed = self._typed.strip()
        if not (typed.isascii() and typed.isdigit()) or len(typed) > 9:
            show_line(self._line, f"{harmless(typed[:40])!r} is not a number; type one such as 17.")
            return
        self._viewer.choose(int(typed))

    def _step(self, by: int) -> None:
        known = next((agent for agent in self._opened if agent.life is not None), None)
        other = None if known is None else known.before if by < 0 else known.after
        if other is not None:
            self._viewer.choose(other)

    # Display

    def _changed(self) -> None:
        """Read the life of the chosen citizen, without waiting for an earlier choice."""
        agent, self._newer = self._viewer.agent, True
        if agent is None:
            self._turn += 1
            self._reading = None
            self._name.text = "No citizen is chosen"
            self._about.text = "Choose a citizen in the list, or type a number."
            self._show_neighbours(None)
        elif self._reading != agent:
            self._turn += 1
            self._reading = agent
            background_tasks.create(self._read(agent, self._turn))

    async def _read(self, agent: int, turn: int) -> None:
        """Update a life at each new moment, until another citizen is chosen."""
        if not self._opened or self._opened[0].agent != agent:
            self._wait.set_visibility(True)
            self._name.text, self._about.text = f"Opening number {agent}", ""
            self._body.classes("stale")
        while turn == self._turn and self._newer and not self._body.is_deleted:
            self._newer = False
            started = asyncio.get_running_loop().time()
            try:
                with self._body.client:
                    await self._show(agent, turn)
            except Exception as error:  # noqa: BLE001 - shown in one line
                if turn == self._turn:
                    show_line(self._line, line_of(error))
            spent = asyncio.get_running_loop().time() - started
            await asyncio.sleep(
                max(0.0, _UPDATE_INTERVAL - spent) if self._viewer.watch.playing else 0
            )
        if turn == self._turn:
            self._reading = None

    async def _show(self, agent: int, turn: int) -> None:
        runs = self._viewer.runs
        opened = [await self._viewer.work(partial(open_life, run, agent)) for run in runs]
        if turn != self._turn:
            return
        self._opened = opened
        self._show_heading(opened)
        for show in self._first:
            show(opened)
        # These parts are sent to the browser first.
        await asyncio.sleep(_SEND_DELAY)
        if turn != self._turn:
            return
        for show in self._later:
            show(opened)
        await self._memories.find()
        await self._review.show(opened)

    def _show_heading(self, opened: Opened) -> None:
        known = next((agent for agent in opened if agent.life is not None), None)
        self._wait.set_visibility(False)
        self._body.classes(remove="stale")
        agent = opened[0].agent
        show_line(self._line, "" if known else opened[0].error)
        self._name.text = harmless(known.required_life.name) if known else f"Number {agent}"
        population = known.required_life.population.replace("_", " ") if known else ""
        self._about.text = f"{population} {agent}" if known else ""
        self._show_neighbours(known)
        show_value(self._number, self._typed)

    def _show_neighbours(self, known: OpenedAgent | None) -> None:
        """Show whether there is a life, and whether there are citizens before and after it."""
        self._body.set_visibility(known is not None)
        self._before.set_enabled(known is not None and known.before is not None)
        self._after.set_enabled(known is not None and known.after is not None)

    def _rows(self, kind: type[Thoughts | Decisions]) -> Callable[[str, int], Show]:
        return lambda test_id, number: kind(test_id, partial(self._go_to, number)).show


def _part(show: Callable[[Part, OpenedAgent], None]) -> Callable[[str, int], Show]:
    return lambda test_id, _: partial(show, Part(test_id))
