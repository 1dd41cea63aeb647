"""A figure of each run that is watched, drawn once for all visitors."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple
from weakref import WeakKeyDictionary

from matplotlib.figure import Figure
from nicegui import app, ui
from starlette.responses import Response

from memopolis.analysis.load import Run
from memopolis.analysis.plots.style import as_png
from memopolis.dashboard.viewer import Viewer, line_of

ADDRESS = "/figures"
_KEPT = 96
"""Figures that can still be fetched: enough for a slow visitor, and a bound to the memory."""
_ARTIST = ThreadPoolExecutor(1, thread_name_prefix="figures")


class Drawn(NamedTuple):
    """A figure as it is fetched.

    Attributes:
        address: Of its PNG, on this server.
        alt: What it shows, in words.
    """

    address: str
    alt: str


class Gallery:
    """Figures drawn so far: one at a time, each once, and not kept longer than its moment."""

    def __init__(self) -> None:
        self._of_run: WeakKeyDictionary[Run, dict[str, Drawn]] = WeakKeyDictionary()
        self._images: dict[int, bytes] = {}
        self._number = 0
        self._one: asyncio.Lock | None = None

    async def drawn(
        self,
        which: Callable[[], Run | None],
        key: str,
        draw: Callable[[Run], Figure],
        alt: Callable[[Run], str],
    ) -> Drawn | None:
        """Draw a figure, or give the one that was drawn already.

        Args:
            which: Names the run when its turn comes, so that the newest moment is drawn.
            key: Names the figure.
            draw: Draws it.
            alt: Says what it shows.

        Returns:
            The figure; None if there is no run.
        """
        if self._one is None:
            self._one = asyncio.Lock()  # belongs to the loop of the server
        async with self._one:
            run_now = which()
            if run_now is None:
                return None
            known = self._of_run.setdefault(run_now, {})
            if key not in known:
                loop = asyncio.get_running_loop()
                image, told = await loop.run_in_executor(_ARTIST, _drawn, run_now, draw, alt)
                known[key] = Drawn(self._keep(image), told)
            return known[key]

    def image(self, number: int) -> bytes | None:
        """The PNG of a number, None if it is kept no longer."""
        return self._images.get(number)

    def _keep(self, image: bytes) -> str:
        self._number += 1
        self._images[self._number] = image
        self._images.pop(self._number - _KEPT, None)
        return f"{ADDRESS}/{self._number}.png"


gallery = Gallery()


@app.get(f"{ADDRESS}/{{number}}.png")
def _image(number: int) -> Response:
    image = gallery.image(number)
    kept = {"Cache-Control": "private, max-age=600"}
    if image is None:
        # Dropped while it was fetched: the next one is on its way.
        return Response(status_code=204)
    return Response(image, media_type="image/png", headers=kept)


def figure_panel(
    viewer: Viewer,
    key: str,
    draw: Callable[[Run], Figure],
    alt: Callable[[Run], str],
) -> None:
    """Show a figure of each run that is watched, now and after each change.

    Args:
        viewer: The visitor.
        key: Names the figure, in kebab-case; two that differ must have other keys, so a figure
            of a citizen names the citizen, too.
        draw: Draws it from a run as it stands at a moment; called in another thread. What it
            raises is shown as one line in its place.
        alt: Says in words what it shows, for those who do not see it.
    """
    with ui.element("div").classes("figures").props(f"data-testid=figure-{key}"):
        frames = [_Frame(viewer, key, number) for number in range(len(viewer.runs))]

    async def redraw() -> None:
        for frame in frames:
            await frame.redraw(draw, alt)

    viewer.on_change(redraw)


class _Frame:
    """The place of one figure of one run."""

    def __init__(self, viewer: Viewer, key: str, number: int) -> None:
        self._viewer, self._key, self._number = viewer, key, number
        self._step = 0
        with ui.element("figure").classes("figure"):
            names = viewer.watch.names
            if len(names) > 1:
                with ui.element("figcaption").classes("run-name"):
                    ui.label(names[number])
            self._image = ui.element("img").props(f"data-testid=image-{key}-{number + 1} alt=''")
            self._image.set_visibility(False)
            self._line = ui.label().classes("failed").props("role=alert")
            self._line.set_visibility(False)

    def _run(self) -> Run | None:
        self._step, runs = self._viewer.watch.step, self._viewer.runs
        return runs[self._number] if self._number < len(runs) else None

    async def redraw(self, draw: Callable[[Run], Figure], alt: Callable[[Run], str]) -> None:
        """Draw the run as it stands now."""
        try:
            drawn = await gallery.drawn(self._run, self._key, draw, alt)
        except Exception as error:  # noqa: BLE001 - a figure may not take the page with it
            self._tell(line_of(error))
            return
        if drawn is not None:
            self._tell("")
            self._image.props["src"] = drawn.address
            self._image.props["alt"] = drawn.alt
            self._image.props["data-step"] = self._step
            self._image.update()
            self._image.set_visibility(True)

    def _tell(self, line: str) -> None:
        self._line.text = line
        self._line.set_visibility(bool(line))


def _drawn(
    run: Run, draw: Callable[[Run], Figure], alt: Callable[[Run], str]
) -> tuple[bytes, str]:
    return as_png(draw(run)), alt(run)
