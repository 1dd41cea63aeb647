"""A narrow screen shows everything without scrolling sideways; a keyboard reaches everything."""

from collections.abc import Callable

import pytest
from tests.dashboard.server import Server
from tests.dashboard.visit import Visit

pytestmark = pytest.mark.extras

SMALL = ("hurricane", "--agents", "60", "--days", "3", "--seed", "1")
TABS = ("map", "network", "citizens", "citizen", "shocks", "settings")
OUTSIDE = """() => [...document.querySelectorAll('button, input, select, textarea, img, [role=tab]')]
    .filter(e => e.checkVisibility() && !e.closest('.scrolls, [role=tablist]'))
    .filter(e => { const r = e.getBoundingClientRect(); return r.right > innerWidth + 1 || r.left < -1 })
    .map(e => e.dataset.testid || e.outerHTML.slice(0, 120))"""


def test_a_narrow_screen(serve: Callable[..., Server], visit: Callable[..., Visit]) -> None:
    page = visit(serve(*SMALL), width=400, height=800).steps(3)
    page.life(3)
    for tab in TABS:
        page.tab(tab)
        page.page.wait_for_timeout(400)
        wide = page.page.evaluate("document.scrollingElement.scrollWidth")
        assert wide <= 400, (tab, wide)
        assert page.page.evaluate(OUTSIDE) == [], tab
    page.click("step").at(4)


class Keys:
    """Somebody with a keyboard and no mouse."""

    def __init__(self, page: Visit) -> None:
        self.page, self.keys = page, page.page.keyboard

    def reach(self, testid: str, most: int = 400) -> "Keys":
        """Press Tab until the focus is on something."""
        for _ in range(most):
            self.keys.press("Tab")
            if self.focus() == testid:
                return self
        raise AssertionError(f"{testid} is not reached by Tab")

    def focus(self) -> str:
        """Nearest data-testid around what has the focus."""
        found = self.page.page.evaluate(
            "document.activeElement?.closest('[data-testid]')?.dataset.testid || ''"
        )
        return str(found)

    def press(self, *keys: str) -> "Keys":
        for key in keys:
            self.keys.press(key)
        return self


def test_by_keyboard_alone(serve: Callable[..., Server], visit: Callable[..., Visit]) -> None:
    page = visit(serve(*SMALL))
    user = Keys(page)
    user.reach("step").press("Enter")
    page.at(1)
    user.press("Space")
    page.at(2)
    user.reach("start").press("Enter")
    page.wait(lambda: page.step > 3, "it does not play")
    user.reach("pause").press("Enter")
    page.wait(lambda: page.state == "Paused", "it does not pause")
