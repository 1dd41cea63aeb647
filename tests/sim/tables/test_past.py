"""Earlier memories from tables: in order of time, before the start, and nothing by halves."""

import json
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from memopolis.sim.errors import DataFileError
from memopolis.sim.memory.memory import Memory
from memopolis.sim.memory.retrieval.filter import Filter
from memopolis.sim.memory.retrieval.profiles import Profile
from memopolis.sim.memory.status.schema import Schema
from memopolis.sim.tables.past import read_memories


def memory(agents: int = 3, ticks_per_day: float = 24.0, **facts: Any) -> Memory:
    schema = Schema()
    schema.declare("name", "")
    made = Memory(agents, schema=schema, **facts)
    made.status["name"] = np.array(["Ann", "Bob", "Bob"][:agents], object)
    made.ticks_per_day = ticks_per_day
    return made


def rows(*several: dict[str, Any]) -> pd.DataFrame:
    return pd.DataFrame(
        [{"agent": 0, "topic": "past", "text": "A storm."} | one for one in several]
    )


def test_every_column_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "past.csv"
    path.write_text(
        "agent,topic,text,day,time,importance,valence,confidence,emotion,place,actor,kind,tags\n"
        '1,storm,"We left {place}, {actor} and I.",-10,18:30,0.8,-0.4,0.6,Fear,North,Ann,thought,'
        "urgent work\n"
        "0,work,Lost the job.,,,,,,,,,,\n",
        encoding="utf-8",
    )
    kept = memory()
    kept.name_of = {0: "Ann"}.__getitem__
    assert read_memories(kept, path, places={"North": 0, "n": 0, "South": 1}) == 2
    (one,) = kept[1].stream.read([0])
    assert one.text == "We left place 0, Ann and I."
    assert (one.topic, one.day, one.second, one.time) == ("storm", -10, 18 * 3600, -222)
    # Half of a bad feeling is left after 365 days.
    valence = -51 / 127 * 2 ** (-222 / 24 / 365)
    assert (one.importance, one.valence) == pytest.approx((0.8, valence), abs=1e-4)
    assert one.confidence == pytest.approx(0.6, abs=0.005)
    assert (one.emotion, one.place, one.actor, one.kind) == ("Fear", 0, 0, "thought")
    assert kept.tags.names(int(kept[1].stream.column("tags", 0))) == ("urgent", "work")
    (two,) = kept[0].stream.read([0])
    assert (two.day, two.second, two.importance, two.valence) == (-1, 12 * 3600, 0.5, 0)
    assert (two.confidence, two.emotion, two.place, two.actor, two.kind) == (1, "", -1, -1, "event")


def test_memories_are_stored_by_time() -> None:
    kept = memory()
    several = [{"day": day, "text": f"{day}"} for day in (-3, -20, -1, -7)]
    read_memories(kept, rows(*several, {"agent": 1, "day": -5}))
    assert [m.text for m in kept[0].stream.read(range(4))] == ["-20", "-7", "-3", "-1"]
    assert len(kept[1].stream) == 1
    assert len(kept[2].stream) == 0
    assert kept[0].stream.add("now", "Later") == 4
    assert kept.now == 0


def test_only_the_latest_memories_are_kept() -> None:
    kept = memory(limit=32)
    read_memories(kept, rows(*({"day": -d, "text": f"{d}"} for d in range(1, 101))))
    assert len(kept[0].stream) == 32
    assert [m.text for m in kept[0].stream.read(range(100))] == [f"{d}" for d in range(32, 0, -1)]


@pytest.mark.parametrize(
    ("ticks_per_day", "offset", "day", "time", "tick"),
    [
        (24.0, 0.0, -1, "12:00", -12),
        (24.0, 0.0, -1, "23:59", -1),
        (24.0, 0.0, -1, "00:00", -24),
        (24.0, 6.0, 0, "05:59", -1),
        (24.0, 6.0, -1, "06:00", -24),
        (1.0, 0.0, -2, "00:00", -2),
        (1 / 7, 0.0, -1, "12:00", -1),
        (1 / 7, 0.0, -8, "12:00", -2),
        (144.0, 0.0, -1, "00:10", -143),
    ],
)
def test_days_and_times_become_ticks_before_the_start(
    ticks_per_day: float, offset: float, day: int, time: str, tick: int
) -> None:
    kept = memory(ticks_per_day=ticks_per_day)
    kept.day_offset = offset
    read_memories(kept, rows({"day": day, "time": time}))
    (one,) = kept[0].stream.read([0])
    assert one.time == tick
    if ticks_per_day >= 1:
        assert one.day == day


