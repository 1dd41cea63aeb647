"""Time the page with 10,000 citizens in a browser: `python benchmarks/dashboard.py [--agents N]`.

First the map, with 1,000 citizens and with N: steps, frames per second while the run plays, and the
bytes that the server sends for a step. With `--moving`, nothing else is measured.

The server is `memopolis dashboard hurricane` in its own process. Times are wall-clock times in the
browser, from the click until the frame that shows the result, so other work on the machine counts.
The first click of each kind is listed separately; targets apply to the slowest. Afterwards another
server replays the run. The memory of a run grows with every hour, so the memory of the server is
compared with that of the same run recorded without a page: the difference must not grow.
"""

import argparse
import contextlib
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Mapping
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from own_process import measure as measured
from own_process import resident
from rich.console import Console
from rich.table import Table

if TYPE_CHECKING:
    from playwright.sync_api import WebSocket
    from tests.dashboard.server import Server
    from tests.dashboard.visit import Visit

measure = partial(measured, __file__)

ROOT = Path(__file__).parents[1]
AGENTS = 10_000
DAYS = 28
SMALL = 1_000
TIMES = 20
FIRST_OPENED = 101
LEAST_AGENTS = FIRST_OPENED + TIMES - 1  # lives of this many citizens are opened
PLAYED = (20, 250, 500)
"""Steps after which the server's memory is looked at."""
FROM, WATCHED = 30, 8_000
"""Step from which the moving map is watched, and for how many milliseconds."""
TARGET_BEYOND = {SMALL: "<= 0.15 s", AGENTS: "<= 0.3 s"}
TARGET_LIFE = "<= 0.2 s"
TARGET_MEMORY = "what the page adds does not grow"

# The map shows the people of this step.
SHOWN = """step => {
    const map = document.querySelector('[data-testid=map-1]');
    return Number(map?.dataset.step) === step && map.drawing.frames > 0
}"""
# Click on an element, and return the seconds until a frame in which `SHOWN` or `OPENED` is true.
CLICK = """([testid, value]) => new Promise((done, fail) => {
    const isShown = %s;
    const started = performance.now();
    document.querySelector(`[data-testid=${testid}]`).click();
    const look = () => {
        const seconds = (performance.now() - started) / 1000;
        if (isShown(value)) done(seconds);
        else if (seconds > 60) fail(`nothing new is shown after a click on ${testid}`);
        else requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
})"""
# Frames of the browser and of the map in a number of milliseconds, and processor time of a drawing.
FRAMES = """async ms => {
    const drawing = document.querySelector('[data-testid=map-1]').drawing;
    const before = drawing.frames, started = performance.now();
    let shown = 0;
    await new Promise(done => {
        const count = now => {
            shown++;
            if (now - started < ms) requestAnimationFrame(count);
            else done();
        };
        requestAnimationFrame(count);
    });
    const seconds = (performance.now() - started) / 1000;
    return [shown / seconds, (drawing.frames - before) / seconds];
}"""
DRAWING = """times => {
    const drawing = document.querySelector('[data-testid=map-1]').drawing;
    const taken = [];
    for (let i = 0; i < times; i++) {
        const started = performance.now();
        drawing.people.settle(started);
        drawing.people.lasts = 1000;
        drawing.draw();
        taken.push(performance.now() - started);
    }
    return taken;
}"""
# The life is complete and of this citizen: profile, status and memories.
OPENED = """agent => {
    const about = document.querySelector('[data-testid=citizen-about]');
    const parts = ['profile', 'status', 'memories', 'thoughts', 'decisions']
        .map(name => document.querySelector(`[data-testid=${name}]`));
    return about && about.textContent.endsWith(' ' + agent)
        && parts.every(part => part && part.checkVisibility() && part.innerText.length > 20)
}"""
# The charts are of the citizen whose name is shown.
DRAWN = """() => {
    const name = document.querySelector('[data-testid=citizen-name]').innerText.trim();
    return ['needs', 'emotions'].every(kind => {
        const chart = document.querySelector(`[data-testid=chart-${kind}-1]`);
        return name && chart?.getAttribute('aria-label')?.includes(` of ${name} over`)
    })
}"""

