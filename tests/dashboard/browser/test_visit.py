"""What goes wrong in a browser is found: a visit would otherwise pass whatever a page does."""

import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

import pytest
from tests.dashboard.visit import HOST, Visit, colours, inked

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.extras


@pytest.fixture
def show(browser: "Browser") -> Iterator[Callable[[str], Visit]]:
    """Opens a page that has this in its body."""
    served: list[str] = []

    class Answer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = served[-1].encode()
            self.send_response(200 if self.path in {"/", "/favicon.ico"} else 404)
            self.send_header("content-type", "text/html")
            self.end_headers()
            self.wfile.write(body if self.path == "/" else b"")

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer((HOST, 0), Answer)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    context = browser.new_context()

    def start(body: str) -> Visit:
        served.append(f"<html><body><p data-testid='clock'>now</p>{body}</body></html>")
        return Visit(context.new_page(), f"http://{HOST}:{server.server_port}/").open()

    yield start
    context.close()
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("<script>console.error('alas')</script>", "console error: alas"),
        ("<script>console.warn('alas')</script>", "console warning: alas"),
        ("<script>throw new Error('alas')</script>", "page error: alas"),
        ("<img src=lost.png>", "status 404"),
        ("<script>fetch('http://127.0.0.1:9/').catch(() => 0)</script>", "request failed"),
        ("<img src='http://192.0.2.1/a.png'>", "leaves the machine: http://192.0.2.1/a.png"),
        ("<script>new WebSocket('ws://192.0.2.1/')</script>", "leaves the machine: ws://192.0.2.1"),
    ],
    ids=["error", "warning", "throw", "lost", "refused", "elsewhere", "socket"],
)
def test_errors_in_the_browser_are_recorded(
    body: str, message: str, show: Callable[[str], Visit]
) -> None:
    page = show(body)
    page.wait(lambda: any(message in line for line in page.troubles), f"not recorded: {body}", 20)


def test_a_page_without_errors_has_none_recorded(show: Callable[[str], Visit]) -> None:
    page = show("<img src='data:image/gif;base64,R0lGODlhAQABAAAAACw='>")
    page.page.wait_for_timeout(500)
    assert page.troubles == []


def test_a_blank_picture_is_distinguished_from_a_drawn_one() -> None:
    from matplotlib.figure import Figure

    from memopolis.analysis.figures.style import as_png

    blank, drawn = Figure(), Figure()
    drawn.subplots().plot([1, 3, 2])
    assert colours(as_png(blank)) == 1
    assert inked(as_png(blank)) == 0
    assert colours(as_png(drawn)) > 3
    assert inked(as_png(drawn)) > 0.01
