"""A citizen answers by a real model on this machine: the page's part of it, not its wisdom."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from tests.dashboard.server import Server, run
from tests.dashboard.visit import PATIENCE, Visit
from tests.local_server import local_server

pytest.importorskip("xllamacpp")
pytestmark = [pytest.mark.extras, pytest.mark.llm]

QUESTIONS = ("Are you afraid?", "What did you do?", "How are you?", "Is it safe?", "Who are you?")
"""The model is very small and may speak on until it is cut off; then the rules answer."""


@pytest.fixture
def model() -> Iterator[tuple[str, Callable[[], None]]]:
    """URL of a model server, and what ends it before its time."""
    with ExitStack() as serving:
        yield serving.enter_context(local_server("chat", context=4096)), serving.close


@pytest.fixture
def arguments(model: tuple[str, Callable[[], None]], tmp_path: Path) -> list[str]:
    """Arguments that replay a run and name the model: the run itself may name none."""
    few = ("--agents", "30", "--days", "2", "--seed", "1", "--no-report", "--out", "storm")
    run("run", "hurricane", *few, folder=tmp_path)
    url, _ = model
    settings = {
        "mind": "llm", "llm.model": "SmolLM2-135M", "llm.base_url": url, "llm.temperature": 0.8,
        "llm.context_tokens": 60, "llm.max_tokens": 80, "llm.timeout": 300, "llm.retries": 1,
    }  # fmt: skip
    return [
        "storm",
        *(part for item in settings.items() for part in ("--set", "=".join(map(str, item)))),
    ]


def asked(page: Visit, question: str, shown: str) -> None:
    """Ask, and wait for what is to be shown."""
    page["question"].fill(question)
    page.click("ask")
    page.wait(lambda: page[shown].count() and page.text(shown), "no answer", 5 * PATIENCE)
    page.wait(lambda: question in page.text("answer-1"), "another question", 5 * PATIENCE)


def test_a_model_answers_until_its_server_stops(
    model: tuple[str, Callable[[], None]],
    arguments: list[str],
    serve: Callable[..., Server],
    visit: Callable[..., Visit],
) -> None:
    page = visit(serve(*arguments)).life(7)
    page.choose("answered-by", "the model SmolLM2-135M")
    for question in QUESTIONS:
        asked(page, question, "answered")
        if "Answered by a language model" in page.text("answered"):
            break
    else:
        pytest.fail("the model gave no answer that could be read to any question")
    text = page.text("answer-text")
    assert text
    assert page["answer-text"].locator("*").count() == 0, "text of a model is shown as text"
    evidence = page["answer-1"].locator("[data-testid^=evidence-]").first
    number = (evidence.get_attribute("data-testid") or "").removeprefix("evidence-")
    evidence.click()
    row = page[f"memory-{number}"]
    page.wait(lambda: row.get_attribute("aria-current") == "true", "the memory is not marked")

    _, end_server = model
    end_server()
    page["question"].fill("And now?")
    page.click("ask")
    page.wait(page["ask-error"].is_visible, "nothing is said", 5 * PATIENCE)
    line = page.text("ask-error")
    assert line.startswith("no answer from http://127.0.0.1:")
    assert "\n" not in line
    assert page["question"].input_value() == "And now?"
    assert page.text("answer-text") == text
    page.choose("answered-by", "the rules")
    page.click("ask")
    page.wait(lambda: "Answered by the rules" in page.text("answered"), "the rules are silent")
    assert not page["ask-error"].is_visible()
