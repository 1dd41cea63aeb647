"""The command line with a model server that answers something else, or stops answering."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.chat_server import ChatServer, Play
from typer.testing import CliRunner, Result

from memopolis.analysis.run.run import load_run
from memopolis.analysis.run.tables import table_digests
from memopolis.cli import app
from memopolis.sim.mind import chat_request

pytestmark = [pytest.mark.extras, pytest.mark.llm]

RUN = ("run", "polarization", "--agents", "12", "--days", "4", "--seed", "1", "--no-report")
MODEL = ("--mind", "llm", "--model", "m")
HTML = Play(body=b"<html>", headers={"Content-Type": "text/html; charset=utf-8"})
FAULT = "the server answered text/html, not JSON"


@pytest.fixture
def chat(monkeypatch: pytest.MonkeyPatch) -> Iterator[ChatServer]:
    """A server that gives good answers, without a key in the environment."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    server = ChatServer()
    server.script = good
    yield server
    server.stop()


def good(asked: dict[str, Any], _: int) -> Play:
    """An answer that fits the schema, and depends on the prompt alone."""
    schema = asked["response_format"]["json_schema"]["schema"]["properties"]
    number = sum(json.dumps(asked["messages"]).encode())
    if "choice" in schema:
        options = schema["choice"]["enum"]
        return Play(json.dumps({"reason": "so", "choice": options[number % len(options)]}))
    if "emotion" in schema:
        thought = {"text": f"It is {number}", "emotion": "Joy", "intensities": {}}
        return Play(json.dumps(thought))
    if "text" in schema:
        return Play(json.dumps({"text": f"It is {number}"}))
    return Play(json.dumps({"reason": "so", "rating": number % 11}))


def memopolis(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def options(chat: ChatServer, *sets: str) -> tuple[str, ...]:
    changed = [word for one in ("llm.retries=0", *sets) for word in ("--set", one)]
    return *MODEL, "--base-url", chat.url, *changed


def allowed(chat: ChatServer, *sets: str) -> tuple[str, ...]:
    """What `resume` needs to contact the same server."""
    changed = [word for one in ("mind=llm", *sets) for word in ("--set", one)]
    return "--base-url", chat.url, *changed


def one_line(result: Result) -> str:
    """The last line of standard error, which describes the error."""
    assert result.exit_code == 2, result.output
    assert "Traceback" not in result.stderr
    return result.stderr.strip().splitlines()[-1]


@pytest.mark.parametrize("with_cassette", [False, True], ids=["no cassette", "cassette"])
def test_a_run_without_quota_stops_and_is_resumed(
    chat: ChatServer, tmp_path: Path, *, with_cassette: bool
) -> None:
    cassette = (f"llm.cassette={tmp_path / 'cassette.jsonl'}",) if with_cassette else ()
    sets = ("checkpoint.every=1", *cassette)
    assert memopolis(*RUN, *options(chat, *sets), "--out", tmp_path / "whole").exit_code == 0
    needed = len(chat.asked)
    if cassette:
        (tmp_path / "cassette.jsonl").unlink()
    chat.asked.clear()
    left = needed // 2
    quota = Play(status=429, body=b'{"error": {"code": "insufficient_quota"}}')
    chat.script = lambda asked, times: good(asked, times) if len(chat.asked) <= left else quota
    folder = tmp_path / "run"
    line = one_line(memopolis(*RUN, *options(chat, *sets), "--out", folder))
    assert line.startswith(f"memopolis: {chat.url} refused to answer: HTTP 429, the quota is used")
    assert f"; continue with `memopolis resume {folder}`" in line
    assert left < len(chat.asked) <= left + 16
    assert (load_run(folder).decisions["mind"] != "fallback").all()
    chat.script = good
    chat.asked.clear()
    resumed = memopolis("resume", folder, "--no-report", *allowed(chat, *cassette))
    assert resumed.exit_code == 0, resumed.output
    assert table_digests(folder) == table_digests(tmp_path / "whole")
    assert len(chat.asked) < needed
    if cassette:  # no answer is paid for twice
        assert len(chat.asked) == needed - left


def test_a_server_that_answers_html_stops_the_run_with_the_reason(
    chat: ChatServer, tmp_path: Path
) -> None:
    chat.script = lambda *_: HTML
    folder = tmp_path / "run"
    line = one_line(memopolis(*RUN, *options(chat), "--out", folder))
    assert "answered only 0 of 50 consecutive questions, and llm.min_answered is 0.5" in line
    assert f"most frequent reason: {FAULT}; continue with `memopolis resume {folder}`" in line


def test_faults_are_in_the_tables_and_in_the_summary(chat: ChatServer, tmp_path: Path) -> None:
    chat.script = lambda asked, times: HTML if "Joy" in str(asked) else good(asked, times)
    sets = ("llm.min_answered=0", f"llm.cassette={tmp_path / 'cassette.jsonl'}")
    folder = tmp_path / "run"
    result = memopolis(*RUN, *options(chat, *sets), "--out", folder)
    assert result.exit_code == 0, result.output
    assert f"answers by the rule instead; most often, {FAULT}" in " ".join(result.stdout.split())
    calls = load_run(folder).model_calls
    failed = calls["outcome"] != "ok"
    assert failed.any()
    assert set(calls[failed]["fault"]) == {FAULT}
    assert set(calls[~failed]["fault"]) == {""}
    words = ("--mind", "replay", "--set", "llm.model=m", "--set", sets[1])
    again = memopolis(*RUN, *words, "--out", tmp_path / "replay")
    assert again.exit_code == 0, again.output
    assert table_digests(tmp_path / "replay") == table_digests(folder)


@pytest.mark.parametrize(
    ("play", "fault"),
    [
        (HTML, FAULT),
        (
            Play(body=b"data: {}\n\n", headers={"Content-Type": "text/event-stream"}),
            "the server answered text/event-stream, not JSON",
        ),
        (Play(body=b'{"choices": []}'), "the server answered JSON without choices"),
        (Play(""), "the answer is empty"),
        (Play("<think>I am"), "the answer is unreadable: it holds no whole JSON object"),
    ],
)
def test_an_interview_names_the_reason_for_the_fallback(
    chat: ChatServer, tmp_path: Path, play: Play, fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chat_request, "SHORTEST", 0.004)
    monkeypatch.setattr(chat_request, "LONGEST", 0.016)
    folder = tmp_path / "run"
    assert memopolis(*RUN, "--out", folder).exit_code == 0
    chat.script = lambda *_: play
    ask = (
        "interview",
        folder,
        "Whom do you trust?",
        "--agent",
        "1",
        *MODEL,
        "--base-url",
        chat.url,
    )
    result = memopolis(*ask)
    assert result.exit_code == 0, result.output
    assert f"(fallback: {fault})" in " ".join(result.stdout.split())
    chat.script = good
    assert "(model)" in memopolis(*ask).stdout
