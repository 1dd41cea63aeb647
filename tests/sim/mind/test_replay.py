"""A run that is recorded and replayed: the same tables without the model, or a clear error."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from memopolis.analysis.run.tables import table_digests
from memopolis.sim.errors import ReplayError
from memopolis.sim.mind.building import build_mind
from memopolis.sim.mind.call import Call, Reply, ScriptedClient
from memopolis.sim.mind.cassette import Recording
from memopolis.sim.society import Society

Make = Callable[..., Society[Any]]


def answer(call: Call) -> str | Reply:
    """Answers that differ by citizen and step, failures and nonsense among them."""
    asked, number = call.schema["properties"], call.agent + call.tick
    if number % 7 == 0:
        return Reply(None, "timeout", tries=3, seconds=0.2)
    if number % 7 == 1 and call.attempt == 0:
        return "I would rather not say in JSON"
    if "choice" in asked:
        options = asked["choice"]["enum"]
        return json.dumps({"reason": "so", "choice": options[number % len(options)]})
    if "emotion" in asked:
        return json.dumps({"text": f"It is {number} again", "emotion": "Joy", "intensities": {}})
    return json.dumps({"reason": f"for {number}", "rating": number % 11})


def made(village: Make, **changes: Any) -> Society[Any]:
    society = village(agents=10, days=1, **changes)
    society.live()  # type: ignore[attr-defined]
    return society


def record(
    village: Make, folder: Path, name: str = "recorded", *, share: float = 1.0
) -> dict[str, Any]:
    """Record a run, with its cassette beside it; gives what to replay it with."""
    society = made(village, **{"llm.share": share})
    cassette = folder / f"{name}.jsonl"
    client = Recording(ScriptedClient(answer, name="m"), cassette)
    society.mind = build_mind(society, "llm", client=client)
    society.run(folder / name)
    return {"mind": "replay", "llm.cassette": str(cassette), "llm.share": share}


def test_replayed_tables_are_those_of_the_recorded_run(village: Make, tmp_path: Path) -> None:
    replay = record(village, tmp_path, share=0.5)
    made(village, **replay).run(tmp_path / "replayed")
    assert table_digests(tmp_path / "replayed") == table_digests(tmp_path / "recorded")
    files = [
        path.relative_to(tmp_path / "recorded")
        for path in (tmp_path / "recorded" / "tables").rglob("*.parquet")
    ]
    assert len(files) > 5
    for path in files:
        assert (tmp_path / "replayed" / path).read_bytes() == (
            tmp_path / "recorded" / path
        ).read_bytes()
    calls = pd.read_parquet(tmp_path / "replayed" / "tables" / "model_calls")
    assert set(calls["outcome"]) >= {"ok", "invalid", "timeout"}


def test_recording_twice_gives_the_same_file(village: Make, tmp_path: Path) -> None:
    for name in ("one", "two"):
        record(village, tmp_path, name)
    written = (tmp_path / "one.jsonl").read_bytes()
    assert written == (tmp_path / "two.jsonl").read_bytes()
    keys = [
        tuple(json.loads(line)[name] for name in ("agent", "block", "tick", "ordinal", "attempt"))
        for line in written.strip().split(b"\n")
    ]
    assert keys == sorted(keys)


def test_a_changed_memory_is_reported_at_the_first_affected_question(
    village: Make, tmp_path: Path
) -> None:
    replay = record(village, tmp_path)
    society = made(village, **replay)
    people = society.population("citizen")
    people.memory.of([4]).stream.add("social", "Somebody gave me a canary", importance=1.0)
    with pytest.raises(ReplayError, match="contains an answer to another prompt") as error:
        society.run(tmp_path / "replayed")
    # Before, the agent has no choice and is not asked.
    calls = map(json.loads, (tmp_path / "recorded.jsonl").read_text().splitlines())
    asked = [call for call in calls if call["agent"] == people.ids[4]]
    first = min(call["tick"] for call in asked)
    assert first < max(call["tick"] for call in asked)
    where = f"agent {people.ids[4]} in block make_plan at tick {first} (question 0, attempt 0, seed"
    assert where in str(error.value)


def test_another_seed_or_more_agents_are_not_recorded(village: Make, tmp_path: Path) -> None:
    replay = record(village, tmp_path, share=0.5)
    with pytest.raises(ReplayError, match=r"contains only runs of seed 1; .* seed 2"):
        made(village, **replay, rng=2).run(tmp_path / "seed")
    with pytest.raises(ReplayError, match="lacks a question"):
        made(village, **replay | {"llm.share": 1.0}).run(tmp_path / "share")
