"""Every scenario, ours and others', has its components on the page: there, with a size, and drawn."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from tests.dashboard.server import Server
from tests.dashboard.visit import Visit, colours, inked

pytestmark = pytest.mark.extras

TOWNS = Path(__file__).parents[1] / "own_towns.py"
CONTROLS = ("start", "step", "reset", "speed", "seed", "clock", "finish")
LIFE = ("profile", "status", "memories", "decisions", "memory-query", "knowledge-topic", "question")
TABS = {
    "map": ("figure-map",),
    "network": ("figure-network",),
    "citizens": ("citizens-search", "citizens-count", "citizen-row-1"),
    "shocks": ("shock-kind", "shock-send"),
    "settings": ("setting-agents", "setting-days"),
}
"""What stands in each tab."""


@pytest.mark.parametrize(
    ("scenario", "steps", "without"),
    [
        (("hurricane", "--agents", "80", "--days", "5"), 12, ()),
        (("polarization", "--agents", "60", "--days", "5"), 3, ("map",)),
        (("ubi", "--agents", "60", "--days", "180", "--set", "start=2"), 3, ("map",)),
        ((f"{TOWNS}:Town", "--agents", "40", "--days", "2"), 6, ()),
    ],
    ids=["hurricane", "polarization", "ubi", "own"],
)
def test_every_component_is_there(
    scenario: Sequence[str],
    steps: int,
    without: Sequence[str],
    serve: Callable[..., Server],
    visit: Callable[..., Visit],
) -> None:
    page = visit(serve(*scenario, "--seed", "1")).steps(steps)
    seen(page, CONTROLS)
    for tab, parts in TABS.items():
        if tab not in without:
            page.tab(tab)
            seen(page, parts)
            drawn(page)
    page.life(1)
    seen(page, LIFE)
    drawn(page)


def seen(page: Visit, testids: Sequence[str]) -> None:
    """Each of them is there and has a size."""
    for testid in testids:
        found = page[testid].first
        found.wait_for()
        size = found.bounding_box()
        assert size is not None, testid
        assert size["width"] > 10 < size["height"], (testid, size)


def drawn(page: Visit) -> None:
    """Every figure that is seen shows a picture with something on it."""
    for image in page.page.locator("[data-testid^=image-]:visible").all():
        testid = image.get_attribute("data-testid") or ""
        picture = page.picture(testid)
        assert colours(picture) > 3, testid
        assert inked(picture) > 0.005, testid


def test_what_a_society_lacks_is_left_out(
    serve: Callable[..., Server], visit: Callable[..., Visit]
) -> None:
    page = visit(serve(f"{TOWNS}:Bare", "--agents", "5", "--days", "1", "--seed", "1")).steps(2)
    assert page["figure-map"].count() == 0
    assert page["tab-network"].count() == 0
    page.life(1)


def test_one_citizen_alone(serve: Callable[..., Server], visit: Callable[..., Visit]) -> None:
    page = visit(serve("hurricane", "--agents", "1", "--days", "2", "--seed", "1")).steps(2)
    drawn(page)
    page.tab("network").life(1)
