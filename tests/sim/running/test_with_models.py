"""A run with a language model that is stopped pays for no answer twice and counts on."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from memopolis.analysis.run.run import load_run
from memopolis.analysis.run.tables import table_digests
from memopolis.scenarios.polarization import Polarization
from memopolis.sim.errors import RunFolderError
from memopolis.sim.mind.call import Call, Reply, ScriptedClient
from memopolis.sim.mind.llm import LlmMind
from memopolis.sim.recording import checkpointing
from memopolis.sim.running.resuming import resume
from memopolis.sim.state.checkpoints import checkpoints_of


class Server:
    """What a model would answer, and when the run is stopped."""

    def __init__(self) -> None:
        self.paid: Counter[tuple[object, str]] = Counter()
        self.stop_after = 10**9

    def client(self, model: str, **_: Any) -> ScriptedClient:
        return ScriptedClient(self.answer, name=model)

    def answer(self, call: Call) -> str | Reply:
        if self.stop_after <= 0:
            raise KeyboardInterrupt
        self.stop_after -= 1
        if call.agent % 4 == 0:
            return Reply(None, "timeout", tries=3, seconds=0.25)
        self.paid[call.key, call.hash] += 1
        asked = call.schema["properties"]
        if call.agent % 4 == 1 and call.attempt == 0:
            return "Well"
        if "choice" in asked:
            return json.dumps({"reason": "", "choice": asked["choice"]["enum"][0]})
        if "emotion" in asked:
            values = {"text": f"Hm {call.tick}", "emotion": "Joy", "intensities": {}}
            return json.dumps(values)
        return json.dumps({"reason": f"for {call.agent}", "rating": 6})


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Server:
    made = Server()
    monkeypatch.setattr("memopolis.sim.mind.building.OpenAIClient", made.client)
    return made


def thinking(cassette: Path, mind: str = "llm", **changes: Any) -> Polarization:
    return Polarization(
        agents=8,
        days=6,
        rng=1,
        checkpoint={"every": 2},
        mind=mind,
        llm={"model": "m", "cassette": str(cassette), **changes},
    )


@pytest.mark.parametrize("limits", [{}, {"budget_calls": 60}], ids=["free", "budget"])
def test_recorded_answers_are_not_requested_again(
    server: Server, tmp_path: Path, limits: dict[str, Any]
) -> None:
    straight = thinking(tmp_path / "a.jsonl", **limits).run(tmp_path / "straight")
    alone = dict(server.paid)
    server.paid.clear()
    calls = len(load_run(straight).model_calls)
    assert calls > 60
    folder = tmp_path / "run"
    server.stop_after = min(calls, 60) // 2
    with pytest.raises(KeyboardInterrupt):
        thinking(tmp_path / "b.jsonl", **limits).run(folder)
    server.stop_after = 11
    with pytest.raises(KeyboardInterrupt):
        resume(folder, trust=True)
    server.stop_after = 10**9
    resume(folder, trust=True)
    assert table_digests(folder) == table_digests(straight)
    assert {hash_ for _, hash_ in server.paid} == {hash_ for _, hash_ in alone}
    assert max(server.paid.values()) == 1
    assert load_run(folder).manifest["mind"] == load_run(straight).manifest["mind"]
    assert (tmp_path / "a.jsonl").read_bytes() == (tmp_path / "b.jsonl").read_bytes()
    timed = [pd.read_parquet(one / "timings" / "model_calls.parquet") for one in (straight, folder)]
    assert len(timed[0]) == len(timed[1])


def test_a_replay_resumes_without_a_server(server: Server, tmp_path: Path) -> None:
    cassette = tmp_path / "a.jsonl"
    recorded = thinking(cassette).run(tmp_path / "recorded")
    server.stop_after = 0

    def stop(done: int, *_: object) -> None:
        if done == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        thinking(cassette, "replay").run(tmp_path / "run", progress=stop)
    same = {"mind": "replay", "llm.cassette": str(cassette)}
    resume(tmp_path / "run", settings=same)
    assert table_digests(tmp_path / "run") == table_digests(recorded)


def test_a_mind_assigned_by_hand_is_refused(server: Server, tmp_path: Path) -> None:
    society = Polarization(agents=8, days=3, rng=1, checkpoint={"every": 1})
    society.mind = LlmMind(server.client("mine"), seed=1)

    def stop(done: int, *_: object) -> None:
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        society.run(tmp_path / "run", progress=stop)
    with pytest.raises(RunFolderError, match=r"used the mind mine, but .* now give rules"):
        resume(tmp_path / "run")


def test_a_resumed_mind_continues_its_counts(server: Server) -> None:
    mind = LlmMind(server.client("m"), seed=1)
    mind.restore({"outcomes": {"ok": 3, "budget": 2}, "spent": {"tokens_in": 7}, "fallbacks": 2})
    assert mind.state()["outcomes"] == {"ok": 3, "budget": 2}
    result = mind.facts()
    assert (result["calls"], result["unsent"], result["tokens_in"], result["fallbacks"]) == (
        3,
        2,
        7,
        2,
    )


@pytest.mark.parametrize(("minutes", "written"), [(10.0, True), (0.0, False)])
def test_a_checkpoint_is_written_after_a_number_of_calls(
    server: Server,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    minutes: float,
    written: bool,  # noqa: FBT001 - a parameter of the test
) -> None:
    monkeypatch.setattr(checkpointing, "MOST_CALLS", 20)
    society = thinking(tmp_path / "a.jsonl")
    changed = {"checkpoint": {"every": 0, "minutes": minutes}}
    society = Polarization(society.settings.with_changes(changed), rng=1)
    server.stop_after = 100
    with pytest.raises(KeyboardInterrupt):
        society.run(tmp_path / "run")
    calls = load_run(tmp_path / "run").model_calls["tick"].value_counts().sort_index()
    checkpoints = checkpoints_of(tmp_path / "run")
    assert bool(checkpoints) == written
    if written:
        assert calls[calls.index < checkpoints[-1].step].sum() >= 20
