"""Saving to a folder and loading: the same bits, for all agents or for some."""

# ruff: noqa: RUF001  texts of many languages

import os
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from memopolis import Filter, Memory, Profile
from memopolis.errors import ParameterError, RunFolderError, TrustError, UnknownNameError
from memopolis.memory import Consolidation, Night, Schema
from memopolis.sim.checksums import read_sealed, record_of_file, write_sealed
from memopolis.sim.memory.layer_settings import LayerSettings
from memopolis.sim.memory.saving.folder import FILES, FORMAT, SavedTable


def lived(agents: int = 3, limit: int = 50) -> Memory:
    """A memory with eviction, forgetting, links, side columns and a status."""
    memory = Memory(agents=agents, limit=limit, seed=4)
    memory.ticks_per_day, memory.day_offset = 4.0, 1.0
    for row, one in enumerate(memory):
        one.status.update({"name": f"Agent {row}", "mood": 0.5 + row, "friends": {"Bob"}})
        one.status["plan"] = {"next": ["home", None]}
    for tick in range(60 + agents):
        memory.now = tick
        rows = np.arange(agents)[tick % agents :]
        memory.of(rows).stream.add(
            ("social", "storm")[tick % 2], f"said {tick % 17}: {{actor}}", actor=tick % 3,
            importance=tick / 100, valence=-0.3, tags=("urgent", "mine"), emotion="Fear",
        )  # fmt: skip
    memory.stream.search("said", k=4)
    memory[0].stream.link([19, 20], "a thought")
    memory[0].stream.forget([25])
    memory.streams.memory_column("updated", np.int32, fill=-1)[3] = 8
    memory.streams.memory_column("related", np.uint16, width=5)[4] = (1, 2, 3, 4, 5)
    memory.streams.agent_column("done", np.int32)[:] = 7
    memory.stream.add("later", "飓风 🌀 \u202bשלום")
    return memory


def same(one: Memory, other: Memory) -> None:
    """Every column, text, side column and search result is the same."""
    rows, ids = one.streams.listed()[:2]
    others, other_ids = other.streams.listed()[:2]
    np.testing.assert_array_equal(rows, others)
    np.testing.assert_array_equal(ids, other_ids)
    slots, elsewhere = one.streams.find(rows, ids), other.streams.find(rows, ids)
    for name, values in one.streams.all_at(slots).items():
        np.testing.assert_array_equal(values, other.streams.all_at(elsewhere)[name], err_msg=name)
    for name, values in one.streams.sides.memories.items():
        np.testing.assert_array_equal(
            values[slots], other.streams.sides.memories[name][elsewhere], err_msg=name
        )
    for row, _ in enumerate(one):
        assert one[row].observed.stream.search("said 3", k=9, explain=True) == (
            other[row].observed.stream.search("said 3", k=9, explain=True)
        )
        for key in ("name", "mood", "friends", "plan"):
            assert one[row].status[key] == other[row].status[key]


def test_a_loaded_memory_equals_the_saved_one(tmp_path: Path) -> None:
    memory = lived()
    other = Memory.load(memory.save(tmp_path / "memory"))
    same(memory, other)
    assert other.streams.sides.agents["done"].tolist() == [7, 7, 7]


def test_a_loaded_memory_continues_like_the_saved_one(tmp_path: Path) -> None:
    memory = lived()
    other = Memory.load(memory.save(tmp_path / "memory"))
    for one in (memory, other):
        one.now = 90
        one.stream.add("social", "a new text")
        one.recall = "random"
        one.stream.search("said", k=3)
        one.recall = "scored"
        one.stream.add("social", ["another", "new", "text"])
    same(memory, other)
    assert memory.texts.numbers.tolist() == other.texts.numbers.tolist()


def test_some_agents_are_saved_without_the_others(tmp_path: Path) -> None:
    memory = lived()
    memory.unique_ids = np.array([10, 20, 30])
    other = Memory.load(memory.save(tmp_path / "some", rows=[2, 0]))
    assert [one.unique_id for one in other] == [30, 10]
    assert other[0].status["name"] == "Agent 2"
    assert [str(m) for m in other[1].stream.today()] == [
        str(m) for m in memory[0].observed.stream.today()
    ]


def test_policies_are_kept(tmp_path: Path) -> None:
    memory = lived()
    memory.profiles["mine"] = Profile(dense=1.0, where=Filter(topic="storm"), k=3)
    memory.consolidation = Consolidation(run=30.0, half_lives=(("storm", 7.0),))
    memory.layer_settings = LayerSettings(short_term_size=5)
    other = Memory.load(memory.save(tmp_path / "memory"))
    assert other.profiles == memory.profiles
    assert other.consolidation == memory.consolidation
    assert other.layer_settings == memory.layer_settings


