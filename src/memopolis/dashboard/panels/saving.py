"""Save what the page shows: figures of the moment as PNG or SVG, their numbers, and a link."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import pandas as pd
from matplotlib.figure import Figure
from nicegui import ui

from memopolis.analysis.figures.charts import ChartLines, chart, titles
from memopolis.analysis.figures.network_now import has_network, network_figure
from memopolis.analysis.figures.place_now import has_place
from memopolis.analysis.figures.style import as_png, as_svg
from memopolis.analysis.figures.zones_now import zones_now
from memopolis.commands.shown_text import harmless
from memopolis.dashboard.charts.overlays import Overlay
from memopolis.dashboard.elements import button, panel, select
from memopolis.dashboard.viewer import Viewer
from memopolis.dashboard.watch.watch import Moment

FORMATS = {"png": "PNG picture", "svg": "SVG drawing", "csv": "CSV table of its numbers"}


@dataclass(frozen=True)
class _Offer:
    """A figure that can be saved: how to draw it at a moment, and its numbers."""

    name: str
    draw: Callable[[Moment], Figure]
    table: Callable[[Moment], pd.DataFrame]

    def contents(self, form: str, moment: Moment) -> bytes:
        """Return the contents of a file; `form` is one of `FORMATS`."""
        if form == "csv":
            return self.table(moment).to_csv(index=False).encode()
        return {"png": as_png, "svg": as_svg}[form](self.draw(moment))


def saving(viewer: Viewer) -> None:
    """Offer the map, the network and the charts of the moment as files."""
    offers: list[_Offer] = []
    chosen = {"figure": "0", "format": "png"}

    async def save() -> None:
        offer, moment = offers[int(chosen["figure"])], viewer.moment
        contents = await viewer.work(partial(offer.contents, chosen["format"], moment))
        download(contents, offer.name, moment.step, chosen["format"])

    def link() -> None:
        address = f"{viewer.address}&step={viewer.moment.step}"
        ui.navigate.history.replace(address)
        ui.clipboard.write(f"{ui.context.client.request.base_url}{address.lstrip('/')}")
        ui.notify("The link is in the clipboard and in the address of this page.")

    async def offer() -> None:
        if offers:
            return
        overlays = await viewer.work(viewer.watch.overlays.charts) if viewer.watch.overlays else ()
        offers[:] = _offers(viewer, overlays)
        if not offers:
            return
        figures = {str(number): harmless(one.name) for number, one in enumerate(offers)}
        with panel("saving", "Save a figure"), ui.element("div").classes("controls"):
            for name, label, options in (
                ("figure", "Figure", figures),
                ("format", "Save as", FORMATS),
            ):
                choose = partial(chosen.__setitem__, name)
                select(label, options, chosen[name], choose, test_id=f"save-{name}")
            button("Save", save, test_id="save", look="outline")
            if viewer.live is None:
                button("Link to this moment", link, test_id="save-link", look="outline")

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
