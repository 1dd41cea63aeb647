"""The panel of the timeline: past and future shocks."""

from nicegui import ui

from memopolis.analysis.labels import format_moment
from memopolis.dashboard.elements import agent_text, heading, panel
from memopolis.dashboard.shocks.timeline import Entry, list_entries, select_shown
from memopolis.dashboard.viewer import Viewer
from memopolis.dashboard.watch.live import LiveWatch


class TimelinePanel:
    """List past and future shocks."""

    def __init__(self, viewer: Viewer, live: LiveWatch) -> None:
        self._viewer, self._live = viewer, live
        self._found: list[Entry] | None = None
        with panel("shock-list"):
            heading(2, "Shocks of this run")
            self._where = ui.label().classes("quiet any-text").props("data-testid=shock-manifest")
            self._count = ui.label().props("role=status")
            self._rows = ui.element("ol").classes("shock-rows")
        viewer.on_change(self._show)

    async def _show(self) -> None:
        listed = await self._viewer.work(lambda: self._live.look(list_entries))
        folder = self._live.folder
        self._where.set_text(
            f"Shocks sent here are recorded in the manifest, {folder / 'manifest.json'}: "
            f"memopolis repeat {folder} reproduces the run without the dashboard."
        )
        if listed != self._found:
            self._found = listed
            by_hand = sum(one.by_hand for one in listed)
            many = "shock" if len(listed) == 1 else "shocks"
            self._count.set_text(f"{len(listed):,} {many}, {by_hand:,} of them sent by hand")
            self._rows.clear()
            with self._rows:
                for number, one in enumerate(select_shown(listed), start=1):
                    _row(number, one, self._live.society.clock.hours)


def _row(number: int, one: Entry, hours: float) -> None:
    classes = f"shock-row {'shock-past' if one.past else 'shock-coming'}"
    with ui.element("li").classes(classes).props(f"data-testid=shock-row-{number}"):
        with ui.element("div").classes("shock-head"):
            ui.label(format_moment(one.date, hours)).classes("shock-date")
            ui.label(one.kind).classes("shock-kind")
            ui.label("past" if one.past else "future").classes("quiet")
            if one.by_hand:
                ui.label("by hand").classes("shock-mark")
        if one.text:
            agent_text(one.text)
        if one.audience:
            agent_text(one.audience).classes("quiet")