type Row = tuple[str, str, str, str, str]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--agents", type=int, default=AGENTS)
    parser.add_argument("--steps", type=int, default=PLAYED[-1], help="steps that are played")
    parser.add_argument("--moving", action="store_true", help="measure only the moving map")
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.measure:
        sys.stdout.write(json.dumps(alone(*map(int, arguments.measure.split(":")))))
        return
    if arguments.agents < LEAST_AGENTS:
        parser.error(f"--agents is {arguments.agents}; at least {LEAST_AGENTS} are needed")
    sys.path.insert(0, str(ROOT))  # for the server and browser of the tests
    table = Table(title=f"The page of the hurricane, {arguments.agents:,} citizens, in a browser")
    for column in ("what", "first", "median", "worst", "target"):
        table.add_column(column)
    for agents in dict.fromkeys((SMALL, arguments.agents)):
        for row in moving(agents, arguments.steps):
            table.add_row(f"{agents:,} citizens: {row[0]}", *row[1:])
    for row in [] if arguments.moving else rows(arguments.agents, arguments.steps):
        table.add_row(*row)
    Console(width=120).print(table)


def rows(agents: int, steps: int) -> list[Row]:
    """Serve the page and measure it; return one row per measure."""
    from tests.dashboard.chromium import chromium
    from tests.dashboard.server import Server
    from tests.dashboard.visit import Visit

    asked = ("hurricane", "--agents", str(agents), "--days", str(DAYS), "--seed", "1")
    with tempfile.TemporaryDirectory() as folder:
        server = Server(asked, Path(folder))
        try:
            with chromium() as browser:
                server.wait()
                page = browser.new_page(viewport={"width": 1280, "height": 900})
                started = time.perf_counter()
                visit = Visit(page, server.url).open()
                page.wait_for_function(SHOWN, arg=0)
                first = f"{time.perf_counter() - started:.2f} s"
                timings: list[Row] = [("the page, until its map is there", first, "", "", "")]
                timings += looks(visit)
                used = memory(visit, server, steps)
                timings += [*compared(used, agents), *looks(visit)]
                assert visit.troubles == [], visit.troubles
                server.stop()
                (run,) = Path(folder, "runs").iterdir()
                server = Server((run,), Path(folder))
                timings.append(replayed(Visit(browser.new_page(), server.wait().url)))
        finally:
            server.stop()
    return timings


def moving(agents: int, steps: int) -> list[Row]:
    """Measure the map while the run plays: frames per second, and bytes sent for a step."""
    from tests.dashboard.chromium import chromium
    from tests.dashboard.server import Server
    from tests.dashboard.visit import Visit

    asked = ("hurricane", "--agents", str(agents), "--days", str(DAYS), "--seed", "1")
    with tempfile.TemporaryDirectory() as folder:
        server = Server(asked, Path(folder))
        try:
            with chromium() as browser:
                page = browser.new_page(viewport={"width": 1280, "height": 900})
                received: list[int] = []
                page.on("websocket", lambda socket: _listen(socket, received))
                visit = Visit(page, server.wait().url).open()
                page.wait_for_function(SHOWN, arg=0)
                drawn = [1000 * one for one in page.evaluate(DRAWING, TIMES)]
                taken = clicks(visit)
                alone = measure(f"{agents}:{TIMES}")["seconds"]
                # The first step alone loads what the page has loaded before.
                beyond = [one - own for one, own in zip(taken[1:], alone[1:], strict=True)]
                visit.choose("speed", "2 steps per second").click("start")
                visit.wait(lambda: visit.step >= min(FROM, steps), "it stands still", 900)
                received.clear()
                first = visit.step
                shown, moved = page.evaluate(FRAMES, WATCHED)
                passed = max(visit.step - first, 1)
                assert visit.troubles == [], visit.troubles
                return [
                    ("a step, from the click until the map shows it", *summary(taken), ""),
                    (
                        "the same minus the step without a page",
                        "",
                        *summary(beyond)[1:],
                        TARGET_BEYOND.get(agents, ""),
                    ),
                    ("frames a second of the page while it plays", f"{shown:.0f}", "", "", ">= 30"),
                    ("frames a second of the map while it plays", f"{moved:.0f}", "", "", ">= 30"),
                    (
                        "drawing a frame of the map, ms",
                        f"{drawn[0] / 1000:.1f}",
                        f"{statistics.median(drawn) / 1000:.1f}",
                        f"{max(drawn) / 1000:.1f}",
                        "<= 33",
                    ),
                    ("kB received for a step", f"{sum(received) / passed / 1000:.1f}", "", "", ""),
                ]
        finally:
            server.stop()


