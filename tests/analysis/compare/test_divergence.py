"""The first difference between two runs: runs of one seed, and modified tables."""

import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.manifests import change_manifest, record_again

from memopolis.analysis import load_run
from memopolis.analysis.compare.divergence import (
    ROW,
    Difference,
    Divergence,
    find_divergence,
    first_difference,
)
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
    assert again.first is None
    assert again.tick is None
    assert again.time is None
    assert again.settings == {}
    assert again.table.empty
    assert (again.ends["most"].dropna() == 0).all()
    assert str(again) == f"The runs do not diverge in the {24 * DAYS} steps that both took."


def test_runs_diverge_at_the_order(divergence: Divergence) -> None:
    assert divergence.settings == {"orders": ("default", "none")}
    assert not divergence.same
    assert divergence.tables["zones"] is None
    # No agent hears of an order before it is announced.
    announced = pd.Timestamp(divergence.runs[0].facts["announced"])
    for name in ("memories", "decisions"):
        difference = divergence.tables[name]
        assert difference is not None
        assert difference.tick is not None
        assert divergence.time_of(difference.tick) >= announced - pd.Timedelta(hours=1)
    ticks = [one.tick for one in divergence.tables.values() if one and one.tick is not None]
    assert divergence.tick == min(ticks)
    assert divergence.table["tick"].to_list()[0] == divergence.tick
    assert str(divergence).startswith(f"The runs diverge at step {divergence.tick}, ")
    ends = divergence.ends
    evacuated = ends[(ends["measure"] == "evacuated_share") & (ends["group"] == "")].iloc[0]
    assert evacuated["b"] <= evacuated["a"]
    assert evacuated["difference"] == evacuated["b"] - evacuated["a"]
    assert abs(evacuated["most"]) >= abs(evacuated["difference"])


@pytest.mark.parametrize("name", ["memories", "decisions", "agents_citizen", "ledger"])
def test_the_first_difference_is_that_of_whole_tables(divergence: Divergence, name: str) -> None:
    difference = divergence.tables[name]
    assert difference is not None
    keys = list(sort_key(name))
    frames = [run.table(name) for run in divergence.runs]
    earlier = [frame[frame["tick"] < difference.tick] for frame in frames]
    for column in frames[0]:
        values = [frame[column].map(str).to_list() for frame in earlier]
        assert values[0] == values[1], column
    rows = [frame[frame["tick"] == difference.tick] for frame in frames]
    if "agent" in keys:
        rows = [frame[frame["agent"] == difference.agent] for frame in rows]
    cells = [frame.astype(str).drop(columns=["text"], errors="ignore") for frame in rows]
    assert cells[0].to_numpy().tolist() != cells[1].to_numpy().tolist()
    if difference.column != ROW and len(rows[0]) == 1:
        values = [one[difference.column].to_list() for one in rows]
        assert values == [[difference.a], [difference.b]]


@pytest.mark.parametrize("name", ["memories", "agents_citizen"])
def test_the_parts_of_a_table_do_not_matter(
    divergence: Divergence, doctored: Callable[..., Path], without: Path, name: str
) -> None:
    split = doctored(name, lambda table: table, parts=7)
    assert find_divergence(split, without).tables == divergence.tables
    a, b = find_divergence(without, split).tables[name], divergence.tables[name]
    assert a is not None
    assert b is not None
    assert (a.tick, a.agent, a.column, a.a, a.b) == (b.tick, b.agent, b.column, b.b, b.a)


def test_one_changed_cell_is_found(ordered: Path, doctored: Callable[..., Path]) -> None:
    def change(table: pa.Table) -> pa.Table:
        place = table.column_names.index("importance")
        values = table["importance"].to_numpy().copy()
        values[700] = 0.987
        return table.set_column(place, "importance", pa.array(values))

    divergence = find_divergence(ordered, doctored("memories", change, parts=3))
    assert [name for name, one in divergence.tables.items() if one] == ["memories"]
    first = divergence.first
    assert first is not None
    row = load_run(ordered).table("memories").iloc[700]
    assert (first.tick, first.agent, first.column) == (row["tick"], row["agent"], "importance")
    assert (first.a, first.b) == pytest.approx((row["importance"], 0.987))


def test_a_changed_text_is_shown_in_words(ordered: Path, doctored: Callable[..., Path]) -> None:
    texts = load_run(ordered).reader.texts()
    number = next(iter(texts))

    def change(table: pa.Table) -> pa.Table:
        place = table.column_names.index("text")
        values = table["text"].to_numpy().copy()
        values[700] = number
        return table.set_column(place, "text", pa.array(values))

    first = find_divergence(ordered, doctored("memories", change)).first
    assert first is not None
    assert first.column == "text"
    assert first.b == texts[number]
    assert first.a in texts.values()


