"""Find where and when two runs diverge, table by table."""

import filecmp
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from memopolis.analysis.compare.row_pairs import Pairs, pairs_of
from memopolis.analysis.labels import flatten_settings
from memopolis.analysis.run.run import Run, load_run
from memopolis.analysis.run.tables import table_length
from memopolis.sim.errors import ParameterError
from memopolis.sim.recording.schema import grows_by_step, sort_key
from memopolis.sim.run_folder.folder import parts_of

_START = np.iinfo(np.int32).min  # a step before all recorded ones


@dataclass(frozen=True)
class Difference:
    """A row that differs between two runs."""

    table: str  # name of the table
    tick: int | None  # step of the row, None in a table without steps
    key: Mapping[str, Any]  # values of the key columns
    # Values of the other columns in the first run; None if it has no such row
    a: Mapping[str, Any] | None
    # Values of the other columns in the second run; None if it has no such row
    b: Mapping[str, Any] | None
    columns: tuple[str, ...]  # columns that differ; none if only one run has the row


@dataclass(frozen=True)
class TableDivergence:
    """Difference of one table between two runs, in the steps that both took."""

    table: str  # name of the table
    rows: tuple[int, int]  # number of rows that each run recorded in total
    differ: int = 0  # number of rows that only one run has, or that have other values
    # First step in which rows differ; None if none does, or the table has no steps
    tick: int | None = None
    # Number of rows in which each column differs, largest first
    columns: Mapping[str, int] | None = None
    only_in: str = ""  # "A" or "B" if only that run recorded the table, else ""
    first: tuple[Difference, ...] = ()  # first rows that differ, ordered by key

    @property
    def same(self) -> bool:
        """Whether the table is equal in the steps that both runs took."""
        return not self.differ and not self.only_in


@dataclass(frozen=True)
class Divergence:
    """Where two runs diverge."""

    runs: tuple[Run, Run]  # the runs A and B
    tables: Mapping[str, TableDivergence]  # every table that either run recorded, by name

    @property
    def same(self) -> bool:
        """Whether every table is equal in the steps that both runs took."""
        return all(one.same for one in self.tables.values())

    @property
    def tick(self) -> int | None:
        """First step in which any table differs; None if none does."""
        return min((t.tick for t in self.tables.values() if t.tick is not None), default=None)

    @property
    def time(self) -> pd.Timestamp | None:
        """Simulated date of that step."""
        return None if self.tick is None else self.time_of(self.tick)

    @property
    def decision_tick(self) -> int | None:
        """First step in which a decision differs; None if none does."""
        return self.tables["decisions"].tick if "decisions" in self.tables else None

    @property
    def ticks(self) -> int:
        """Number of steps that both runs took, which are compared."""
        return min(run.ticks for run in self.runs)

    def time_of(self, tick: int) -> pd.Timestamp:
        """Return the simulated date of a step."""
        return pd.Timestamp(self.runs[0].time_of(pd.Series([tick]))[0])

    @cached_property
    def table(self) -> pd.DataFrame:
        """A row per table: table, same, tick, time, differ, rows_a, rows_b, only_in, columns."""
        rows = [
            {
                "table": one.table,
                "same": one.same,
                "tick": one.tick,
                "time": None if one.tick is None else self.time_of(one.tick),
                "differ": one.differ,
                "rows_a": one.rows[0],
                "rows_b": one.rows[1],
                "only_in": one.only_in,
                "columns": ", ".join(one.columns or ()),
            }
            for one in self.tables.values()
        ]
        return pd.DataFrame(rows).astype({"tick": "Int64", "time": "datetime64[s]"})

    @cached_property
    def settings(self) -> dict[str, tuple[object, object]]:
        """Settings that differ, with the values of A and B; None for a missing one."""
        a, b = (flatten_settings(run.settings) | {"seed": run.seed} for run in self.runs)
        keys = dict.fromkeys((*a, *b))
        return {key: (a.get(key), b.get(key)) for key in keys if a.get(key) != b.get(key)}

    @cached_property
    def measures(self) -> pd.DataFrame:
        """Measures that both recorded, by step: measure, group, tick, time, a, b, difference.

        The difference is B minus A.
        """
        names = ["measure", "group", "tick", "time", "a", "b", "difference"]
        if not all(run.measured for run in self.runs):
            return pd.DataFrame(columns=names)
        keys = ["measure", "group", "tick", "time"]
        a, b = (
            run.measures[run.measures["tick"] < self.ticks].rename(columns={"value": name})
            for run, name in zip(self.runs, "ab", strict=True)
        )
        both = a[[*keys, "a"]].merge(b[[*keys, "b"]], on=keys, how="inner")
        return both.assign(difference=both["b"] - both["a"])[names]

    @cached_property
    def ends(self) -> pd.DataFrame:
        """Measures at the last step that both took, a row per measure and group.

        Columns: measure, group, a, b, difference (B minus A), most (the largest difference of any
        step, with its sign) and most_time (the date of that step).
        """
        names = ["measure", "group", "a", "b", "difference", "most", "most_time"]
        frame = self.measures
        if frame.empty:
            return pd.DataFrame(columns=names)
        by = ["measure", "group"]
        last = frame.sort_values("tick", kind="stable").groupby(by).tail(1)
        known = frame.dropna(subset=["difference"])
        most = known.loc[known["difference"].abs().groupby([known[name] for name in by]).idxmax()]
        most = most.rename(columns={"difference": "most", "time": "most_time"})
        return last.merge(most[[*by, "most", "most_time"]], on=by, how="left")[names]


