"""Rows of one agent from a copy of a part are those of the part."""

import gc
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from memopolis.analysis.run import agent_index
from memopolis.analysis.run.agent_index import AgentIndex
from memopolis.analysis.run.part_cache import PartCache
from memopolis.analysis.run.reader import TableReader
from memopolis.sim.errors import RunFolderError
from memopolis.sim.recording.table import Coded, Lists, Table
from memopolis.sim.run_folder.folder import parts_of

PEOPLE, TICKS = 30, 12
UNKNOWN = (0, PEOPLE + 1, 10**6)


@pytest.fixture(params=[1, 7, agent_index._BATCH])
def copies(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> AgentIndex:
    monkeypatch.setattr(agent_index, "_BATCH", request.param)
    return AgentIndex()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    chance = np.random.default_rng(1)
    table = Table(tmp_path, "memories")
    for tick in range(TICKS):
        agents = np.sort(chance.integers(1, PEOPLE + 1, 40)).astype(np.int32)
        rows = len(agents)
        columns = {
            "tick": np.full(rows, tick, np.int32),
            "population": Coded(0, ("citizen",)),
            "agent": agents,
            "id": np.arange(rows, dtype=np.int32),
            "topic": Coded(np.arange(rows) % (tick + 1), tuple(f"topic {n}" for n in range(TICKS))),
            "kind": Coded(0, ("event",)),
            "text": agents.astype(np.int64),
            "actor": agents,
            "place": agents.astype(np.int16),
            "valence": agents.astype(np.float32),
            "confidence": agents.astype(np.float32),
            "emotion": Coded(0, ("",)),
            "continues": agents > 2,
            "tags": Coded(agents % 2, ("", "work_hours, urgent")),
            "importance": np.where(agents % 2, agents, 0).astype(np.float32),
            "evidence": Lists(agents % 3, np.arange((agents % 3).sum(), dtype=np.int32)),
        }
        table.append(rows, columns)
        if tick % 5 == 4:
            table.flush()
    table.flush()
    return tmp_path


def parts_with(copies: AgentIndex, folder: Path) -> PartCache:
    parts = PartCache(folder)
    parts.agents = copies
    return parts


def test_rows_of_an_agent_equal_those_of_the_table(copies: AgentIndex, folder: Path) -> None:
    parts = parts_with(copies, folder)
    assert len(list(parts.index_by_agent(parts_of(folder, "memories")))) == 3
    for agent in (*range(1, PEOPLE + 1), *UNKNOWN):
        own = parts.read("memories", agent=agent)
        expected = TableReader(folder).read("memories", agent=agent)
        assert own.to_pydict() == expected.to_pydict()
        assert own.column_names == expected.column_names
    some = parts.read("memories", ["topic"], agent=5)
    assert (
        some.to_pydict()
        == TableReader(folder).read("memories", agent=5, columns=["topic"]).to_pydict()
    )
    # Of the texts of everybody only those are there that it names.
    topics = some["topic"].combine_chunks()
    assert sorted(topics.dictionary.to_pylist()) == sorted(set(topics.to_pylist()))


def test_a_part_is_copied_once_and_its_decoded_rows_are_released(folder: Path) -> None:
    parts = PartCache(folder)
    parts.read("memories", agent=3)
    assert len(parts._cache) == 3
    assert len(list(parts.index_by_agent(parts_of(folder, "memories")[:2]))) == 2
    assert len(parts._cache) == 1
    assert len(list(parts.index_by_agent(parts_of(folder, "memories")))) == 1
    assert not list(parts.index_by_agent(parts_of(folder, "memories")))
    parts.read("memories", agent=3)
    assert not parts._cache


def test_a_part_without_rows_needs_no_copy(folder: Path) -> None:
    parts, file = PartCache(folder), folder / "nobody.parquet"
    pq.write_table(TableReader(folder).read("memories").slice(0, 0), file)
    assert not list(parts.index_by_agent([file]))
    assert len(parts.read_file(file, 3)) == 0


def test_lives_are_read_without_copies_on_a_full_disk(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(**_: object) -> None:
        raise OSError(28, "No space left on device")

    parts = PartCache(folder)
    monkeypatch.setattr(agent_index, "TemporaryFile", full)
    with pytest.raises(OSError, match="No space"):
        list(parts.index_by_agent(parts_of(folder, "memories")))
    expected = TableReader(folder).read("memories", agent=3)
    assert parts.read("memories", agent=3).to_pydict() == expected.to_pydict()


def test_a_broken_part_is_reported_in_one_line(folder: Path) -> None:
    (folder / "tables" / "memories" / "part-00001.parquet").write_bytes(b"PAR1 no")
    laid_out = PartCache(folder).index_by_agent(parts_of(folder, "memories"))
    next(laid_out)
    with pytest.raises(RunFolderError, match=r"table 'memories' of .* is broken"):
        next(laid_out)


def test_the_file_is_removed_with_the_copies(folder: Path) -> None:
    copies = AgentIndex()
    copies.add(("a part", 0), TableReader(folder).read("memories"))
    file = copies._file
    assert not file.closed
    del copies
    gc.collect()
    assert file.closed