def test_an_empty_memory_is_saved_and_loaded(tmp_path: Path) -> None:
    other = Memory.load(Memory(agents=2).save(tmp_path / "empty"))
    assert len(other) == 2
    assert other[0].stream.add("social", "the first") == 0


def test_an_invalid_folder_is_reported_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(RunFolderError, match=r"contains no memory: no memory\.json"):
        Memory.load(tmp_path)
    folder = lived().save(tmp_path / "memory")
    with pytest.raises(RunFolderError, match="not empty"):
        Memory(agents=1).save(folder)
    (folder / "texts.parquet").write_bytes(b"no parquet")
    with pytest.raises(RunFolderError, match="broken"):
        Memory.load(folder)
    text = (folder / "memory.json").read_text(encoding="utf-8")
    (folder / "memory.json").write_text(text.replace(f'"format": {FORMAT}', '"format": 99'))
    with pytest.raises(RunFolderError, match="format 99"):
        Memory.load(folder)


def test_side_columns_without_a_memory_keep_their_width(tmp_path: Path) -> None:
    memory = Memory(agents=2)
    memory.of([0, 1]).sleep(Night(relate=True, cluster=True))
    other = Memory.load(memory.save(tmp_path / "empty"))
    other.stream.add("social", "we met")
    assert other.stream.related([[0], [0]]).shape == (2, 1, 5)
    assert other.streams.memory_column("related", np.uint16, width=5).shape[1] == 5


NAMED = (
    "minilm",
    "fastembed:BAAI/bge-small-en-v1.5",
    "openai:m@http://127.0.0.1:9/v1",
    "no embedder\n" * 100,
)


@pytest.mark.parametrize("named", NAMED)
def test_an_embedder_that_only_the_folder_names_is_refused_in_one_line(
    tmp_path: Path, named: str
) -> None:
    folder = naming(tmp_path, named)
    with pytest.raises(TrustError, match=r"names an embedder: .*embedder=") as refused:
        Memory.load(folder)
    assert "\n" not in str(refused.value)
    assert len(str(refused.value)) < 400
    assert Memory.load(folder, embedder="static")[0].stream.search("a query", profile="dense")


def test_a_loaded_memory_checks_the_embedder_that_is_given(tmp_path: Path) -> None:
    folder = Memory(1).save(tmp_path / "memory")
    with pytest.raises(UnknownNameError, match="no embedder 'opnai:m'"):
        Memory.load(folder, embedder="opnai:m")


def naming(tmp_path: Path, embedder: str) -> Path:
    """Save a memory that names an embedder, as a stranger could."""
    memory = Memory(1)
    memory[0].stream.add("note", "a private note")
    memory.embedder = embedder
    return memory.save(tmp_path / "memory")


@pytest.mark.parametrize("file", FILES)
def test_each_damaged_byte_is_refused_in_one_line(tmp_path: Path, file: str) -> None:
    memory = lived()
    folder = memory.save(tmp_path / "memory")
    whole = (folder / file).read_bytes()
    for place in [*range(0, len(whole), len(whole) // 25 + 1), len(whole) - 1]:
        flipped = bytes([whole[place] ^ 1 << place % 8])
        (folder / file).write_bytes(whole[:place] + flipped + whole[place + 1 :])
        with pytest.raises(RunFolderError, match="is broken") as refused:
            Memory.load(folder)
        assert "\n" not in str(refused.value)
    (folder / file).write_bytes(whole[:-1])
    with pytest.raises(RunFolderError, match="is broken"):
        Memory.load(folder)
    (folder / file).write_bytes(whole)
    same(memory, Memory.load(folder))


def test_a_missing_table_is_refused(tmp_path: Path) -> None:
    folder = lived().save(tmp_path / "memory")
    (folder / "texts.parquet").unlink()
    with pytest.raises(RunFolderError, match=r"no texts\.parquet"):
        Memory.load(folder)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"now": 2**40}, "now should be less than or equal to"),
        ({"topics": ["a", "a"]}, "topics: a text is listed twice"),
        ({"ticks_per_day": 0.0}, "ticks_per_day should be greater"),
        ({"recall": "all"}, "recall should be 'scored'"),
        ({"labels": ["", ""]}, "labels: a text is listed twice"),
        ({"tags": ["mine"]}, "the built-in tags are needed first"),
        ({"schema": []}, "status/friends, contains string; numbers are needed"),
        ({"profiles": {"act": {"recency": 1.0}}}, "profiles lacks an entry"),
        ({"layer_settings": {"max_clusters": 999}}, "max_clusters is 999"),
        ({"files": {}}, "lists other files"),
        ({"unknown": 1}, "unknown"),
    ],
)
def test_plain_values_that_no_memory_has_are_refused(
    tmp_path: Path, change: dict[str, object], problem: str
) -> None:
    path = lived().save(tmp_path / "memory") / "memory.json"
    content = read_sealed(path, version=FORMAT, key="memory")
    write_sealed(path, content | change, version=FORMAT, key="memory")
    with pytest.raises(RunFolderError, match=problem):
        Memory.load(path.parent)


