"""The timeline on the page: shocks that have happened, and those to come."""

from nicegui import ui

from memopolis.dashboard.elements import heading, said
from memopolis.dashboard.shocks.timeline import Entry, entries, shown
from memopolis.dashboard.viewer import Viewer
from memopolis.dashboard.watch.live import LiveWatch


class TimelinePanel:
    """What has happened from outside, and what is to come.

    Args:
        viewer: The visitor.
        live: The run that is under way.
    """

    def __init__(self, viewer: Viewer, live: LiveWatch) -> None:
        self._viewer, self._live = viewer, live
        self._found: list[Entry] | None = None
        with ui.element("section").classes("panel").props("data-testid=shock-list"):
            heading(2, "Shocks of this run")
            self._where = ui.label().classes("quiet any-text").props("data-testid=shock-manifest")
            self._count = ui.label().props("role=status")
            self._rows = ui.element("ol").classes("shock-rows")
        viewer.on_change(self._show)

    async def _show(self) -> None:
        found = await self._viewer.work(self._look)
        folder = self._live.folder
        self._where.set_text(
            f"Those by hand stand in the manifest, {folder / 'manifest.json'}, from the moment "
            f"they are sent: memopolis repeat {folder} makes the same run again without the page."
        )
        if found != self._found:
            self._found = found
            by_hand = sum(one.by_hand for one in found)
            many = "shock" if len(found) == 1 else "shocks"
            self._count.set_text(f"{len(found):,} {many}, {by_hand:,} of them by hand")
            self._rows.clear()
            with self._rows:
                for number, one in enumerate(shown(found), start=1):
                    _row(number, one)

    def _look(self) -> list[Entry]:
        with self._live.looking() as society:
            return entries(society)


def _row(number: int, one: Entry) -> None:
    classes = f"shock-row {'shock-past' if one.past else 'shock-coming'}"
    with ui.element("li").classes(classes).props(f"data-testid=shock-row-{number}"):
        with ui.element("div").classes("shock-head"):
            ui.label(f"{one.date:%a %d %b %Y %H:%M}").classes("shock-date")
            ui.label(one.kind).classes("shock-kind")
            ui.label("has happened" if one.past else "to come").classes("quiet")
            if one.by_hand:
                ui.label("by hand").classes("shock-mark")
        if one.text:
            said(one.text)
        if one.whom:
            said(one.whom).classes("quiet")
