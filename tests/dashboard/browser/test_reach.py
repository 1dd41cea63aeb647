"""A narrow screen shows everything without scrolling sideways; a keyboard reaches everything."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.dashboard.server import Server
from tests.dashboard.visit import Visit

pytestmark = pytest.mark.extras

SMALL = ("hurricane", "--agents", "60", "--days", "3", "--seed", "1")
TABS = ("map", "network", "citizens", "citizen", "shocks", "settings")
# What lies beyond the screen; tables, the bar of tabs and the controls scroll by themselves.
OUTSIDE = """() => [...document.querySelectorAll('button, input, select, textarea, img, label')]
    .filter(e => e.checkVisibility())
    .filter(e => !e.closest('.listing-scroll, [role=tablist], .head .controls'))
    .filter(e => e.getBoundingClientRect().right > innerWidth + 1
        || e.getBoundingClientRect().left < -1)
    .map(e => e.dataset.testid || e.outerHTML.slice(0, 120))"""


def nothing_of(page: Visit, script: str, tab: str) -> None:
    """Wait until a tab has slid into its place and nothing in it is what a script looks for."""
    page.tab(tab)
    page.page.wait_for_timeout(400)
    page.wait(lambda: page.page.evaluate(script) == [], f"{tab}: {page.page.evaluate(script)}", 20)


def test_a_narrow_screen_shows_everything(live: Server, visit: Callable[..., Visit]) -> None:
    page = visit(live, width=400, height=800).steps(3)
    page.life(3)
    for tab in TABS:
        nothing_of(page, OUTSIDE, tab)
        wide = page.page.evaluate("document.scrollingElement.scrollWidth")
        assert wide <= 400, (tab, wide)
    page.steps(1)


# Fields without a label, buttons without words, pictures without a text, in what is seen.
NAMELESS = """() => [...document.querySelectorAll('button, input, select, textarea, img')]
    .filter(e => e.checkVisibility() && (e.tagName !== 'IMG' || e.getAttribute('src')))
    .filter(e => !(e.labels?.length || e.innerText?.trim() || e.alt || e.ariaLabel || e.title
        || e.closest('label') || e.getAttribute('aria-labelledby')))
    .map(e => e.dataset.testid || e.outerHTML.slice(0, 120))"""


# Quasar takes the outline of buttons away; a ring of shadow stands for it. The frame of a field
# shows that the input inside has the focus.
SEEN = """() => {
    const active = document.activeElement;
    const looks = getComputedStyle(active.closest('.q-field__control') ?? active);
    return parseFloat(looks.outlineWidth) >= 2 || looks.boxShadow !== 'none'
}"""


class Keys:
    """A user with a keyboard and no mouse."""

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
        result = self.page.page.evaluate(
            "document.activeElement?.closest('[data-testid]')?.dataset.testid || ''"
        )
        return str(result)

    def press(self, *keys: str) -> "Keys":
        for key in keys:
            self.keys.press(key)
        return self

    def type(self, testid: str, text: str) -> "Keys":
        """Reach a field, write into it and press Enter."""
        self.reach(testid).keys.type(text)
        return self.press("Enter")

    def tab(self, name: str) -> "Keys":
        """Reach the bar of tabs, go along it by the arrow keys, and show one."""
        while not self.focus().startswith("tab-"):
            self.press("Tab")
        for _ in range(12):
            if self.focus() == f"tab-{name}":
                return self.press("Enter")
            self.press("ArrowRight")
        raise AssertionError(f"the tab {name} is not reached by the arrow keys")


def test_everything_is_reachable_by_keyboard(
    serve: Callable[..., Server], visit: Callable[..., Visit], tmp_path: Path
) -> None:
    page = visit(serve(*SMALL, "--out", "typed"))
    user = Keys(page)
    user.reach("step").press("Enter")
    page.at(1)
    user.press("Space")
    page.at(2)
    user.reach("start").press("Enter")
    page.wait(lambda: page.step > 3, "it does not play")
    user.press("Enter")
    page.wait(lambda: page.state == "Paused", "it does not pause")
    user.tab("citizens").reach("citizen-open-3").press("Enter")
    page.wait(page["life"].is_visible, "no life opens")
    user.type("memory-query", "my day")
    page["bar-recency"].first.wait_for()
    user.type("knowledge-topic", "work")
    page["knowledge-message-1"].wait_for()
    user.type("question", "How are you?")
    page["answer-text"].wait_for()
    user.tab("shocks").reach("shock-kind").press("Enter")
    page.page.locator(".q-menu").first.wait_for()
    user.press("m", "Enter")
    user.reach("shock-to").keys.type("3")
    user.reach("shock-text").keys.type("Call me.")
    user.reach("shock-send").press("Enter")
    page.wait(lambda: "Sent: Message" in page.text("shock-sent"), "nothing is sent")
    content = json.loads((tmp_path / "typed" / "manifest.json").read_text(encoding="utf-8"))
    assert content["interventions"]["shocks"][0][1]["text"] == "Call me."


def test_shortcuts_press_buttons_unless_a_text_is_typed(
    replayed: Server, visit: Callable[..., Visit]
) -> None:
    page = visit(replayed)
    keys = page.page.keyboard
    keys.press("b")
    page.at(167)
    keys.press("s")
    page.at(168)
    keys.press("p")
    page.wait(lambda: 0 < page.step < 168, "it does not play")
    keys.press("p")
    step = page.stand()
    keys.press("3")
    page["citizens-search"].fill("")
    keys.type("b?")
    assert page["citizens-search"].input_value() == "b?"
    page["citizens-search"].blur()
    keys.press("?")
    page.says("keys-dialog", "Start or pause")
    page["keys-used"].uncheck()
    page.click("keys-close")
    keys.press("b")
    keys.press("1")
    page.page.wait_for_timeout(300)
    assert page.step == step
    assert page["citizens-search"].is_visible()


def test_the_focused_element_is_visible(replayed: Server, visit: Callable[..., Visit]) -> None:
    page = visit(replayed)
    user = Keys(page)
    for testid in ("start", "speed", "slider"):
        user.reach(testid)
        assert page.page.evaluate(SEEN), testid


def test_every_field_and_picture_has_a_label(live: Server, visit: Callable[..., Visit]) -> None:
    page = visit(live).steps(2)
    page.life(3)
    for tab in TABS:
        nothing_of(page, NAMELESS, tab)