def test_all_formats_give_the_same_result(tmp_path: Path) -> None:
    table = [
        {"agent": 0, "topic": "a", "text": "x", "day": -2, "tags": ["urgent"], "actor": 1},
        {"agent": 1, "topic": "b", "text": "y", "day": None, "tags": None, "actor": None},
    ]
    (tmp_path / "a.json").write_text(json.dumps(table), encoding="utf-8")
    (tmp_path / "b.csv").write_text(
        "agent,topic,text,day,tags,actor\n0,a,x,-2,urgent,1\n1,b,y,,,\n", encoding="utf-8"
    )
    pd.DataFrame(table).to_parquet(tmp_path / "c.parquet")
    reports = []
    for source in (tmp_path / "a.json", tmp_path / "b.csv", tmp_path / "c.parquet", table):
        kept = memory()
        read_memories(kept, source if isinstance(source, Path) else pd.DataFrame(source))
        reports.append([[*kept[row].stream.read([0])] for row in (0, 1)])
    assert reports[0] == reports[1] == reports[2] == reports[3]
    assert reports[0][0][0].actor == 1


def test_old_memories_are_found_with_their_age() -> None:
    kept = memory()
    read_memories(kept, rows({"day": -700, "text": "A storm came."}, {"day": -2, "text": "Rain."}))
    results = kept[0].stream.search("storm", k=2, profile="recall")
    assert [m.text for m in results] == ["A storm came.", "Rain."]
    within = kept[0].stream.search("storm", k=5, where=Filter(days=(-3, -1)))
    assert [m.text for m in within] == ["Rain."]
    assert [m.text for m in kept[0].stream.search("storm", where=Filter(days=(-700, -700)))] == [
        "A storm came."
    ]
    assert kept[0].stream.today() == []


def test_recency_falls_over_years() -> None:
    kept = memory()
    days = (-1, -30, -300, -3000)
    read_memories(kept, rows(*({"day": day, "time": "00:00"} for day in days)))
    results = kept[0].stream.search("storm", k=4, profile=Profile(recency=1.0, half_life=720.0))
    # 2 ** (-days / 30).
    assert [m.day for m in results] == [*days]
    assert [m.score for m in results] == pytest.approx([2 ** (-1 / 30), 0.5, 2**-10, 2**-32])
    again = Memory(3)
    again.restore(kept.state())
    assert again.streams.earliest == kept.streams.earliest == -72_000


def test_imported_memories_notify_no_listener() -> None:
    kept = memory()
    heard: list[Any] = []
    kept.stored.append(heard.append)
    read_memories(kept, rows({}))
    assert heard == []
    kept[0].stream.add("now", "Later")
    kept.flush()
    assert len(heard) == 1


def test_names_identify_agent_and_actor() -> None:
    kept = memory()
    table = pd.DataFrame({"name": ["Ann"], "topic": ["a"], "text": ["x"], "actor": ["Ann"]})
    read_memories(kept, table)
    assert kept[0].stream.read([0])[0].actor == 0
    with pytest.raises(DataFileError, match="row 1, column actor: 2 agents are called 'Bob'"):
        read_memories(kept, table.assign(actor="Bob"))
    with pytest.raises(DataFileError, match="column name: no agent has a name"):
        read_memories(Memory(2), table)


def test_agents_of_several_populations_remember() -> None:
    first, second = memory(2), Memory(2)
    first.unique_ids, second.unique_ids = np.array([1, 3]), np.array([2, 4])
    read_memories(
        (first, second), rows({"agent": 4, "actor": 1}, {"agent": 1, "actor": 4}, {"agent": 4})
    )
    assert [len(one.stream) for one in (*first, *second)] == [1, 0, 0, 2]
    assert second[1].stream.read([0])[0].actor == 1


class Reader:
    """An extractor by hand."""

    def read(self, memory: Memory, topics: Any, ticks: Any, texts: Any) -> Any:
        assert [memory.topics[topic] for topic in topics] == ["past"] * len(topics)
        assert (ticks < 0).all()
        return np.full(len(texts), 2, np.uint16), np.full(len(texts), -64, np.int8)

    def read_one(self, memory: Memory, topic: int, tick: int, text: int) -> tuple[int, int]:
        raise AssertionError((memory, topic, tick, text))


