"""Light and dark mode: the choice of a visitor, that of the system, and the replay in one file."""

import io
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from PIL import Image, ImageStat
from tests.dashboard.server import Server
from tests.dashboard.test_colours import contrast, read_colours
from tests.dashboard.visit import MODES, Visit

from memopolis.analysis.figures.lines import ORDERS, PARTIES, colours_of
from memopolis.analysis.figures.style import COLOURS

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.extras

LOOKS = """() => ['body', '.head', '.panel', '.q-field__control', '.q-btn', 'h1', '.mp-legend', 'a']
    .map(name => document.querySelector(name)).filter(Boolean).map(getComputedStyle)
    .map(looks => looks.color + looks.backgroundColor)"""
"""Colours of texts and grounds."""
LEGIBLE = """async colours => {
    const {legible} = await import('memopolis/colours.js');
    return colours.map(colour => legible(colour));
}"""
PALETTE = [*COLOURS, *ORDERS.values(), *PARTIES.values(), *colours_of("123456789").values()]
"""Colours of lines in charts."""
LEAST = 3.0
DARK, LIGHT = range(100), range(156, 256)
"""Mean brightness of drawings, from 0 to 255."""


def brightness(picture: bytes) -> int:
    return round(ImageStat.Stat(Image.open(io.BytesIO(picture)).convert("L")).mean[0])


def looks_as(page: Visit, expected: range) -> list[str]:
    """Wait until the map and a chart are dark or light; return the colours of the page."""
    for testid in ("map-1", "chart-1-1"):
        shows = partial(is_as_bright, page, testid, expected)
        page.wait(shows, f"{testid} is not redrawn")
    colours: list[str] = page.page.evaluate(LOOKS)
    return colours


def is_as_bright(page: Visit, testid: str, expected: range) -> bool:
    return brightness(page.picture(testid)) in expected


def test_a_choice_changes_all_colours_and_is_kept(
    replayed: Server, visit: Callable[..., Visit]
) -> None:
    page = visit(replayed)
    light = looks_as(page, LIGHT)
    page.choose("mode", "Dark")
    dark = looks_as(page, DARK)
    assert len(light) == len(dark)
    assert all(one != other for one, other in zip(light, dark, strict=True))
    page.open()
    assert looks_as(page, DARK) == dark
    field = page.page.locator(".q-field", has=page["mode"])
    assert "Dark" in field.inner_text()
    page.choose("mode", "Light")
    page.page.emulate_media(color_scheme="dark")
    assert looks_as(page, LIGHT) == light


def test_the_page_follows_the_system(replayed: Server, visit: Callable[..., Visit]) -> None:
    page = visit(replayed)
    light = looks_as(page, LIGHT)
    page.page.emulate_media(color_scheme="dark")
    assert looks_as(page, DARK) != light
    page.page.emulate_media(color_scheme="light")
    assert looks_as(page, LIGHT) == light


def test_the_replay_in_one_file_follows_the_system(replay_file: Path, browser: "Browser") -> None:
    page = browser.new_page(color_scheme="dark")
    page.goto(replay_file.as_uri())
    parts = [page.locator("body"), page.locator(".drawing > div").first, page.locator("svg").first]
    lines: list[list[str]] = []
    for number, expected in ((1, DARK), (0, LIGHT), (1, DARK)):
        page.emulate_media(color_scheme=MODES[number])
        page.wait_for_timeout(200)
        assert [brightness(part.screenshot()) in expected for part in parts] == [True] * 3, number
        lines.append(page.evaluate(LEGIBLE, PALETTE))
        panel = read_colours(number)["panel"]
        weak = [line for line in lines[-1] if contrast(to_hex(line), panel) < LEAST]
        assert weak == []
    page.close()
    assert lines[0] == lines[2] != lines[1]


def to_hex(colour: str) -> str:
    """Convert "rgb(...)" or "rgba(...)" of a browser."""
    red, green, blue = (int(value) for value in re.findall(r"\d+", colour)[:3])
    return f"#{red:02x}{green:02x}{blue:02x}"
