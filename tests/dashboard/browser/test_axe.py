"""axe-core finds no serious or critical barrier in the main views, in light and in dark mode."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.dashboard.server import Server
from tests.dashboard.visit import MODES, Visit

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.extras

FRAMES = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
"""Waits for two frames: the listeners that change a page to its mode run in the first."""
Barriers = Callable[["Page"], list[str]]


@pytest.fixture
def barriers() -> Barriers:
    """Function that lists the serious barriers of a page in both modes."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()

    def find(page: "Page") -> list[str]:
        barriers: list[str] = []
        for mode in MODES:
            page.emulate_media(color_scheme=mode, reduced_motion="reduce")
            page.evaluate(FRAMES)
            violations: list[dict[str, Any]] = axe.run(page).response["violations"]
            barriers += [
                f"{mode}: {one['id']}: {node['target']}: {node['failureSummary']}"
                for one in violations
                if one["impact"] in {"serious", "critical"}
                for node in one["nodes"]
            ]
        return barriers

    return find


def test_barriers_are_found(browser: "Browser", barriers: Barriers) -> None:
    page = browser.new_page()
    page.set_content(
        "<html lang=en><title>Pale</title><p style='color: #999; background: white'>pale</p></html>"
    )
    listed = barriers(page)
    page.close()
    assert [line.split(":")[1].strip() for line in listed] == ["color-contrast"] * len(MODES)


@pytest.mark.parametrize("width", [1280, 390])
def test_the_start_page(
    width: int, live: Server, visit: Callable[..., Visit], barriers: Barriers
) -> None:
    page = visit(live, width=width)
    page.drawn("map-1", page.step)
    assert barriers(page.page) == []


def test_shocks_and_settings(live: Server, visit: Callable[..., Visit], barriers: Barriers) -> None:
    page = visit(live).tab("shocks")
    page["shock-kind"].wait_for()
    assert barriers(page.page) == []
    page.tab("settings")["settings"].first.wait_for()
    assert barriers(page.page) == []


def test_a_running_page(replayed: Server, visit: Callable[..., Visit], barriers: Barriers) -> None:
    page = visit(replayed).choose("speed", "1 step per 2 seconds").click("start")
    page.wait(lambda: page.state == "Playing", "it does not play")
    assert barriers(page.page) == []


def test_a_life(replayed: Server, visit: Callable[..., Visit], barriers: Barriers) -> None:
    page = visit(replayed).life(7)
    page["question"].fill("How are you?")
    page["question"].press("Enter")
    page["kept-answer"].first.wait_for()
    page["knowledge-topic"].fill("the storm")
    page.click("knowledge-draw")
    page["knowledge-graph-1"].wait_for()
    assert barriers(page.page) == []


def test_the_network(replayed: Server, visit: Callable[..., Visit], barriers: Barriers) -> None:
    page = visit(replayed).tab("network")
    page.drawn("network-1", page.step)
    assert barriers(page.page) == []


def test_overlaid_arms(
    runs: Path, serve: Callable[..., Server], visit: Callable[..., Visit], barriers: Barriers
) -> None:
    page = visit(serve("calm", "storm", folder=runs))
    page.wait(lambda: page.page.locator(".chart").count(), "there are no charts")
    page.choose("map-layout", "One over the other")
    page.page.locator(".q-menu").wait_for(state="hidden")
    assert barriers(page.page) == []


def test_the_replay_in_one_file(replay_file: Path, browser: "Browser", barriers: Barriers) -> None:
    page = browser.new_page()
    page.goto(replay_file.as_uri())
    page.wait_for_function("() => document.body.dataset.moment === '0'")
    listed = barriers(page)
    page.close()
    assert listed == []
