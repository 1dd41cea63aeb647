"""Whole runs over a real connection: what is in flight and what fails change no other answer."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from memopolis.analysis.run.run import load_run
from memopolis.analysis.run.tables import table_digests
from memopolis.sim.mind import chat_request
from memopolis.sim.mind.call import Call
from memopolis.sim.mind.openai_client import OpenAIClient
from memopolis.sim.society import Society

pytestmark = [pytest.mark.extras, pytest.mark.llm]

Make = Callable[..., Society[Any]]


def reply_to(asked: dict[str, Any]) -> str:
    """A good answer, which depends on the prompt alone."""
    schema = asked["response_format"]["json_schema"]["schema"]["properties"]
    number = sum(json.dumps(asked["messages"]).encode())
    if "choice" in schema:
        options = schema["choice"]["enum"]
        return json.dumps({"reason": f"for {number}", "choice": options[number % len(options)]})
    if "emotion" in schema:
        felt = {"sadness": number % 11}
        return json.dumps({"text": f"It is {number}", "emotion": "Joy", "intensities": felt})
    return json.dumps({"reason": f"for {number}", "rating": number % 11})


def run(village: Make, folder: Path, url: str, **changes: Any) -> Path:
    values = {"mind": "llm", "llm.model": "m", "llm.base_url": url}
    society = village(**values | changes)
    society.live()  # type: ignore[attr-defined]
    return society.run(folder)


def test_tables_are_the_same_at_any_number_in_flight(
    village: Make, chat: Any, tmp_path: Path
) -> None:
    play = type(chat.script({}, 0))
    latency = np.random.default_rng(5).uniform(0, 0.2, 997)

    def script(asked: dict[str, Any], _: int) -> Any:
        return play(
            reply_to(asked), delay=latency[sum(json.dumps(asked["messages"]).encode()) % 997]
        )

    chat.script = script
    kept = {}
    for in_flight in (1, 16, 128):
        folder = tmp_path / str(in_flight)
        values = {"llm.in_flight": in_flight, "llm.cassette": str(tmp_path / f"{in_flight}.jsonl")}
        run(village, folder, chat.url, agents=24, days=0.7, **values)
        cassette = (tmp_path / f"{in_flight}.jsonl").read_bytes()
        kept[in_flight] = (table_digests(folder), cassette)
    assert len(chat.asked) >= 3 * 40
    assert kept[1] == kept[16] == kept[128]
    assert set(load_run(tmp_path / "1").model_calls["outcome"]) == {"ok"}


FAULTS = (
    "busy", "broken", "drop", "cut", "hang", "no answer", "half", "prose", "wrong types",
    "out of range", "another", "empty", "huge",
)  # fmt: skip


def faulty(play: Any, fault: str, good: str) -> Any:
    """What a server with a fault does in place of a good answer."""
    names = {"name": "citizen 1", "agent": 1}
    return {
        "busy": play(status=429, headers={"Retry-After": "0.001"}),
        "broken": play(status=500),
        "drop": play(good, sent=0.0),
        "cut": play(good, sent=0.9),
        "hang": play(good, delay=60.0),
        "no answer": play(body=b'{"choices": [{"mess'),
        "half": play(good[: len(good) // 2]),
        "prose": play(f"Well! ```json\n{good}\n``` I hope that {{helps}}."),
        "wrong types": play('{"rating": ["a"], "choice": {}, "text": 5, "emotion": null}'),
        "out of range": play(re.sub(r'"rating": \d+', '"rating": -9e30', good)),
        "another": play(json.dumps(json.loads(good) | names)),
        "empty": play(""),
        "huge": play(body=b'{"choices": "' + b"x" * 5_000_000 + b'"}'),
    }[fault]


def test_a_run_with_faults_ends_and_accounts_for_each_call(
    village: Make, chat: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chat_request, "SHORTEST", 0.004)
    monkeypatch.setattr(chat_request, "LONGEST", 0.016)
    play = type(chat.script({}, 0))
    rng = np.random.default_rng(11)
    fault_of = np.where(rng.random(9_973) < 0.3, rng.integers(0, len(FAULTS), 9_973), -1)
    answered: dict[str, str] = {}

    def fault_at(prompt: str) -> str:
        number = int(fault_of[sum(prompt.encode()) % 9_973])
        return "" if number < 0 else FAULTS[number]

    def script(asked: dict[str, Any], _: int) -> Any:
        prompt = "\n\n".join(f"[{m['role']}]\n{m['content']}" for m in asked["messages"])
        answered[prompt] = good = reply_to(asked)
        fault = fault_at(prompt)
        return faulty(play, fault, good) if fault else play(good)

    send = OpenAIClient._send

    async def send_patiently(self: OpenAIClient, client: Any, call: Call, dialect: Any) -> Any:
        """Time out on hanging calls only, however slow the machine is."""
        prompt = "\n\n".join(f"[{role}]\n{text}" for role, text in call.messages)
        self._timeout = 0.7 if fault_at(prompt) == "hang" else 600.0
        return await send(self, client, call, dialect)

    monkeypatch.setattr(OpenAIClient, "_send", send_patiently)
    chat.script = script
    values = {"llm.in_flight": 64, "llm.retries": 1}
    folder = run(village, tmp_path / "run", chat.url, agents=150, days=1.0, **values)
    calls = load_run(folder).model_calls
    assert len(calls) > 800
    assert set(calls["outcome"]) == {
        "ok", "rate", "server", "connection", "timeout", "too_long", "invalid",
    }  # fmt: skip
    ok = calls[calls["outcome"] == "ok"]
    # No agent gets the answer of another: an answer belongs to the prompt of its row.
    for prompt, text in zip(ok["prompt"], ok["answer"], strict=True):
        number = re.search(r"for \d+|It is \d+", answered[prompt])
        assert number is not None
        assert number[0] in text
    assert_accounted(folder, calls)


def assert_accounted(folder: Path, calls: pd.DataFrame) -> None:
    """Each decision is the model's or, where all its calls failed, the rule's."""
    question = ["tick", "block", "agent"]
    number = r"(for \d+|It is \d+)"
    calls = calls.astype({"block": str})
    answers = calls[calls["outcome"] == "ok"]
    answers = answers.assign(number=answers["answer"].str.extract(number)[0])
    decisions = load_run(folder).decisions.astype({"block": str})
    from_model = decisions[decisions["mind"] == "model"]
    texts = from_model[["text", "reason"]].astype(object).fillna("").agg(" ".join, axis=1)
    taken = from_model.assign(number=texts.str.extract(number)[0])

    columns = [*question, "number"]
    assert sorted(map(tuple, taken[columns].values)) == sorted(map(tuple, answers[columns].values))
    questions = calls.drop_duplicates([*question, "ordinal"])
    assert decisions.groupby(question).size().equals(questions.groupby(question).size())
    assert {*decisions["mind"]} == {"model", "fallback"}
