"""Texts that break pages, on the page: shown as text, cut, and nothing of them is run."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.dashboard.odd_texts import NAMES, ODD
from tests.dashboard.server import Server
from tests.dashboard.visit import Visit

pytestmark = pytest.mark.extras

TOWN = f"{Path(__file__).with_name('odd_texts.py')}:OddTexts"
NOT_OURS = "main script, main b, main i:not(.q-icon), main img[src=x], main textarea"
"""Elements that only markup of a text would make."""


@pytest.fixture
def opened(serve: Callable[..., Server], visit: Callable[..., Visit]) -> Visit:
    """A citizen who remembers every odd text, opened."""
    town = visit(serve(TOWN, "--agents", "12", "--days", "1", "--seed", "1"))
    town.page.on("dialog", lambda dialog: town.troubles.append(f"dialog: {dialog.message}"))
    town.steps(len(ODD))
    return town.life(2)


def test_odd_texts_are_shown_as_text(opened: Visit) -> None:
    page = opened.page
    assert opened.text("citizen-name") == NAMES[1]
    shown = opened["stream-1"].locator("li .any-text").all_text_contents()
    opened.click("stream-pages-next")
    opened["stream-pages-position"].get_by_text("Page 2").wait_for()
    shown += opened["stream-1"].locator("li .any-text").all_text_contents()
    for odd in ("script", "image", "template", "markdown", "right to left", "emoji"):
        assert shown.count(ODD[odd]) == 2, odd
    assert page.title() != "broken"
    assert page.locator(NOT_OURS).count() == 0
    width = page.evaluate("[document.documentElement.scrollWidth, window.innerWidth]")
    assert width[0] <= width[1]


def test_a_long_text_is_cut_and_can_be_expanded(opened: Visit) -> None:
    opened["memory-query"].fill("the storm the storm")
    opened["memory-query"].press("Enter")
    whole = opened["found-1"].get_by_text("Show all 100,000 characters")
    whole.wait_for()
    assert ODD["long"].strip() not in opened["found-1"].inner_text()
    whole.click()
    opened["found-1"].get_by_text("Show less").wait_for()
    assert ODD["long"].strip() in opened["found-1"].inner_text()


def test_an_odd_question_gets_an_answer(opened: Visit) -> None:
    question = f"{ODD['image']} {ODD['emoji']}"
    opened["question"].fill(question)
    opened.click("ask")
    opened["answer-text"].wait_for()
    assert "the rules" in opened.text("answered")
    assert opened["question"].input_value() == question
    assert opened.page.locator(NOT_OURS).count() == 0
