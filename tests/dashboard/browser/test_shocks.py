"""Shocks from the page are in the manifest, and a steered run is repeated without the page."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.dashboard.server import Server, run
from tests.dashboard.visit import Visit

from memopolis import find_divergence

pytestmark = pytest.mark.extras

TOWNS = Path(__file__).parents[1] / "own_towns.py"
SMALL = ("--agents", "60", "--seed", "1", "--out", "steered")


def by_hand(run: Path) -> list[dict[str, Any]]:
    """Shocks by hand in the manifest of a run."""
    content = json.loads((run / "manifest.json").read_text(encoding="utf-8"))
    return [shock for _, shock in content["interventions"]["shocks"]]


def send(page: Visit, kind: str, **fields: str) -> None:
    """Fill the form of a kind and send it."""
    page.choose("shock-kind", f"{kind}:")
    for name, text in fields.items():
        field = page[f"shock-{name.rstrip('_')}"]
        if field.evaluate("e => e.tagName") == "DIV":
            page.choose(f"shock-{name.rstrip('_')}", text)
        else:
            field.fill(text)
        page.page.wait_for_timeout(300)
    listed = page["shock-list"].get_by_text("by hand", exact=True)
    sent = listed.count()
    page.click("shock-send")
    page.wait(lambda: listed.count() == sent + 1, f"{kind} is not sent")
    assert page.text("shock-sent").startswith(f"Sent: {kind}")


STEERED = {
    "hurricane": (
        ("hurricane", "--days", "2"),
        {
            "News": {"text": "The bridge is closed.", "topic": "traffic"},
            "Order": {"zones": "all", "status": "mandatory"},
            "Message": {"to": "3, 5", "text": "Come home, <b>now</b>."},
        },
    ),
    "polarization": (
        ("polarization", "--days", "5"),
        {
            "News": {"text": "A new law.", "topic": "gun_control"},
            "Message": {"to": "1-4", "text": "Write to them."},
        },
    ),
    "ubi": (
        ("ubi", "--days", "300", "--set", "start=3"),
        {"Policy": {"key": "amount", "value": "500"}, "Message": {"to": "3", "text": "Save."}},
    ),
    "own": (
        (f"{TOWNS}:Town", "--days", "2"),
        {
            "Fair": {"zones": "n, s", "joy": "0.4"},
            "News": {"text": "Rain.", "audience": "m"},
            "Message": {"to": "all", "text": "Come to the fair."},
        },
    ),
}


@pytest.mark.parametrize(("scenario", "shocks"), STEERED.values(), ids=STEERED)
def test_every_kind_of_shock_is_in_the_manifest_and_repeatable(
    scenario: tuple[str, ...],
    shocks: dict[str, dict[str, str]],
    serve: Callable[..., Server],
    visit: Callable[..., Visit],
    tmp_path: Path,
) -> None:
    page = visit(serve(*scenario, *SMALL)).steps(2)
    page.tab("shocks")
    for number, (kind, fields) in enumerate(shocks.items(), 1):
        send(page, kind, **fields)
        sent = by_hand(tmp_path / "steered")
        assert [one["shock"] for one in sent] == list(shocks)[:number]
    marks = page["shock-list"].get_by_text("by hand", exact=True)
    page.wait(lambda: marks.count() == len(shocks), "the list lacks some")
    page.steps(2).click("finish")
    page.wait(lambda: page.state == "Ended", "it does not end")
    # The manifest of "own" names a file, which is run only where its user says so.
    run("repeat", "steered", "--trust", "--out", "again", folder=tmp_path)
    divergence = find_divergence(tmp_path / "steered", tmp_path / "again")
    assert divergence.same, divergence.table


def test_news_starts_with_the_most_common_topic(
    serve: Callable[..., Server], visit: Callable[..., Visit], tmp_path: Path
) -> None:
    page = visit(serve("hurricane", "--days", "3", *SMALL)).steps(1)
    page.tab("shocks")
    assert page["shock-topic"].input_value() == "disaster"
    offered = page.options("shock-topic-offers")
    assert offered[:2] == ["…", "disaster"]
    assert "relief" in offered
    send(page, "News", text="The dam breaks.")
    page.choose("shock-topic-offers", "relief")
    page.wait(lambda: page["shock-topic"].input_value() == "relief", "it is not taken")
    send(page, "News", text="Water for all.")
    send(page, "News", text="A dog was found.", topic="dogs")
    topics = [one["topic"] for one in by_hand(tmp_path / "steered")]
    assert topics == ["disaster", "relief", "dogs"]


def test_a_long_text_is_listed_with_its_control_characters_marked(
    live: Server, visit: Callable[..., Visit]
) -> None:
    page = visit(live).steps(1)
    page.tab("shocks")
    page.choose("shock-kind", "Message:")
    send(page, "Message", to="3", text="bell\u0007 " + "far away " * 100)
    row = page["shock-list"].get_by_text("bell\ufffd far")
    row.wait_for()
    assert len(row.inner_text()) < 600
    page["shock-list"].get_by_test_id("show-all").click()
    page.wait(lambda: len(row.inner_text()) > 850, "the rest is not shown")


def test_the_text_of_a_message_is_shown_as_text(live: Server, visit: Callable[..., Visit]) -> None:
    page = visit(live).steps(1)
    page.tab("shocks")
    text = "<img src=x onerror=alert(1)> <b>now</b>"
    send(page, "Message", to="3", text=text)
    page.steps(1).life(3)
    page.wait(lambda: text in page.text("memories"), "the message is not remembered as it was")


def test_input_is_kept_while_the_run_plays(
    serve: Callable[..., Server], visit: Callable[..., Visit]
) -> None:
    page = visit(serve("hurricane", "--days", "20", *SMALL)).tab("shocks")
    page.choose("speed", "maximum speed")
    page.click("start")
    page["shock-text"].click()
    text = "The water is rising; leave now, and take your neighbours with you. " * 3
    page.page.keyboard.type(text)
    page.page.wait_for_timeout(1000)
    assert page["shock-text"].input_value() == text


def test_an_invalid_shock_is_reported_and_keeps_the_input(
    live: Server, visit: Callable[..., Visit]
) -> None:
    page = visit(live).steps(1)
    before = by_hand(live.folder / "live")
    page.tab("shocks").choose("shock-kind", "Message:")
    page["shock-to"].fill("99999")
    page["shock-text"].fill("Where are you?")
    page.click("shock-send")
    page.wait(lambda: "99999" in page.text("shock-error"), "nothing is said")
    page["shock-to"].fill("3")
    page["shock-when"].fill("yesterday")
    page.click("shock-send")
    page.wait(lambda: "yesterday" in page.text("shock-error"), "nothing is said")
    assert page["shock-text"].input_value() == "Where are you?"
    assert page["shock-when"].input_value() == "yesterday"
    assert by_hand(live.folder / "live") == before
    page.steps(1)


def test_a_message_can_be_sent_to_the_selected_citizen(
    live: Server, visit: Callable[..., Visit]
) -> None:
    page = visit(live).steps(1)
    before = len(by_hand(live.folder / "live"))
    page.life(5).tab("shocks").choose("shock-kind", "Message:")
    page.click("shock-to-chosen")["shock-text"].fill("Call me.")
    page.click("shock-send")
    page.wait(lambda: len(by_hand(live.folder / "live")) > before, "it is not sent")
    assert by_hand(live.folder / "live")[-1]["to"] == [5]