def test_compressed_tables_are_refused(tmp_path: Path) -> None:
    folder = lived().save(tmp_path / "memory")
    table, path = pq.read_table(folder / "texts.parquet"), folder / "memory.json"
    pq.write_table(table, folder / "texts.parquet", compression="zstd")
    content = read_sealed(path, version=FORMAT, key="memory")
    content["files"]["texts.parquet"] = record_of_file(folder / "texts.parquet")
    write_sealed(path, content, version=FORMAT, key="memory")
    with pytest.raises(RunFolderError, match=r"texts\.parquet is compressed"):
        Memory.load(folder)


@pytest.mark.parametrize(
    ("names", "problem"),
    [
        (["other"], "lacks the column text"),
        (["text", "other"], "has the unknown or repeated column other"),
        (["text", "text"], "has the unknown or repeated column text"),
    ],
)
def test_tables_with_other_columns_are_refused(names: list[str], problem: str) -> None:
    texts = pa.array(["Hello."])
    table = SavedTable("texts.parquet", pa.Table.from_arrays([texts] * len(names), names=names))
    with pytest.raises(RunFolderError, match=rf"^texts\.parquet {problem}$"):
        table.check_columns({"text"})


def test_names_of_actors_and_places_are_kept(tmp_path: Path) -> None:
    memory = Memory(2)
    memory.name_of = {0: "Ann", 1: "Bob"}.get  # type: ignore[assignment]
    memory.place_name = {7: "the market"}.get  # type: ignore[assignment]
    memory.stream.add("social", "Met {actor} at {place}", actor=[1, 0], place=7)
    other = Memory.load(memory.save(tmp_path / "memory"))
    assert str(other[0].stream.read([0])[0].text) == "Met Bob at the market"
    assert other[1].stream.read([0])[0].text == "Met Ann at the market"
    other.stream.add("social", "Saw {actor}", actor=5)
    assert other[0].stream.read([1])[0].text == "Saw agent 5"
    again = Memory.load(other.save(tmp_path / "again"))
    assert again[0].stream.read([0])[0].text == "Met Bob at the market"


def test_texts_of_some_agents_are_numbered_without_gaps(tmp_path: Path) -> None:
    memory = lived()
    other = Memory.load(memory.save(tmp_path / "some", rows=[1]))
    assert other.texts.numbers.tolist() == list(range(len(other.texts)))
    ids = memory[1].stream.list_ids()
    assert [one.text for one in other[0].stream.read(ids)] == [
        one.text for one in memory[1].observed.stream.read(ids)
    ]


def test_all_files_are_synced_before_the_memory_is_complete(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[str] = []

    def sync(descriptor: int) -> None:
        synced.append(Path(f"/proc/self/fd/{descriptor}").resolve().name)

    monkeypatch.setattr(os, "fsync", sync)
    lived().save(tmp_path / "memory")
    assert synced == [*FILES[1:], FILES[0], "memory"]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("recall", "x"),
        ("ticks_per_day", 1e-9),
        ("names", {"Ann": 2**40}),
        ("names", {"\ud800": 0}),
        ("day_offset", "x"),
    ],
)
def test_what_could_not_be_loaded_is_not_saved(tmp_path: Path, name: str, value: object) -> None:
    memory = Memory(1)
    setattr(memory, name, value)
    with pytest.raises(RunFolderError):
        memory.save(tmp_path / "memory")


@pytest.mark.parametrize("folder", [3, None, "a\0b", b"a"])
def test_a_folder_must_be_a_path(folder: Any) -> None:
    for call in (Memory(1).save, Memory.load):
        with pytest.raises(ParameterError, match="folder is"):
            call(folder)


@pytest.mark.parametrize("dtype", ["float", "double", "f8", "f4", "f2", np.dtype("f4"), "d"])
def test_a_type_of_any_name_is_saved(tmp_path: Path, dtype: Any) -> None:
    schema = Schema()
    schema.declare("cash", 1.5, dtype)
    memory = Memory(1, schema=schema)
    assert Memory.load(memory.save(tmp_path / "memory"))[0].status["cash"] == 1.5
