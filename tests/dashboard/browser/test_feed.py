"""The feed beside the map: the step of the clock, filters, and a click that opens a life."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.dashboard.server import Server
from tests.dashboard.visit import Visit

pytestmark = pytest.mark.extras

ODD = Path(__file__).parents[1] / "odd_texts.py"


def shown_step(page: Visit) -> str | None:
    step: str | None = page["feed"].get_attribute("data-step")
    return step


def lines(page: Visit) -> list[tuple[str, int, str]]:
    """Kind, step and text of each line, at one moment."""
    read = """() => [...document.querySelectorAll('[data-testid=feed-line]')]
        .map(line => [line.dataset.kind, Number(line.dataset.tick), line.innerText])"""
    return [tuple(line) for line in page.page.evaluate(read)]


def kinds(page: Visit) -> set[str]:
    return {kind for kind, _, _ in lines(page)}


def test_it_follows_the_clock_of_a_live_run(live: Server, visit: Callable[..., Visit]) -> None:
    page = visit(live)
    for _ in range(3):
        page.steps(4)
        page.wait(lambda: shown_step(page) == str(page.step), "the feed is not of the clock's step")
    ticks = [tick for _, tick, _ in lines(page)]
    assert ticks == sorted(ticks, reverse=True)
    assert all(tick < page.step for tick in ticks)


def test_a_replay_shows_each_moment(replayed: Server, visit: Callable[..., Visit]) -> None:
    page = visit(replayed)
    page.wait(lambda: shown_step(page) == str(page.step), "no feed")
    assert "thought" in kinds(page)
    page["slider"].fill("120")
    page.wait(lambda: shown_step(page) == "120", "the feed does not follow the slider")
    assert all(tick < 120 for _, tick, _ in lines(page))


def test_lines_are_filtered_by_kind_person_and_place(
    replayed: Server, visit: Callable[..., Visit]
) -> None:
    page = visit(replayed)
    page.choose("feed-kind", "Orders and policies")
    page.wait(lambda: kinds(page) == {"order"}, "other kinds are shown")
    page.says("feed", "Mandatory evacuation order")
    page.choose("feed-kind", "Speech")
    page.wait(lambda: kinds(page) == {"speech"}, "other kinds are shown")
    name = page["feed-open"].first.inner_text()
    page["feed-person"].fill(name)
    page.wait(
        lambda: lines(page) and all(name in text for _, _, text in lines(page)),
        "lines of others are shown",
    )
    page["feed-person"].fill("no such person")
    page.wait(lambda: "No line passes" in page.text("feed-none"), "nothing is said")
    page["feed-person"].fill("")
    page.choose("feed-kind", "Everything")
    everywhere = page.text("feed")
    page.choose("feed-place", page.options("feed-place")[3])
    page.wait(lambda: page.text("feed") != everywhere, "the place changes nothing")


def test_a_name_opens_the_life(replayed: Server, visit: Callable[..., Visit]) -> None:
    page = visit(replayed)
    link = page["feed-open"].first
    link.wait_for()
    agent = link.get_attribute("data-agent")
    link.click()
    page["life"].wait_for()
    page.wait(lambda: page.text("citizen-about").endswith(f" {agent}"), "not this life")


def test_odd_names_and_texts_are_text(
    serve: Callable[..., Server], visit: Callable[..., Visit]
) -> None:
    page = visit(serve(f"{ODD}:OddTexts", "--agents", "20", "--days", "2", "--seed", "1"))
    page.steps(26)
    page.wait(lambda: "<script>alert(2)</script>" in page.text("feed"), "no odd name is shown")
    assert page["feed"].locator("ol").locator("script, img, b, i").count() == 0
    assert page.page.title() != "broken"
