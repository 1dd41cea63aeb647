"""Find the first difference between two runs: its step, agent and column, and both values."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from memopolis.analysis.labels import flatten_settings
from memopolis.analysis.run.joining import join_pieces
from memopolis.analysis.run.run import Run, load_run
from memopolis.sim.errors import ParameterError
from memopolis.sim.recording.schema import grows_by_step, schema_of, sort_key, wide_columns

ROW = "row"  # stands for the column if only one run has the row
_BEFORE = np.iinfo(np.int32).min  # a step before all recorded ones
_REPORTED = ("tick", "agent", "population")  # key columns that are no part of the subject
_LOOKUPS = {"texts", "prompts"}  # tables of texts by hash, without steps
_FORM = "%a %d %b %Y %H:%M"


@dataclass(frozen=True)
class Difference:
    """The first value of a table that differs between two runs."""

    table: str  # name of the table
    tick: int | None  # step of the row, None in a table without steps
    agent: int | None  # unique_id of the agent, None in a table without agents
    subject: str  # values of the other key columns, such as "stay_or_go"
    column: str  # column that differs; `ROW` if only one run has the row or the table
    a: Any  # value in the first run; for `ROW`, whether it has the row
    b: Any  # value in the second run; for `ROW`, whether it has the row


@dataclass(frozen=True)
class Divergence:
    """Where two runs diverge."""

    runs: tuple[Run, Run]  # the runs A and B
    # First difference of every table that either run recorded, by name; None if it is equal in the
    # steps that both runs took
    tables: Mapping[str, Difference | None]

    @property
    def same(self) -> bool:
        """Whether every table is equal in the steps that both runs took."""
        return not any(self.tables.values())

    @cached_property
    def first(self) -> Difference | None:
        """First difference of any table; None if there is none.

        Of differences in one step, decisions come first, then the status of agents.
        """
        differences = [table for table in self.tables.values() if table is not None]
        return min(differences, key=_order, default=None)

    @property
    def tick(self) -> int | None:
        """First step in which any table differs; None if none does."""
        return None if self.first is None else self.first.tick

    @property
    def time(self) -> pd.Timestamp | None:
        """Simulated date of that step."""
        return None if self.tick is None else self.time_of(self.tick)

    @property
    def ticks(self) -> int:
        """Number of steps that both runs took, which are compared."""
        return min(run.ticks for run in self.runs)

    def time_of(self, tick: int) -> pd.Timestamp:
        """Return the simulated date of a step."""
        return pd.Timestamp(self.runs[0].time_of(pd.Series([tick]))[0])

    @cached_property
    def table(self) -> pd.DataFrame:
        """The first difference of each table that differs, the earliest first.

        Columns: table, tick, time, agent, name, subject, column, a and b.
        """
        names = ["table", "tick", "time", "agent", "name", "subject", "column", "a", "b"]
        rows = [
            {
                **vars(table),
                "time": None if table.tick is None else self.time_of(table.tick),
                "name": "" if table.agent is None else self.runs[0].name_of(table.agent),
            }
            for table in sorted(filter(None, self.tables.values()), key=_order)
        ]
        types = {"tick": "Int64", "agent": "Int64", "time": "datetime64[s]"}
        return pd.DataFrame(rows, columns=names).astype(types)

    def __str__(self) -> str:
        """Describe in one sentence whether, where and when the runs diverge."""
        a, b = self.runs
        length = f"the {self.ticks:,} steps that both took"
        if a.ticks != b.ticks:
            length += f" (A has {a.ticks:,}, B has {b.ticks:,})"
        if self.first is None:
            return f"The runs do not diverge in {length}."
        if self.tick is None:
            return f"No step differs in {length}, but tables without steps differ."
        tables = [
            table.table for table in self.tables.values() if table and table.tick == self.tick
        ]
        when = f"step {self.tick:,}, {self.time:{_FORM}}"
        return f"The runs diverge at {when}, in {', '.join(tables)}."

    @cached_property
    def settings(self) -> dict[str, tuple[object, object]]:
        """Settings that differ, with the values of A and B; None for a missing one."""
        a, b = (flatten_settings(run.settings) | {"seed": run.seed} for run in self.runs)
        keys = dict.fromkeys((*a, *b))
        return {key: (a.get(key), b.get(key)) for key in keys if a.get(key) != b.get(key)}

    @cached_property
    def ends(self) -> pd.DataFrame:
        """Measures at the last step that both took, a row per measure and group.

        Columns: measure, group, a, b, difference (B minus A), most (the largest difference of any
        step, with its sign) and most_time (the date of that step).
        """
        by, names = ["measure", "group"], ["a", "b", "difference", "most", "most_time"]
        if not all(run.measured for run in self.runs):
            return pd.DataFrame(columns=[*by, *names])
        a, b = (run.measures[run.measures["tick"] < self.ticks] for run in self.runs)
        both = a.merge(b, on=[*by, "tick", "time"]).rename(columns={"value_x": "a", "value_y": "b"})
        both = both.assign(difference=both["b"] - both["a"]).sort_values("tick", kind="stable")
        last = both.groupby(by, as_index=False).tail(1)
        known = both.dropna(subset=["difference"])
        most = known.loc[known["difference"].abs().groupby([known[name] for name in by]).idxmax()]
        most = most.rename(columns={"difference": "most", "time": "most_time"})
        return last.merge(most[[*by, "most", "most_time"]], on=by, how="left")[[*by, *names]]


def find_divergence(run_a: Run | str | Path, run_b: Run | str | Path) -> Divergence:
    """Find the first difference between two runs, in each table.

    Rows are matched in the order of their keys, in the steps that both runs took. Later steps of
    the longer run are ignored, and so are the texts to which hashes refer if one run is longer.

    Args:
        run_a: A run, or its folder.
        run_b: Another run, or its folder.

    Raises:
        RunFolderError: If either run has not ended, or a table cannot be read.
        ParameterError: If the runs start at different times or have steps of different length.
    """
    a, b = (side if isinstance(side, Run) else load_run(side) for side in (run_a, run_b))
    if (a.start, a.hours) != (b.start, b.hours):
        starts = (f"{run.folder} begins at {run.start:%Y-%m-%d %H:%M}" for run in (a, b))
        raise ParameterError(
            f"{' and '.join(starts)}, with steps of {a.hours:g} and {b.hours:g} h; only runs with "
            "the same start and step length can be compared"
        )
    longer: set[str] = set() if a.ticks == b.ticks else _LOOKUPS
    names = sorted({*a.tables, *b.tables} - longer)
    return Divergence((a, b), {name: _first_of(a, b, name) for name in names})


def _order(difference: Difference) -> tuple[float, bool, bool, str]:
    """Sort differences by step, then by table: decisions, status of agents, others by name."""
    tick = np.inf if difference.tick is None else difference.tick
    name = difference.table
    return tick, name != "decisions", not name.startswith("agents_"), name


def _first_of(a: Run, b: Run, name: str) -> Difference | None:
    """Return the first difference of a table, which at least one of the runs has."""
    if not (a.has(name) and b.has(name)):
        return Difference(name, None, None, "", ROW, a.has(name), b.has(name))
    differences = (first_difference(name, one, two) for one, two in _windows(a, b, name))
    first = next((difference for difference in differences if difference is not None), None)
    if first is None or first.column == ROW or first.column not in wide_columns([schema_of(name)]):
        return first
    return replace(first, a=_text_of(a, first.a), b=_text_of(b, first.b))


def _text_of(run: Run, value: int | None) -> str:
    """Return the text with a hash, or the digits of the hash if it is that of a prompt."""
    texts = run.reader.texts() if run.has("texts") else {}
    return texts.get(value or 0, str(value or ""))


def _windows(a: Run, b: Run, name: str) -> Iterator[tuple[pa.Table, pa.Table]]:
    """Yield the rows of the steps that both runs took, as many at a time as a part of A has."""
    until = min(a.ticks, b.ticks)
    if not grows_by_step(name):
        both = (run.reader.read(name) for run in (a, b))
        one, two = (
            rows.filter(rows["tick"].to_numpy() < until) if "tick" in rows.column_names else rows
            for rows in both
        )
        yield one, two
        return
    parts = a.reader.between(name, _BEFORE, until, ["tick"])
    ends = sorted({until, *(rows["tick"][-1].as_py() + 1 for rows in parts if len(rows))})
    for first, end in pairwise([_BEFORE, *ends]):
        one, two = (
            join_pieces(name, pieces) if pieces else run.reader.read(name).slice(0, 0)
            for run in (a, b)
            for pieces in [list(run.reader.between(name, first, end))]
        )
        yield one, two


def first_difference(name: str, a: pa.Table, b: pa.Table) -> Difference | None:
    """Return the first difference of two tables whose rows are sorted by key; None if equal.

    Rows with the same key are compared in their order. Where a key is only in one table, that row
    is the difference. A column that only one table has differs where it has a value.
    """
    # A static table with steps has no key: its rows are compared in their order.
    both = {*a.column_names} & {*b.column_names}
    keys = [key for key in sort_key(name) or ("tick",) if key in both]
    columns = dict.fromkeys((*keys, *a.column_names, *b.column_names))
    size = min(len(a), len(b))
    places = {column: _first_unequal(a, b, column, size) for column in columns}
    row = min(places.values(), default=size)
    if row == size == max(len(a), len(b)):
        return None
    cells_a, cells_b = (_cells(table, row) for table in (a, b))
    column = ROW if row == size else next(one for one, place in places.items() if place == row)
    if column in keys:
        column = ROW
    values = cells_a.get(column), cells_b.get(column)
    if column == ROW:  # the row whose key comes first is missing in the other table
        is_in_a = not cells_b or (bool(cells_a) and _rank(cells_a, keys) < _rank(cells_b, keys))
        values = is_in_a, not is_in_a
    key = cells_b if values == (False, True) else cells_a
    named = [
        str(key[column])
        for column in keys
        if column not in _REPORTED and key[column] not in {None, ""}
    ]
    return Difference(name, key.get("tick"), key.get("agent"), " ".join(named), column, *values)


def _first_unequal(a: pa.Table, b: pa.Table, column: str, size: int) -> int:
    """Return the first row in which a column differs; `size` if none does. NaN equals NaN."""
    one, two = (_values(table, column, size) for table in (a, b))
    if one.type == two.type and one.equals(two):
        return size
    if pa.types.is_floating(one.type) and pa.types.is_floating(two.type):
        x, y = one.to_numpy(), two.to_numpy()
        differs = (x != y) & ~(np.isnan(x) & np.isnan(y))
        return int(differs.argmax()) if differs.any() else size
    pairs = zip(one.to_pylist(), two.to_pylist(), strict=True)
    return next((row for row, (x, y) in enumerate(pairs) if x != y), size)


def _values(table: pa.Table, column: str, size: int) -> pa.ChunkedArray:
    """Return the first values of a column, texts plain; missing ones if there is no such column."""
    if column not in table.column_names:
        return pa.chunked_array([pa.nulls(size)])
    values = table[column].slice(0, size)
    kind = values.type
    return values.cast(kind.value_type) if pa.types.is_dictionary(kind) else values


def _cells(table: pa.Table, row: int) -> dict[str, Any]:
    """Return the values of a row by column; none if the table has no such row."""
    return next(iter(table.slice(row, 1).to_pylist()), {})


def _rank(cells: Mapping[str, Any], keys: Sequence[str]) -> list[tuple[bool, Any]]:
    return [(cells[key] is not None, cells[key]) for key in keys]
