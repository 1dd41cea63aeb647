"""A small hurricane with a real model on this machine: the wire, not the wisdom."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from memopolis.analysis.run.run import load_run
from memopolis.analysis.run.tables import table_digests
from memopolis.scenarios.hurricane import Hurricane
from memopolis.sim.errors import ReplayError
from memopolis.sim.mind.allow import no_models
from memopolis.sim.mind.audit import Audit
from memopolis.sim.mind.call import OUTCOMES

pytestmark = [pytest.mark.extras, pytest.mark.llm]

BLOCKS = ("think", "update_attitudes", "stay_or_go")
SETTINGS: dict[str, Any] = {
    "agents": 10,
    "days": 2.0,
    "llm.share": 0.3,
    "llm.blocks": BLOCKS,
    "llm.context_tokens": 100,
    "llm.max_tokens": 96,
}


@pytest.fixture(scope="module")
def recorded(local_model: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder with the run of a real model and the cassette of its answers."""
    folder = tmp_path_factory.mktemp("hurricane")
    server = {"llm.model": "SmolLM2-135M", "llm.base_url": local_model, "llm.timeout": 300.0}
    cassette = {"llm.cassette": str(folder / "cassette.jsonl")}
    Hurricane(mind="llm", rng=1, **SETTINGS | server | cassette).run(folder / "run")
    return folder


def replaying(folder: Path) -> Hurricane:
    return Hurricane(
        mind="replay", rng=1, **SETTINGS | {"llm.cassette": str(folder / "cassette.jsonl")}
    )


def test_every_answer_is_valid_or_accounted_for(recorded: Path) -> None:
    run = load_run(recorded / "run")
    assert run.manifest["status"] == "succeeded"
    calls = run.model_calls.astype({"block": str, "outcome": str})
    first = calls[calls["attempt"] == 0]
    assert first["agent"].nunique() == 3
    assert len(first) == 18  # three citizens, two days, attitudes to two things and a thought
    assert set(calls["outcome"]) <= {*OUTCOMES}
    assert (calls["tokens_in"] > 100).all()
    good = calls.assign(ok=calls["outcome"] == "ok")
    answered = good.groupby(["tick", "block", "agent", "ordinal"])["ok"].any()
    decisions = pd.read_parquet(recorded / "run" / "tables" / "decisions")
    minds = decisions[decisions["block"].isin(BLOCKS)]["mind"].astype(str).value_counts()
    assert minds.get("model", 0) == answered.sum()
    assert minds.get("fallback", 0) == (~answered).sum()
    assert minds["rule"] == len(first) / 3 * 7
    values = decisions[decisions["kind"] == "attitude"]["value"].to_numpy()
    assert np.isfinite(values).all()
    assert values.min() >= 0
    assert values.max() <= 10


def test_tables_equal_those_of_rules_plus_model_calls(recorded: Path, tmp_path: Path) -> None:
    Hurricane(rng=1, agents=10, days=2.0).run(tmp_path / "rule")
    ruled, modelled = (
        {path.name for path in (folder / "tables").iterdir()}
        for folder in (tmp_path / "rule", recorded / "run")
    )
    assert modelled == ruled | {"model_calls", "prompts"}
    timings = pd.read_parquet(recorded / "run" / "timings" / "model_calls.parquet")
    assert len(timings) == len(load_run(recorded / "run").model_calls)
    assert (timings["seconds"] > 0).all()


def test_the_cassette_replays_the_run_without_the_model(recorded: Path, tmp_path: Path) -> None:
    with no_models():
        replaying(recorded).run(tmp_path / "run")
    assert table_digests(tmp_path / "run") == table_digests(recorded / "run")
    parts = sorted((recorded / "run" / "tables").rglob("*.parquet"))
    again = sorted((tmp_path / "run" / "tables").rglob("*.parquet"))
    assert [part.read_bytes() for part in parts] == [part.read_bytes() for part in again]


def test_a_changed_memory_is_named_by_the_first_affected_question(
    recorded: Path, tmp_path: Path
) -> None:
    lines = (recorded / "cassette.jsonl").read_text(encoding="utf-8").strip().split("\n")
    asked = min((json.loads(line) for line in lines), key=lambda one: (one["tick"], one["agent"]))
    society = replaying(recorded)
    people = society.population("citizen")
    memory = people.memory.of([people.row_of(asked["agent"])])
    memory.stream.add("other", "Somebody gave me a canary", importance=1.0)
    with pytest.raises(ReplayError, match="another prompt; the first") as error:
        society.run(tmp_path / "run")
    assert f"agent {asked['agent']} in block {asked['block']}" in str(error.value)


def test_the_cassette_of_an_audit_replays_it_without_the_model(
    local_model: str, tmp_path: Path
) -> None:
    file = str(tmp_path / "audit.jsonl")
    changes = SETTINGS | {
        "agents": 6,
        "days": 2 / 24,
        "start": "2019-09-02T09:00",
        "decision.every": 1,
        "decision.memories": 2,
        "llm.share": 1.0,
        "llm.blocks": ("stay_or_go",),
        "llm.context_tokens": 0,
        "llm.max_tokens": 48,
        "llm.model": "SmolLM2-135M",
        "llm.base_url": local_model,
        "llm.timeout": 300.0,
        "llm.cassette": file,
        "archetype.least": 3,
    }
    answers = []
    for replay in (False, True):
        society = Hurricane(rng=1, **changes | {"llm.replay": replay})
        society.mind = audit = Audit(society, sample=0.5)
        for _ in range(society.ticks):
            society.step()
        audit.close()
        answers.append(pd.DataFrame(audit.answers))
    asked, again = answers
    pd.testing.assert_frame_equal(asked, again)
    assert set(asked["question"]) == {"stay_or_go"}
    assert asked["individual"].dropna().between(0, 10).all()
