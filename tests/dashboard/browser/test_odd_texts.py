"""Texts that break pages are shown as text: markup, 100 kB, right to left, emoji, and no end."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.dashboard.odd_texts import NAMES, ODD
from tests.dashboard.server import Server
from tests.dashboard.visit import Visit

pytestmark = pytest.mark.extras

TOWN = f"{Path(__file__).parents[1] / 'odd_texts.py'}:OddTexts"
SHOWN = ("script", "image", "template", "markdown", "right to left", "emoji")
"""Odd texts that are short enough to be shown whole."""
WHOLE = "[data-testid=show-all]"
MARKUP = "script, b, img[src=x], a[href^=javascript]"


@pytest.fixture
def page(serve: Callable[..., Server], visit: Callable[..., Visit]) -> Visit:
    """A visitor after each odd text was remembered once."""
    server = serve(TOWN, "--agents", "10", "--days", "3", "--seed", "1")
    page = visit(server)
    page.page.on("dialog", lambda dialog: page.troubles.append(f"dialog: {dialog.message}"))
    return page.steps(len(ODD))


def test_odd_texts_are_shown_unchanged(page: Visit) -> None:
    page.life(1)
    first = page.text("memories")
    page.click("stream-pages-next")
    page.wait(lambda: page.text("memories") != first, "the page is not turned")
    memories = first + page.text("memories")
    for name in SHOWN:
        assert ODD[name] in memories, name
    assert page.page.title() != "broken"
    assert page["life"].locator(MARKUP).count() == 0
    assert page.page.evaluate("document.scrollingElement.scrollWidth") <= 1280
    assert page.text("citizen-name") == NAMES[0]


def test_a_long_text_is_cut_until_expanded(page: Visit) -> None:
    page.life(1)
    before = len(page.text("memories"))
    assert before < 20_000
    page["memories"].locator(WHOLE).filter(has_text="100,000").first.click()
    page.wait(lambda: len(page.text("memories")) > before + 90_000, "the rest is not shown")
    assert page.page.evaluate("document.scrollingElement.scrollWidth") <= 1280


def test_names_are_text_in_the_list(page: Visit) -> None:
    page.tab("citizens")
    rows = page["citizens-rows"]
    page.wait(lambda: "<script>alert(2)</script>" in rows.inner_text(), "a name is not shown")
    assert rows.locator(MARKUP).count() == 0


def test_odd_texts_can_be_searched_asked_about_and_drawn(page: Visit) -> None:
    page.life(2)["memory-query"].fill("<script> storm 👨‍👩‍👧‍👦 \u202e")
    page["memory-query"].press("Enter")
    page["bar-relevance"].first.wait_for()
    page["knowledge-topic"].fill("the <b>storm</b> costs $5")
    page["knowledge-topic"].press("Enter")
    page["knowledge-message-1"].wait_for()
    page["question"].fill("<img src=x onerror=alert(3)> why?")
    page["question"].press("Enter")
    page["answer-text"].wait_for()
    assert "<img src=x onerror=alert(3)> why?" in page.text("answer")
    assert page["life"].locator(MARKUP).count() == 0


def test_odd_texts_fit_a_narrow_screen(
    serve: Callable[..., Server], visit: Callable[..., Visit]
) -> None:
    server = serve(TOWN, "--agents", "10", "--days", "3", "--seed", "1")
    page = visit(server, width=400, height=800).steps(len(ODD)).life(1)
    assert page.page.evaluate("document.scrollingElement.scrollWidth") <= 400
