"""The list of citizens, and a citizen's life: everything there, and led to by clicks."""

import re
from collections.abc import Callable
from functools import partial

import pytest
from tests.dashboard.server import Server
from tests.dashboard.visit import Visit, colours

pytestmark = pytest.mark.extras

LIFE = (
    "profile",
    "status",
    "over-time",
    "memories",
    "thoughts",
    "attitudes",
    "decisions",
    "knowledge",
    "review",
    "asking",
)
"""Sections of a life."""


@pytest.fixture
def page(replayed: Server, visit: Callable[..., Visit]) -> Visit:
    """A visitor at the end of a week."""
    return visit(replayed)


def numbers(text: str) -> list[int]:
    """Whole numbers of a text."""
    return [int(item.replace(",", "")) for item in re.findall(r"\d[\d,]*", text)]


def filled(page: Visit, part: str) -> bool:
    return len(page.text(part)) > 20


def test_the_list_is_searched_filtered_and_turned(page: Visit) -> None:
    page.tab("citizens")
    page["citizen-row-1"].wait_for()
    rows = page.page.locator("[data-testid^=citizen-row-]")
    assert rows.count() == 50
    assert 60 in numbers(page.text("citizens-count"))
    page.click("citizens-pages-next")
    page.wait(lambda: rows.count() == 10, "the second page has the other ten")
    page["citizens-search"].fill("17")
    page["citizen-row-17"].wait_for()
    page.wait(lambda: 1 <= rows.count() < 10, "all are found")
    page["citizens-search"].fill("nobody is called that")
    page.wait(lambda: rows.count() == 0, "somebody is called that")
    page["citizens-search"].fill("")
    page.wait(lambda: rows.count() == 50, "the list is not whole again")
    page.choose("filter-add", "Age")
    page["filter-age-minimum"].fill("60")
    page.wait(lambda: 0 < rows.count() < 50, "all are 60 or older")
    old = rows.count()
    page["filter-age-maximum"].fill("75")
    page.wait(lambda: 0 < rows.count() < old, "nobody is above 75")


def test_an_invalid_filter_is_reported_in_one_line(page: Visit) -> None:
    page.tab("citizens").choose("filter-add", "Age")
    page["filter-age-minimum"].fill("old")
    page.page.get_by_role("alert").filter(has_text="old").wait_for()
    assert page["filter-age-minimum"].input_value() == "old"


def test_a_click_opens_a_life(page: Visit) -> None:
    page.life(7)
    for part in LIFE:
        box = page[part].first
        box.wait_for()
        size = box.bounding_box()
        assert size is not None
        assert size["height"] > 30 < size["width"], part
        page.wait(partial(filled, page, part), f"{part} stays empty")
    for figure in ("chart-needs-1", "chart-emotions-1"):
        page.wait(partial(is_of, page, figure), f"{figure} is of another citizen")
        assert colours(page.picture(figure)) > 3


def is_of(page: Visit, figure: str) -> bool:
    """Check whether a chart describes the citizen whose name is shown."""
    return f" of {page.text('citizen-name')} over" in (
        page[figure].get_attribute("aria-label") or ""
    )


def test_back_and_forward_go_from_tab_to_tab_and_citizen_to_citizen(page: Visit) -> None:
    page.life(7)
    page.life(12)
    page.page.go_back()
    page["citizen-open-1"].wait_for()
    page.page.go_back()
    page.wait(lambda: page.text("citizen-about").endswith(" 7"), "it lags")
    page.wait(lambda: is_of(page, "chart-needs-1"), "its chart lags")
    page.page.go_forward()
    page["citizen-open-1"].wait_for()
    assert page.page.url.endswith("/?tab=citizens&agent=7")


def test_another_life_shows_another_one(page: Visit) -> None:
    page.life(7)
    first, drawn = page.text("memories"), page.picture("chart-needs-1")
    page.life(12)
    page.wait(lambda: is_of(page, "chart-needs-1"), "it lags")
    assert page.text("memories") != first
    assert page.picture("chart-needs-1") != drawn


def test_a_query_ranks_memories_with_three_bars(page: Visit) -> None:
    page.life(7)["memory-query"].fill("storm and evacuation")
    page["memory-query"].press("Enter")
    page["bar-relevance"].first.wait_for()
    result = page.page.locator("[data-testid^=found-memory-]").count()
    assert result > 0
    for name in ("bar-recency", "bar-importance", "bar-relevance"):
        bars = page[name].all()
        assert len(bars) == result
        values = [float(one.get_attribute("aria-valuenow") or "nan") for one in bars]
        assert all(0 <= value <= 1 for value in values), (name, values)
        assert any(values), name
    scores = [float(text.removeprefix("score ")) for text in page["score"].all_inner_texts()]
    assert scores == sorted(scores, reverse=True)


def test_evidence_leads_to_its_memory(page: Visit) -> None:
    page.life(7)
    evidence = page["decisions"].locator("[data-testid^=evidence-]").first
    number = (evidence.get_attribute("data-testid") or "").removeprefix("evidence-")
    evidence.click()
    row = page[f"memory-{number}"]
    page.wait(lambda: row.get_attribute("aria-current") == "true", "the memory is not marked")
    page.wait(lambda: in_sight(page, f"memory-{number}"), "it is not scrolled to")


def in_sight(page: Visit, testid: str) -> bool:
    box = page[testid].bounding_box()
    return box is not None and 0 <= box["y"] < 900


def test_a_topic_has_a_level_and_a_map(page: Visit) -> None:
    page.life(7)["knowledge-topic"].fill("the storm")
    page.click("knowledge-draw")
    page["knowledge-message-1"].wait_for()
    page.says("knowledge-message-1", "Knowledge: ")
    drawn = page["knowledge-graph-1"]
    page.wait(lambda: colours(drawn.screenshot()) > 3, "no map is drawn")
    assert "knows about the storm" in (drawn.get_attribute("aria-label") or "")


def test_a_question_is_answered_with_evidence(page: Visit) -> None:
    page.life(7)["question"].fill("What did you do today?")
    page.click("ask")
    page["answer-text"].wait_for()
    assert len(page.text("answer-text")) > 10
    page.says("answer-1", "What did you do today?")
    assert page["answer-1"].locator("[data-testid^=evidence-]").count() > 0


@pytest.mark.parametrize(
    ("field", "line"),
    [
        ("question", "ask-error"),
        ("memory-query", "memory-error"),
        ("knowledge-topic", "knowledge-draw-error"),
    ],
)
def test_empty_input_is_reported_in_one_line(field: str, line: str, page: Visit) -> None:
    page.life(7)[field].fill("   ")
    page[field].press("Enter")
    page[line].wait_for()
    assert page.text(line).startswith("Type ")


def test_an_unknown_agent_number_is_reported_in_one_line(page: Visit) -> None:
    page.life(7)["citizen-number"].fill("99999")
    page["citizen-number"].press("Enter")
    page.wait(lambda: "99999" in page.text("citizen-error"), "nothing is said")
    page["citizen-number"].fill("-1 or 1=1")
    page["citizen-number"].press("Enter")
    page.wait(lambda: "not a number" in page.text("citizen-error"), "nothing is said")
    page.life(8)
