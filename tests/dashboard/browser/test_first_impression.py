"""A first visit: the start of a society, a tour, controls in sight, words with units."""

import re
from collections.abc import Callable, Iterator

import pytest
from tests.dashboard.server import Server, serving
from tests.dashboard.visit import Visit

pytestmark = pytest.mark.extras

UNREADY = re.compile(r"not (?:measured|recorded) yet|no data yet|NaN|undefined|\bnull\b")
INSIDE = """id => {
    const box = document.querySelector(`[data-testid=${id}]`).getBoundingClientRect();
    return box.top >= 0 && box.bottom <= innerHeight
        && box.left >= 0 && box.right <= innerWidth + 1;
}"""


@pytest.fixture(scope="module")
def monthly(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The page of a basic income that starts in the seventh month."""
    small = ("ubi", "--agents", "60", "--days", "300", "--seed", "1", "--set", "start=6")
    with serving(*small, folder=tmp_path_factory.mktemp("monthly")) as server:
        yield server


@pytest.mark.parametrize("width", [1280, 390])
def test_the_tour_points_at_elements_and_is_remembered(
    width: int, live: Server, visit: Callable[..., Visit]
) -> None:
    page = visit(live, width=width)
    page["tour-offer"].wait_for()
    page.click("tour-take")
    targets = []
    for _ in range(20):
        page["tour"].wait_for()
        number = page["tour-count"].inner_text()
        targets.append(page["tour"].get_attribute("data-target"))
        page.wait(lambda: page.page.evaluate(INSIDE, "tour"), f"{targets[-1]}: it is cut")
        assert page[str(targets[-1])].first.is_visible()
        page.click("tour-next")
        if number.split(" of ")[0] == number.split(" of ")[1]:
            break
        page.wait(
            lambda: page["tour"].get_attribute("data-target") != targets[-1],
            f"it does not go on after {targets}",
        )
    page.wait(lambda: page["tour"].count() == 0, "it stays")
    assert {"title", "start", "map-panel", "feed", "citizens", "ask-group", "shocks"} <= {*targets}
    page.page.reload()
    page["clock"].wait_for()
    page.page.wait_for_timeout(1000)
    assert not page["tour-offer"].is_visible()


def test_the_tour_can_be_skipped_and_started_again(
    replayed: Server, visit: Callable[..., Visit]
) -> None:
    page = visit(replayed)
    page.click("tour-decline")
    page.wait(lambda: not page["tour-offer"].is_visible(), "the offer stays")
    page.click("tour-start")["tour"].wait_for()
    page.click("tour-next").click("tour-skip")
    page.wait(lambda: page["tour"].count() == 0, "it stays")
    page.click("tour-start")["tour"].wait_for()
    page.page.keyboard.press("Escape")
    page.wait(lambda: page["tour"].count() == 0, "it stays")


def test_step_0_shows_people_at_home_and_nothing_unready(
    serve: Callable[..., Server], visit: Callable[..., Visit]
) -> None:
    page = visit(serve("hurricane", "--agents", "60", "--days", "2", "--seed", "1"))
    assert page.step == 0
    page.wait(lambda: "Nothing has happened yet" in page.text("feed-none"), "it still reads")
    for tab in ("map", "network", "citizens", "ask", "shocks"):
        page.tab(tab).page.wait_for_timeout(700)
        shown = page[f"panel-{tab}"].inner_text()
        assert not UNREADY.search(shown), (tab, UNREADY.search(shown))
    page.life(3)
    page.wait(lambda: "of 10" in page.text("attitudes"), "no attitudes at the start")
    status = page.text("status")
    assert "At the start" in status
    home = re.search(r"Home\n(.+)", page.text("profile"))
    place = re.search(r"Place\n(.+)", status)
    assert home
    assert place
    assert home[1] == place[1]


@pytest.mark.parametrize("width", [1280, 390])
def test_the_controls_stay_in_sight(
    width: int, replayed: Server, visit: Callable[..., Visit]
) -> None:
    page = visit(replayed, width=width)
    # Until the charts are there, the page is short.
    scroll = "() => { window.scrollTo(0, 1500); return window.scrollY; }"
    page.wait(lambda: page.page.evaluate(scroll) > 500, "it cannot be scrolled")
    for control in ("start", "clock", "slider"):
        assert page.page.evaluate(INSIDE, control), control
    height = page.page.evaluate("document.querySelector('.head').offsetHeight")
    assert height < 300


def test_dates_of_a_monthly_scenario_are_months(
    monthly: Server, visit: Callable[..., Visit]
) -> None:
    page = visit(monthly).steps(2)
    assert re.fullmatch(r"[A-Z][a-z]{2} \d{4} · step \d+ of 10", page.text("clock"))
    page.wait(page["feed-line"].count, "no lines")
    assert re.search(r"^[A-Z][a-z]{2} \d{4}", page["feed-line"].first.inner_text())
    page.tab("shocks")
    page.wait(lambda: "Jun 2019" in page.text("shock-list"), "the policy has no month")
    page.life(3)
    assert not re.search(r"\d\d:\d\d", page.text("status"))


def test_choices_have_descriptions_and_shares_are_percent(
    monthly: Server, live: Server, visit: Callable[..., Visit]
) -> None:
    page = visit(monthly).steps(1).tab("shocks")
    page.choose("shock-kind", "Policy:")
    assert any(
        one.startswith("Amount, now ") and len(one) > 25 for one in page.options("shock-key")
    )
    page = visit(live).steps(2).life(3)
    status = page.text("status")
    assert re.search(r"Hunger\s+(well fed|could eat|hungry)\n", status)
    assert re.search(r"Threat\s+\d+%", status)
    assert "of 1\n" not in status
