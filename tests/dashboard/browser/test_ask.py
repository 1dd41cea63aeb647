"""Groups are asked, answers have evidence, and conversations survive a reload."""

from collections.abc import Callable

import pytest
from tests.dashboard.server import Server
from tests.dashboard.visit import Visit

from memopolis import load_run

pytestmark = pytest.mark.extras

QUESTION = "Why did you stay <b>here</b>?"


def ask(page: Visit, question: str) -> None:
    page["group-question"].fill(question)
    page.choose("group-number", "10 people")
    page.click("group-ask")


def test_a_group_answers_with_evidence_and_is_kept(
    replayed: Server, visit: Callable[..., Visit]
) -> None:
    page = visit(replayed).tab("ask")
    page.click("group-ask")
    page.wait(lambda: "Type a question" in page.text("group-error"), "nothing is said")
    ask(page, QUESTION)
    page.wait(lambda: page.text("group-state") == "10 people answered", "not all answered")
    page.says("group-asked", QUESTION)
    assert page["group-answers"].locator("summary").first.inner_text().startswith("Based on")
    kept = load_run(replayed.folder / "storm").conversations
    assert (kept["question"] == QUESTION).sum() == 10
    page.page.reload()
    page["kept-group"].first.wait_for()
    page.says("kept-group", QUESTION)
    page["kept-group"].first.click()
    page.wait(lambda: page["ask-kept"].get_by_test_id("kept-answer").count() == 10, "not kept")
    page["ask-kept"].get_by_test_id("kept-answer").first.get_by_role("button").first.click()
    page["life"].wait_for()
    page.wait(lambda: QUESTION in page.text("asked-before"), "the life does not have it")


def test_a_rating_shows_its_distribution(replayed: Server, visit: Callable[..., Visit]) -> None:
    page = visit(replayed).tab("ask")
    page.choose("group-form", "as a rating from 0 to 10")
    ask(page, "How much do you trust the government?")
    page["asked-ratings"].wait_for()
    page.wait(lambda: page.text("group-state") == "10 people answered", "not all answered")
    page.says("group-answers", "10 of 10 gave a rating")


def test_asking_can_be_stopped(replayed: Server, visit: Callable[..., Visit]) -> None:
    page = visit(replayed).tab("ask")
    page["group-question"].fill("What do you remember?")
    page.choose("group-number", "200 people")
    page.click("group-ask").click("group-stop")
    page.wait(lambda: page.text("group-state").endswith("stopped"), "it goes on")


def test_an_interview_survives_a_reload(live: Server, visit: Callable[..., Visit]) -> None:
    page = visit(live).steps(12).life(3)
    page["question"].fill("How are you <i>today</i>?")
    page.click("ask")
    page["answer-text"].first.wait_for()
    page.page.reload()
    page.wait(lambda: "How are you <i>today</i>?" in page.text("asked-before"), "it is lost")
    page["citizen-next"].click()
    page.wait(lambda: "today" not in page.text("asked-before"), "another has it, too")
