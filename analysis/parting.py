"""Where and when two runs part: table by table, by key, on one clock."""

import filecmp
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from memopolis.analysis.load import Run, load_run
from memopolis.analysis.pairing import Pairs, pairs_of
from memopolis.analysis.tables import key_of, table_length
from memopolis.analysis.windows import windows
from memopolis.sim.errors import ParameterError
from memopolis.sim.running.folder import parts_of

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True)
class Difference:
    """A row that two runs do not share.

    Attributes:
        table: Where it stands.
        tick: Its step, None in a table without steps.
        key: What names the row, by column.
        a: What the first run has there, by column; None if nothing.
        b: What the second run has there, by column; None if nothing.
        columns: Columns that differ; none where only one of them has the row.
    """

    table: str
    tick: int | None
    key: Mapping[str, Any]
    a: Mapping[str, Any] | None
    b: Mapping[str, Any] | None
    columns: tuple[str, ...]


@dataclass(frozen=True)
class TableParting:
    """How a table of two runs differs, in the steps that both took.

    Attributes:
        table: Its name.
        rows: How many rows each run recorded in all.
        differ: Rows that only one has, or that hold something else.
        tick: The first step in which rows differ; None if none does, or the table has no steps.
        columns: In how many rows each column differs, by name, those with the most first.
        only_in: "A" or "B" if only that run recorded the table, else "".
        first: The first rows that differ, in the order of their key.
    """

    table: str
    rows: tuple[int, int]
    differ: int = 0
    tick: int | None = None
    columns: Mapping[str, int] | None = None
    only_in: str = ""
    first: tuple[Difference, ...] = ()

    @property
    def same(self) -> bool:
        """Whether both runs recorded the same in the steps that both took."""
        return not self.differ and not self.only_in


@dataclass(frozen=True)
class Parting:
    """Where two runs part.

    Attributes:
        runs: The runs A and B.
        tables: Every table that either recorded, by name.
    """

    runs: tuple[Run, Run]
    tables: Mapping[str, TableParting]

    @property
    def same(self) -> bool:
        """Whether every table is the same in the steps that both took."""
        return all(one.same for one in self.tables.values())

    @property
    def tick(self) -> int | None:
        """The first step in which anything differs; None if nothing does."""
        return min((t.tick for t in self.tables.values() if t.tick is not None), default=None)

    @property
    def time(self) -> pd.Timestamp | None:
        """The simulated date of that step."""
        return None if self.tick is None else self.time_of(self.tick)

    @property
    def decided(self) -> int | None:
        """The first step in which a decision differs; None if none does."""
        return self.tables["decisions"].tick if "decisions" in self.tables else None

    @property
    def ticks(self) -> int:
        """Steps that both runs took: those that are compared."""
        return min(run.ticks for run in self.runs)

    def time_of(self, tick: int) -> pd.Timestamp:
        """The simulated date of a step."""
        return pd.Timestamp(self.runs[0].time_of(pd.Series([tick]))[0])

    @cached_property
    def table(self) -> pd.DataFrame:
        """A row a table: table, same, tick, time, differ, rows_a, rows_b, only_in, columns."""
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
        """Settings that differ, by key, with the value of A and of B; None where it has none."""
        a, b = (_flat(run.settings) | {"seed": run.seed} for run in self.runs)
        keys = dict.fromkeys((*a, *b))
        return {key: (a.get(key), b.get(key)) for key in keys if a.get(key) != b.get(key)}

    @cached_property
    def measures(self) -> pd.DataFrame:
        """Measures that both recorded, by step: measure, group, tick, time, a, b, difference.

        The difference is B less A.
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
        """Measures at the end of the steps both took, a row a measure and group.

        Columns: measure, group, a, b, difference (B less A), most (the largest difference of any
        step, with its sign) and most_time (when that was).
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


