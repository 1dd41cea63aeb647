"""The kinds of questions, in English and Chinese, and the length of questions."""

import time
from functools import partial
from pathlib import Path

import pytest
from typer.testing import CliRunner

from memopolis.analysis.interview.group import ask_people
from memopolis.analysis.interview.questions import (
    LONGEST,
    asked_actions,
    asks_why,
    check_question,
    find_kinds,
    read_kinds,
)
from memopolis.analysis.interview.restored_agent import restore_agent
from memopolis.analysis.run.run import load_run
from memopolis.cli import app
from memopolis.scenarios.polarization import Polarization
from memopolis.sim.errors import ParameterError

KINDS = {
    "Who is your best friend?": "whom I know and live with",
    "With whom do you live?": "whom I know and live with",
    "你最好的朋友叫什么?": "whom I know and live with",
    "What do you think of the government?": "my opinion of a subject",
    "Do you support background checks?": "my opinion of a subject",
    "What did you think?": "my opinion of a subject",
    "How old are you?": "who I am",
    "Where do you live?": "who I am",
    "你几岁?": "who I am",
    "What is your job?": "my work",
    "How much do you earn now?": "my income and satisfaction",
    "你的工资高吗?": "my income and satisfaction",
    "When did you come home?": "leaving and coming home",
    "Where are you?": "where I am",
    "Did you prepare for it?": "preparations and orders",
    "How are you?": "how I feel",
    "Were you afraid that night?": "my emotions and needs",
    "你当时害怕吗?": "my emotions and needs",
    "What did you do?": "what I did last",
    "What will you do tomorrow?": "what I intend",
    "How many workers do you have?": "our business and money",
    "Who reads what you publish?": "our subject and side",
}


@pytest.mark.parametrize("question", KINDS)
def test_the_kind_of_a_question_is_found_by_a_search(question: str) -> None:
    kind, relevance = find_kinds(question)[0]
    assert kind.about == KINDS[question]
    assert 0 < relevance <= 1


@pytest.mark.parametrize(
    "question", ["Why is the sky blue?", "Hello", "Who is Bob?", "下雨了", "?!"]
)
def test_other_questions_are_of_no_kind(question: str) -> None:
    assert find_kinds(question) == []


def test_every_example_is_of_its_kind() -> None:
    for kind in read_kinds():
        assert len(kind.examples) >= 3
        assert kind.answer or kind.attributes or kind.recall
        for example in kind.examples:
            assert kind in [one for one, _ in find_kinds(example)], example


def test_reasons_are_asked_with_words_for_what_was_done() -> None:
    for question in ("Why did you leave?", "What made you stay?", "你为什么离开?"):
        assert asks_why(question)
    assert not asks_why("When did you leave?")
    for question, what in (
        ("Why did you go?", "leave"),
        ("Why didn't you leave?", "stay"),
        ("Why did you decide to leave your home with your family when the storm came?", "leave"),
        ("你为什么离开?", "leave"),
        ("Why did you close your store?", "closed"),
    ):
        assert asked_actions(question)[0].what == what
    assert asked_actions("Why is the sky blue?") == []


def test_a_long_question_takes_little_time() -> None:
    find_kinds("Who are you?")  # builds the index
    for unit in ("what do you think about ", "who are you ", "why did you leave ", "x", "?!", "你"):
        text = (unit * LONGEST)[:LONGEST]
        started = time.process_time()
        find_kinds(text)
        asked_actions(text)
        assert time.process_time() - started < 0.5, unit


def test_a_question_is_not_empty_and_not_too_long() -> None:
    check_question("x" * LONGEST)
    with pytest.raises(ParameterError, match="the question is empty"):
        check_question(" \n")
    with pytest.raises(ParameterError, match=r"has 2,001 characters; at most 2,000 are allowed"):
        check_question("x" * (LONGEST + 1))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Polarization(agents=12, days=1, rng=1).run(tmp_path_factory.mktemp("asked") / "run")


def test_every_way_to_ask_checks_the_length(folder: Path) -> None:
    run, long = load_run(folder), "who are you " * 2_000
    agent = restore_agent(run, 1)
    for ask in (
        partial(agent.interview, long),
        lambda: list(ask_people(run, [1], long)),
        lambda: list(ask_people(run, [1], long, form="rating")),
    ):
        with pytest.raises(ParameterError, match="24,000 characters; at most 2,000"):
            ask()
    for words in (
        ("interview", str(folder), long, "--agent", "1"),
        ("show", str(folder), "--agent", "1", "--query", long),
    ):
        result = CliRunner().invoke(app, words)
        assert result.exit_code == 2
        assert "24,000 characters; at most 2,000 are allowed" in result.stderr
