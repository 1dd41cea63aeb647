"""A citizen's thoughts, attitudes and decisions, with reasons."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from nicegui import ui

from memopolis.analysis.figures.life import labels_of
from memopolis.commands.shown_text import harmless
from memopolis.dashboard.elements import agent_text
from memopolis.dashboard.life.components import Part, evidence, page_buttons, section, side_by_side
from memopolis.dashboard.life.curves import Curve
from memopolis.dashboard.life.decision_words import (
    count_without_memories,
    describe_attitude,
    describe_draw,
    describe_reason,
    describe_scale,
    describe_subject,
    format_answer,
    latest_first,
)
from memopolis.dashboard.life.opened import OpenedAgent, recorded_tables
from memopolis.dashboard.life.paging import Page, page_at

if TYPE_CHECKING:
    from memopolis.dashboard.viewer import Viewer

type GoTo = Callable[[int, int], None]
"""Goes to a memory of a run: number of the run, from 0, and id of the memory."""

_THOUGHTS, _DECISIONS = 3, 5
"""Number of rows per page."""
_UNRECORDED = (
    "This run recorded no decisions: add decisions to the setting record.tables to see them."
)


class _Pages:
    """Rows of a life, shown page by page, the latest first."""

    def __init__(self, test_id: str, size: int, build: Callable[[dict[str, Any]], None]) -> None:
        self._test_id, self._size, self._build = test_id, size, build
        self._part = Part(test_id)
        self._number, self._agent = 0, -1
        self._rows: list[dict[str, Any]] = []
        self._none = ""

    def show(self, agent: int, rows: list[dict[str, Any]], *, none: str) -> None:
        """Show rows; keep the page if they belong to the same agent."""
        if agent != self._agent:
            self._number, self._agent = 0, agent
        self._rows, self._none = rows, none
        self._fill()

    def _fill(self) -> None:
        page = page_at(self._number, len(self._rows), size=self._size)
        rows = self._rows[page.part]
        self._part.show((self._agent, page, repr(rows), self._none), lambda: self._show(page, rows))

    def _show(self, page: Page, rows: Sequence[dict[str, Any]]) -> None:
        if not rows:
            ui.label(self._none).classes("quiet")
        with ui.element("ul").classes("stream"):
            for row in rows:
                with ui.element("li").classes("memory"):
                    self._build(row)
        if page.pages > 1:
            page_buttons(page, self._turn, test_id=f"{self._test_id}-pages")

    def _turn(self, number: int) -> None:
        self._number = number
        self._fill()


class Thoughts:
    """Thoughts of each run, the latest first."""

    def __init__(self, viewer: "Viewer", go_to: GoTo) -> None:
        def build(number: int) -> _Pages:
            row = partial(_thought, go_to=partial(go_to, number - 1))
            return _Pages(f"thoughts-{number}", _THOUGHTS, row)

        with section("Thoughts", "thoughts"):
            self._sides = side_by_side(viewer, build)

    def show(self, opened: Sequence[OpenedAgent]) -> None:
        """Update the display."""
        for one, side in zip(opened, self._sides, strict=True):
            rows = [] if one.life is None else latest_first(one.life.thoughts)
            side.show(one.agent, rows, none=_none(one, "No thoughts yet."))


class Attitudes:
    """Attitudes of each run: now, and over time."""

    def __init__(self, viewer: "Viewer") -> None:
        with section("Attitudes", "attitudes"):
            self._sides = side_by_side(
                viewer, lambda number: (Part(f"attitudes-{number}"), Curve("attitudes", number))
            )

    def show(self, opened: Sequence[OpenedAgent]) -> None:
        """Update the texts."""
        for one, (part, _) in zip(opened, self._sides, strict=True):
            lines = _attitudes(one)
            part.show(lines, partial(_list, lines))

    async def draw(self, opened: Sequence[OpenedAgent], is_current: Callable[[], bool]) -> None:
        """Draw the figures."""
        for one, (_, curve) in zip(opened, self._sides, strict=True):
            if is_current():
                await curve.show(one)


class Decisions:
    """Decisions of each run with their evidence, the latest first."""

    def __init__(self, viewer: "Viewer", go_to: GoTo) -> None:
        def build(number: int) -> tuple[ui.label, _Pages]:
            row = partial(decision_row, go_to=partial(go_to, number - 1))
            return ui.label().classes("quiet"), _Pages(f"decisions-{number}", _DECISIONS, row)

        with section("Decisions and the memories they are based on", "decisions"):
            self._sides = side_by_side(viewer, build)

    def show(self, opened: Sequence[OpenedAgent]) -> None:
        """Update the display."""
        for one, (alone, side) in zip(opened, self._sides, strict=True):
            rows: list[dict[str, Any]] = []
            alone.text = ""
            if one.life is not None and not one.life.decisions.empty:
                made = one.life.decisions
                alone.text = count_without_memories(made)
                rows = latest_first(made[made["rests_on"].str.len() > 0])
            alone.set_visibility(bool(alone.text))
            side.show(one.agent, rows, none=_none(one, "No decision based on a memory yet."))


def decision_row(row: dict[str, Any], go_to: Callable[[int], object]) -> None:
    """Show a decision: date, subject, choice, reason and evidence."""
    with ui.element("div").classes("memory-facts"):
        ui.label(f"{row['time']:%a %d %b %Y %H:%M}")
        ui.label(describe_reason(str(row["reason"]), str(row["mind"])))
    about = describe_subject(str(row["kind"]), str(row["item"]))
    decided = format_answer(str(row["choice"]), float(row["value"]))
    means = describe_scale(str(row["kind"]), str(row["choice"]))
    ui.label(f"{about}: {decided}{means}").classes("any-text").props("dir=auto")
    drawn = describe_draw(float(row["probability"]), float(row["draw"]), str(row["choice"]))
    if drawn:
        ui.label(drawn).classes("quiet")
    evidence(row["evidence"], row["rests_on"], go_to)


def _thought(row: dict[str, Any], go_to: Callable[[int], object]) -> None:
    with ui.element("div").classes("memory-facts"):
        ui.label(f"{row['time']:%a %d %b %Y %H:%M}")
        ui.label(harmless(row["emotion"]))
    agent_text(str(row["text"]))
    evidence(row["evidence"], row["rests_on"], go_to)


def _attitudes(one: OpenedAgent) -> tuple[str, ...]:
    if one.life is None:
        return ()
    life, lines = one.life, []
    for attribute, name in labels_of(one.run, life.population, "attitudes").items():
        if attribute in life.status:
            values = life.status[attribute].dropna()
            if len(values):
                lines.append(describe_attitude(name, float(values.iloc[-1]), float(values.iloc[0])))
        elif attribute in life.profile:
            value = float(life.profile[attribute])
            lines.append(describe_attitude(name, value, value))
    return tuple(lines)


def _list(lines: Sequence[str]) -> None:
    if not lines:
        ui.label("No attitudes were recorded for this citizen.").classes("quiet")
        return
    with ui.element("ul").classes("evidence"):
        for line in lines:
            with ui.element("li"):
                ui.label(line)


def _none(one: OpenedAgent, otherwise: str) -> str:
    if one.life is None:
        return one.error
    return otherwise if "decisions" in recorded_tables(one.run) else _UNRECORDED
