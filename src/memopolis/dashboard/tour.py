"""The tour of the page: its offer to first visitors, and the button that starts it."""

import json
import tomllib
from collections.abc import Collection
from functools import partial
from pathlib import Path

from nicegui import ui

from memopolis.analysis.labels import a_step, plural
from memopolis.dashboard.elements import button, set_properties
from memopolis.dashboard.viewer import Viewer

_STEPS = Path(__file__).with_name("tour.toml")
_PATIENCE = 5.0  # seconds to wait for the browser


class Tour:
    """The tour of one visitor. `tabs` are the names of the tabs of the page."""

    def __init__(self, viewer: Viewer, tabs: Collection[str]) -> None:
        self._viewer, self._tabs = viewer, tabs
        self._steps: list[dict[str, str]] = []
        self._number = 0

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
            button("No, thanks", self._remember, test_id="tour-decline", look="flat dense")
        self._offer = offer.id
        ui.timer(0, lambda: ui.run_javascript(f"memopolis.offerTour({offer.id})"), once=True)
        self._build_card()

    def _build_card(self) -> None:
        with ui.dialog(value=False).props("seamless position=bottom") as self._dialog:
            label = 'role=dialog aria-label="Tour of the page"'
            self._card = ui.card().props(f"{label} data-testid=tour")
        with self._card:
            self._title = ui.label().classes("panel-title")
            self._text = ui.label()
            self._count = ui.label().classes("quiet").props("data-testid=tour-count")
            with ui.row():
                button("Skip the tour", self._dialog.close, test_id="tour-skip", look="flat")
                back = partial(self._go, -1)
                self._back = button("Back", back, test_id="tour-back", look="flat")
                forth = partial(self._go, 1)
                self._next = button("Next", forth, test_id="tour-next", look="unelevated")
        self._dialog.on_value_change(lambda event: None if event.value else self._end())

    def _remember(self) -> None:
        ui.run_javascript(f"memopolis.rememberTour({self._offer})")

    def _end(self) -> None:
        ui.run_javascript("memopolis.point()")

    async def _start(self) -> None:
        self._remember()
        run, watch = self._viewer.runs[0], "replay" if self._viewer.live is None else "live"
        people = plural(run.populations[0]) if run.populations else "agents"
        length = a_step(run.hours)
        self._steps = [
            {"tab": ""} | step | {"text": step["text"].format(people=people, length=length)}
            for step in tomllib.loads(_STEPS.read_text(encoding="utf-8"))["steps"]
            if step.get("watch", watch) == watch and step.get("tab", "") in {"", *self._tabs}
        ]
        self._number = -1
        await self._go(1)

    async def _go(self, direction: int) -> None:
        """Show the next step whose element is on the page; close after the last one."""
        number = self._number + direction
        while 0 <= number < len(self._steps) and not await self._point(self._steps[number]):
            number += direction
        if number >= len(self._steps):
            self._dialog.close()
        elif number >= 0:
            self._number, step = number, self._steps[number]
            self._title.text, self._text.text = step["title"], step["text"]
            self._count.text = f"{number + 1} of {len(self._steps)}"
            self._next.text = "Done" if number + 1 == len(self._steps) else "Next"
            self._back.set_enabled(number > 0)
            set_properties(self._card, **{"data-target": step["target"]})
            self._dialog.open()

    async def _point(self, step: dict[str, str]) -> bool:
        """Mark the element of a step on the page; return whether there is one."""
        target, tab = json.dumps(step["target"]), json.dumps(step["tab"])
        call = f"memopolis.point({target}, {tab})"
        return bool(await ui.run_javascript(call, timeout=_PATIENCE))
