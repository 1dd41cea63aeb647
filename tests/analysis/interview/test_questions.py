"""The patterns of questions: linear time, and the order of their words; the length of questions."""

import itertools
import re
import time
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from memopolis.analysis.interview.group import ask_people
from memopolis.analysis.interview.questions import (
    LONGEST,
    asks_about_people,
    asks_why,
    check_question,
    opinion_subject,
    read_questions,
)
from memopolis.analysis.interview.restored_agent import restore_agent
from memopolis.analysis.run.run import load_run
from memopolis.cli import app
from memopolis.scenarios.polarization import Polarization
from memopolis.sim.errors import ParameterError

LONG = 40_000
"""Characters of a hostile question; a pattern of quadratic time takes 0.5 s and more."""
PATTERNS = tuple(dict.fromkeys(row.ask for row in read_questions()))
OTHERS = (asks_why, asks_about_people, opinion_subject)
_WORDS = re.compile(r"[a-z]+(?: [a-z]+)*")


def words_of(pattern: re.Pattern[str]) -> list[str]:
    """The words in a pattern, each of which could repeat in a question."""
    plain = re.sub(r"\\[bwAs]|\(\?[>:]", "|", pattern.pattern)
    return list(dict.fromkeys(_WORDS.findall(plain)))


def hostile_texts(pattern: re.Pattern[str]) -> list[str]:
    """Long texts of each word, of pairs, and of characters that words consist of."""
    words = words_of(pattern)
    assert words
    units = [f"{word} " for word in words]
    units += [f"{word} {following} " for word, following in itertools.pairwise(words)]
    units += [" ", "a", "\n", "?", f"{words[0]}x "]
    return [(unit * (LONG // len(unit) + 1))[:LONG] for unit in units]


@pytest.mark.parametrize("pattern", PATTERNS, ids=lambda pattern: pattern.pattern[:40])
def test_a_pattern_takes_linear_time(pattern: re.Pattern[str]) -> None:
    for text in hostile_texts(pattern):
        started = time.process_time()
        pattern.search(text)
        assert time.process_time() - started < 0.2, text[:40]


@pytest.mark.parametrize("recognise", OTHERS)
def test_recognising_a_kind_of_question_takes_linear_time(recognise: object) -> None:
    assert callable(recognise)
    for unit in (
        "what do you think about ",
        "why ",
        "who do you ",
        "your opinion ",
        "do you ",
        "?!",
    ):
        text = (unit * LONG)[:LONG]
        started = time.process_time()
        recognise(text)
        assert time.process_time() - started < 0.2, unit


IN_ORDER = [pattern for pattern in PATTERNS if "(?>" in pattern.pattern]


@pytest.mark.parametrize("pattern", IN_ORDER, ids=lambda pattern: pattern.pattern[:40])
def test_two_expressions_match_in_their_order(pattern: re.Pattern[str]) -> None:
    """Compare with the same pattern that tries all places of the first expression."""
    plain = re.sub(r"\\A\(\?>\.\*\?(.*?)\)\.\*", r"(?:\1).*", pattern.pattern)
    assert plain != pattern.pattern
    simple = re.compile(plain, pattern.flags)
    rng, words = np.random.default_rng(5), words_of(pattern)
    matches = set()
    for _ in range(2_000):
        text = " ".join(rng.choice([*words, "the", "\n"], size=rng.integers(1, 6)))
        matches.add(bool(pattern.search(text)))
        assert bool(pattern.search(text)) == bool(simple.search(text)), text
    assert matches == {True, False}


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
