"""The offer of the tour to first visitors, and the button that starts it."""

import json
from collections.abc import Collection

from nicegui import ui

from memopolis.dashboard.elements import button
from memopolis.dashboard.tour.steps import tour_steps
from memopolis.dashboard.viewer import Viewer


class Tour:
    """The tour of one visitor. `tabs` are the names of the tabs of the page."""

    def __init__(self, viewer: Viewer, tabs: Collection[str]) -> None:
        self._viewer, self._tabs = viewer, tabs

    def build_button(self) -> None:
        """Build the button of the header."""
        button("Tour", self._start, test_id="tour-start", look="flat").tooltip(
            "What is on this page, in two minutes"
        )

    def build_offer(self) -> None:
        """Build the offer, which the browser shows to those who have not seen the tour."""
        with (
            ui.element("div").classes("tour-offer").props("hidden data-testid=tour-offer") as offer
        ):
            ui.label("First visit? A tour of two minutes shows what is on this page.")
            button("Take the tour", self._start, test_id="tour-take", look="unelevated dense")
            decline = f"memopolisTour.decline({offer.id})"
            button(
                "No, thanks",
                lambda: ui.run_javascript(decline),
                test_id="tour-decline",
                look="flat dense",
            )
        self._offer = offer.id
        ui.timer(0, lambda: ui.run_javascript(f"memopolisTour.offer({offer.id})"), once=True)

    def _start(self) -> None:
        steps = json.dumps(tour_steps(self._viewer, self._tabs))
        ui.run_javascript(f"memopolisTour.decline({self._offer}); memopolisTour.start({steps})")
