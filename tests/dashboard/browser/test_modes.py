"""Light and dark mode: the choice of a visitor, that of the system, and the replay in one file."""

import io
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from PIL import Image, ImageStat
from tests.dashboard.server import Server
from tests.dashboard.visit import Visit

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.extras

LOOKS = """() => ['body', '.head', '.panel', '.q-field__control', '.q-btn', 'h1', '.mp-legend', 'a']
    .map(name => document.querySelector(name)).filter(Boolean).map(getComputedStyle)
    .map(looks => looks.color + looks.backgroundColor)"""
"""Colours of texts and grounds."""
DARK, LIGHT = range(100), range(156, 256)
"""Mean brightness of drawings, from 0 to 255."""


def brightness(picture: bytes) -> int:
    return round(ImageStat.Stat(Image.open(io.BytesIO(picture)).convert("L")).mean[0])


def looks_as(page: Visit, brightnesses: range) -> list[str]:
    """Wait until the map and a chart are dark or light; return the colours of the page."""
    for testid in ("map-1", "chart-1-1"):
        page.wait(
            lambda testid=testid: brightness(page.picture(testid)) in brightnesses,
            f"{testid} is not redrawn",
        )
    colours: list[str] = page.page.evaluate(LOOKS)
    return colours


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
    line = page.locator("svg path").first
    colours = []
    for mode, expected in (("dark", DARK), ("light", LIGHT), ("dark", DARK)):
        page.emulate_media(color_scheme=mode)
        page.wait_for_timeout(200)
        assert [brightness(part.screenshot()) in expected for part in parts] == [True] * 3, mode
        colours.append(line.evaluate("path => getComputedStyle(path).stroke"))
    page.close()
    assert colours[0] == colours[2] != colours[1]
