"""Several visitors, a page that is loaded again, and what goes wrong."""

import socket
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.dashboard.server import HOST, Server, environment, memopolis, preloaded
from tests.dashboard.visit import Visit

pytestmark = pytest.mark.extras

LOST = """() => {
    const [bar, page] = ['popup', 'app'].map(id => document.getElementById(id));
    const looks = getComputedStyle(page);
    return getComputedStyle(bar).opacity === '1' && bar.offsetWidth === innerWidth
        && looks.pointerEvents === 'none' && Number(looks.opacity) < 0.5;
}"""
"""Whether a bar as wide as the page says that the server is lost, and nothing else can be used."""

TOWNS = Path(__file__).parents[1] / "own_towns.py"
SMALL = ("hurricane", "--agents", "60", "--days", "3", "--seed", "1")


def test_two_visitors_see_one_clock(live: Server, visit: Callable[..., Visit]) -> None:
    one, other = visit(live), visit(live)
    now = one.steps(2).step
    other.at(now).steps(1)
    one.at(now + 1).life(3)
    assert not other["life"].is_visible()


def test_reloading_the_page_keeps_the_run(live: Server, visit: Callable[..., Visit]) -> None:
    page = visit(live).steps(4)
    now = page.step
    page.page.reload()
    page.at(now)
    page.steps(1)
    assert page.picture("map-1")


def test_closing_the_page_does_not_stop_the_run(
    serve: Callable[..., Server], visit: Callable[..., Visit]
) -> None:
    server = serve(*SMALL)
    one = visit(server).click("start")
    one.wait(lambda: one.step > 1, "it does not play")
    one.page.goto("about:blank")
    other = visit(server)
    now = other.step
    other.wait(lambda: other.step > now, "it stopped with the visitor who left")


def test_a_lost_server_is_unmistakable_and_reconnects(
    runs: Path, serve: Callable[..., Server], visit: Callable[..., Visit]
) -> None:
    server = serve("storm", folder=runs)
    page = visit(server, width=390).tab("citizens")
    page["citizens-search"].wait_for()
    page.page.evaluate("() => { window.before = true; }")
    server.stop()
    page.page.wait_for_function(LOST)
    again = Server(("storm",), runs, server.port, start=preloaded)
    try:
        again.wait()
        page.page.wait_for_function(f"() => !window.before && !({LOST})()")
        page["citizens-search"].fill("7")
        page.wait(page["citizen-open-7"].count, "it does not answer")
        page.page.goto("about:blank")
        page.troubles.clear()  # the browser complained of the server that was gone
    finally:
        again.stop()


def test_a_failing_block_is_reported_and_the_page_keeps_working(
    serve: Callable[..., Server], visit: Callable[..., Visit]
) -> None:
    page = visit(serve(f"{TOWNS}:Falling", "--agents", "30", "--days", "2", "--seed", "1"))
    page.steps(2).click("step")
    page.wait(lambda: page.state == "Failed", "it does not say that it failed")
    error = page.text("error")
    assert "the bridge fell below 30 <b>villagers</b>" in error
    assert "\n" not in error
    page.life(1)
    page.click("reset").at(0)
    page.steps(1)


def test_if_a_port_is_taken_the_next_one_is_printed(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind((HOST, 0))
        taken.listen()
        port = taken.getsockname()[1]
        server = Server(SMALL, tmp_path, port)
        output = server.until("Page    http://")
        assert server.stop() == 0
    assert f"port {port} is in use" in output
    assert f"http://{HOST}:{port}\n" not in output


def test_runs_that_cannot_be_shown_are_reported_in_one_line(tmp_path: Path) -> None:
    """Said by a process of its own; tests/test_cli_dashboard.py tries all that is refused."""
    done = subprocess.run(
        memopolis("dashboard", "hurricane", "hurricane", "--port", "0", "--no-open"),
        cwd=tmp_path,
        env=environment(),
        check=False,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 2, (done.stdout, done.stderr)
    assert len(done.stderr.splitlines()) == 1, done.stderr