def part(run_a: Run | str | Path, run_b: Run | str | Path, *, examples: int = 5) -> Parting:
    """Find where two runs part.

    Tables are compared row by row, by their keys, in the steps that both runs took; what a
    longer run did afterwards counts for nothing, but for tables without steps (`texts`).

    Args:
        run_a: A run, or its folder.
        run_b: Another run, or its folder.
        examples: How many of the first differing rows of each table are kept, >= 0.

    Raises:
        RunFolderError: If either is no run that has ended, or a table cannot be read.
        ParameterError: If they begin at different times or have steps of different length.
    """
    runs = tuple(one if isinstance(one, Run) else load_run(one) for one in (run_a, run_b))
    a, b = runs
    if (a.start, a.hours) != (b.start, b.hours):
        told = (f"{run.folder} begins at {run.start:%Y-%m-%d %H:%M}" for run in runs)
        raise ParameterError(
            f"{' and '.join(told)}, with steps of {a.hours:g} and {b.hours:g} h; only runs on one "
            "clock can be laid side by side"
        )
    names = sorted({*a.tables, *b.tables})
    return Parting((a, b), {name: _table(a, b, name, examples) for name in names})


def _table(a: Run, b: Run, name: str, examples: int) -> TableParting:
    rows = table_length(a.folder, name), table_length(b.folder, name)
    if not all(rows):
        return TableParting(name, rows, only_in="A" if rows[0] else "B")
    if _same_files(a.folder, b.folder, name):
        return TableParting(name, rows)
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
    return TableParting(name, rows, differ, tick, counts, "", tuple(first))


def _same_files(a: Path, b: Path, name: str) -> bool:
    """Whether the parts are the same byte by byte, which spares reading their rows."""
    one, other = parts_of(a, name), parts_of(b, name)
    return [path.name for path in one] == [path.name for path in other] and all(
        filecmp.cmp(mine, theirs, shallow=False) for mine, theirs in zip(one, other, strict=True)
    )


def _compared(a: Run, b: Run, name: str) -> Iterator[Pairs]:
    """Pairs of rows, some steps at a time."""
    keys = key_of(name)
    for one, other in windows(a.folder, b.folder, name, until=min(a.ticks, b.ticks)):
        there = [key for key in keys if key in one.column_names and key in other.column_names]
        # A static table with steps has no key: its rows go by their place in each step.
        yield pairs_of(one, other, there or [n for n in ("tick",) if n in one.column_names])


def _first(
    name: str, pairs: Pairs, wrong: NDArray[np.intp], examples: int
) -> tuple[int | None, list[Difference]]:
    """The first step among differing pairs, and the first of them by key."""
    joint, tick = pairs.joint, None
    if "tick" in joint.column_names:
        ticks = np.asarray(joint["tick"].to_numpy())[pairs.first()[wrong]]
        tick = int(ticks.min())
        wrong = wrong[ticks == tick]
    keys = [key for key in key_of(name) if key in joint.column_names]
    cells = joint.select(keys).take(pairs.first()[wrong]).to_pylist() if keys else [{}] * len(wrong)
    order = sorted(range(len(wrong)), key=lambda i: tuple(cells[i].values()))[:examples]
    return tick, [_difference(name, tick, pairs, int(wrong[i]), cells[i]) for i in order]


def _difference(
    name: str, tick: int | None, pairs: Pairs, pair: int, key: Mapping[str, Any]
) -> Difference:
    a, b = (_row(pairs.joint, int(rows[pair]), key) for rows in (pairs.a, pairs.b))
    changed = tuple(column for column, differs in pairs.changed.items() if differs[pair])
    return Difference(name, tick, key, a, b, changed)


def _row(joint: "pa.Table", row: int, without: Mapping[str, Any]) -> dict[str, Any] | None:
    if row < 0:
        return None
    (cells,) = joint.slice(row, 1).to_pylist()
    return {column: value for column, value in cells.items() if column not in without}


def _flat(settings: Mapping[str, Any], above: str = "") -> dict[str, object]:
    flat: dict[str, object] = {}
    for key, value in settings.items():
        if isinstance(value, Mapping) and value:
            flat |= _flat(value, f"{above}{key}.")
        else:
            flat[above + key] = value
    return flat
