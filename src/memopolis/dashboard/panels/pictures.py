"""Figures drawn when they are visible, in a size that fits the screen."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from matplotlib.figure import Figure
from nicegui import Client, background_tasks, ui
from nicegui.element import Element

from memopolis.analysis.figures.style import NARROW
from memopolis.analysis.run.run import Run
from memopolis.dashboard.figure import FigureImage
from memopolis.dashboard.viewer import Viewer

SMALL_PX = 700
"""Screen width below which the page has one column, as in page.css."""
SIDE_BY_SIDE = 6.2
"""Width in inches of each of two pictures side by side."""
_TAB_INTERVAL = 0.2
"""Seconds between two checks of the selected tab."""


@dataclass(frozen=True)
class PictureRequest:
    """The requested content of a picture.

    Attributes:
        key: Name of the figure, unique for its content.
        draw: Draws a run with a width in inches.
        alt: Returns the alternative text.
        width: Width on a large screen, in inches.
    """

    key: str
    draw: Callable[[Run, float], Figure]
    alt: Callable[[Run], str]
    width: float


class Picture:
    """A figure of each run; its data-testid is figure-NAME."""

    def __init__(self, viewer: Viewer, name: str) -> None:
        self._viewer = viewer
        self._images: list[FigureImage] = []
        with ui.element("div").classes("figures").props(f"data-testid=figure-{name}") as self.frame:
            for number, title in enumerate(viewer.watch.names, 1):
                with ui.element("figure").classes("figure").style("min-height: 12rem"):
                    if len(viewer.watch.names) > 1:
                        with ui.element("figcaption").classes("run-name"):
                            ui.label(title)
                    self._images.append(FigureImage(f"image-{name}-{number}"))
        self._shown: list[object] = [None] * len(self._images)

    async def show(self, request: PictureRequest, *, narrow: bool) -> None:
        """Draw the requested figure of each run, unless it is shown already."""
        width = NARROW if narrow else request.width
        key = f"{request.key}-{width:g}"
        for number in range(len(self._images)):
            if self._shown[number] != (key, self._viewer.watch.version):
                await self._show(number, key, request, width)

    async def _show(self, number: int, key: str, request: PictureRequest, width: float) -> None:
        version = step = 0

        def which() -> Run | None:
            nonlocal version, step
            version, step = self._viewer.watch.version, self._viewer.watch.step
            runs = self._viewer.runs
            return runs[number] if number < len(runs) else None

        image = self._images[number]
        drawn = await image.draw(which, key, lambda run: request.draw(run, width), request.alt)
        if drawn is not None:
            self._shown[number] = (key, version)
            image.show(drawn, **{"data-step": step})


class Pictures:
    """The figures of a panel; visible ones are drawn first, the others when idle."""

    def __init__(
        self, viewer: Viewer, requests: Callable[[], Sequence[tuple[Picture, PictureRequest]]]
    ) -> None:
        self._viewer, self._requests = viewer, requests
        self._client = ui.context.client
        self._tab = viewer.tab  # built when first shown
        self._running = False
        self._again = False
        ui.on("memopolis-moved", self.redraw)  # sent by page.js
        viewer.on_change(self.redraw)

    def choose(self) -> None:
        """Redraw after a change of options, without waiting."""
        background_tasks.create(self.redraw())

    async def redraw(self, *_: Any) -> None:
        """Draw visible figures, then the others; repeat if something changed meanwhile."""
        self._again = True
        if self._running:
            return
        self._running = True
        try:
            while self._again:
                self._again = False
                await self._draw()
        finally:
            self._running = False

    async def _draw(self) -> None:
        requests = list(self._requests())
        frames = [picture.frame for picture, _ in requests]
        seen, narrow = await _on_screen(self._client, frames)
        for (picture, request), visible in zip(requests, seen, strict=True):
            if visible and not self._again:
                await picture.show(request, narrow=narrow)
        for picture, request in requests:
            await self._shown()
            if not self._again and self._viewer.watch.state != "playing":
                await picture.show(request, narrow=narrow)

    async def _shown(self) -> None:
        """Wait while the visitor looks at another tab, whose figures come first."""
        while (  # noqa: ASYNC110 - no event announces a tab change
            self._viewer.tab != self._tab and not self._again and not self._client.is_deleted
        ):
            await asyncio.sleep(_TAB_INTERVAL)


async def _on_screen(client: Client, frames: Sequence[Element]) -> tuple[list[bool], bool]:
    """Return which elements are visible or nearly so, and whether the screen is small."""
    ids = [frame.id for frame in frames]
    asked = f"return memopolis.onScreen({ids}, {SMALL_PX})"
    try:
        answer = await client.run_javascript(asked, timeout=3)
    except TimeoutError:
        answer = None
    if answer is None:  # the visitor has left, is leaving, or lost the connection
        return [False] * len(ids), False
    seen, narrow = answer
    return [bool(one) for one in seen], bool(narrow)
