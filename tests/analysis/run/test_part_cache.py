from pathlib import Path

import numpy as np
import pytest

from memopolis.analysis.run import part_cache
from memopolis.analysis.run.part_cache import PartCache
from memopolis.analysis.run.reader import TableReader
from memopolis.sim.errors import RunFolderError
from memopolis.sim.recording.table import Coded, Table
from memopolis.sim.run_folder.folder import parts_of

PEOPLE, TICKS = 20, 12


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    table = Table(tmp_path, "agents_citizen")
    for tick in range(TICKS):
        rows = {
            "tick": np.full(PEOPLE, tick, np.int32),
            "agent": np.arange(PEOPLE, dtype=np.int32),
            "mood": Coded(np.arange(PEOPLE) % 3, ("calm", "tense", "glad")),
            "fear": np.full(PEOPLE, tick / 2, np.float32),
        }
        table.append(PEOPLE, rows)
        if tick % 5 == 4:
            table.flush()
    table.flush()
    return tmp_path


@pytest.mark.parametrize("size", [part_cache.CACHE_BYTES, 0])
def test_the_cache_size_does_not_change_the_rows(folder: Path, size: int) -> None:
    read = PartCache(folder, size=size)
    whole = TableReader(folder).read("agents_citizen")
    assert read.read("agents_citizen").to_pandas().equals(whole.to_pandas())
    for agent in (0, 13, 99):
        own = read.read("agents_citizen", ["mood"], agent=agent).to_pydict()
        expected = TableReader(folder).read("agents_citizen", agent=agent, columns=["mood"])
        assert own == expected.to_pydict()
    assert read.read("agents_citizen", parts=1)["tick"].to_pylist()[-1] == 4


@pytest.mark.parametrize(("before", "newest"), [(1, 0), (5, 4), (6, 5), (100, 11)])
def test_the_newest_step_before_a_step(folder: Path, before: int, newest: int) -> None:
    rows = PartCache(folder).newest("agents_citizen", before)
    assert set(rows["tick"].to_pylist()) == {newest}
    assert len(rows) == PEOPLE


def test_there_is_no_step_before_the_first(folder: Path) -> None:
    rows = PartCache(folder).newest("agents_citizen", 0)
    assert len(rows) == 0
    assert rows.column_names == ["tick", "agent", "mood", "fear"]


def test_the_cache_size_is_limited(folder: Path) -> None:
    read = PartCache(folder, size=9_000)
    for columns in ([], ["mood"], ["fear"], ["mood", "fear"]):
        read.read("agents_citizen", columns)
        read.newest("agents_citizen", 3)
    kept = read._cache.values()
    assert kept
    assert sum(one.nbytes for one in kept) <= 9_000


def test_only_the_longest_version_of_a_growing_run_is_cached(folder: Path) -> None:
    read = PartCache(folder)
    for count in (1, 2, 3):
        read.read("agents_citizen", parts=count)
    assert len([what for what in read._cache if what[0] == "agents_citizen"]) == 1


def test_a_rewritten_static_table_is_reread(folder: Path) -> None:
    read = PartCache(folder)
    for value in (1, 2):
        table = Table(folder, "zones")
        table.append(1, {"risk": np.array([value])})
        table.flush()
        assert read.read("zones")["risk"].to_pylist() == [value]


def test_a_range_reads_no_other_part(folder: Path) -> None:
    first, *_ = parts_of(folder, "agents_citizen")
    first.write_bytes(b"damaged")
    rows = PartCache(folder).read_range("agents_citizen", 1, 3)
    assert rows["tick"].unique().to_pylist() == list(range(5, TICKS))


def test_a_broken_part_is_reported_in_one_line(folder: Path) -> None:
    (folder / "tables" / "agents_citizen" / "part-00001.parquet").write_bytes(b"PAR1 no")
    with pytest.raises(RunFolderError, match=r"table 'agents_citizen' of .* is broken"):
        PartCache(folder).read("agents_citizen", agent=3)
