"""Recreate the pictures of the dashboard: `python docs/figures/make_screenshots.py [NAME ...]`.

Screenshots are 1,280 pixels wide, and each shows a society with a fixed seed. `moving` is a GIF of
the page, for the README. `make screenshots` installs the requirements.
"""

import io
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from PIL import Image

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))  # for the server and browser of the tests

from tests.dashboard.chromium import chromium  # noqa: E402
from tests.dashboard.server import Server, run  # noqa: E402
from tests.dashboard.visit import STILL, Visit  # noqa: E402

FOLDER = Path(__file__).parent
WIDE = 1280
COLOURS = 200
"""Colours of a picture, which reduces its size to a third without visible loss."""
CUT = """high => {
  const leaves = [...document.querySelectorAll("body *")]
    .filter(one => !one.children.length)
    .filter(one => one.textContent.trim() || one.matches("input, canvas"))
    .map(one => one.getBoundingClientRect()).filter(box => box.width && box.height);
  const ends = [...document.querySelectorAll(".panel")]
    .map(one => one.getBoundingClientRect().bottom).filter(end => end > 0);
  for (let y = Math.floor(Math.min(high, 16 + Math.max(...ends))); ;) {
    const across = leaves.filter(box => box.top < y && box.bottom > y + 1);
    if (!across.length) return y;
    y = Math.floor(Math.min(...across.map(box => box.top)));
  }
}"""
"""The lowest place, not below the one given, where nothing is cut through, without empty space."""
DRAWN = f"""() => [...document.querySelectorAll(".chart")]
  .filter(one => one.checkVisibility() && one.getBoundingClientRect().top < innerHeight)
  .every({STILL})"""
"""Whether all charts in sight are drawn."""
WEEK = ("hurricane", "--agents", "1000", "--days", "10", "--seed", "1", "--no-report")
ARMS = ("storm", "no_orders", "no_storm")
"""Arms that are compared, the reference first; each is a folder of the comparison."""
COMPARED = ("--arms", ",".join(ARMS), "--replications", "3", "--agents", "1000")
RECORDED = ("--set", "record.tables=measures,ledger,agents,moves,world")
MOVING = range(100, 221, 2)
"""Steps of the GIF, from before the orders until people return."""
MOVING_SIZE, MOVING_WIDE, MOVING_COLOURS, MOVING_MS = (800, 580), 1200, 96, 110


def hurricane(visit: Visit) -> int:
    """Show the evening before the storm."""
    play(visit, 7 * 24 + 18)
    return 1420


def polarization(visit: Visit) -> int:
    """Show polarization after twenty days."""
    play(visit, 20)
    visit.tab("network").drawn("network-1", 20)
    return 940


def ubi(visit: Visit) -> int:
    """Show the start of the policy."""
    play(visit, 24)
    return 858


def life(visit: Visit) -> int:
    """Show a citizen with an evacuation order at the end of the storm, with a memory search."""
    go_to(visit, 8 * 24).life(3)["memory-query"].fill("evacuation order")
    visit["memory-query"].press("Enter")
    visit["bar-recency"].first.wait_for()
    return 2192


def side_by_side(visit: Visit) -> int:
    """Show runs with and without orders side by side, and their charts."""
    go_to(visit, 8 * 24)
    return 2070


def arms(visit: Visit) -> int:
    """Show the maps of two arms, one over the other, and charts of three over three seeds each."""
    go_to(visit, 8 * 24).choose("map-layout", "One over the other")
    return 1685