def test_missing_values_are_extracted_from_the_text() -> None:
    kept = memory()
    kept.extractor = Reader()
    read_memories(kept, rows({"valence": 0.0, "tags": "urgent"}, {"valence": None, "tags": None}))
    # The feeling has faded for half a day.
    valence = -64 / 127 * 2 ** (-0.5 / 365)
    assert kept[0].stream.column("valence", [0, 1]) == pytest.approx([0, valence])
    assert kept[0].stream.column("tags", [0, 1]).tolist() == [32, 2]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"agent": 7}, "row 2, column agent: 7, expected the id of an agent; ids run from 0 to 2"),
        ({"topic": ""}, "row 2, column topic: empty, expected a text"),
        ({"text": None}, "row 2, column text: empty, expected a text"),
        ({"day": "soon"}, "row 2, column day: 'soon', expected a whole number"),
        ({"day": 3}, "row 2, column day: '3.*', expected a whole number, .* at most 0"),
        ({"day": 0}, "row 2, column day: day 0 at 12:00 is not before the start"),
        ({"time": "25:00"}, "row 2, column time: '25:00', expected a time such as 18:30"),
        ({"time": "noon"}, "row 2, column time: 'noon', expected a time"),
        ({"importance": 2}, "row 2, column importance: '2.*', expected a number, at least 0"),
        ({"importance": "nan"}, "row 2, column importance: 'nan', expected a number"),
        ({"valence": -2}, "row 2, column valence: '-2.*', expected a number, at least -1"),
        ({"confidence": "x"}, "row 2, column confidence: 'x', expected a number"),
        ({"emotion": "Angst"}, "row 2, column emotion: 'Angst', expected one of Joy"),
        ({"kind": "dream"}, "row 2, column kind: 'dream', expected one of event, thought"),
        ({"place": "Nroth"}, "row 2, column place: 'Nroth'; did you mean North.* 0 to 1"),
        ({"place": 2}, "row 2, column place: '2.*'; expected the name or number of a zone, 0 to 1"),
        ({"actor": "Eve"}, "row 2, column actor: 'Eve', expected the name of an agent"),
        ({"actor": 12}, "row 2, column actor: '12.*', expected the id of an agent"),
        (
            {"tags": "a b c d e f"},
            "row 2, column tags: 'c' would be tag 17",
        ),
        ({"ticks": 3}, "unknown column 'ticks'; did you mean .*allowed are agent, name, topic"),
    ],
)
def test_an_invalid_cell_is_named_and_nothing_stored(change: dict[str, Any], message: str) -> None:
    kept = memory()
    before = [*kept.tags.all]
    table = rows({"tags": "new"}, change)
    with pytest.raises(DataFileError, match=f"the table(, |: ){message}"):
        read_memories(kept, table, places={"North": 0, "South": 1})
    assert kept.stream.counts.tolist() == [0, 0, 0]
    assert (kept.tags.all, kept.topics, len(kept.texts)) == (before, [], 0)


def test_a_table_must_name_agent_topic_and_text() -> None:
    with pytest.raises(DataFileError, match=r"column agent or name is missing"):
        read_memories(memory(), rows({}).drop(columns="agent"))
    with pytest.raises(DataFileError, match="column topic is missing"):
        read_memories(memory(), rows({}).drop(columns="topic"))
    with pytest.raises(DataFileError, match="no rows"):
        read_memories(memory(), rows({}).iloc[:0])


def test_too_many_topics_are_refused() -> None:
    kept = memory()
    with pytest.raises(DataFileError, match="column topic: 256 topics; at most 255 are allowed"):
        read_memories(kept, rows(*({"topic": f"t{n}"} for n in range(256))))
    assert kept.topics == []


def test_a_file_in_another_encoding_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "past.csv"
    path.write_bytes("agent,topic,text\n0,a,Zoë\n".encode("latin-1"))
    with pytest.raises(DataFileError, match=r"past\.csv: not readable as a CSV file"):
        read_memories(memory(), path)


def test_a_lone_surrogate_is_not_accepted(tmp_path: Path) -> None:
    path = tmp_path / "past.json"
    path.write_text('[{"agent": 0, "topic": "a", "text": "\\ud800"}]', encoding="utf-8")
    with pytest.raises(DataFileError, match=r"row 1, column text: .* half of a surrogate pair"):
        read_memories(memory(), path)


def test_dates_before_the_start_survive_a_round_trip() -> None:
    kept = memory()
    start = datetime(2019, 8, 28)
    kept.date_of = lambda tick: start + timedelta(hours=tick)
    read_memories(kept, rows({"day": -2, "text": "Sold the car."}, {"day": -9, "text": "A fine."}))
    results = kept[0].stream.search("what was on 2019-08-26?", k=2)
    assert results[0].text == "Sold the car."
