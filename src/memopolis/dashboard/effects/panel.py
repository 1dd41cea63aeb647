"""The panel "What it did": the effect of a shock that was sent from the page."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
import pandas as pd
from nicegui import ui
from nicegui.elements.mixins.text_element import TextElement

from memopolis.analysis.compare.shock_effect import Differences, Spread, trace_spread
from memopolis.analysis.labels import format_moment, is_share, short, words
from memopolis.analysis.run.run import Run
from memopolis.commands.shown_text import harmless, one_line
from memopolis.dashboard.effects.comparison import SentShock
from memopolis.dashboard.elements import (
    agent_text,
    button,
    error_line,
    heading,
    link_button,
    note,
    panel,
    select,
    show_line,
)
from memopolis.dashboard.feed.wording import display_name
from memopolis.dashboard.life.components import Part
from memopolis.dashboard.life.words import describe_subject, format_answer
from memopolis.dashboard.viewer import Viewer
from memopolis.dashboard.watch.live import LiveWatch

ROWS = 12  # rows shown of each table
_NAMED = 8  # most people named in a sentence
_ATTITUDES = ("Who", "Attitude", "With", "Without", "Difference")
_DECISIONS = ("Who", "When", "Decision", "With", "Without")
_MEASURES = ("Measure", "With", "Without")
_STATES = {
    "building": "Preparing a copy of the society without it",
    "following": "A copy of the society without it follows the run",
    "stopped": "The copy without it no longer follows the run",
    "failed": "The copy without it failed",
}


class _Table(NamedTuple):
    """A table of differences."""

    title: str  # heading
    columns: tuple[str, ...]  # headings of the columns
    rows: list[tuple[int, tuple[str, ...]]]  # unique_id of an agent, -1 for none, and the cells
    total: int  # number of differences, of which the rows are the largest


class EffectPanel:
    """The effect of a shock, for one visitor."""

    def __init__(self, viewer: Viewer, live: LiveWatch) -> None:
        self._viewer, self._live = viewer, live
        self._chosen: SentShock | None = None
        self._offered: tuple[SentShock, ...] = ()
        with panel("effect", "What it did") as self._panel:
            heading(2, "What it did")
            self._choice = ui.element("div").classes("asked")
            self._text = ui.element("div")
            with ui.element("div").classes("who"):
                self._state = (
                    ui.label().classes("quiet").props("role=status data-testid=effect-state")
                )
                self._stop = button("Stop comparing", self._stop_it, test_id="effect-stop")
                self._stop.props("outline dense")
            self._line = error_line(test_id="effect-error")
            self._spread = Part("effect-spread")
            self._result = Part("effect-differences")
        self._panel.set_visibility(False)
        viewer.on_change(self._show)

    async def _show(self) -> None:
        """Offer the shocks of the run, and show the effect of the chosen one."""
        sent = tuple(self._live.sent)
        if sent != self._offered:
            self._offered = sent
            self._chosen = sent[-1] if sent else None
            self._offer()
        self._panel.set_visibility(self._chosen is not None)
        if self._chosen is not None:
            await self._fill(self._chosen)

    def _offer(self) -> None:
        self._choice.clear()
        if len(self._offered) > 1:
            shown = {str(n): _title(one) for n, one in enumerate(self._offered)}
            with self._choice:
                last = str(len(self._offered) - 1)
                select("Shock", shown, last, self._choose, test_id="effect-shock")
        self._write_text()

    async def _choose(self, number: str) -> None:
        self._chosen = self._offered[int(number)]
        self._write_text()
        await self._fill(self._chosen)

    def _write_text(self) -> None:
        self._text.clear()
        if self._chosen is not None:
            with self._text:
                agent_text(_title(self._chosen, whole=True), test_id="effect-text")

    def _stop_it(self) -> None:
        if self._chosen is not None and self._chosen.comparison is not None:
            self._chosen.comparison.stop()

    async def _fill(self, sent: SentShock) -> None:
        run = self._viewer.runs[0]
        text, sender = str(getattr(sent.shock, "text", "")), int(getattr(sent.shock, "actor", -1))
        spread = await self._viewer.work(lambda: trace_spread(run, text, sent.tick, sender=sender))
        if sent is not self._chosen:
            return
        self._show_state(run, sent)
        happened = run.ticks > sent.tick
        key = (id(sent), spread, happened)
        self._spread.show(key, partial(self._build_spread, run, sent, spread, happened=happened))
        differences = None if sent.comparison is None else sent.comparison.differences
        self._result.show(
            (id(sent), id(differences)),
            lambda: None if differences is None else self._build_differences(run, differences),
        )

    def _show_state(self, run: Run, sent: SentShock) -> None:
        comparison = sent.comparison
        self._stop.set_visibility(comparison is not None and comparison.active)
        if comparison is None:
            self._state.text = f"Not compared with a run without it: {sent.reason}."
            return
        state = _STATES[comparison.state]
        if comparison.state != "building":
            state += f": step {comparison.step:,} of {run.ticks:,}"
        self._state.text = f"{state}."
        show_line(self._line, comparison.error)

    # Who received it

    def _build_spread(self, run: Run, sent: SentShock, spread: Spread, *, happened: bool) -> None:
        if not happened:
            note(f"It happens in the step of {format_moment(sent.date, run.hours)}.")
            return
        if not getattr(sent.shock, "text", ""):
            return
        self._people("Received by", run, spread.received, "effect-received")
        passers = sorted(spread.passed_on, key=lambda speaker: -len(spread.passed_on[speaker]))
        listeners = {listener for heard in spread.passed_on.values() for listener in heard}
        self._people(
            "Passed on by", run, passers, "effect-passed", f" to {len(listeners):,} others"
        )
        note(f"In all, {spread.reached:,} agents have it.")

    def _people(
        self, lead: str, run: Run, agents: Sequence[int], test_id: str, rest: str = ""
    ) -> None:
        with ui.element("div").classes("named-people").props(f"data-testid={test_id}"):
            ui.label(f"{lead} {len(agents):,}{rest if agents else ''}{':' if agents else ''}")
            for agent in agents[:_NAMED]:
                self._person(run, agent)
            if len(agents) > _NAMED:
                ui.label(f"and {len(agents) - _NAMED:,} more").classes("quiet")

    def _person(self, run: Run, agent: int) -> None:
        name = one_line(display_name(run, agent, run.name_of(agent)), most=60)
        link_button(name, partial(self._viewer.choose, agent), test_id=f"effect-open-{agent}")

    # What differs

    def _build_differences(self, run: Run, differences: Differences) -> None:
        heading(3, f"Compared with the run without it, after step {differences.step:,}")
        attitudes, decisions = differences.attitudes, differences.decisions
        if not (len(attitudes) or len(decisions) or len(differences.measures)):
            nothing = "No attitude, decision or measure differs so far."
            ui.label(nothing).props("data-testid=effect-counts")
            return
        other = decisions[decisions["is_other"].astype(bool)] if len(decisions) else decisions
        counts = (
            f"{attitudes['agent'].nunique():,} agents have another attitude",
            f"{decisions['agent'].nunique():,} rated or decided otherwise",
            f"{other['agent'].nunique():,} of them with another outcome",
        )
        ui.label(f"{', '.join(counts)}.").props("data-testid=effect-counts")
        measures = differences.measures
        for table in (
            _Table("Attitudes", _ATTITUDES, _attitude_rows(attitudes), len(attitudes)),
            _Table("Decisions", _DECISIONS, _decision_rows(run, decisions), len(decisions)),
            _Table("Measures", _MEASURES, _measure_rows(run, measures), len(measures)),
        ):
            self._table(table, run)

    def _table(self, table: _Table, run: Run) -> None:
        rows = table.rows
        if not rows:
            note(f"{table.title}: no difference.")
            return
        more = table.total > len(rows)
        shown = f", the {len(rows)} largest of {table.total:,} differences" if more else ""
        ui.label(f"{table.title}{shown}").classes("panel-title")
        with ui.element("div").classes("listing-scroll"), ui.element("table").classes("listing"):
            with ui.element("thead"), ui.element("tr"):
                for column in table.columns:
                    TextElement(tag="th", text=column).props("scope=col")
            with ui.element("tbody").props(f"data-testid=effect-{table.title.lower()}"):
                for agent, cells in rows:
                    with ui.element("tr"):
                        if agent >= 0:
                            with ui.element("td"):
                                self._person(run, agent)
                        for cell in cells:
                            TextElement(tag="td", text=harmless(cell)).props("dir=auto")


def _attitude_rows(attitudes: pd.DataFrame) -> list[tuple[int, tuple[str, ...]]]:
    return [
        (
            int(row["agent"]),
            (
                words(str(row["attitude"])),
                f"{row['with']:.2f} of 10",
                f"{row['without']:.2f} of 10",
                f"{row['difference']:+.2f}",
            ),
        )
        for row in attitudes.head(ROWS).to_dict("records")
    ]


def _decision_rows(run: Run, decisions: pd.DataFrame) -> list[tuple[int, tuple[str, ...]]]:
    top = decisions.head(ROWS)
    times = run.time_of(top["tick"]) if len(top) else pd.Series([])
    return [
        (
            int(row["agent"]),
            (
                format_moment(when.to_pydatetime(), run.hours),
                describe_subject(str(row["kind"]), str(row["item"])),
                _decided(row["with"], row["choice_with"]),
                _decided(row["without"], row["choice_without"]),
            ),
        )
        for when, row in zip(times, top.to_dict("records"), strict=True)
    ]


def _decided(value: object, choice: object) -> str:
    if not isinstance(choice, str):
        return "not asked"
    number = float(value) if isinstance(value, float | np.floating) else np.nan
    return format_answer(choice, number)


def _measure_rows(run: Run, measures: pd.DataFrame) -> list[tuple[int, tuple[str, ...]]]:
    declared = {measure["name"]: measure for measure in run.manifest["measures"]}
    rows: list[tuple[int, tuple[str, ...]]] = []
    for row in measures.head(ROWS).to_dict("records"):
        facts = declared.get(row["measure"], {})
        form: Callable[[float], str] = short
        if facts and is_share(facts):
            form = "{:.1%}".format
        group = f", {row['group']}" if row["group"] else ""
        unit = f" ({facts['unit']})" if facts.get("unit") not in {None, "", "share"} else ""
        label = f"{words(row['measure'])}{group}{unit}"
        rows.append((-1, (label, form(row["with"]), form(row["without"]))))
    return rows


def _title(sent: SentShock, *, whole: bool = False) -> str:
    shock = sent.shock
    text = str(getattr(shock, "text", "")) or ", ".join(
        str(value) for name, value in shock.to_dict().items() if name != "shock"
    )
    title = f"{words(type(shock).__name__)}: {text}"
    return title if whole else one_line(title, most=80)
