"""A citizen's thoughts, attitudes and decisions, with reasons."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from nicegui import ui

from memopolis.analysis.figures.life import labels_of
from memopolis.commands.shown_text import harmless
from memopolis.dashboard.elements import agent_text
from memopolis.dashboard.life.curves import Curve
from memopolis.dashboard.life.decision_words import (
    answer,
    by_whom,
    counted,
    describe_attitude,
    latest_first,
    scale,
    what,
)
from memopolis.dashboard.life.opened import Opened, recorded_tables
from memopolis.dashboard.life.paging import Page, page_at
from memopolis.dashboard.life.pieces import Part, evidence, page_buttons
from memopolis.dashboard.life.sections import section, side_by_side

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
    """Rows of a life, shown page by page, the latest first.

    Args:
        named: Its data-testid.
        size: Rows of a page.
        build: Builds one row.
    """

    def __init__(self, named: str, size: int, build: Callable[[dict[str, Any]], None]) -> None:
        self._named, self._size, self._build = named, size, build
        self._part = Part(named)
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
            page_buttons(page, self._turn, named=f"{self._named}-pages")

    def _turn(self, number: int) -> None:
        self._number = number
        self._fill()


class Thoughts:
    """Thoughts of each run, the latest first.

    Args:
        viewer: The visitor.
        go_to: Goes to a memory.
    """

    def __init__(self, viewer: "Viewer", go_to: GoTo) -> None:
        self._sides = []
        with section("Thoughts", "thoughts"):
            for number, place in enumerate(side_by_side(viewer)):

                def build(row: dict[str, Any], number: int = number) -> None:
                    _thought(row, lambda memory: go_to(number, memory))

                with place:
                    self._sides.append(_Pages(f"thoughts-{number + 1}", _THOUGHTS, build))

    def show(self, opened: Sequence[Opened]) -> None:
        """Update the display."""
        for one, side in zip(opened, self._sides, strict=True):
            rows = [] if one.life is None else latest_first(one.life.thoughts)
            side.show(one.agent, rows, none=_none(one, "No thoughts yet."))


class Attitudes:
    """Attitudes of each run: now, and over time.

    Args:
        viewer: The visitor.
    """

    def __init__(self, viewer: "Viewer") -> None:
        self._sides = []
        with section("Attitudes", "attitudes"):
            for number, place in enumerate(side_by_side(viewer), 1):
                with place:
                    part = Part(f"attitudes-{number}")
                    self._sides.append((part, Curve("attitudes", number)))

    def show(self, opened: Sequence[Opened]) -> None:
        """Update the texts."""
        for one, (part, _) in zip(opened, self._sides, strict=True):
            lines = _attitudes(one)
            part.show(lines, partial(_list, lines))

    async def draw(self, opened: Sequence[Opened], wanted: Callable[[], bool]) -> None:
        """Draw the figures.

        Args:
            opened: The life in each run.
            wanted: Returns whether the visitor still looks at this life.
        """
        for one, (_, curve) in zip(opened, self._sides, strict=True):
            if wanted():
                await curve.show(one)


class Decisions:
    """Decisions of each run with their evidence, the latest first.

    Args:
        viewer: The visitor.
        go_to: Goes to a memory.
    """

    def __init__(self, viewer: "Viewer", go_to: GoTo) -> None:
        self._sides = []
        with section("Decisions and the memories they are based on", "decisions"):
            for number, place in enumerate(side_by_side(viewer)):

                def build(row: dict[str, Any], number: int = number) -> None:
                    decision_row(row, lambda memory: go_to(number, memory))

                with place:
                    alone = ui.label().classes("quiet")
                    pages = _Pages(f"decisions-{number + 1}", _DECISIONS, build)
                    self._sides.append((alone, pages))

    def show(self, opened: Sequence[Opened]) -> None:
        """Update the display."""
        for one, (alone, side) in zip(opened, self._sides, strict=True):
            rows: list[dict[str, Any]] = []
            alone.text = ""
            if one.life is not None and not one.life.decisions.empty:
                made = one.life.decisions
                alone.text = counted(made)
                rows = latest_first(made[made["rests_on"].str.len() > 0])
            alone.set_visibility(bool(alone.text))
            side.show(one.agent, rows, none=_none(one, "No decision based on a memory yet."))


def decision_row(row: dict[str, Any], go_to: Callable[[int], object]) -> None:
    """Show a decision: date, subject, choice, reason and evidence.

    Args:
        row: Of `Life.decisions`.
        go_to: Goes to a memory.
    """
    with ui.element("div").classes("memory-facts"):
        ui.label(f"{row['time']:%a %d %b %Y %H:%M}")
        ui.label(by_whom(str(row["reason"]), str(row["mind"])))
    about = what(str(row["kind"]), str(row["item"]))
    decided = answer(str(row["choice"]), float(row["value"]))
    means = scale(str(row["kind"]), str(row["choice"]))
    ui.label(f"{about}: {decided}{means}").classes("any-text").props("dir=auto")
    evidence(row["evidence"], row["rests_on"], go_to)


def _thought(row: dict[str, Any], go_to: Callable[[int], object]) -> None:
    with ui.element("div").classes("memory-facts"):
        ui.label(f"{row['time']:%a %d %b %Y %H:%M}")
        ui.label(harmless(row["emotion"]))
    agent_text(str(row["text"]))
    evidence(row["evidence"], row["rests_on"], go_to)


def _attitudes(one: Opened) -> tuple[str, ...]:
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


def _none(one: Opened, otherwise: str) -> str:
    if one.life is None:
        return one.refused
    return otherwise if "decisions" in recorded_tables(one.run) else _UNRECORDED
