"""Figures of the page, each drawn once for all visitors."""

import asyncio
import gc
import secrets
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple
from weakref import WeakKeyDictionary

from matplotlib.figure import Figure
from nicegui import app, ui
from starlette.responses import Response

from memopolis.analysis.figures.style import as_png
from memopolis.analysis.run.run import Run
from memopolis.dashboard.elements import error_line, show_line
from memopolis.dashboard.viewer import line_of

ADDRESS = "/figures"
_MOST_BYTES = 4 * 2**20  # maximum size in bytes of the figures that can still be fetched
_SERVER = secrets.token_hex(4)
"""Distinguishes figures of this server from those cached from an earlier one."""
_DRAWING_THREAD = ThreadPoolExecutor(1, thread_name_prefix="figures")


class Drawn(NamedTuple):
    """A figure that the browser can fetch."""

    address: str  # path of its PNG on this server
    alt: str  # alternative text


class Gallery:
    """A cache of figures: each is drawn once, one at a time, and dropped with its moment."""

    def __init__(self) -> None:
        self._of_run: WeakKeyDictionary[Run, dict[str, Drawn]] = WeakKeyDictionary()
        self._images: dict[str, bytes] = {}
        self._number = 0
        self._one = asyncio.Lock()

    async def drawn(
        self,
        which: Callable[[], Run | None],
        key: str,
        draw: Callable[[Run], Figure],
        alt: Callable[[Run], str],
    ) -> Drawn | None:
        """Draw a figure, or return the cached one: the figure; None if there is no run.

        `which` is called when its turn comes, so that the newest moment is drawn.
        """
        async with self._one:
            run_now = which()
            if run_now is None:
                return None
            known = self._of_run.setdefault(run_now, {})
            if key not in known or known[key].address not in self._images:
                loop = asyncio.get_running_loop()
                image, text = await loop.run_in_executor(
                    _DRAWING_THREAD, _drawn, run_now, draw, alt
                )
                known[key] = Drawn(self._keep(image), text)
            return known[key]

    def image(self, address: str) -> bytes | None:
        """Return the PNG at an address, None if it was dropped."""
        return self._images.get(address)

    def _keep(self, image: bytes) -> str:
        self._number += 1
        address = f"{ADDRESS}/{_SERVER}-{self._number}.png"
        self._images[address] = image
        while sum(map(len, self._images.values())) > _MOST_BYTES and len(self._images) > 1:
            del self._images[next(iter(self._images))]
        return address


gallery = Gallery()


class FigureImage:
    """The image of a figure, or an error message in its place."""

    def __init__(self, test_id: str) -> None:
        self._image = ui.element("img").props(f"data-testid={test_id} alt=''")
        self._image.set_visibility(False)
        self._line = error_line()

    async def draw(
        self,
        which: Callable[[], Run | None],
        key: str,
        draw: Callable[[Run], Figure],
        alt: Callable[[Run], str],
    ) -> Drawn | None:
        """Draw a figure, as `Gallery.drawn` does; show an error and return None if that fails."""
        try:
            return await gallery.drawn(which, key, draw, alt)
        except Exception as error:  # noqa: BLE001 - shown in place of the figure
            show_line(self._line, line_of(error))
            return None

    def show(self, drawn: Drawn, **properties: object) -> None:
        """Show a figure; `properties` describe its moment."""
        show_line(self._line, "")
        self._image.props.update({"src": drawn.address, "alt": drawn.alt, **properties})
        self._image.update()
        self._image.set_visibility(True)


@app.get(f"{ADDRESS}/{{name}}")
def _image(name: str) -> Response:
    image = gallery.image(f"{ADDRESS}/{name}")
    kept = {"Cache-Control": "private, max-age=600"}
    if image is None:
        # Dropped before it was fetched; a newer one follows.
        return Response(status_code=204)
    return Response(image, media_type="image/png", headers=kept)


def _drawn(run: Run, draw: Callable[[Run], Figure], alt: Callable[[Run], str]) -> tuple[bytes, str]:
    image = as_png(draw(run))
    # Artists refer to each other in cycles, so figures would stay in memory without this.
    gc.collect()
    return image, alt(run)
