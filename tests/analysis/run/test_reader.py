"""Parts of tables are read as one table, or only the rows of an agent or of some steps."""

from pathlib import Path

import numpy as np
import pytest

from memopolis.analysis.run.reader import TableReader
from memopolis.sim.errors import RunFolderError, UnknownNameError
from memopolis.sim.recording.table import Coded, Table
from memopolis.sim.run_folder.folder import parts_of

PEOPLE, TICKS = 20, 12


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Three parts of a table, the last with more texts than 8 bits can number."""
    table = Table(tmp_path, "agents_citizen")
    for tick in range(TICKS):
        jobs = 3 if tick < 10 else 300
        rows = {
            "tick": np.full(PEOPLE, tick, np.int32),
            "agent": np.arange(PEOPLE, dtype=np.int32),
            "job": Coded(np.arange(PEOPLE) * jobs // PEOPLE, tuple(map(str, range(jobs)))),
            "fear": np.full(PEOPLE, tick / 2, np.float32),
        }
        table.append(PEOPLE, rows)
        if tick % 5 == 4:
            table.flush()
    table.flush()
    assert len(parts_of(tmp_path, "agents_citizen")) == 3
    return tmp_path


def test_parts_with_different_codes_are_one_table(folder: Path) -> None:
    frame = TableReader(folder).read("agents_citizen").to_pandas()
    assert len(frame) == PEOPLE * TICKS
    for tick, jobs in ((0, 3), (11, 300)):
        expected = [str(agent * jobs // PEOPLE) for agent in range(PEOPLE)]
        assert frame[frame["tick"] == tick]["job"].to_list() == expected


@pytest.mark.parametrize("agent", [0, 13, 99])
def test_rows_of_an_agent_equal_those_of_the_table(folder: Path, agent: int) -> None:
    whole = TableReader(folder).read("agents_citizen").to_pandas()
    own = TableReader(folder).read("agents_citizen", agent=agent)
    expected = whole[whole["agent"] == agent].astype({"job": str})
    assert own.to_pandas().astype({"job": str}).to_numpy().tolist() == expected.to_numpy().tolist()
    # Only the texts of the agent are there.
    labels = own["job"].combine_chunks().dictionary.to_pylist()
    assert sorted(labels) == sorted(set(own["job"].to_pylist()))


def test_columns_are_read_besides_the_key(folder: Path) -> None:
    assert TableReader(folder).read("agents_citizen", ["fear"]).column_names == [
        *("tick", "agent", "fear")
    ]
    with pytest.raises(UnknownNameError, match="no column 'faer'; did you mean fear"):
        TableReader(folder).read("agents_citizen", ["faer"])


@pytest.mark.parametrize(("before", "newest"), [(1, 0), (5, 4), (6, 5), (100, 11)])
def test_the_newest_step_before_a_step(folder: Path, before: int, newest: int) -> None:
    rows = TableReader(folder).newest("agents_citizen", before)
    assert set(rows["tick"].to_pylist()) == {newest}
    assert len(rows) == PEOPLE


def test_there_is_no_step_before_the_first(folder: Path) -> None:
    rows = TableReader(folder).newest("agents_citizen", 0)
    assert len(rows) == 0
    assert rows.column_names == ["tick", "agent", "job", "fear"]


@pytest.mark.parametrize(("first", "before"), [(0, 12), (3, 7), (5, 6), (11, 40), (12, 13)])
def test_rows_between_two_steps(folder: Path, first: int, before: int) -> None:
    parts = list(TableReader(folder).between("agents_citizen", first, before, ["fear"]))
    ticks = [tick for rows in parts for tick in rows["tick"].unique().to_pylist()]
    assert ticks == list(range(first, min(before, TICKS)))
    assert all(len(rows) for rows in parts)


def test_a_cut_reader_reads_no_later_step(folder: Path) -> None:
    cut = TableReader(folder).cut(4)
    assert set(cut.read("agents_citizen")["tick"].to_pylist()) == {0, 1, 2, 3}
    assert set(cut.newest("agents_citizen", 9)["tick"].to_pylist()) == {3}


def test_a_rewritten_static_table_is_reread(folder: Path) -> None:
    reader = TableReader(folder)
    for value in (1, 2):
        table = Table(folder, "zones")
        table.append(1, {"risk": np.array([value])})
        table.flush()
        assert reader.read("zones")["risk"].to_pylist() == [value]


def test_a_broken_part_is_reported_in_one_line(folder: Path) -> None:
    (folder / "tables" / "agents_citizen" / "part-00001.parquet").write_bytes(b"PAR1 no")
    for read in (
        lambda reader: reader.read("agents_citizen", agent=3),
        lambda reader: list(reader.between("agents_citizen", 0)),
        lambda reader: reader.newest("agents_citizen", 3),
        lambda reader: reader.columns("agents_citizen"),
    ):
        with pytest.raises(
            RunFolderError, match=r"table 'agents_citizen' of .* is broken"
        ) as error:
            read(TableReader(folder))
        assert "\n" not in str(error.value)
