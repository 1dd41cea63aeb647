"""Every scenario, ours and others', has its components on the page: there, and drawn."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from tests.dashboard.server import Server
from tests.dashboard.visit import KEPT, Visit, colours, file_name, inked

pytestmark = pytest.mark.extras

TOWNS = Path(__file__).parents[1] / "own_towns.py"
CONTROLS = ("start", "step", "reset", "speed", "seed", "clock", "finish")
LIFE = ("profile", "status", "memories", "decisions", "memory-query", "knowledge-topic", "question")
TABS = {
    "map": ("figure-chart-1", "chart-1-1"),
    "network": ("figure-network-1", "network-1"),
    "citizens": ("citizens-search", "citizens-count", "citizen-row-1", "filter-add"),
    "shocks": ("shock-kind", "shock-send", "shock-list"),
    "settings": ("setting-agents", "setting-days", "settings-apply", "settings-search"),
}
"""Return the content of each tab."""
SOME_HAVE = ("figure-map-1", "tab-network")
"""What is not there where a scenario has nothing for it."""


@pytest.mark.parametrize(
    ("scenario", "steps", "lacks"),
    [
        (("hurricane", "--agents", "80", "--days", "5"), 12, ()),
        (("polarization", "--agents", "60", "--days", "5"), 3, ("figure-map-1",)),
        (
            ("ubi", "--agents", "60", "--days", "180", "--set", "start=2"),
            3,
            ("figure-map-1",),
        ),
        ((f"{TOWNS}:Town", "--agents", "40", "--days", "2"), 6, ()),
    ],
    ids=["hurricane", "polarization", "ubi", "own"],
)
def test_every_component_is_shown(  # noqa: PLR0917 - fixtures and cases
    scenario: Sequence[str],
    steps: int,
    lacks: Sequence[str],
    serve: Callable[..., Server],
    visit: Callable[..., Visit],
    request: pytest.FixtureRequest,
) -> None:
    page = visit(serve(*scenario, "--seed", "1")).steps(steps)
    seen(page, CONTROLS)
    assert sorted(one for one in SOME_HAVE if page[one].count() == 0) == sorted(lacks)
    for tab, parts in TABS.items():
        if f"tab-{tab}" in lacks:
            continue
        page.tab(tab)
        seen(page, parts)
        drawn(page)
        page.shot(KEPT / f"{file_name(request.node.name)}-{tab}.png")
    page.life(1)
    seen(page, LIFE)
    drawn(page)


def seen(page: Visit, testids: Sequence[str]) -> None:
    """Each of them is there and has a size."""
    for testid in testids:
        result = page[testid].first
        result.wait_for()
        size = result.bounding_box()
        assert size is not None, testid
        assert size["width"] > 10 < size["height"], (testid, size)


def drawn(page: Visit) -> None:
    """Every figure that is there shows a picture with something on it."""
    for one in page.page.locator(".map-canvas:visible, .chart:visible").all():
        testid = one.get_attribute("data-testid") or ""
        picture = page.picture(testid)
        assert colours(picture) > 3, testid
        assert inked(picture) > 0.005, testid
        assert page[testid].first.get_attribute("aria-label"), testid


def test_views_that_do_not_apply_are_hidden(
    serve: Callable[..., Server], visit: Callable[..., Visit]
) -> None:
    page = visit(serve(f"{TOWNS}:Bare", "--agents", "5", "--days", "1", "--seed", "1")).steps(2)
    assert page["figure-map-1"].count() == 0
    assert page["tab-network"].count() == 0
    page.life(1)


def test_a_society_of_one_citizen_is_shown(
    serve: Callable[..., Server], visit: Callable[..., Visit]
) -> None:
    page = visit(serve("hurricane", "--agents", "1", "--days", "2", "--seed", "1")).steps(2)
    drawn(page)
    assert page["tab-network"].count() == 0
    page.life(1)
