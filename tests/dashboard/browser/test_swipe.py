"""The maps of two runs, one over the other, with a border that the visitor moves."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from tests.dashboard.server import Server, run, serving
from tests.dashboard.visit import Visit

pytestmark = pytest.mark.extras

DAYS = 7
WATCH = """() => {
  const maps = ['map-1', 'map-2'].map((id) => document.querySelector(`[data-testid=${id}]`));
  window.steps = [];
  new MutationObserver(() => window.steps.push(maps.map((map) => map.dataset.step))).observe(
    document.body, {subtree: true, attributeFilter: ['data-step']});
}"""
"""Notes the steps of both maps whenever one of them changes."""
AT = """share => {
  const box = document.querySelector('.swipe').getBoundingClientRect();
  const y = document.querySelector('[data-testid=swipe-border]').getBoundingClientRect().top + 60;
  const x = box.left + share * box.width;
  return document.elementFromPoint(x, y).closest('.map-canvas')?.dataset.testid ?? 'border';
}"""
"""Returns the map that is seen at a share of the width."""


@pytest.fixture(scope="module")
def pair(runs: Path) -> Iterator[Server]:
    with serving("storm", "calm", folder=runs) as server:
        yield server


def swiped(page: Visit) -> Visit:
    page.choose("map-layout", "One over the other")
    page["swipe-border"].wait_for()
    return page


def share(page: Visit) -> int:
    return int(page["swipe-border"].get_attribute("aria-valuenow") or -1)


def drag(page: Visit, to: float) -> None:
    border, both = page["swipe-border"].bounding_box(), page.page.locator(".swipe").bounding_box()
    assert border is not None
    assert both is not None
    y = border["y"] + 30
    page.page.mouse.move(border["x"] + border["width"] / 2, y)
    page.page.mouse.down()
    page.page.mouse.move(both["x"] + to * both["width"], y, steps=4)
    page.page.mouse.up()


def test_the_border_is_dragged_by_mouse(pair: Server, visit: Callable[..., Visit]) -> None:
    page = swiped(visit(pair))
    assert share(page) == 50
    assert [page.page.evaluate(AT, x) for x in (0.3, 0.5, 0.7)] == ["map-1", "border", "map-2"]
    boxes = [page[f"map-{n}"].locator(".mp-stage").bounding_box() for n in (1, 2)]
    assert boxes[0] == boxes[1]
    drag(page, 0.8)
    page.wait(lambda: share(page) == 80, "the border is not at 80%")
    assert page.page.evaluate(AT, 0.7) == "map-1"
    drag(page, -1)
    page.wait(lambda: share(page) == 0, "the border is not at the left end")
    assert page.page.evaluate(AT, 0.2) == "map-2"
    page.choose("map-layout", "Side by side")
    page["swipe-border"].wait_for(state="detached")
    boxes = [page[f"map-{n}"].locator(".mp-stage").bounding_box() for n in (1, 2)]
    assert boxes[0] != boxes[1]


def test_the_border_is_a_slider_for_keys_and_screen_readers(
    pair: Server, visit: Callable[..., Visit]
) -> None:
    page = swiped(visit(pair))
    border = page.page.get_by_role("slider", name="Border between the maps of storm and calm")
    border.focus()
    step = page.step
    for key, at in (("ArrowLeft", 48), ("PageUp", 68), ("End", 100), ("Home", 0), ("ArrowUp", 2)):
        page.page.keyboard.press(key)
        page.page.wait_for_timeout(100)
        assert share(page) == at, key
    assert border.get_attribute("aria-valuetext") == "storm 2%, calm 98%"
    assert page.step == step


def test_the_border_is_dragged_by_touch(pair: Server, visit: Callable[..., Visit]) -> None:
    page = swiped(visit(pair, width=390, height=844))
    border = page["swipe-border"]
    border.scroll_into_view_if_needed()
    touch = page.page.context.new_cdp_session(page.page)
    box = border.bounding_box()
    assert box is not None
    x, y = box["x"] + 22, box["y"] + 80
    for kind, at in (("touchStart", x), ("touchMove", x - 60), ("touchMove", x - 90)):
        points = [{"x": at, "y": y}]
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    page.wait(lambda: 15 < share(page) < 40, "the border does not follow the finger")
    assert page.page.evaluate("() => document.body.scrollWidth <= innerWidth")


def test_both_maps_always_show_the_same_step(pair: Server, visit: Callable[..., Visit]) -> None:
    page = swiped(visit(pair))
    page["slider"].focus()
    page.page.keyboard.press("Home")
    page.at(0)
    page.drawn("map-1", 0)
    page.page.evaluate(WATCH)
    page.choose("speed", "20 steps").click("start")
    seen = "() => new Set(window.steps.map(([step]) => step)).size"
    page.wait(lambda: page.page.evaluate(seen) > 5, "it does not play")
    page.click("pause")
    steps = page.page.evaluate("() => window.steps")
    assert all(one == other for one, other in steps)


def test_both_maps_show_the_same_part(pair: Server, visit: Callable[..., Visit]) -> None:
    page = swiped(visit(pair))
    page["map-1"].get_by_role("button", name="Zoom in").dispatch_event("click")
    views = [
        page[f"map-{number}"].evaluate("e => [e.drawing.view.zoom, ...e.drawing.view.centre]")
        for number in (1, 2)
    ]
    assert views[0] == views[1]
    assert views[0][0] == pytest.approx(1.5)
    # The legends are below the maps, so they cover no part of them.
    right = "e => e.drawing.view.right"
    page.wait(lambda: page["map-1"].evaluate(right) == 0, "the map is beside its legend")


def test_arms_of_a_comparison_are_swiped_if_their_runs_recorded_positions(
    tmp_path: Path, serve: Callable[..., Server], visit: Callable[..., Visit]
) -> None:
    small = ("--replications", "2", "--agents", "20", "--days", "1", "--workers", "1")
    arms = ("compare", "hurricane", "--arms", "storm,no_orders", *small)
    needed = "record.tables=measures,ledger,agents,moves,world"
    run(*arms, "--out", "few", folder=tmp_path)
    run(*arms, "--out", "all", "--set", needed, folder=tmp_path)
    page = visit(serve("few", folder=tmp_path))
    page.says("panel-map", f"--set {needed}")
    assert not page["map-1"].count()
    page = swiped(visit(serve("all", folder=tmp_path)))
    assert needed not in page.text("panel-map")
    for number in (1, 2):
        page.wait(
            partial(page[f"map-{number}"].evaluate, "e => e.drawing.people.agents.length"), ""
        )
    assert page.page.get_by_role("slider", name="the maps of").count() == 1