def test_missing_rows_are_reported(ordered: Path, doctored: Callable[..., Path]) -> None:
    first = find_divergence(ordered, doctored("decisions", lambda table: table.slice(5))).first
    row = load_run(ordered).table("decisions").iloc[0]
    assert first is not None
    assert (first.tick, first.agent) == (row["tick"], row["agent"])
    assert (first.column, first.a, first.b) == (ROW, True, False)
    assert str(row["item"]) in first.subject


def test_a_table_in_only_one_run_is_reported(ordered: Path, doctored: Callable[..., Path]) -> None:
    divergence = find_divergence(ordered, doctored("ledger", lambda _: None))
    expected = Difference("ledger", None, None, "", ROW, True, False)  # noqa: FBT003 - values
    assert divergence.tables["ledger"] == expected
    assert not divergence.same
    assert divergence.tick is None
    assert str(divergence).endswith("but tables without steps differ.")


def test_parts_and_order_of_rows_do_not_matter(
    ordered: Path, doctored: Callable[..., Path]
) -> None:
    def stir(table: pa.Table) -> pa.Table:
        return table.take(np.random.default_rng(1).permutation(len(table)))

    assert find_divergence(ordered, doctored("decisions", stir)).same


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
    divergence = find_divergence(ordered, shorter)
    assert divergence.ticks == ticks
    assert divergence.same
    values = load_run(ordered).until(ticks).measure("fear")
    assert divergence.ends.set_index(["measure", "group"])["a"]["fear", ""] == values.iloc[-1]
    assert str(divergence) == (
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


AGENTS_OF = {"tick": [0, 0, 1], "agent": [3, 5, 3]}


@pytest.mark.parametrize(
    ("one", "other", "row"),
    [
        ([1.0, float("nan"), 2.0], [1.0, float("nan"), float("nan")], 2),
        ([1, None, 3], [1, None, None], 2),
        (["a", None, "c"], ["a", None, "d"], 2),
        ([True, False, True], [True, True, False], 1),
        ([[1], [1, 2], []], [[1], [2, 1], [0]], 1),
        ([[], [], [7]], [[], [], [7]], None),
        ([1, 2, 3], ["1", "2", "4"], 0),
        (["a", "b", "a"], pa.array(["a", "b", "b"]).dictionary_encode(), 2),
    ],
)
def test_values_of_every_kind_are_compared(one: list[Any], other: Any, row: int | None) -> None:
    a, b = (pa.table({**AGENTS_OF, "value": values}) for values in (one, other))
    first = first_difference("agents_citizen", a, b)
    if row is None:
        assert first is None
        return
    assert first is not None
    assert (first.tick, first.agent) == (AGENTS_OF["tick"][row], AGENTS_OF["agent"][row])
    values = [table["value"][row].as_py() for table in (a, b)]
    assert str([first.column, first.a, first.b]) == str(["value", *values])


def test_a_column_of_one_table_differs_where_it_has_values() -> None:
    a, b = pa.table(AGENTS_OF), pa.table({**AGENTS_OF, "more": [None, None, 5]})
    assert first_difference("agents_citizen", a, b) == Difference(
        "agents_citizen", 1, 3, "", "more", None, 5
    )


ROWS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 4), st.integers(0, 2)), max_size=9)


@given(ROWS, ROWS)
@settings(max_examples=100, deadline=None)
def test_the_first_difference_is_the_least_key(one: list[Any], other: list[Any]) -> None:
    tables = [
        pa.table(
            dict(zip(("tick", "agent", "value"), zip(*sorted(rows), strict=True), strict=True))
        )
        for rows in (one, other)
        if rows
    ]
    if len(tables) < 2:
        return
    first = first_difference("agents_citizen", *tables)
    keys = [Counter(row[:2] for row in rows) for rows in (one, other)]
    rows = [sorted(rows) for rows in (one, other)]
    if first is None:
        assert rows[0] == rows[1]
        return
    key = (first.tick, first.agent)
    earlier = [[row for row in table if row[:2] < key] for table in rows]
    assert earlier[0] == earlier[1]
    assert [row for row in rows[0] if row[:2] == key] != [row for row in rows[1] if row[:2] == key]
    assert (first.column == "value") or keys[0][key] != keys[1][key]
