"""The panel of the feed: filters and lines, at the step of the page's clock."""

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from nicegui import ui
from nicegui.element import Element

from memopolis.analysis.feed.feed import FeedQuery, feed_of
from memopolis.analysis.feed.rows import KINDS
from memopolis.analysis.labels import format_moment
from memopolis.analysis.run.run import Run
from memopolis.dashboard.elements import (
    error_line,
    heading,
    link_button,
    panel,
    select,
    set_properties,
    show_line,
    text_field,
)
from memopolis.dashboard.feed.wording import KIND_NAMES, describe_line
from memopolis.dashboard.life.components import run_select, zone_select
from memopolis.dashboard.life.opened import recorded_tables
from memopolis.dashboard.viewer import Viewer, line_of

LINES = 40  # lines shown at first, and added by each click on the button below them
_PER_KIND = 4  # most lines of a kind in a step while all kinds are shown
_INTERVAL = 0.25  # least seconds between two updates while the run is playing
ALL = ""  # option for all kinds, all zones


def feed(viewer: Viewer) -> None:
    """Show what happens in a run: decisions, attitudes, thoughts, speech, news and orders."""
    _FeedPanel(viewer)


class _FeedList(Element, component="feed_list.js"):  # type: ignore[call-arg]
    """Lines, the newest first; `opened` is called with the agent whose name was clicked."""

    def __init__(self, opened: Callable[[int], None]) -> None:
        super().__init__()
        self._props["lines"] = []
        self.on("open", lambda event: opened(int(event.args)))

    def show(self, lines: Sequence[dict[str, Any]]) -> None:
        """Show lines; nothing is sent if they are the same."""
        if self._props["lines"] != list(lines):
            self._props["lines"] = list(lines)
            self.update()


class _FeedPanel:
    """The feed of one visitor."""

    def __init__(self, viewer: Viewer) -> None:
        self._viewer = viewer
        self._run_number = "0"
        self._kind, self._person, self._zone = ALL, "", ALL
        self._most = LINES
        self._turn = 0
        self._shown = 0.0
        with panel("feed", "What happens") as self._panel:
            self._panel.classes("feed")
            with ui.element("div").classes("feed-head"):
                heading(2, "What happens").classes("panel-title")
                self._moment = ui.label().classes("quiet").props("data-testid=feed-moment")
            with ui.element("div").classes("asked feed-filters"):
                self._filters()
            self._line = error_line(test_id="feed-error")
            self._none = ui.label("Reading what the run recorded.").classes("quiet")
            self._none.props("data-testid=feed-none")
            self._list = _FeedList(viewer.choose)
            self._earlier = link_button("Show earlier lines", self._add, test_id="feed-earlier")
            self._earlier.set_visibility(False)
        viewer.on_change(self._changed)

    def _filters(self) -> None:
        kinds = {ALL: "Everything", **KIND_NAMES}
        select("Show", kinds, ALL, partial(self._set, "_kind"), test_id="feed-kind")
        text_field("Name or number", "", partial(self._set, "_person"), test_id="feed-person")
        zone = partial(self._set, "_zone")
        zone_select("Place", "All places", self._run, zone, test_id="feed-place")
        run_select(self._viewer, partial(self._set, "_run_number"), test_id="feed-run")

    @property
    def _run(self) -> Run:
        return self._viewer.runs[int(self._run_number)]

    async def _set(self, name: str, value: str) -> None:
        setattr(self, name, value)
        self._most = LINES
        await self._show()

    async def _add(self) -> None:
        self._most += LINES
        await self._show()

    async def _changed(self) -> None:
        waited = asyncio.get_running_loop().time() - self._shown
        if self._viewer.watch.playing and waited < _INTERVAL:
            await asyncio.sleep(_INTERVAL - waited)
        await self._show()
        self._shown = asyncio.get_running_loop().time()

    async def _show(self) -> None:
        """Read the lines of the present moment, and show them unless a newer request exists."""
        self._turn += 1
        turn, run, step = self._turn, self._run, self._viewer.moment.step
        query, most = self._query, self._most

        def ask() -> list[dict[str, Any]]:
            lines = feed_of(run).newest(run, query, most + 1)
            return [describe_line(run, line) for line in lines]

        try:
            lines = await self._viewer.work(ask)
        except Exception as error:  # noqa: BLE001 - shown in place of the lines
            show_line(self._line, line_of(error))
            return
        if turn != self._turn:
            return
        show_line(self._line, "")
        self._list.show(lines[:most])
        self._earlier.set_visibility(len(lines) > most)
        self._none.text = "" if lines else self._reason_for_none(run)
        self._none.set_visibility(not lines)
        self._moment.text = f"until {format_moment(run.end, run.hours)}"
        set_properties(self._panel, **{"data-step": step})

    @property
    def _query(self) -> FeedQuery:
        kinds = KINDS if self._kind == ALL else (self._kind,)
        zone = -1 if self._zone == ALL else int(self._zone)
        is_open = self._kind == ALL and not self._person.strip()
        return FeedQuery(kinds, self._person, zone, _PER_KIND if is_open else 0)

    def _reason_for_none(self, run: Run) -> str:
        """Explain why no line is shown."""
        if self._kind != ALL or self._person.strip() or self._zone != ALL:
            return "No line passes the filters."
        if not run.ticks:
            return "Nothing has happened yet: press Start or Step."
        if missing := sorted({"decisions", "memories"} - {*recorded_tables(run)}):
            return f"This run did not record {' and '.join(missing)}: see record.tables."
        return "Nothing has happened so far that changed anything."
