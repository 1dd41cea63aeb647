"""One visitor's browser: what it does on the page, and whatever goes wrong meanwhile."""

import io
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urlsplit

from PIL import Image

if TYPE_CHECKING:
    from playwright.sync_api import ConsoleMessage, Locator, Page, Request, Response, WebSocket

HOST = "127.0.0.1"
MODES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
PATIENCE = 60
"""Seconds that a change may take on a busy machine; the benchmark says how long it does take."""
KEPT = Path(os.environ.get("MEMOPOLIS_ARTEFACTS") or Path(__file__).parent / "screenshots")
"""Where pictures of what the tests saw are kept."""
ABORTED = "net::ERR_ABORTED"
STILL = """host => host.chart ? host.chart.painted !== undefined && !host.chart.isStale
    : host.drawing?.frames > 0 && host.dataset.step !== undefined && !host.drawing.requested"""
"""Whether a chart, a map or a network has drawn its moment and nothing moves."""


class Visit:
    """A page in a browser, with all that its console, its network and its scripts complain of.

    Attributes:
        page: Playwright's page.
        troubles: A line for each thing that should not have happened.
    """

    def __init__(self, page: "Page", url: str) -> None:
        self.page, self.url = page, url
        self.troubles: list[str] = []
        page.set_default_timeout(1000 * PATIENCE)
        page.on("console", self._heard)
        page.on("pageerror", lambda error: self._note("page error", error))
        page.on("requestfailed", self._failed)
        page.on("response", self._answered)
        page.on("request", lambda request: self._asked(request.url))
        page.on("websocket", self._socket)
        page.on("crash", lambda _: self._note("page", "crashed"))

    def open(self) -> "Visit":
        """Open the page and wait until its clock shows."""
        self.page.goto(self.url)
        self["clock"].wait_for()
        return self

    def __getitem__(self, testid: str) -> "Locator":
        return self.page.get_by_test_id(testid)

    @property
    def step(self) -> int:
        """Steps done, as the clock says."""
        match = re.search(r"step ([\d,]+) of", self.text("clock"))
        assert match, self.text("clock")
        return int(match[1].replace(",", ""))

    @property
    def state(self) -> str:
        """What the watch does, as the page says: Paused, Playing, Ended ..."""
        return self.text("state")

    def click(self, *testids: str) -> "Visit":
        """Click on one thing after the other."""
        for testid in testids:
            self[testid].first.click()
        return self

    def at(self, step: int) -> "Visit":
        """Wait until the clock shows a step."""
        self.wait(lambda: self.step == step, f"the clock does not come to {step}")
        return self

    def steps(self, number: int) -> "Visit":
        """Make some steps by the button, one after the other."""
        for _ in range(number):
            now = self.step
            self.click("step").at(now + 1)
        return self

    def choose(self, testid: str, label: str) -> "Visit":
        """Choose the first option of a drop-down list that begins with a text, in any case."""
        self[testid].click()
        pattern = re.compile(rf"^\s*{re.escape(label)}", re.IGNORECASE)
        self.page.get_by_role("option").filter(has_text=pattern).first.click()
        return self

    def options(self, testid: str) -> list[str]:
        """Labels of the options of a drop-down list."""
        self[testid].click()
        self.page.get_by_role("option").first.wait_for()
        labels: list[str] = self.page.get_by_role("option").all_inner_texts()
        self.page.keyboard.press("Escape")
        return labels

    def tab(self, name: str) -> "Visit":
        """Show a tab."""
        return self.click(f"tab-{name}")

    def life(self, agent: int) -> "Visit":
        """Open a citizen's life by a click in the list, and wait until it is there."""
        self.tab("citizens").click(f"citizen-open-{agent}")
        self["life"].wait_for()
        self.wait(lambda: self.text("citizen-about").endswith(f" {agent}"), f"no life of {agent}")
        return self

    def text(self, testid: str) -> str:
        return str(self[testid].first.inner_text()).strip()

    def wait(self, holds: Callable[[], object], what: str, seconds: float = PATIENCE) -> Any:
        """Wait until something holds, and give it."""
        left = seconds
        while not (item := holds()):
            assert left > 0, f"{what}; troubles: {self.troubles}"
            self.page.wait_for_timeout(100)
            left -= 0.1
        return item

    def says(self, testid: str, text: str) -> "Visit":
        """Wait until a text is shown in a part of the page."""
        self.wait(lambda: text in self.text(testid), f"{testid} does not show {text!r}")
        return self

    def stand(self) -> int:
        """Wait until the clock stands still for a second, and return its step."""

        def stands() -> bool:
            before = self.step
            self.page.wait_for_timeout(1000)
            return self.step == before

        self.wait(stands, "the clock does not stand still")
        return self.step

    def drawn(self, testid: str, step: int) -> bytes:
        """The picture of a map, a network or a figure, once it is that of a step and still."""
        shown = self[testid].first
        self.wait(
            lambda: shown.get_attribute("data-step") == str(step), f"{testid} is not of step {step}"
        )
        return self.picture(testid)

    def picture(self, testid: str) -> bytes:
        """The picture of a map, a network or a figure, once it is whole."""
        shown = self[testid].first
        shown.scroll_into_view_if_needed()
        self.wait(lambda: shown.evaluate(STILL), f"{testid} is not still")
        return bytes(shown.screenshot())

    def shot(self, path: Path) -> None:
        """Save what is seen, the whole length of it."""
        path.parent.mkdir(parents=True, exist_ok=True)
        self.page.screenshot(path=path, full_page=True)

    def _note(self, kind: str, what: object) -> None:
        self.troubles.append(f"{kind}: {str(what)[:500]}")

    def _heard(self, message: "ConsoleMessage") -> None:
        if message.type in {"error", "warning", "assert"}:
            self._note(f"console {message.type}", message.text)

    def _failed(self, request: "Request") -> None:
        # The browser aborts requests that a reload or the next picture replaces. A server that
        # does not answer fails otherwise.
        if request.failure != ABORTED:
            self._note("request failed", f"{request.url} {request.failure}")

    def _answered(self, response: "Response") -> None:
        if response.status >= 400:
            self._note(f"status {response.status}", response.url)

    def _socket(self, socket: "WebSocket") -> None:
        self._asked(socket.url)
        socket.on("socketerror", lambda error: self._note("web socket", error))

    def _asked(self, url: str) -> None:
        parts = urlsplit(url)
        if parts.scheme not in {"data", "blob"} and parts.hostname != HOST:
            self._note("request that leaves the machine", url)


def colours(picture: bytes) -> int:
    """Count the colours of a picture by their four highest bits; a blank one has 1."""
    return len(_counts(Image.open(io.BytesIO(picture)).convert("RGB").point(lambda v: v & 0xF0)))


def inked(picture: bytes) -> float:
    """Share of a picture that is not its commonest colour."""
    counts = _counts(Image.open(io.BytesIO(picture)).convert("RGB"))
    return 1 - max(counts) / sum(counts)


def _counts(image: Image.Image) -> list[int]:
    """Return the number of pixels of each colour."""
    colours = image.getcolors(image.width * image.height)
    assert colours is not None
    return [number for number, _ in colours]


def file_name(test: str) -> str:
    """A test's name as that of a file."""
    return re.sub(r"[^\w-]+", "-", test).strip("-")
