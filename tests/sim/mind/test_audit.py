"""The audit of groups: other answers are noted, and the run stays the same."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from memopolis.analysis.run.tables import table_digests
from memopolis.scenarios.hurricane import Hurricane
from memopolis.sim.errors import ParameterError
from memopolis.sim.mind.audit import AGAIN, GROUPED, INDIVIDUAL, METHODS, RANDOM, Audit
from memopolis.sim.mind.building import build_mind
from memopolis.sim.mind.call import Call, ScriptedClient
from memopolis.sim.mind.cassette import Recording, Replaying

SETTINGS: dict[str, Any] = {
    "agents": 40,
    "days": 0.6,
    "start": "2019-09-01T00:00",
    "archetype": {"least": 4, "answers": 2},
    "llm": {"model": "scripted", "context_tokens": 100, "price_in": 2.0, "temperature": 0.5},
}


def scripted(call: Call) -> str:
    """Answer at random, by the agent, the block and the step."""
    several = call.schema["properties"].get("answers")
    answers = [_one(call, n) for n in range(several["minItems"] if several else 1)]
    return json.dumps({"answers": answers} if several else answers[0])


def _one(call: Call, n: int) -> dict[str, Any]:
    schema = call.schema["properties"]
    several = schema.get("answers")
    asked = several["items"]["properties"] if several else schema
    number = (sum(map(ord, call.block)) * 31 + call.agent * 7 + call.tick + n) % 100
    if number < 10:
        return {"nothing": "of use"}
    if "choice" in asked:
        options = asked["choice"]["enum"]
        return {"reason": "so", "choice": options[number % len(options)]}
    if "rating" in asked:
        return {"reason": "so", "rating": number / 10}
    if "steps" in asked:
        return {"reason": "so", "steps": []}
    return {"text": "I think so", "emotion": "Joy", "intensities": {}}


def society(**changes: Any) -> Hurricane:
    """Create a hurricane; its mind is set afterwards, with a scripted client."""
    return Hurricane(rng=1, **SETTINGS | changes)


@pytest.fixture(scope="module")
def audited(tmp_path_factory: pytest.TempPathFactory) -> tuple[Audit, Path]:
    folder = tmp_path_factory.mktemp("audited")
    made = society()
    made.mind = audit = Audit(made, sample=0.5, client=ScriptedClient(scripted))
    made.run(folder / "run")
    return audit, folder


def test_the_run_is_the_same_without_the_audit(audited: tuple[Audit, Path], tmp_path: Path) -> None:
    plain = society()
    plain.mind = build_mind(plain, "archetype", client=ScriptedClient(scripted))
    plain.run(tmp_path / "run")
    assert table_digests(tmp_path / "run") == table_digests(audited[1] / "run")
    facts = [
        json.loads((folder / "run" / "manifest.json").read_text())["mind"]
        for folder in (tmp_path, audited[1])
    ]
    assert facts[0] == facts[1]
    assert facts[0]["groups"] > 0


def test_every_way_of_asking_is_noted(audited: tuple[Audit, Path]) -> None:
    frame = pd.DataFrame(audited[0].answers)
    assert {"rating", "choice"} == set(frame["form"])
    assert frame["agent"].nunique() > 10
    for method in METHODS:
        known = frame[method].dropna()
        assert 0.5 < len(known) / len(frame) <= 1
        ratings = frame.loc[frame["form"] == "rating"]
        assert ratings[method].dropna().between(ratings["low"].min(), ratings["high"].max()).all()
    assert frame["rule"].notna().all()
    assert frame[INDIVIDUAL].isna().any()  # unusable answers are missing, not those of the rule
    assert (frame[INDIVIDUAL] != frame[AGAIN]).mean() > 0.2  # the second call is another call


def test_grouped_answers_are_those_of_the_run(audited: tuple[Audit, Path]) -> None:
    audit, folder = audited
    decisions = pd.read_parquet(folder / "run" / "tables" / "decisions")
    decisions = decisions[decisions["mind"].astype(str) == "model"].astype({"kind": str})
    frame = pd.DataFrame(audit.answers).dropna(subset=[GROUPED])
    rows = decisions.merge(
        frame[frame["question"] == "stay_or_go"],
        left_on=["tick", "agent", "kind"],
        right_on=["tick", "agent", "question"],
    )
    assert len(rows) == (frame["question"] == "stay_or_go").sum() > 0
    np.testing.assert_allclose(rows["value"], rows[GROUPED], atol=1e-5)


def test_random_groups_have_the_same_number_of_calls(audited: tuple[Audit, Path]) -> None:
    costs = {cost["method"]: cost for cost in audited[0].costs()}
    assert costs[INDIVIDUAL]["calls"] > costs[RANDOM]["calls"] > 0
    assert costs[INDIVIDUAL]["dollars"] == pytest.approx(
        costs[INDIVIDUAL]["tokens_in"] * 2 / 1_000_000
    )


def test_a_cassette_replays_the_audit(tmp_path: Path) -> None:
    file = tmp_path / "audit.cassette"
    answers = []
    for client in (Recording(ScriptedClient(scripted), file), None):
        made = society(days=0.3)
        made.mind = audit = Audit(made, sample=0.5, client=client or Replaying(file))
        for _ in range(made.ticks):
            made.step()
        audit.close()
        answers.append(pd.DataFrame(audit.answers))
    first, again = answers
    pd.testing.assert_frame_equal(first, again)
    assert len(first) > 0


@pytest.mark.parametrize("sample", [0, -1, 1.5, float("nan")])
def test_a_sample_out_of_range_is_refused(sample: float) -> None:
    with pytest.raises(ParameterError, match="above 0, at most 1"):
        Audit(society(), sample=sample)
