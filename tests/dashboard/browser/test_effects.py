"""The page shows what a shock did, against a copy of the run without it."""

import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.dashboard.server import Server
from tests.dashboard.visit import Visit

pytestmark = pytest.mark.extras

TEXT = "The dam broke; leave <b>now</b>."


def copies() -> set[Path]:
    return set(Path(tempfile.gettempdir()).glob("memopolis-without-*"))


def test_it_shows_who_received_it_and_what_differs(
    serve: Callable[..., Server], visit: Callable[..., Visit]
) -> None:
    before = copies()
    server = serve("hurricane", "--agents", "60", "--days", "5", "--seed", "1")
    page = visit(server).steps(6).tab("shocks")
    assert not page["effect"].is_visible()
    page["shock-text"].fill(TEXT)
    page["shock-stance"].fill("-0.9")
    page["shock-importance"].fill("0.9")
    page.click("shock-send")
    page["effect"].wait_for()
    page.says("effect-text", TEXT)
    page.says("effect-spread", "It happens in the step")
    page.steps(18)
    page.wait(lambda: "after step 24" in page.text("effect-differences"), "it is not compared")
    assert int(page.text("effect-received").split()[2].rstrip(":")) >= 60
    assert page.text("effect-passed").startswith("Passed on by ")
    counts = page.text("effect-counts")
    assert "agents have another attitude" in counts
    assert not counts.startswith("0 ")
    rows = page["effect-attitudes"].locator("tr")
    assert rows.count() > 1
    assert "of 10" in rows.first.inner_text()
    assert copies() - before
    page.click("effect-stop")
    page.wait(lambda: "no longer follows" in page.text("effect-state"), "it is not stopped")
    assert copies() == before
    page.steps(1)
    assert "after step 24" in page.text("effect-differences")
    page["effect-attitudes"].get_by_role("button").first.click()
    page["life"].wait_for()


def test_a_later_shock_is_in_both_and_all_copies_are_removed(
    serve: Callable[..., Server], visit: Callable[..., Visit]
) -> None:
    before = copies()
    server = serve("polarization", "--agents", "40", "--days", "20", "--seed", "1")
    page = visit(server).steps(2).tab("shocks").choose("shock-kind", "Message:")
    for number, text in enumerate(("Write to them.", "Call them."), 1):
        page["shock-to"].fill(f"{number}-{number + 3}")
        page["shock-text"].fill(text)
        page.wait(lambda: "4 people" in page.text("shock-reach"), "no reach")
        page.click("shock-send")
        page.wait(lambda text=text: text in page.text("effect-text"), "it is not shown")  # type: ignore[misc]
    page.steps(2)
    page.wait(lambda: "after step 4" in page.text("effect-differences"), "it is not compared")
    assert page.text("effect-received").startswith("Received by 4:")
    page.choose("effect-shock", "Message: Write to them.")
    page.wait(lambda: "Write to them." in page.text("effect-text"), "it is not chosen")
    assert page.text("effect-received").startswith("Received by 4:")
    page.page.goto("about:blank")
    server.stop()
    assert copies() == before
