"""Save what the page shows: figures of the moment as PNG or SVG, their numbers, and a link."""

import re
from functools import partial
from typing import TYPE_CHECKING

import pandas as pd
from nicegui import ui

from memopolis.analysis.figures.charts import ChartLines, chart, titles
from memopolis.analysis.figures.place_now import has_place
from memopolis.analysis.figures.style import as_png, as_svg
from memopolis.analysis.figures.zones_now import zones_now
from memopolis.dashboard.elements import button, panel, select

if TYPE_CHECKING:
    from memopolis.analysis.run.run import Run
    from memopolis.dashboard.viewer import Viewer

FORMATS = {"png": "PNG picture", "svg": "SVG drawing", "csv": "CSV table of its numbers"}
_MAP = ""  # stands for the map among the titles of charts


def saving(viewer: "Viewer") -> None:
    """Offer the map and the charts of the moment as files."""
    runs = viewer.runs
    figures = {_MAP: "Map"} if any(map(has_place, runs)) else {}
    figures |= {title: title for run in runs for title in titles(run)}
    if not figures:
        return
    chosen = {"figure": next(iter(figures)), "format": "png"}

    async def save() -> None:
        for number, run in enumerate(viewer.runs, 1):
            if not offers(run, chosen["figure"]):
                continue
            write = partial(contents, run, chosen["figure"], chosen["format"])
            name = re.sub(r"\W+", "-", figures[chosen["figure"]].lower()).strip("-")
            run_number = f"-run-{number}" if len(runs) > 1 else ""
            ui.download.content(
                await viewer.work(write),
                f"{name}{run_number}-step-{viewer.moment.step}.{chosen['format']}",
            )

    def link() -> None:
        address = f"{viewer.address}&step={viewer.moment.step}"
        ui.navigate.history.replace(address)
        ui.clipboard.write(f"{ui.context.client.request.base_url}{address.lstrip('/')}")
        ui.notify("The link is in the clipboard and in the address of this page.")

    with panel("saving", "Save a figure"), ui.element("div").classes("controls"):
        for name, label, options in (("figure", "Figure", figures), ("format", "Save as", FORMATS)):
            choose = partial(chosen.__setitem__, name)
            select(label, options, chosen[name], choose, test_id=f"save-{name}")
        button("Save", save, test_id="save", look="outline")
        if viewer.live is None:
            button("Link to this moment", link, test_id="save-link", look="outline")


def offers(run: "Run", figure: str) -> bool:
    """Return whether a run has the map or a chart."""
    return has_place(run) if figure == _MAP else figure in titles(run)


def contents(run: "Run", figure: str, form: str) -> bytes:
    """Return the contents of a file.

    `figure` is the title of a chart, "" for the map; `form` is one of `FORMATS`.
    """
    if form == "csv":
        table = run.people() if figure == _MAP else pd.DataFrame(ChartLines.of(run, figure).series)
        return table.to_csv(index=figure != _MAP).encode()
    drawn = zones_now(run) if figure == _MAP else chart(run, figure)
    return as_svg(drawn) if form == "svg" else as_png(drawn)
