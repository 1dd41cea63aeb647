"""The list of citizens, and a citizen's life: everything there, and led to by clicks."""

import re
from collections.abc import Callable

import pytest
from tests.dashboard.server import Server
from tests.dashboard.visit import Visit, colours

pytestmark = pytest.mark.extras

SMALL = ("--agents", "60", "--days", "10", "--seed", "1")
LIFE = ("life-profile", "life-status", "life-memories", "life-thoughts", "life-decisions")


@pytest.fixture
def page(serve: Callable[..., Server], visit: Callable[..., Visit]) -> Visit:
    """A page after two days, one of a citizen's life not opened yet."""
    return visit(serve("hurricane", *SMALL)).steps(1)


def number(text: str) -> int:
    """First number of a text."""
    found = re.search(r"[\d,]+", text)
    assert found, text
    return int(found[0].replace(",", ""))


def test_the_list_is_searched_and_filtered(page: Visit) -> None:
    page.tab("citizens")
    page["citizen-row-1"].wait_for()
    assert number(page.text("citizens-count")) == 60
    rows = page.page.locator("[data-testid^=citizen-row-]")
    assert rows.count() == 50
    page.click("citizens-next")
    page.wait(lambda: rows.count() == 10, "the second page has the other ten")
    page["citizens-search"].fill("17")
    page["citizen-row-17"].wait_for()
    assert rows.count() < 10
    page["citizens-search"].fill("nobody is called that")
    page.wait(lambda: number(page.text("citizens-count")) == 0, "somebody is called that")
    page["citizens-search"].fill("")
    page.wait(lambda: number(page.text("citizens-count")) == 60, "the list is not whole again")


def test_a_click_opens_a_life(page: Visit) -> None:
    page.steps(3).tab("citizens").click("citizen-row-7")
    for part in LIFE:
        box = page[part].first
        box.wait_for()
        size = box.bounding_box()
        assert size is not None
        assert size["height"] > 20 < size["width"], part
    assert "7" in page.text("life-profile")
    for figure in ("needs", "emotions"):
        image = page.page.locator(f"[data-testid^=image-{figure}]").first
        image.wait_for()
        testid = image.get_attribute("data-testid")
        assert testid is not None
        assert colours(page.picture(testid)) > 3


def test_a_query_ranks_memories_with_three_bars(page: Visit) -> None:
    page.steps(8).tab("citizens").click("citizen-row-7")
    page["memory-query"].fill("storm and evacuation")
    page["memory-query"].press("Enter")
    page["bar-relevance"].first.wait_for()
    rows = page.page.locator("[data-testid^=memory-row-]")
    assert rows.count() > 0
    for bar in ("bar-recency", "bar-importance", "bar-relevance"):
        bars = page[bar]
        assert bars.count() == rows.count()
        values = [float(one.get_attribute("aria-valuenow") or "nan") for one in bars.all()]
        assert all(0 <= value <= 1 for value in values), (bar, values)
    assert any(float(one.get_attribute("aria-valuenow") or 0) for one in bars.all())


def test_evidence_leads_to_its_memory(page: Visit) -> None:
    page.steps(8).tab("citizens").click("citizen-row-7")
    evidence = page.page.locator("[data-testid^=evidence-]").first
    evidence.click()
    ident = (evidence.get_attribute("data-testid") or "").removeprefix("evidence-")
    row = page[f"memory-row-{ident}"]
    page.wait(lambda: row.get_attribute("data-marked") == "true", "the memory is not marked")
    top = row.bounding_box()
    assert top is not None
    assert 0 <= top["y"] < 900, "the memory is not scrolled to"


def test_a_topic_has_a_level_and_a_map(page: Visit) -> None:
    page.steps(8).tab("citizens").click("citizen-row-7")
    page["knowledge-topic"].fill("the storm")
    page.click("knowledge-show")
    page["knowledge-level"].wait_for()
    assert page.text("knowledge-level")
    image = page.page.locator("[data-testid^=image-knowledge]").first
    image.wait_for()
    assert colours(page.picture(image.get_attribute("data-testid") or "")) > 3


def test_a_question_is_answered_with_evidence(page: Visit) -> None:
    page.steps(8).tab("citizens").click("citizen-row-7")
    page["question"].fill("What do you know of the storm?")
    page.click("ask")
    page["answer"].wait_for()
    assert len(page.text("answer")) > 10
    assert len(page.text("answer-evidence")) > 10


@pytest.mark.parametrize("field", ["question", "memory-query", "knowledge-topic"])
def test_nothing_typed_is_told_in_a_line(field: str, page: Visit) -> None:
    page.tab("citizens").click("citizen-row-7")
    page[field].fill("   ")
    page[field].press("Enter")
    page.page.wait_for_timeout(500)
    page.steps(1)  # the page lives