def moving(visit: Visit) -> None:
    """Save the page while the storm passes as a GIF."""
    wide, high = MOVING_SIZE
    visit.page.set_viewport_size({"width": MOVING_WIDE, "height": MOVING_WIDE * high // wide})
    go_to(visit, MOVING[0])
    frames = []
    for step in MOVING:
        visit.steps(step - visit.step).drawn("map-1", step)
        settle(visit)
        visit.page.evaluate("scrollTo(0, 0); document.activeElement.blur()")
        with Image.open(io.BytesIO(visit.page.screenshot())) as taken:
            frames.append(taken.convert("RGB").resize(MOVING_SIZE, Image.Resampling.LANCZOS))
    # Colours that appear later, such as those of orders, are in the frame of the middle.
    palette = frames[len(frames) // 2].quantize(MOVING_COLOURS)
    first, *others = (frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames)
    how = {"save_all": True, "append_images": others, "duration": MOVING_MS, "loop": 0}
    first.save(FOLDER / "dashboard.gif", optimize=True, **how)


def go_to(visit: Visit, step: int) -> Visit:
    """Open a replay at a step."""
    visit.page.goto(f"{visit.url.rstrip('/')}/?tab=map&step={step}")
    return visit.at(step)


def play(visit: Visit, steps: int) -> None:
    """Simulate a number of steps, the last ones one by one."""
    visit.choose("speed", "20 steps per second")
    visit.click("start")
    visit.wait(lambda: visit.step >= steps - 9, "it stands still", 600)
    visit.click("pause")
    visit.wait(lambda: visit.state == "Paused", "it does not pause")
    visit.steps(steps - visit.step)


def without_tour(visit: Visit) -> Visit:
    """Decline the tour."""
    visit.click("tour-decline")["tour-offer"].wait_for(state="hidden")
    return visit


def shoot(visit: Visit, high: int, path: Path) -> None:
    """Save a screenshot after all figures are drawn."""
    visit.page.set_viewport_size({"width": WIDE, "height": high})
    visit.page.evaluate("scrollTo(0, 0); document.activeElement.blur()")
    visit.page.wait_for_timeout(1500)
    settle(visit)
    with Image.open(io.BytesIO(visit.page.screenshot())) as taken:
        clean = taken.crop((0, 0, WIDE, visit.page.evaluate(CUT, high)))
        few = clean.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
        few.save(path, optimize=True)


def settle(visit: Visit) -> None:
    """Wait until all parts of the page, and the charts in sight, show the moment of its clock."""
    visit.wait(lambda: not visit.page.locator(".updating:visible").count(), "a part is outdated")
    visit.wait(lambda: visit.page.evaluate(DRAWN), "a chart is not drawn")


SHOWN: Mapping[str, tuple[tuple[str, ...], Callable[[Visit], int | None]]] = {
    "hurricane": (("hurricane", "--agents", "2000", "--seed", "1"), hurricane),
    "polarization": (("polarization", "--agents", "300", "--seed", "1"), polarization),
    "ubi": (("ubi", "--agents", "300", "--seed", "1", "--set", "start=12"), ubi),
    "life": (("orders",), life),
    "side-by-side": (("orders", "no-orders"), side_by_side),
    "arms": (tuple(f"arms/{arm}" for arm in ARMS), arms),
    "moving": (("orders",), moving),
}
"""The command behind each picture, and what its visitor does; it returns the maximum height."""


def main() -> None:
    """Take the selected screenshots, or all."""
    with tempfile.TemporaryDirectory() as place, chromium() as browser:
        folder, names = Path(place), sys.argv[1:] or [*SHOWN]
        if {"life", "side-by-side", "moving"} & {*names}:
            for name, orders in (("orders", "default"), ("no-orders", "none")):
                run("run", *WEEK, "--set", f"orders={orders}", "--out", name, folder=folder)
        if "arms" in names:
            run("compare", "hurricane", *COMPARED, *RECORDED, "--out", "arms", folder=folder)
        for name in names:
            arguments, look = SHOWN[name]
            server = Server(arguments, folder).wait()
            page = browser.new_page(viewport={"width": WIDE, "height": 900})
            visit = without_tour(Visit(page, server.url).open())
            if high := look(visit):
                shoot(visit, high, FOLDER / f"dashboard-{name}.png")
            page.close()
            server.stop()


if __name__ == "__main__":
    main()
