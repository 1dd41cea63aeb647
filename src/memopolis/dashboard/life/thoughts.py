"""A citizen's thoughts, attitudes and decisions, with reasons."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, ClassVar

from nicegui import ui

from memopolis.analysis.labels import format_moment
from memopolis.commands.shown_text import harmless
from memopolis.dashboard.elements import agent_text, note
from memopolis.dashboard.life.components import Part, evidence, page_buttons
from memopolis.dashboard.life.curves import labels_of
from memopolis.dashboard.life.opened import OpenedAgent, recorded_tables
from memopolis.dashboard.life.paging import Page, page_at
from memopolis.dashboard.life.words import (
    count_without_memories,
    describe_attitude,
    describe_draw,
    describe_reason,
    describe_scale,
    describe_subject,
    format_answer,
    latest_first,
)

type GoTo = Callable[[int, int], None]
"""Goes to a memory of a run: number of the run, from 0, and id of the memory."""
type Row = dict[str, Any]

_UNRECORDED = (
    "This run recorded no decisions: add decisions to the setting record.tables to see them."
)


class _Rows(ABC):
    """Rows of a life in one run, shown page by page, the latest first."""

    size: ClassVar[int]  # rows of a page
    none: ClassVar[str]  # text shown if there are no rows

    def __init__(self, test_id: str, go_to: Callable[[int], object]) -> None:
        self._go_to = go_to
        self._test_id = test_id
        self._part = Part(test_id)
        self._page, self._agent = 0, -1
        self._hours = 1.0

    def show(self, one: OpenedAgent) -> None:
        """Show a life; keep the page if it is the same agent."""
        if one.agent != self._agent:
            self._page, self._agent = 0, one.agent
        self._hours = one.run.hours
        self._fill(one)

    @abstractmethod
    def _select(self, one: OpenedAgent) -> tuple[str, list[Row]]:
        """Return a line above the rows, "" for none, and the rows."""

    @abstractmethod
    def _build_row(self, row: Row) -> None:
        """Build a row on the page."""

    def _fill(self, one: OpenedAgent) -> None:
        above, rows = ("", []) if one.life is None else self._select(one)
        page = page_at(self._page, len(rows), size=self.size)
        shown = rows[page.part]
        none = self.none if "decisions" in recorded_tables(one.run) else _UNRECORDED
        notes = (above, "" if shown else one.error or none)
        key = (self._agent, page, repr(shown), notes)
        self._part.show(key, lambda: self._build(one, page, shown, notes))

    def _build(self, one: OpenedAgent, page: Page, rows: list[Row], notes: tuple[str, ...]) -> None:
        for line in filter(None, notes):
            note(line)
        with ui.element("ul").classes("stream"):
            for row in rows:
                with ui.element("li").classes("memory"):
                    self._build_row(row)
        page_buttons(page, partial(self._turn, one), test_id=f"{self._test_id}-pages")

    def _turn(self, one: OpenedAgent, page: int) -> None:
        self._page = page
        self._fill(one)


class Thoughts(_Rows):
    """The thoughts of a citizen."""

    size, none = 3, "No thoughts yet."

    def _select(self, one: OpenedAgent) -> tuple[str, list[Row]]:
        return "", latest_first(one.required_life.thoughts)

    def _build_row(self, row: Row) -> None:
        with ui.element("div").classes("memory-facts"):
            ui.label(format_moment(row["time"], self._hours))
            ui.label(harmless(row["emotion"]))
        agent_text(str(row["text"]))
        evidence(row["evidence"], row["rests_on"], self._go_to)


class Decisions(_Rows):
    """The decisions of a citizen that are based on memories, and the number of the others."""

    size, none = 5, "No decision based on a memory yet."

    def _select(self, one: OpenedAgent) -> tuple[str, list[Row]]:
        decisions = one.required_life.decisions
        if decisions.empty:
            return "", []
        based = decisions["rests_on"].str.len() > 0
        return count_without_memories(decisions), latest_first(decisions[based])

    def _build_row(self, row: Row) -> None:
        decision_row(row, self._go_to, hours=self._hours)


def decision_row(row: Row, go_to: Callable[[int], object], *, hours: float) -> None:
    """Show a row of `Life.decisions`: date, subject, choice, reason and evidence."""
    with ui.element("div").classes("memory-facts"):
        ui.label(format_moment(row["time"], hours))
        ui.label(describe_reason(str(row["reason"]), str(row["mind"])))
    about = describe_subject(str(row["kind"]), str(row["item"]))
    decided = format_answer(str(row["choice"]), float(row["value"]))
    means = describe_scale(str(row["kind"]), str(row["choice"]))
    ui.label(f"{about}: {decided}{means}").classes("any-text").props("dir=auto")
    drawn = describe_draw(float(row["probability"]), float(row["draw"]), str(row["choice"]))
    if drawn:
        note(drawn)
    evidence(row["evidence"], row["rests_on"], go_to)


def show_attitudes(part: Part, one: OpenedAgent) -> None:
    """Show the attitudes of a citizen, and how they have changed."""
    lines = _attitudes(one)
    part.show(lines, partial(_list, lines))


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
        note("No attitudes were recorded for this citizen.")
    with ui.element("ul").classes("evidence"):
        for line in lines:
            with ui.element("li"):
                ui.label(line)
