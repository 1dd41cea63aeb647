"""The social network: a connected sample, coloured by an attribute."""

from nicegui import ui

from memopolis.analysis.figures.network_now import has_network, network_in_words, network_now
from memopolis.analysis.figures.shades import number_choices
from memopolis.analysis.figures.style import WIDTH
from memopolis.dashboard.elements import panel, select
from memopolis.dashboard.panels.pictures import SIDE_BY_SIDE, Picture, PictureRequest, Pictures
from memopolis.dashboard.viewer import Viewer


def network(viewer: Viewer) -> None:
    """Show the network of each run."""
    chosen = [""]
    with panel("network-panel"):
        row = ui.element("div").classes("controls").props("data-testid=network-choices")
        picture = Picture(viewer, "network")
    pictures = Pictures(viewer, lambda: [(picture, _request(chosen[0], len(viewer.runs)))])

    def choose(column: str) -> None:
        chosen[0] = column
        pictures.choose()

    async def offer() -> None:
        run = next((run for run in viewer.runs if has_network(run)), None)
        if row.default_slot.children or run is None:
            return
        # None before people were recorded.
        columns = await viewer.work(lambda: number_choices(run))
        if columns and not row.default_slot.children:
            first = next(iter(columns))
            with row:
                select("Colour by", columns, first, choose, test_id="network-colour")

    viewer.on_change(offer)


def _request(column: str, runs: int) -> PictureRequest:
    return PictureRequest(
        f"network-{column}",
        lambda run, width: network_now(run, column, width=width),
        lambda run: network_in_words(run, column),
        WIDTH if runs == 1 else SIDE_BY_SIDE,
    )