def find_divergence(
    run_a: Run | str | Path, run_b: Run | str | Path, *, examples: int = 5
) -> Divergence:
    """Find where two runs diverge.

    Tables are compared row by row, matched by key, in the steps that both runs took. Later steps
    of the longer run are ignored, except in tables without steps (`texts`).

    Args:
        run_a: A run, or its folder.
        run_b: Another run, or its folder.
        examples: Number of differing rows of each table to keep, >= 0.

    Raises:
        RunFolderError: If either run has not ended, or a table cannot be read.
        ParameterError: If the runs start at different times or have steps of different length.
    """
    runs = tuple(one if isinstance(one, Run) else load_run(one) for one in (run_a, run_b))
    a, b = runs
    if (a.start, a.hours) != (b.start, b.hours):
        starts = (f"{run.folder} begins at {run.start:%Y-%m-%d %H:%M}" for run in runs)
        raise ParameterError(
            f"{' and '.join(starts)}, with steps of {a.hours:g} and {b.hours:g} h; only runs with "
            "the same start and step length can be compared"
        )
    names = sorted({*a.tables, *b.tables})
    return Divergence((a, b), {name: _table(a, b, name, examples) for name in names})


def _table(a: Run, b: Run, name: str, examples: int) -> TableDivergence:
    rows = table_length(a.folder, name), table_length(b.folder, name)
    if not all(rows):
        return TableDivergence(name, rows, only_in="A" if rows[0] else "B")
    if _same_files(a.folder, b.folder, name):
        return TableDivergence(name, rows)
    differ, tick, columns = 0, None, dict[str, int]()
    first: list[Difference] = []
    for pairs in _compared(a, b, name):
        wrong = np.flatnonzero(pairs.differ)
        if not len(wrong):
            continue
        if not differ:
            tick, first = _first(name, pairs, wrong, examples)
        differ += len(wrong)
        for column, changed in pairs.changed.items():
            columns[column] = columns.get(column, 0) + int(changed.sum())
    ranked = sorted((c for c in columns if columns[c]), key=lambda c: -columns[c])
    counts = {column: columns[column] for column in ranked}
    return TableDivergence(name, rows, differ, tick, counts, "", tuple(first))


def _same_files(a: Path, b: Path, name: str) -> bool:
    """Check whether the files are identical, which saves reading their rows."""
    files_a, files_b = parts_of(a, name), parts_of(b, name)
    return [path.name for path in files_a] == [path.name for path in files_b] and all(
        filecmp.cmp(one, other, shallow=False) for one, other in zip(files_a, files_b, strict=True)
    )


def _compared(a: Run, b: Run, name: str) -> Iterator[Pairs]:
    """Yield matched rows of the steps that both runs took, as many at a time as a part of A has."""
    keys, until = sort_key(name), min(a.ticks, b.ticks)
    if not grows_by_step(name):
        yield _matched(*(_until(run.reader.read(name), until) for run in (a, b)), keys=keys)
        return
    parts = a.reader.between(name, _START, until, ["tick"])
    ends = [_START, *sorted({until, *(rows["tick"][-1].as_py() + 1 for rows in parts)})]
    for first, end in pairwise(ends):
        yield _matched(*(_steps(run, name, first, end) for run in (a, b)), keys=keys)


def _steps(run: Run, name: str, first: int, end: int) -> pa.Table:
    parts = list(run.reader.between(name, first, end)) or [run.reader.read(name).slice(0, 0)]
    return pa.concat_tables(parts, promote_options="permissive")


def _until(rows: pa.Table, until: int) -> pa.Table:
    return rows.filter(rows["tick"].to_numpy() < until) if "tick" in rows.column_names else rows


def _matched(a: pa.Table, b: pa.Table, *, keys: Sequence[str]) -> Pairs:
    shared = [key for key in keys if key in a.column_names and key in b.column_names]
    # A static table with steps has no key: its rows are matched by their order in a step.
    return pairs_of(a, b, shared or [n for n in ("tick",) if n in a.column_names])


def _first(
    name: str, pairs: Pairs, wrong: NDArray[np.intp], examples: int
) -> tuple[int | None, list[Difference]]:
    """Return the first step with differing pairs, and the first of them by key."""
    joint, tick = pairs.joint, None
    if "tick" in joint.column_names:
        ticks = np.asarray(joint["tick"].to_numpy())[pairs.first()[wrong]]
        tick = int(ticks.min())
        wrong = wrong[ticks == tick]
    keys = [key for key in sort_key(name) if key in joint.column_names]
    cells = joint.select(keys).take(pairs.first()[wrong]).to_pylist() if keys else [{}] * len(wrong)
    order = sorted(range(len(wrong)), key=lambda i: tuple(cells[i].values()))[:examples]
    return tick, [_difference(name, tick, pairs, int(wrong[i]), cells[i]) for i in order]


def _difference(
    name: str, tick: int | None, pairs: Pairs, pair: int, key: Mapping[str, Any]
) -> Difference:
    a, b = (_row(pairs.joint, int(rows[pair]), key) for rows in (pairs.a, pairs.b))
    changed = tuple(column for column, differs in pairs.changed.items() if differs[pair])
    return Difference(name, tick, key, a, b, changed)


def _row(joint: pa.Table, row: int, without: Mapping[str, Any]) -> dict[str, Any] | None:
    if row < 0:
        return None
    (cells,) = joint.slice(row, 1).to_pylist()
    return {column: value for column, value in cells.items() if column not in without}
