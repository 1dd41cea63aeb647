"""The page with 10,000 citizens, in a real browser: `python benchmarks/dashboard.py [--agents N]`.

The server is `memopolis dashboard hurricane`, a process of its own; times are those of the clock on
the wall, from the click until the browser has what it changes, so other work on the machine counts.
"""

import argparse
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table

if TYPE_CHECKING:
    from playwright.sync_api import Page
    from tests.dashboard.server import Server
    from tests.dashboard.visit import Visit

ROOT = Path(__file__).parents[1]
AGENTS = 10_000
TIMES = 20
PLAYED = (20, 250, 500)
"""Steps after which the server's memory is looked at."""
SECONDS_A_STEP, SECONDS_A_LIFE = 1.5, 0.5
FLAT_MB = 60
"""What the server may take more from 20 to 500 steps; the society itself remembers meanwhile."""

# The picture on the map is of this step and whole, and so says the clock.
SHOWN = """step => {
    const image = document.querySelector('[data-testid=image-map-1]');
    return image && Number(image.dataset.step) === step && image.complete && image.naturalWidth > 1
}"""


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--agents", type=int, default=AGENTS)
    parser.add_argument("--steps", type=int, default=PLAYED[-1], help="steps that are played")
    arguments = parser.parse_args()
    sys.path.insert(0, str(ROOT))  # the server and the browser are those of the tests
    with tempfile.TemporaryDirectory() as folder:
        rows = measured(Path(folder), arguments.agents, arguments.steps)
    table = Table(title=f"The page of the hurricane, {arguments.agents:,} citizens, in a browser")
    for column in ("what", "median", "worst", "target"):
        table.add_column(column)
    for row in rows:
        table.add_row(*row)
    Console(width=110).print(table)


def measured(folder: Path, agents: int, steps: int) -> list[tuple[str, ...]]:
    """Serve the page, look at it, and give a row a measure."""
    from tests.dashboard.chromium import chromium
    from tests.dashboard.server import Server
    from tests.dashboard.visit import Visit

    server = Server(("hurricane", "--agents", str(agents), "--seed", "1", "--days", "28"), folder)
    try:
        with chromium() as browser:
            server.wait()
            started = time.perf_counter()
            visit = Visit(browser.new_page(viewport={"width": 1280, "height": 900}), server.url)
            visit.open().page.wait_for_function(SHOWN, arg=0)
            first = time.perf_counter() - started
            rows = [("the page, from its address until clock and map are there", f"{first:.2f} s")]
            rows += [("a step, from the click until the map is new", *told(clicks(visit.page)))]
            rows += [("a citizen's life, from the click until it is there", *told(lives(visit)))]
            rows += memory(visit, server, steps)
            assert visit.troubles == [], visit.troubles
    finally:
        server.stop()
    targets = ("", f"<= {SECONDS_A_STEP} s", f"<= {SECONDS_A_LIFE} s", "", "", f"+ {FLAT_MB} MB")
    return [(*row, *("",) * (3 - len(row)), target) for row, target in zip(rows, targets)]


def clicks(page: "Page") -> list[float]:
    """Seconds of each of some clicks on Step."""
    taken = []
    for step in range(1, TIMES + 1):
        started = time.perf_counter()
        page.get_by_test_id("step").click()
        page.wait_for_function(SHOWN, arg=step)
        taken.append(time.perf_counter() - started)
    return taken


def lives(visit: "Visit") -> list[float]:
    """Seconds until the life of each of some citizens is there, figures and memories."""
    raise NotImplementedError


def memory(visit: "Visit", server: "Server", steps: int) -> list[tuple[str, ...]]:
    """Resident memory of the server while the page plays."""
    raise NotImplementedError


def told(seconds: list[float]) -> tuple[str, str]:
    """Median and worst, as they are printed."""
    return f"{statistics.median(seconds):.2f} s", f"{max(seconds):.2f} s"


if __name__ == "__main__":
    main()
