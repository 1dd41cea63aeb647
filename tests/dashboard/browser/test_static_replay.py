"""A replay in one file: it opens without a server, moves, and reaches nothing outside."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.extras

STEPS = 7 * 24


@pytest.fixture
def page(replay_file: Path, browser: "Browser") -> Iterator["Page"]:
    """The replay of `storm`, opened as a file."""
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    troubles: list[str] = []
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.on("console", lambda line: troubles.append(line.text) if line.type == "error" else None)
    page.on(
        "request",
        lambda asked: (
            None if asked.url.startswith(("file:", "data:")) else troubles.append(asked.url)
        ),
    )
    page.goto(replay_file.as_uri())
    yield page
    page.close()
    assert troubles == []


def moment(page: "Page") -> int:
    return int(page.locator("body").get_attribute("data-moment") or -1)


def positions(page: "Page") -> list[list[int]]:
    """Zones and activities of all people on the map."""
    here: list[list[int]] = page.evaluate(
        "() => { const {people} = document.querySelector('.drawing > div').drawing;"
        " return [[...people.zone], [...people.doing]]; }"
    )
    return here


def test_it_plays_and_people_move(page: "Page") -> None:
    assert moment(page) == 0
    before = positions(page)
    page.get_by_role("button", name="Play").click()
    page.wait_for_function("() => Number(document.body.dataset.moment) > 9")
    page.get_by_role("button", name="Pause").click()
    assert positions(page) != before
    assert re.search(r"\d\d:\d\d", page.locator("#clock").inner_text())


def test_a_jump_shows_the_same_as_playing_there(page: "Page") -> None:
    def go(number: int) -> list[list[int]]:
        page.evaluate("number => { location.hash = number; }", number)
        page.wait_for_function(
            "number => Number(document.body.dataset.moment) === number", arg=number
        )
        assert page.locator(".drawing > div").first.get_attribute("data-step") == str(number)
        return positions(page)

    for number in range(61):
        played = go(number)
    for far in (STEPS, 3):
        assert go(far) != played
        assert go(60) == played
    assert len(played[0]) == 60


def test_charts_grow_with_the_clock(page: "Page") -> None:
    def drawn() -> str:
        return page.locator("svg path").first.get_attribute("d") or ""

    page.evaluate("() => { location.hash = 20; }")
    page.wait_for_function("() => document.body.dataset.moment === '20'")
    early = drawn()
    page.evaluate("() => { location.hash = 100; }")
    page.wait_for_function("() => document.body.dataset.moment === '100'")
    assert drawn().startswith(early)
    assert len(drawn()) > len(early)
