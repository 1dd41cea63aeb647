"""Several visitors, a page that is loaded again, and what goes wrong."""

import socket
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.dashboard.server import HOST, Server, environment, memopolis
from tests.dashboard.visit import Visit

pytestmark = pytest.mark.extras

TOWNS = Path(__file__).parents[1] / "own_towns.py"
SMALL = ("hurricane", "--agents", "60", "--days", "3", "--seed", "1")


def test_two_visitors_see_one_clock(
    serve: Callable[..., Server], visit: Callable[..., Visit]
) -> None:
    server = serve(*SMALL)
    one, other = visit(server), visit(server)
    one.steps(2)
    other.at(2).steps(1)
    one.at(3).life(3)
    assert not other["life"].is_visible()


def test_reloading_the_page_keeps_the_run(
    serve: Callable[..., Server], visit: Callable[..., Visit]
) -> None:
    page = visit(serve(*SMALL)).steps(4)
    page.page.reload()
    page.at(4)
    page.steps(1)
    assert page.picture("image-map-1")


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
        server.stop()
    assert f"port {port} is in use" in output
    assert f"http://{HOST}:{port}\n" not in output


@pytest.mark.parametrize(
    "arguments",
    [
        ("nosuch",),
        ("hurricane", "--agents", "many"),
        ("hurricane", "hurricane"),
        (".",),
        ("hurricane", "--host", "192.0.2.1"),
    ],
    ids=["name", "setting", "twice", "folder", "host"],
)
def test_runs_that_cannot_be_shown_are_reported_in_one_line(
    arguments: tuple[str, ...], tmp_path: Path
) -> None:
    refused(tmp_path, *arguments)


def refused(folder: Path, *arguments: str) -> str:
    """What the command says, in one line and with exit code 2."""
    done = subprocess.run(
        memopolis("dashboard", *arguments, "--port", "0", "--no-open"),
        cwd=folder,
        env=environment(),
        check=False,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 2, (done.stdout, done.stderr)
    assert len(done.stderr.splitlines()) == 1, done.stderr
    return done.stderr