def _listen(socket: "WebSocket", received: list[int]) -> None:
    """Note the size of each message that a page receives."""
    socket.on("framereceived", lambda data: received.append(len(data)))


def replayed(visit: "Visit") -> Row:
    """Measure a life in a finished run, opened as soon as its server answers."""
    taken = lives(visit.open())
    assert visit.troubles == [], visit.troubles
    return ("a citizen's life, likewise, of the run replayed", *summary(taken), TARGET_LIFE)


def looks(visit: "Visit") -> list[Row]:
    """Measure a step and a life at the current step."""
    since = f"from step {visit.step}"
    step, life = clicks(visit), lives(visit)
    visit.tab("map")
    return [
        (f"a step, from the click until the map is new, {since}", *summary(step), ""),
        (
            f"a citizen's life, from the click until it is shown, {since}",
            *summary(life),
            TARGET_LIFE,
        ),
    ]


def clicks(visit: "Visit") -> list[float]:
    """Time clicks on Step, seconds each."""
    steps = range(visit.step + 1, visit.step + 1 + TIMES)
    return [visit.page.evaluate(CLICK % SHOWN, ["step", step]) for step in steps]


def lives(visit: "Visit") -> list[float]:
    """Time until the lives of citizens and their figures are shown, seconds each."""
    taken = []
    for agent in range(FIRST_OPENED, FIRST_OPENED + TIMES):
        visit.tab("citizens")["citizens-search"].fill(str(agent))
        visit[f"citizen-open-{agent}"].wait_for()
        taken.append(visit.page.evaluate(CLICK % OPENED, [f"citizen-open-{agent}", agent]))
        visit.page.wait_for_function(DRAWN)
    return taken


def memory(visit: "Visit", server: "Server", steps: int) -> dict[int, float]:
    """Measure the resident memory of the server in MB by step, while the page plays."""
    visit.choose("speed", "maximum speed")
    timings = {}

    def reached(number: int) -> bool:
        return visit.step >= number

    for number in (one for one in PLAYED if one <= steps):
        if visit.step < number:
            visit.click("start")
            visit.wait(partial(reached, number), "it stands still", 900)
            visit.click("pause").page.wait_for_timeout(1000)
        timings[number] = server.resident() / 1e6
    return timings


def compared(used: Mapping[int, float], agents: int) -> list[Row]:
    """Compare the memory of the server with that of the run without a page."""
    bare = measure(f"{agents}:{max(used)}")["mb"]
    return [
        (
            f"memory of the server after {step} steps; without a page; what it adds",
            f"{mb:,.0f} MB",
            f"{bare[str(step)]:,.0f} MB",
            f"{mb - bare[str(step)]:+,.0f} MB",
            TARGET_MEMORY if step == max(used) else "",
        )
        for step, mb in used.items()
    ]


def alone(agents: int, steps: int) -> dict[str, Any]:
    """Measure a recorded run without a page: resident memory in MB by step, and seconds a step."""
    from memopolis.scenarios.hurricane import Hurricane
    from memopolis.sim.recording.stopping import StopRun

    at: dict[str, float] = {}
    society = Hurricane(agents=agents, rng=1, days=DAYS)
    ended = [time.perf_counter()]

    def note(done: int, _all: int, _date: object) -> None:
        ended.append(time.perf_counter())
        if done in PLAYED:
            at[str(done)] = resident() / 1e6
        if done == steps:
            raise StopRun

    with tempfile.TemporaryDirectory() as folder, contextlib.suppress(StopRun):
        society.run(Path(folder) / "run", progress=note)
    return {"mb": at, "seconds": [after - before for before, after in pairwise(ended)]}


def summary(seconds: list[float]) -> tuple[str, str, str]:
    """Format the first, the median and the slowest."""
    shown = (seconds[0], statistics.median(seconds), max(seconds))
    first, median, worst = (f"{one:.2f} s" for one in shown)
    return first, median, worst


if __name__ == "__main__":
    main()
