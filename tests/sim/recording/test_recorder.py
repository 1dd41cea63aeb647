"""What is recorded changes nothing, and nothing recorded is lost."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

from memopolis.sim.block import Block
from memopolis.sim.errors import SettingsError
from memopolis.sim.measures import Measure
from memopolis.sim.memory.streams.encoding import EMOTIONS
from memopolis.sim.mind.mind import Answer, Decisions, Question
from memopolis.sim.population import Agent, Cohort, attribute
from memopolis.sim.recording import table as tables
from memopolis.sim.recording.recorder import Recorder
from memopolis.sim.recording.schema import sort_key
from memopolis.sim.recording.table import Table
from memopolis.sim.settings import Settings
from memopolis.sim.society import Society
from memopolis.sim.world.ledger import Ledger

ALL = ("memories", "agents", "decisions", "measures", "ledger")


class Villager(Agent):
    """A person of the tests."""

    level: float = attribute(0.0, record=True)
    job: str = attribute("none", record=True)
    secret: float = attribute(1.0)


class Live(Block):
    """Recall, decide, remember and pay."""

    def who(self, cohort: Cohort) -> Cohort:
        return self.chance.some(cohort, 0.7)

    def perceive(self, cohort: Cohort) -> Question:
        recalled = cohort.memory.stream.search("a day in the village", k=3)
        return Question("mood", cohort, "rating", rate, about="life", memories=recalled)

    def apply(self, cohort: Cohort, decisions: Decisions) -> None:
        cohort["level"] = cohort["level"] + decisions.value
        hours = f"Hour {self.clock.tick % 5} of a day."
        cohort.memory.stream.add(
            "life", hours, importance=self.chance.uniform(cohort), emotion="Fear", valence=-0.5
        )
        assert self.society.ledger is not None
        self.society.ledger.pay(cohort.rows, 0, 1, "tithe", short="part")


def rate(question: Question) -> Answer:
    assert question.memories is not None
    scores = question.memories.scores.sum(axis=1)
    n = len(question.cohort)
    return Answer(
        scores,
        emotion=np.full(n, EMOTIONS.index("Hope") + 1, np.uint8),
        reason=np.ones(n, np.uint8),
        reasons=("no", "yes"),
    )


class Village(Society[Settings]):
    """A village."""

    measures = (Measure("level", "level", group="job", population="villager"),)

    def build(self, settings: Settings) -> None:
        self.populate(Villager, settings.agents, blocks=[Live()])
        self.ledger = Ledger()
        self.ledger.open("villager", settings.agents, issuer=True)
        self.ledger.create(0, 100, "opening")


def run(folder: Path, **changes: Any) -> Village:
    village = Village(rng=3, **{"agents": 20, "days": 2, **changes})
    village.run(folder)
    return village


def state(village: Village) -> dict[str, Any]:
    people = village.populations[0]
    assert village.ledger is not None
    streams = people.memory.streams
    slots, starts = streams.live(np.arange(len(people)))
    return {
        **{f"status {n}": v.tolist() for n, v in people.memory.status.state()["arrays"].items()},
        **{f"memory {n}": v.tolist() for n, v in streams.all_at(slots).items()},
        "memories": starts.tolist(),
        "money": village.ledger.balance(range(20)).tolist(),
        "measured": village.measured,
    }


def table(folder: Path, name: str) -> pd.DataFrame:
    frame: pd.DataFrame = pd.read_parquet(folder / "tables" / name)
    return frame


def test_recording_changes_no_results(tmp_path: Path) -> None:
    everything = run(tmp_path / "all", record={"tables": ALL, "agents_every": 1})
    nothing = run(tmp_path / "none", record={"tables": ()})
    unrecorded = Village(rng=3, agents=20, days=2)
    unrecorded.run_for(48)
    assert state(everything) == state(nothing) == state(unrecorded)


@pytest.mark.parametrize("name", ALL)
def test_a_table_does_not_depend_on_other_recorded_tables(tmp_path: Path, name: str) -> None:
    run(tmp_path / "all")
    run(tmp_path / "one", record={"tables": (name,)})
    result = {path.name for path in (tmp_path / "one" / "tables").iterdir()}
    named = "agents_villager" if name == "agents" else name
    assert result - {"texts", "start_villager"} == {named}
    pd.testing.assert_frame_equal(table(tmp_path / "one", named), table(tmp_path / "all", named))


def test_an_unknown_table_is_refused() -> None:
    with pytest.raises(SettingsError, match="tables"):
        Village(record={"tables": ("memoirs",)})


def test_the_buffer_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run(tmp_path / "one")
    monkeypatch.setattr(tables, "BUFFER_ROWS", 25)
    waiting: list[int] = []
    village = Village(rng=3, agents=20, days=2)

    def look(*_: object) -> None:
        assert isinstance(village.recorder, Recorder)
        waiting.extend(t._rows for t in village.recorder._tables.values())

    village.run(tmp_path / "parts", progress=look)
    assert max(waiting) < 25
    parts = sorted((tmp_path / "parts" / "tables" / "memories").iterdir())
    assert len(parts) > 10
    assert [part.name for part in parts[:2]] == ["part-00000.parquet", "part-00001.parquet"]
    for name in ("memories", "decisions", "measures", "ledger", "texts"):
        pd.testing.assert_frame_equal(
            table(tmp_path / "parts", name), table(tmp_path / "one", name)
        )


def test_the_buffer_is_bounded_for_small_batches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "BUFFER_ROWS", 1_000)
    filled = Table(tmp_path, "measures")
    for tick in range(2_500):
        filled.append(1, {"tick": np.array([tick])})
        assert filled._rows < 1_000
    filled.flush()
    assert pq.read_table(tmp_path / "tables" / "measures").num_rows == 2_500


def test_every_table_has_a_key(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    run(folder, record={"agents_every": 6})
    for name in ("texts", "memories", "decisions", "measures", "ledger", "agents_villager"):
        frame = table(folder, name)
        assert len(frame), name
        assert not frame.duplicated(list(sort_key(name))).any(), name


def test_memories_are_recorded_as_written(tmp_path: Path) -> None:
    village = run(tmp_path / "run")
    people = village.populations[0]
    frame = table(tmp_path / "run", "memories").set_index(["agent", "id"])
    texts = table(tmp_path / "run", "texts").set_index("hash")["text"]
    assert len(frame) == sum(len(one.memory.stream) for one in people.agents)
    for agent in people.agents[:5]:
        for item in agent.memory.observed.stream.read(range(5)):
            written = frame.loc[agent.unique_id].loc[item.id]
            assert texts[written["text"]] == item.template
            assert written["tick"] == item.time
            assert written["topic"] == item.topic
            assert written["kind"] == item.kind
            assert written["importance"] == pytest.approx(item.importance, abs=0.01)
            assert written["valence"] == pytest.approx(item.valence, abs=0.01)
            assert written["emotion"] == item.emotion == "Fear"


def test_decisions_are_recorded_with_their_evidence(tmp_path: Path) -> None:
    run(tmp_path / "run")
    frame = table(tmp_path / "run", "decisions")
    memories = set(
        table(tmp_path / "run", "memories")[["agent", "id"]].itertuples(index=False, name=None)
    )
    assert set(frame["block"]) == {"live"}
    assert set(frame["kind"]) == {"mood"}
    assert set(frame["item"]) == {"life"}
    assert set(frame["reason"]) == {"yes"}
    assert set(frame["mind"]) == {"rule"}
    assert set(frame["emotion"]) == {"Hope"}
    assert set(frame["text"]) == {0}  # none
    rests = [
        (agent, number)
        for agent, ids in zip(frame["agent"], frame["evidence"], strict=True)
        for number in ids
    ]
    assert rests
    assert set(rests) <= memories


@pytest.mark.parametrize("emotions", ["", list(EMOTIONS)], ids=["none", "every"])
def test_emotions_are_recorded_as_themselves(tmp_path: Path, emotions: str | list[str]) -> None:
    class Feels(Block):
        def step(self, cohort: Cohort) -> None:
            cohort.memory.stream.add("life", "An hour.", emotion=emotions)

    class Moody(Society[Settings]):
        def build(self, settings: Settings) -> None:  # noqa: ARG002
            self.populate(Villager, len(EMOTIONS), blocks=[Feels()])

    Moody(rng=1, days=1 / 24).run(tmp_path / "run")
    recorded = table(tmp_path / "run", "memories")["emotion"].fillna("").tolist()
    assert recorded == (emotions or [""] * len(EMOTIONS))


def test_status_is_recorded_as_declared(tmp_path: Path) -> None:
    village = run(tmp_path / "run", record={"agents_every": 12})
    frame = table(tmp_path / "run", "agents_villager")
    assert list(frame.columns) == ["tick", "agent", "level", "job"]
    assert sorted(set(frame["tick"])) == [11, 23, 35, 47]
    last = frame[frame["tick"] == 47]
    assert last["level"].tolist() == village.populations[0].cohort()["level"].tolist()
    assert set(frame["job"]) == {"none"}


def test_each_text_is_recorded_once(tmp_path: Path) -> None:
    run(tmp_path / "run")
    texts = table(tmp_path / "run", "texts")
    assert {f"Hour {n} of a day." for n in range(5)} <= set(texts["text"])
    assert texts["hash"].is_unique


def test_the_final_streams_are_recorded(tmp_path: Path) -> None:
    village = run(tmp_path / "run")
    held = pd.read_parquet(tmp_path / "run" / "memory" / "villager.parquet")
    people = village.populations[0]
    assert held.groupby("agent")["id"].max().tolist() == [
        len(one.memory.stream) - 1 for one in people.agents
    ]
    written = pd.read_parquet(tmp_path / "run" / "tables" / "memories").set_index(["agent", "id"])
    stored = written["tick"].reindex(pd.MultiIndex.from_frame(held[["agent", "id"]]))
    assert (held["accessed"].to_numpy() >= stored.to_numpy()).all()
    assert held["accesses"].sum() > 0


def test_tables_contain_no_wall_clock_time(tmp_path: Path) -> None:
    run(tmp_path / "one")
    run(tmp_path / "two")
    for path in sorted((tmp_path / "one" / "tables").rglob("*.parquet")):
        twin = tmp_path / "two" / path.relative_to(tmp_path / "one")
        assert path.read_bytes() == twin.read_bytes(), path
