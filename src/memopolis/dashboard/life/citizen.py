"""The chosen citizen: its life up to the displayed moment, in each run."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from nicegui import background_tasks, ui
from nicegui.elements.mixins.text_element import TextElement

from memopolis.analysis.labels import format_moment
from memopolis.commands.shown_text import harmless
from memopolis.dashboard.elements import (
    button,
    error_line,
    heading,
    note,
    panel,
    show_line,
    show_value,
    text_field,
)
from memopolis.dashboard.life.answer_panel import InterviewPanel
from memopolis.dashboard.life.components import Part, contents, section, side_by_side
from memopolis.dashboard.life.curves import Curves
from memopolis.dashboard.life.knowledge import Knowledge, Review
from memopolis.dashboard.life.memories import Memories
from memopolis.dashboard.life.opened import OpenedAgent, open_life
from memopolis.dashboard.life.thoughts import Decisions, Thoughts, show_attitudes
from memopolis.dashboard.life.words import AttributeText, describe_attributes
from memopolis.dashboard.viewer import Viewer, line_of
from memopolis.sim.memory.status.schema import REFERENCES

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
