"""The tour of the page: its offer to first visitors, and the button that starts it."""

import json
import tomllib
from collections.abc import Collection
from pathlib import Path

from nicegui import ui

from memopolis.analysis.labels import a_step, plural
from memopolis.dashboard.elements import button
from memopolis.dashboard.viewer import Viewer

_STEPS = Path(__file__).with_name("steps.toml")


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
        run, watch = self._viewer.runs[0], "replay" if self._viewer.live is None else "live"
        people = plural(run.populations[0]) if run.populations else "agents"
        shown = [
            {
                "tab": "",
                **step,
                "text": step["text"].format(people=people, length=a_step(run.hours)),
            }
            for step in tomllib.loads(_STEPS.read_text(encoding="utf-8"))["steps"]
            if step.get("watch", watch) == watch and step.get("tab", "") in {"", *self._tabs}
        ]
        steps = json.dumps(shown)
        ui.run_javascript(f"memopolisTour.decline({self._offer}); memopolisTour.start({steps})")
