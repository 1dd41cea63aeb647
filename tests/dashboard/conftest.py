"""A page that is served and a browser that looks at it.

A visit that saw an error in the console, a request that failed or one that left the machine fails
its test, whatever the test asked; what each test saw at its end is kept as a picture.
"""

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.dashboard.chromium import chromium
from tests.dashboard.odd_texts import OddTexts
from tests.dashboard.server import Server, run, serving
from tests.dashboard.visit import KEPT, Visit, file_name

from memopolis import Run, load_run

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[..., Server]]:
    """Serves `memopolis dashboard ARGUMENTS` from an empty folder, and waits for it."""
    with ExitStack() as servers:

        def start(*arguments: str | Path, folder: Path = tmp_path) -> Server:
            return servers.enter_context(serving(*arguments, folder=folder))

        yield start


@pytest.fixture(scope="session")
def odd_run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A day of five people with odd names, who remember odd texts."""
    folder = tmp_path_factory.mktemp("odd") / "run"
    OddTexts(agents=5, rng=1).run(folder, days=1)
    return load_run(folder)


@pytest.fixture(scope="session")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two runs of a week, `storm`, and `calm` without orders."""
    folder = tmp_path_factory.mktemp("runs")
    for name, orders in (("storm", "default"), ("calm", "none")):
        week = ("--agents", "60", "--days", "7", "--seed", "1", "--no-report", "--out", name)
        run("run", "hurricane", *week, "--set", f"orders={orders}", folder=folder)
    return folder


@pytest.fixture(scope="session")
def replay_file(runs: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The replay of `storm` as a file in a folder of its own."""
    run("export", "storm", "storm.html", folder=runs)
    return Path(shutil.move(runs / "storm.html", tmp_path_factory.mktemp("replay")))


@pytest.fixture(scope="module")
def replayed(runs: Path) -> Iterator[Server]:
    """The page of `storm`; each visitor has a clock of its own, so tests of a file share it."""
    with serving("storm", folder=runs) as server:
        yield server


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The page of a hurricane that is recorded in `live`, for tests that start at any step of it.

    Tests of a file share it and its clock: each may make steps, but none plays or ends it.
    """
    small = ("hurricane", "--agents", "60", "--days", "3", "--seed", "1", "--out", "live")
    with serving(*small, folder=tmp_path_factory.mktemp("live")) as server:
        yield server


# Not one for the session: while it is open an event loop runs, and tests of others start theirs.
@pytest.fixture(scope="module")
def browser() -> Iterator["Browser"]:
    """One browser for the tests of a file; each visitor has cookies of its own."""
    pytest.importorskip("playwright.sync_api")
    with chromium() as browser:
        yield browser


@pytest.fixture
def visit(browser: "Browser", request: pytest.FixtureRequest) -> Iterator[Callable[..., Visit]]:
    """Opens a page for a visitor with cookies of its own; at the end nothing may be wrong."""
    visits: list[Visit] = []

    def start(server: Server, *, width: int = 1280, height: int = 900) -> Visit:
        context = browser.new_context(viewport={"width": width, "height": height})
        visits.append(Visit(context.new_page(), server.url))
        return visits[-1].open()

    yield start
    troubles = []
    for number, one in enumerate(visits):
        one.shot(KEPT / f"{file_name(request.node.name)}{f'-{number + 1}' * (number > 0)}.png")
        troubles += one.troubles
        one.page.context.close()
    assert troubles == []
