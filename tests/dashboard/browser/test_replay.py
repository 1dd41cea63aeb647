"""Runs that are over: a slider, play, and two on one clock."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.dashboard.server import Server
from tests.dashboard.visit import Visit, colours

if TYPE_CHECKING:
    from playwright.sync_api import Locator

pytestmark = pytest.mark.extras

HOURS = 7 * 24


def slider(page: Visit) -> "Locator":
    return page.page.get_by_role("slider").first


def near(page: Visit, step: float) -> bool:
    return abs(page.step - step) < 9


def test_the_slider_by_mouse(replayed: Server, visit: Callable[..., Visit]) -> None:
    page = visit(replayed)
    box = page["slider"].bounding_box()
    assert box is not None
    middle = box["y"] + box["height"] / 2
    seen = set()
    for share in (0.25, 0.75):
        page.page.mouse.click(box["x"] + share * box["width"], middle)
        page.wait(partial(near, page, share * HOURS), f"the clock is not at {share}")
        seen.add(page.drawn("map-1", page.step))
    assert len(seen) == 2


def test_the_slider_by_keys(replayed: Server, visit: Callable[..., Visit]) -> None:
    page = visit(replayed)
    slider(page).focus()
    page.page.keyboard.press("Home")
    page.at(0)
    for key, step in (("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1), ("End", HOURS)):
        page.page.keyboard.press(key)
        page.at(step)


def test_play_and_pause(replayed: Server, visit: Callable[..., Visit]) -> None:
    page = visit(replayed)
    slider(page).focus()
    page.page.keyboard.press("Home")
    page.at(0).click("start")
    page.wait(lambda: page.step > 3, "it does not play")
    stands = page.click("pause").stand()
    assert stands < HOURS
    page.click("step").at(stands + 1)


def test_a_replay_has_no_controls_for_steering(
    replayed: Server, visit: Callable[..., Visit]
) -> None:
    page = visit(replayed)
    for testid in ("reset", "finish", "tab-shocks", "tab-settings"):
        assert page[testid].count() == 0, testid


def test_a_citizen_is_shown_as_of_the_step(replayed: Server, visit: Callable[..., Visit]) -> None:
    page = visit(replayed)
    slider(page).focus()
    page.page.keyboard.press("End")
    page.at(HOURS).life(3)
    page.wait(lambda: "2019" in page.text("decisions"), "no decision is shown")
    slider(page).focus()
    page.page.keyboard.press("Home")
    page.at(0)
    page.wait(lambda: "2019" not in page.text("decisions"), "decisions of later are still there")


def test_each_visitor_has_a_clock(replayed: Server, visit: Callable[..., Visit]) -> None:
    one, other = visit(replayed), visit(replayed)
    before = other.step
    slider(one).focus()
    one.page.keyboard.press("Home")
    one.at(0)
    one.page.keyboard.press("ArrowRight")
    one.at(1)
    assert other.step == before


def test_two_runs_share_one_clock(
    runs: Path, serve: Callable[..., Server], visit: Callable[..., Visit]
) -> None:
    page = visit(serve("storm", "calm", folder=runs))
    slider(page).focus()
    page.page.keyboard.press("End")
    page.at(HOURS)
    for testid in ("map-1", "map-2"):
        assert colours(page.drawn(testid, HOURS)) > 5
    assert page.picture("map-1") != page.picture("map-2")
    names = page.page.locator("body").inner_text()
    assert "storm" in names
    assert "calm" in names
