"""Where and when two runs diverge: runs of one seed, modified tables, and descriptions."""

import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from tests.manifests import change_manifest, record_again

from memopolis.analysis import load_run
from memopolis.analysis.compare.divergence import Divergence, find_divergence
from memopolis.analysis.compare.divergence_page import (
    ends_of,
    first_differences,
    rows_of,
    settings_of,
    verdict,
    write_divergence,
)
from memopolis.analysis.compare.divergence_text import DifferenceText
from memopolis.analysis.run.reader import TableReader
from memopolis.scenarios.hurricane import Hurricane
from memopolis.sim.errors import ParameterError, RunFolderError
from memopolis.sim.recording.schema import sort_key

AGENTS, DAYS = 40, 6


def hurricane(folder: Path, *, orders: str = "default") -> Path:
    return Path(Hurricane(agents=AGENTS, days=DAYS, rng=3, orders=orders).run(folder))


@pytest.fixture(scope="module")
def ordered(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return hurricane(tmp_path_factory.mktemp("divergence") / "ordered")


@pytest.fixture(scope="module")
def without(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return hurricane(tmp_path_factory.mktemp("divergence") / "without", orders="none")


@pytest.fixture(scope="module")
def divergence(ordered: Path, without: Path) -> Divergence:
    return find_divergence(ordered, without)


@pytest.fixture
def doctored(ordered: Path, tmp_path: Path) -> Callable[..., Path]:
    """Makes a copy of a run in which one table is another."""

    def make(name: str, change: Callable[[pa.Table], pa.Table | None], parts: int = 1) -> Path:
        folder = tmp_path / "doctored"
        shutil.copytree(ordered, folder)
        changed = change(TableReader(folder).read(name))
        shutil.rmtree(folder / "tables" / name)
        if changed is not None:
            (folder / "tables" / name).mkdir()
            size = -(-len(changed) // parts)
            for i in range(parts):
                path = folder / "tables" / name / f"part-{i:05d}.parquet"
                pq.write_table(changed.slice(i * size, size), path)
        record_again(folder)
        return folder

    return make


def test_a_reproduced_run_does_not_diverge(ordered: Path, tmp_path: Path) -> None:
    again = find_divergence(ordered, hurricane(tmp_path / "again"))
    assert again.same
    assert again.tick is None
    assert again.time is None
    assert again.settings == {}
    assert (again.measures["difference"].dropna() == 0).all()
    assert first_differences(again) == ("", [])
    assert verdict(again) == f"The runs do not diverge in the {24 * DAYS} steps that both took."


def test_runs_diverge_at_the_order(divergence: Divergence) -> None:
    assert divergence.settings == {"orders": ("default", "none")}
    assert not divergence.same
    assert divergence.tables["zones"].same
    # No agent hears of an order before it is announced.
    announced = pd.Timestamp(divergence.runs[0].facts["announced"])
    for name in ("memories", "decisions"):
        tick = divergence.tables[name].tick
        assert tick is not None
        assert divergence.time_of(tick) >= announced - pd.Timedelta(hours=1)
    ends = divergence.ends
    evacuated = ends[(ends["measure"] == "evacuated_share") & (ends["group"] == "")].iloc[0]
    assert evacuated["b"] <= evacuated["a"]
    assert evacuated["difference"] == evacuated["b"] - evacuated["a"]


@pytest.mark.parametrize("name", ["memories", "decisions", "agents_citizen", "ledger"])
def test_counts_equal_those_of_whole_tables(divergence: Divergence, name: str) -> None:
    frames = [run.table(name) for run in divergence.runs]
    rows = [Counter(map(str, frame.to_dict("records"))) for frame in frames]
    keys = [Counter(frame[list(sort_key(name))].itertuples(index=False)) for frame in frames]
    assert divergence.tables[name].rows == tuple(map(len, frames))
    # Every key of either run, but for rows that both have as they are.
    assert (
        divergence.tables[name].differ == (keys[0] | keys[1]).total() - (rows[0] & rows[1]).total()
    )


@pytest.mark.parametrize("name", ["memories", "agents_citizen"])
def test_the_parts_of_a_table_do_not_matter(
    divergence: Divergence, doctored: Callable[..., Path], without: Path, name: str
) -> None:
    split = doctored(name, lambda table: table, parts=7)
    pd.testing.assert_frame_equal(find_divergence(split, without).table, divergence.table)
    a, b = find_divergence(without, split).tables[name], divergence.tables[name]
    assert (a.differ, a.tick, a.columns) == (b.differ, b.tick, b.columns)


def test_one_changed_cell_is_found(ordered: Path, doctored: Callable[..., Path]) -> None:
    def change(table: pa.Table) -> pa.Table:
        place = table.column_names.index("importance")
        values = table["importance"].to_numpy().copy()
        values[700] = 0.987
        return table.set_column(place, "importance", pa.array(values))

    first_divergence = find_divergence(ordered, doctored("memories", change, parts=3))
    assert [name for name, one in first_divergence.tables.items() if not one.same] == ["memories"]
    changed = first_divergence.tables["memories"]
    row = load_run(ordered).table("memories").iloc[700]
    assert (changed.differ, changed.tick, dict(changed.columns or {})) == (
        1,
        row["tick"],
        {"importance": 1},
    )
    (difference,) = changed.first
    assert difference.key["agent"] == row["agent"]
    assert difference.columns == ("importance",)
    assert difference.b is not None
    assert difference.b["importance"] == pytest.approx(0.987)
    assert first_divergence.decision_tick is None


def test_missing_rows_and_tables_are_reported(ordered: Path, doctored: Callable[..., Path]) -> None:
    first_divergence = find_divergence(ordered, doctored("decisions", lambda table: table.slice(5)))
    decisions = first_divergence.tables["decisions"]
    assert decisions.differ == 5
    assert all(one.b is None for one in decisions.first)
    assert [row[2] for row in first_differences(first_divergence)[1]] == ["nothing"] * 5


def test_a_table_in_only_one_run_is_reported(ordered: Path, doctored: Callable[..., Path]) -> None:
    first_divergence = find_divergence(ordered, doctored("ledger", lambda _: None))
    assert first_divergence.tables["ledger"].only_in == "A"
    assert not first_divergence.same
    assert first_divergence.tick is None
    assert ("ledger", "only in A") in [row[:2] for row in rows_of(first_divergence)]


def test_parts_and_order_of_rows_do_not_matter(
    ordered: Path, doctored: Callable[..., Path]
) -> None:
    def stir(table: pa.Table) -> pa.Table:
        return table.take(np.random.default_rng(1).permutation(len(table)))

    assert find_divergence(ordered, doctored("decisions", stir, parts=4)).same


def test_runs_of_different_length_are_compared_up_to_the_shorter_one(
    ordered: Path, tmp_path: Path
) -> None:
    shorter, ticks = tmp_path / "shorter", 100
    shutil.copytree(ordered, shorter)
    for path in (shorter / "tables").glob("*/*.parquet"):
        table = pq.read_table(path)
        if "tick" in table.column_names:
            pq.write_table(table.filter(pc.field("tick") < ticks), path)
    record_again(shorter)
    change_manifest(shorter, ticks=ticks, made=ticks, status="interrupted")
    first_divergence = find_divergence(ordered, shorter)
    assert first_divergence.ticks == ticks
    assert first_divergence.same
    assert first_divergence.measures["tick"].max() == ticks - 1
    assert verdict(first_divergence) == (
        f"The runs do not diverge in the 100 steps that both took (A has {24 * DAYS}, B has 100)."
    )


def test_a_run_that_was_killed_is_refused(ordered: Path, tmp_path: Path) -> None:
    killed = tmp_path / "killed"
    shutil.copytree(ordered, killed)
    change_manifest(killed, status="running")
    with pytest.raises(RunFolderError, match=rf"memopolis resume {killed}"):
        find_divergence(ordered, killed)


def test_runs_with_different_clocks_are_refused(ordered: Path, tmp_path: Path) -> None:
    later = tmp_path / "later"
    shutil.copytree(ordered, later)
    change_manifest(later, start="2020-01-01T00:00:00")
    with pytest.raises(ParameterError, match="same start and step length"):
        find_divergence(ordered, later)


def test_differences_are_described(divergence: Divergence) -> None:
    heading, rows = first_differences(divergence)
    assert heading.startswith("The first decisions that differ, step ")
    whose = [row[0] for row in rows]
    assert any("(citizen " in one and "stay_or_go" in one for one in whose)
    # The government's reaction to the same danger changes with what people remember of it.
    assert all("stay_or_go" in one or one.startswith("government") for one in whose)
    memories = [one for one in divergence.tables["memories"].first if one.a is not None]
    text = DifferenceText(divergence)
    for one in memories:
        side = text.sides(one)[0]
        assert "{" not in side
        assert "not recorded" not in side
    for table in divergence.tables.values():
        assert all(len(set(text.sides(one))) == 2 for one in table.first)
    assert settings_of(divergence) == [("orders", "default", "none")]
    assert any(row[0] == "Evacuated share" for row in ends_of(divergence))


def test_the_page_and_the_figure_are_written(divergence: Divergence, tmp_path: Path) -> None:
    page = write_divergence(divergence, tmp_path / "page")
    text = page.read_text()
    assert verdict(divergence) in text
    assert (tmp_path / "page" / "compare.png").read_bytes().startswith(b"\x89PNG")
    # It is not written over something else.
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "note.txt").write_text("mine")
    with pytest.raises(RunFolderError, match="other files"):
        write_divergence(divergence, tmp_path / "mine")
