"""A society with a model mind: its settings, its tables, and that no key reaches a file."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from memopolis.analysis.run.run import load_run
from memopolis.analysis.run.tables import table_digests
from memopolis.commands.options.reading import ShowOptions
from memopolis.commands.show import show
from memopolis.sim.errors import SettingsError, StateError, UnknownNameError
from memopolis.sim.mind.building import make_client
from memopolis.sim.mind.call import Call, Reply, ScriptedClient
from memopolis.sim.mind.llm import LlmMind
from memopolis.sim.running.building import load_state
from memopolis.sim.settings import LlmSettings
from memopolis.sim.society import Society
from memopolis.sim.state.saving import save_state

Make = Callable[..., Society[Any]]
KEY = "sk-this-must-not-be-seen"


def answer(call: Call) -> str | Reply:
    asked = call.schema["properties"]
    if call.agent % 5 == 0:
        return Reply(None, "timeout", tries=3, seconds=0.25)
    if call.agent % 5 == 1 and call.attempt == 0:
        return "Well \ud800"
    if "choice" in asked:
        return json.dumps({"reason": "", "choice": asked["choice"]["enum"][0]})
    if "emotion" in asked:
        return json.dumps({"text": "Hm", "emotion": "Joy", "intensities": {}})
    return json.dumps({"reason": f"for {call.agent}", "rating": 6})


def thinking(
    village: Make, *, client: ScriptedClient | None = None, **changes: Any
) -> Society[Any]:
    society = village(agents=10, **{"days": 1.0} | changes)
    society.live()  # type: ignore[attr-defined]
    llm = society.settings.llm
    society.mind = LlmMind(
        client or ScriptedClient(answer),
        seed=society.seed,
        budget=society.budget,
        log=society.log_calls,
        max_tokens=llm.max_tokens,
    )
    return society


def calls_of(folder: Path) -> pd.DataFrame:
    return load_run(folder).model_calls


def test_every_call_is_a_row(village: Make, tmp_path: Path) -> None:
    client = ScriptedClient(answer)
    society = thinking(village, client=client)
    society.run(tmp_path / "run")
    calls = calls_of(tmp_path / "run")
    assert len(calls) == len(client.calls) > 50
    assert set(calls["hash"]) == {call.hash for call in client.calls}
    assert set(calls["outcome"][calls["attempt"] == 0]) == {"ok", "invalid", "timeout"}
    late = calls[calls["outcome"] == "timeout"]
    assert late["answer"].isna().all()
    assert late["prompt"].str.startswith("[system]\n").all()
    broken = calls[calls["outcome"] == "invalid"]
    assert set(broken["answer"]) == {"Well ?"}


def test_durations_and_tries_are_stored_outside_the_tables(village: Make, tmp_path: Path) -> None:
    thinking(village).run(tmp_path / "run")
    timings = pd.read_parquet(tmp_path / "run" / "timings" / "model_calls.parquet")
    calls = calls_of(tmp_path / "run")
    assert len(timings) == len(calls)
    assert set(timings["tries"]) == {1, 3}
    assert "seconds" not in calls


def test_decisions_name_their_mind(village: Make, tmp_path: Path) -> None:
    thinking(village).run(tmp_path / "run")
    run = load_run(tmp_path / "run")
    decisions = run.decisions
    failed = decisions["agent"] % 5 == 0
    assert set(decisions["mind"][failed]) == {"fallback"}
    assert set(decisions["mind"][~failed]) == {"model"}
    judged = decisions[~failed & (decisions["kind"] == "attitude")]
    assert (judged["reason"] == "for " + judged["agent"].astype(str)).all()
    assert "plan" in set(decisions["kind"])  # the rule's own are left out, a model's are not


def test_the_same_answers_give_the_same_tables(village: Make, tmp_path: Path) -> None:
    for name in ("one", "two"):
        thinking(village).run(tmp_path / name)
    assert table_digests(tmp_path / "one") == table_digests(tmp_path / "two")


def test_a_run_with_rules_has_no_model_tables(village: Make, tmp_path: Path) -> None:
    society = village(agents=5, days=1)
    society.live()  # type: ignore[attr-defined]
    society.run(tmp_path / "run")
    assert not {"model_calls", "prompts"} & set(load_run(tmp_path / "run").tables)
    assert not (tmp_path / "run" / "timings" / "model_calls.parquet").exists()


def test_a_budget_continues_after_a_saved_state(village: Make, tmp_path: Path) -> None:
    society = village(agents=10, days=1, **{"llm.budget_calls": 7})
    society.budget.charge([0] * 5)
    save_state(society, tmp_path / "state")
    assert load_state(tmp_path / "state").budget.charge([0] * 5) == 2


def test_no_key_reaches_a_file(
    village: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    url = f"http://me:{KEY}@127.0.0.1:9/v1?key={KEY}"
    society = thinking(village, **dict[str, Any]({"llm.base_url": url}))
    society.run(tmp_path / "run")
    save_state(society, tmp_path / "state")
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(files) > 10
    assert not [path for path in files if KEY.encode() in path.read_bytes()]
    manifest = json.loads((tmp_path / "run" / "manifest.json").read_text())
    assert manifest["settings"]["llm"]["base_url"] == "http://127.0.0.1:9/v1"
    calls = calls_of(tmp_path / "run")  # of compressed tables too
    assert not calls["prompt"].str.contains(KEY).any()


def test_missing_settings_of_a_mind_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MEMOPOLIS_MODEL", raising=False)
    with pytest.raises(SettingsError, match="no model is selected"):
        make_client(LlmSettings(), replay=False)
    with pytest.raises(SettingsError, match="needs a recorded cassette"):
        make_client(LlmSettings(), replay=True)


def test_a_step_can_be_shown(
    village: Make, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    society = thinking(village)
    society.run(tmp_path / "run")
    run = load_run(tmp_path / "run")
    agents = run.model_calls
    one = agents[(agents["agent"] % 5 == 1) & (agents["block"] == "think")].iloc[0]
    agent, step = int(one["agent"]), int(one["tick"])
    show(ShowOptions(folder=tmp_path / "run", agent=agent, step=step))
    out = " ".join(capsys.readouterr().out.split())
    for part in (
        "Applied thought: Hm",
        "Asked by think: invalid (the answer is unreadable: it holds no whole JSON object)",
        "asked again: ok",
        "time_of_day",
    ):
        assert part in out


def test_a_step_that_was_not_made_is_refused(village: Make, tmp_path: Path) -> None:
    thinking(village).run(tmp_path / "run")
    with pytest.raises(UnknownNameError, match="0 to 23"):
        show(ShowOptions(folder=tmp_path / "run", agent=1, step=24))


@pytest.mark.extras
def test_a_society_uses_the_model_in_its_settings(village: Make) -> None:
    society = village(
        agents=5, mind="llm", **{"llm.model": "m", "llm.base_url": "http://127.0.0.1:9/v1"}
    )
    society.live()  # type: ignore[attr-defined]
    with pytest.raises(StateError, match="models are off"):
        society.run_for(24)
