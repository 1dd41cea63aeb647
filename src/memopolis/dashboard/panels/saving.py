"""Save what the page shows: figures, their numbers, the map over a period, and a link."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial

import pandas as pd
from matplotlib.figure import Figure
from nicegui import ui

from memopolis.analysis.figures.animation import animate_map
from memopolis.analysis.figures.charts import ChartLines, chart, titles
from memopolis.analysis.figures.network_now import has_network, network_figure
from memopolis.analysis.figures.place_now import has_place
from memopolis.analysis.figures.style import as_png, as_svg
from memopolis.analysis.figures.zones_now import zones_now
from memopolis.analysis.run.run import Run
from memopolis.commands.shown_text import harmless
from memopolis.dashboard.charts.overlays import Overlay
from memopolis.dashboard.elements import button, error_line, panel, select, show_line
from memopolis.dashboard.export import MOST_MOMENTS, moments
from memopolis.dashboard.viewer import Viewer, line_of
from memopolis.dashboard.watch.watch import Moment
from memopolis.sim.errors import MemopolisError

FORMATS = {"png": "PNG picture", "svg": "SVG drawing", "csv": "CSV table of its numbers"}
_FILM = {"gif": "GIF animation over a period"}


@dataclass(frozen=True)
class _Offer:
    """A figure that can be saved: how to draw it at a moment, and its numbers."""

    name: str
    draw: Callable[[Moment], Figure]
    table: Callable[[Moment], pd.DataFrame]
    mapped: int | None = None  # number of the run whose map it is

    @property
    def formats(self) -> dict[str, str]:
        """Formats of its files, by their endings."""
        return FORMATS if self.mapped is None else FORMATS | _FILM

    def contents(self, form: str, moment: Moment) -> bytes:
        """Return the contents of a file; `form` is one of `FORMATS`."""
        if form == "csv":
            return self.table(moment).to_csv(index=False).encode()
        return {"png": as_png, "svg": as_svg}[form](self.draw(moment))


class _Saving:
    """The panel of one visitor."""

    def __init__(self, viewer: Viewer, offers: Sequence[_Offer]) -> None:
        self._viewer, self._offers = viewer, offers
        self._offer, self._format = offers[0], "png"
        self._progress = ""
        names = {str(number): harmless(one.name) for number, one in enumerate(offers)}
        with panel("saving", "Save a figure"), ui.element("div").classes("controls"):
            select("Figure", names, "0", self._choose, test_id="save-figure")
            self._formats = select(
                "Save as", self._offer.formats, "png", self._set_format, test_id="save-format"
            )
            self._period = [self._date("From", "save-from"), self._date("To", "save-to")]
            self._button = button("Save", self._save, test_id="save", look="outline")
            if viewer.live is None:
                button("Link to this moment", self._link, test_id="save-link", look="outline")
            self._drawn = ui.label().classes("quiet").props("role=status")
            self._error = error_line(test_id="save-error")
        self._timer = ui.timer(0.5, self._show_progress, active=False)

    def _date(self, label: str, test_id: str) -> ui.input:
        """Build a field for a local date and time; empty for the first or the present one."""
        field = ui.input(label).props(f"type=datetime-local dense outlined data-testid={test_id}")
        field.props("stack-label").set_visibility(False)
        return field

    def _choose(self, number: str) -> None:
        self._offer = self._offers[int(number)]
        form = self._format if self._format in self._offer.formats else "png"
        self._formats.set_options(self._offer.formats, value=form)

    def _set_format(self, form: str) -> None:
        self._format = form
        moment = self._viewer.moment
        for field, when in zip(self._period, (moment.runs[0].start, moment.date), strict=True):
            if form in _FILM and not field.visible:
                field.set_value(f"{when:%Y-%m-%dT%H:%M}")
            field.set_visibility(form in _FILM)

    async def _save(self) -> None:
        offer, form, moment = self._offer, self._format, self._viewer.moment
        draw = partial(offer.contents, form, moment)
        if form in _FILM and offer.mapped is not None:
            draw = partial(self._animate, moment.runs[offer.mapped])
        show_line(self._error, "")
        self._button.disable()
        self._timer.activate()
        try:
            contents = await self._viewer.work(draw)
        except MemopolisError as error:
            show_line(self._error, line_of(error))
            return
        finally:
            self._button.enable()
            self._timer.deactivate()
            self._progress = self._drawn.text = ""
        download(contents, offer.name, moment.step, form)

    def _animate(self, run: Run) -> bytes:
        start, end = (
            datetime.fromisoformat(date_field.value) if date_field.value else None
            for date_field in self._period
        )
        return animate_map(
            run, moments(run, start, end, None, most=MOST_MOMENTS[".gif"]), self._note
        )

    def _note(self, done: int, total: int) -> None:
        self._progress = f"{done} of {total} pictures are drawn"

    def _show_progress(self) -> None:
        self._drawn.text = self._progress

    def _link(self) -> None:
        address = f"{self._viewer.address}&step={self._viewer.moment.step}"
        ui.navigate.history.replace(address)
        ui.clipboard.write(f"{ui.context.client.request.base_url}{address.lstrip('/')}")
        ui.notify("The link is in the clipboard and in the address of this page.")


def saving(viewer: Viewer) -> None:
    """Offer the map, the network and the charts of the moment as files."""
    built: list[_Saving] = []

    async def offer() -> None:
        if built:
            return
        overlays = await viewer.work(viewer.watch.overlays.charts) if viewer.watch.overlays else ()
        if offers := [*_offers(viewer, overlays)]:
            built.append(_Saving(viewer, offers))

    viewer.on_change(offer)


def download(contents: bytes, name: str, step: int, ending: str) -> None:
    """Send a file to the browser, called after its name and the step."""
    name = re.sub(r"\W+", "-", name.lower()).strip("-")
    ui.download.content(contents, f"{name}-step-{step}.{ending}")


def _offers(viewer: Viewer, overlays: Sequence[Overlay]) -> "Iterator[_Offer]":
    """Return the map and the network of each run, and the charts that the page shows."""
    runs = viewer.runs
    for number, name in enumerate(viewer.watch.names):
        of = f", {name}" if len(runs) > 1 else ""
        if has_place(runs[number]):
            yield _map(f"Map{of}", number)
        if has_network(runs[number]):
            yield _network(f"Network{of}", number)
    yield from map(_overlaid, overlays) if overlays else map(_chart, titles(runs[0]))


def _map(name: str, number: int) -> _Offer:
    return _Offer(
        name,
        lambda moment: zones_now(moment.runs[number]),
        lambda moment: moment.runs[number].people(),
        mapped=number,
    )


def _network(name: str, number: int) -> _Offer:
    return _Offer(
        name,
        lambda moment: network_figure(moment.runs[number]),
        lambda moment: moment.runs[number].ties(),
    )


def _chart(title: str) -> _Offer:
    return _Offer(
        title,
        lambda moment: chart(moment.runs[0], title),
        lambda moment: pd.DataFrame(ChartLines.of(moment.runs[0], title).series).reset_index(),
    )


def _overlaid(overlay: Overlay) -> _Offer:
    return _Offer(
        overlay.name,
        lambda moment: overlay.draw(moment.runs[0], moment.date),
        lambda moment: overlay.table(moment.date),
    )
