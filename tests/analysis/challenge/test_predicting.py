"""Predictions: frozen before outcomes are read, reproducible, and resumed."""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.analysis.challenge.conftest import CASE, write_case

from memopolis.analysis.challenge.case import find_cases, read_case
from memopolis.analysis.challenge.predicting import FROZEN, predict
from memopolis.analysis.challenge.scoring import score
from memopolis.sim.errors import DataFileError, UnknownNameError
from memopolis.sim.files import hash_of_file
from memopolis.sim.progress import RunProgress

OPENED: list[str] = []
"""Names of the files that this process opened, while `WATCHING` is true."""
WATCHING = [False]


def _watch(event: str, arguments: tuple[Any, ...]) -> None:
    if WATCHING[0] and event == "open":
        OPENED.append(Path(str(arguments[0])).name)


sys.addaudithook(_watch)


@contextmanager
def counting(_: str) -> Iterator[RunProgress]:
    yield lambda *_: None


@pytest.fixture(scope="module")
def predicted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Predict a case without a file of outcomes; returns the folder of results."""
    base = tmp_path_factory.mktemp("blind")
    case = read_case(write_case(base / "small", outcomes=None))
    predict([case], base / "out", workers=1, counting=counting)
    return base / "out"


def test_predictions_do_not_need_outcomes(predicted: Path) -> None:
    lines = (predicted / "memopolis.csv").read_text().splitlines()
    assert lines[0] == "case,quantity,member,value"
    assert [line.rsplit(",", 1)[0] for line in lines[1:]] == [
        "small,support,1", "small,gap,1", "small,support,2", "small,gap,2"
    ]  # fmt: skip
    null = (predicted / "memopolis-null.csv").read_text().splitlines()
    assert {line for line in null if "support" in line} == {
        "small,support,1,0.0",
        "small,support,2,0.0",
    }


def test_outcomes_are_opened_by_scoring_alone(tmp_path: Path, predicted: Path) -> None:
    folder = write_case(tmp_path / "small")
    OPENED.clear()
    WATCHING[0] = True
    try:
        cases = find_cases([str(folder)])
        submissions = predict(cases, tmp_path / "out", workers=1, counting=counting)
        before = list(OPENED)
        scores = score(cases, submissions)
    finally:
        WATCHING[0] = False
    assert "case.toml" in before
    assert "outcomes.csv" not in before
    assert "outcomes.csv" in OPENED
    assert set(scores.leaderboard["engine"]) == {"memopolis", "memopolis-null"}
    # The same seeds and settings yield the same predictions, with outcomes present or not.
    for name in ("memopolis.csv", "memopolis-null.csv"):
        assert (tmp_path / "out" / name).read_bytes() == (predicted / name).read_bytes()


def test_settings_and_predictions_are_written_with_their_hashes(predicted: Path) -> None:
    frozen = json.loads((predicted / FROZEN).read_text())
    case = frozen["cases"]["small"]
    assert case["arms"]["event"]["news"] == "news.csv"
    assert case["arms"]["event"]["agents"] == 30
    assert set(case["files"]) == {"news.csv"}
    assert frozen["predictions"] == {
        name: hash_of_file(predicted / f"{name}.csv") for name in ("memopolis", "memopolis-null")
    }


def test_finished_runs_are_reused_and_equal_arms_share_them(tmp_path: Path) -> None:
    second = CASE.replace('news = "news.csv"', "").replace("event]", "again]")
    second = second.replace('arm = "event"', 'arm = "again"')
    cases = [
        read_case(write_case(tmp_path / "small")),
        read_case(write_case(tmp_path / "twin", second)),
    ]
    out = tmp_path / "out"
    predict(cases[1:], out, workers=1, counting=counting)
    (shared,) = (out / "runs").iterdir()  # both arms are the defaults
    before = (shared / "seed-00001" / "manifest.json").stat().st_mtime_ns
    assert "twin,support,1,0.0" in (out / "memopolis.csv").read_text()
    (out / "runs" / shared.name / "seed-00001" / "manifest.json").touch()
    touched = (shared / "seed-00001" / "manifest.json").stat().st_mtime_ns
    assert touched > before
    predict(cases[1:], out, workers=1, counting=counting)
    assert (shared / "seed-00001" / "manifest.json").stat().st_mtime_ns == touched


@pytest.mark.parametrize(
    ("old", "new", "error", "message"),
    [
        ("at = 2020-01-03", "at = 2021-01-03", DataFileError, "is not within the run"),
        (
            'measure = "support"',
            'measure = "attitude[Green]"',
            UnknownNameError,
            "no group 'Green'",
        ),
    ],
)
def test_what_a_run_lacks_is_named(
    tmp_path: Path, old: str, new: str, error: type[Exception], message: str
) -> None:
    case = read_case(write_case(tmp_path / "small", CASE.replace(old, new)), seeds=1)
    with pytest.raises(error, match=message):
        predict([case], tmp_path / "out", workers=1, counting=counting)


def test_an_unknown_number_of_a_fact_is_named(tmp_path: Path) -> None:
    start, _, _ = CASE.partition("[[predict]]")
    quantity = '[[predict]]\nname = "a"\nwhat = "A"\narm = "event"\nbasis = "independent"\n'
    text = f'{start}{quantity}fact = "P-P9"\nnumber = "change of everything"\n'
    text = text.replace('"measures"', '"measures,agents"')
    case = read_case(write_case(tmp_path / "small", text), seeds=1)
    with pytest.raises(UnknownNameError) as caught:
        predict([case], tmp_path / "out", workers=1, counting=counting)
    message = str(caught.value.args[0])
    assert message.startswith("case small: fact 'P-P9' has no number 'change of everything'; ")
    assert "change of the variance of all" in message
    assert "facts that need the arms" in message
