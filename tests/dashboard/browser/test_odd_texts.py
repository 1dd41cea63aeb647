"""Texts that break pages are shown as text: markup, 100 kB, right to left, emoji, and no end."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.dashboard.odd_texts import NAMES, ODD
from tests.dashboard.server import Server, serving
from tests.dashboard.visit import Visit

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.extras

TOWN = f"{Path(__file__).parents[1] / 'odd_texts.py'}:OddTexts"
SHOWN = ("script", "image", "template", "markdown", "right to left", "emoji")
"""Odd texts that are short enough to be shown whole."""
NOT_OURS = (
    "main script, main b, main i:not(.q-icon), main img[src=x], main textarea,"
    "main a[href^=javascript]"
)
"""Elements that only markup of a text would make."""
WIDTH = "document.scrollingElement.scrollWidth"


@pytest.fixture(scope="module")
def town(tmp_path_factory: pytest.TempPathFactory, browser: "Browser") -> Iterator[Server]:
    """A page of citizens who have remembered each odd text, which no test changes."""
    asked = (TOWN, "--agents", "12", "--days", "1", "--seed", "1")
    with serving(*asked, folder=tmp_path_factory.mktemp("town")) as server:
        page = browser.new_page()
        Visit(page, server.url).open().steps(len(ODD))
        page.context.close()
        yield server


@pytest.fixture
def page(town: Server, visit: Callable[..., Visit]) -> Visit:
    """A visitor to whom no text may open a dialog."""
    page = visit(town)
    page.page.on("dialog", lambda dialog: page.troubles.append(f"dialog: {dialog.message}"))
    return page


def test_odd_texts_are_shown_as_text(page: Visit) -> None:
    page.life(2)
    assert page.text("citizen-name") == NAMES[1]
    shown = page["stream-1"].locator("li .any-text").all_text_contents()
    page.click("stream-pages-next")
    page["stream-pages-position"].get_by_text("Page 2").wait_for()
    shown += page["stream-1"].locator("li .any-text").all_text_contents()
    for odd in SHOWN:
        assert shown.count(ODD[odd]) == 2, odd
    assert page.page.title() != "broken"
    assert page.page.locator(NOT_OURS).count() == 0
    assert page.page.evaluate(WIDTH) <= 1280


def test_a_long_text_is_cut_until_expanded(page: Visit) -> None:
    page.life(1)
    before = len(page.text("memories"))
    assert before < 20_000
    page["memories"].get_by_test_id("show-all").filter(has_text="100,000").first.click()
    page.wait(lambda: len(page.text("memories")) > before + 90_000, "the rest is not shown")
    assert page.page.evaluate(WIDTH) <= 1280


def test_a_long_text_that_is_searched_is_cut_until_expanded(page: Visit) -> None:
    page.life(2)["memory-query"].fill("the storm the storm")
    page["memory-query"].press("Enter")
    whole = page["found-1"].get_by_text("Show all 100,000 characters").first
    whole.wait_for()
    assert ODD["long"].strip() not in page["found-1"].inner_text()
    whole.click()
    page["found-1"].get_by_text("Show less").first.wait_for()
    assert ODD["long"].strip() in page["found-1"].inner_text()


def test_names_are_text_in_the_list(page: Visit) -> None:
    page.tab("citizens")
    rows = page["citizens-rows"]
    page.wait(lambda: "<script>alert(2)</script>" in rows.inner_text(), "a name is not shown")
    assert page.page.locator(NOT_OURS).count() == 0


def test_odd_texts_can_be_searched_asked_about_and_drawn(page: Visit) -> None:
    page.life(2)["memory-query"].fill("<script> storm 👨‍👩‍👧‍👦 \u202e")
    page["memory-query"].press("Enter")
    page["bar-relevance"].first.wait_for()
    page["knowledge-topic"].fill("the <b>storm</b> costs $5")
    page["knowledge-topic"].press("Enter")
    page["knowledge-message-1"].wait_for()
    question = f"{ODD['image']} {ODD['emoji']}"
    page["question"].fill(question)
    page.click("ask")
    page["answer-text"].wait_for()
    page.says("answer-1", ODD["image"])
    page.says("answered", "the rules")
    assert page["question"].input_value() == question
    assert page.page.locator(NOT_OURS).count() == 0


def test_odd_texts_fit_a_narrow_screen(town: Server, visit: Callable[..., Visit]) -> None:
    page = visit(town, width=400, height=800).life(1)
    assert page.page.evaluate(WIDTH) <= 400
