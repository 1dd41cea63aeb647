"""The charts that a scenario's measures declare."""

from collections.abc import Sequence
from functools import partial

from matplotlib.figure import Figure
from nicegui import ui

from memopolis.analysis.figures.charts import chart, chart_in_words, titles
from memopolis.analysis.figures.style import WIDTH
from memopolis.analysis.run.run import Run
from memopolis.dashboard.elements import panel, select
from memopolis.dashboard.panels.pictures import Picture, PictureRequest, Pictures
from memopolis.dashboard.viewer import Viewer

ALL = ""
"""Option for all charts."""
_WIDTH = 6.6


def charts(viewer: Viewer) -> None:
    """Show the charts of each run, in two columns on wide screens."""
    declared = _declared(viewer.runs)
    if not declared:
        ui.label("The measures of this scenario declare no charts.").classes("quiet")
        return
    chosen = [ALL if len(declared) > 1 else declared[0]]
    with panel("charts", "Charts"):
        controls = ui.element("div").classes("controls")
        with ui.element("div").classes("columns") as columns:
            pictures = {
                title: Picture(viewer, f"chart-{number}")
                for number, title in enumerate(declared, 1)
            }

    def requests() -> list[tuple[Picture, PictureRequest]]:
        return [
            (picture, _request(viewer, title, alone=chosen[0] != ALL and len(viewer.runs) == 1))
            for title, picture in pictures.items()
            if chosen[0] in {ALL, title}
        ]

    shown = Pictures(viewer, requests)

    def choose(title: str) -> None:
        chosen[0] = title
        for name, picture in pictures.items():
            picture.frame.set_visibility(title in {ALL, name})
        # Two runs share one row.
        columns.style(replace="" if title == ALL else "grid-template-columns: 1fr")
        shown.choose()

    with controls:
        options = {ALL: "All charts", **{title: title for title in declared}}
        select("Show", options, chosen[0], choose, test_id="chart-choice")


def _request(viewer: Viewer, title: str, *, alone: bool) -> PictureRequest:
    return PictureRequest(
        f"chart-{title}",
        partial(_draw, viewer, title),
        lambda run: chart_in_words(run, title),
        WIDTH if alone else _WIDTH,
    )


def _draw(viewer: Viewer, title: str, run: Run, width: float) -> Figure:
    return chart(run, title, width=width, beside=viewer.runs)


def _declared(runs: Sequence[Run]) -> list[str]:
    """Return the titles of the charts of all runs, without duplicates."""
    return list(dict.fromkeys(title for run in runs for title in titles(run)))
