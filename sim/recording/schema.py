"""The columns of every table of a run or a sweep, declared once in `columns.csv`.

The recorder, the readers in `analysis`, docs/tables.md and the column help of the MCP server use
these declarations. Attributes in `agents_<population>` are declared on the agent class; the
manifest of the run lists them.
"""

import csv
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

_STATIC = ("zones", "outlines", "weather", "track", "ties", "outlets")
_WIDE_UNITS = ("hash", "seed")
_NOT_IN_TABLES = (
    "agents", "memory", "model_call_timings", "timings", "sweep_points", "sweep_runs",
)  # fmt: skip


@dataclass(frozen=True)
class Column:
    """One column of a table."""

    type: str  # type of its values, as Arrow names it; "text" for strings
    meaning: str  # what its values mean
    unit: str = ""  # unit of its values, "" for none
    key: bool = False  # whether it is part of the key

    @property
    def is_wide(self) -> bool:
        """Whether it contains hashes or seeds, which need more than the 53 bits of a float."""
        return self.unit in _WIDE_UNITS


@dataclass(frozen=True)
class TableSchema:
    """The columns of one table."""

    columns: Mapping[str, Column]  # columns by name, in the order of the documentation
    # Whether it is written once, at the start, and keeps the order of its rows
    static: bool = False

    @property
    def key(self) -> tuple[str, ...]:
        """Names of the columns that identify a row."""
        return tuple(name for name, column in self.columns.items() if column.key)


def wide_columns(tables: Iterable[TableSchema]) -> frozenset[str]:
    """Return the names of the wide columns of some tables, see `Column.is_wide`."""
    return frozenset(
        name for table in tables for name, column in table.columns.items() if column.is_wide
    )


def _declared() -> dict[str, TableSchema]:
    tables: dict[str, dict[str, Column]] = {}
    with Path(__file__).with_name("columns.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            column = Column(row["type"], row["meaning"], row["unit"], key=bool(row["key"]))
            tables.setdefault(row["table"], {})[row["column"]] = column
    return {name: TableSchema(columns, name in _STATIC) for name, columns in tables.items()}


_DECLARED = _declared()
TABLES: Mapping[str, TableSchema] = {
    name: schema for name, schema in _DECLARED.items() if name not in _NOT_IN_TABLES
}
"""Tables of `tables/` by name. A scenario may add static tables of its own."""
AGENTS = _DECLARED["agents"]
"""Columns of `agents_<population>` and `start_<population>` before their attributes."""
HELD = _DECLARED["memory"]
"""Columns of `memory/<population>.parquet`: memories that agents still hold at the end."""
CALL_TIMINGS = _DECLARED["model_call_timings"]  # columns of `timings/model_calls.parquet`
TIMINGS = _DECLARED["timings"]  # entries of `timings/timings.json`
SWEEP_POINTS = _DECLARED["sweep_points"]
"""Columns of the frame `points` of a sweep; FACTOR stands for one column per factor."""
SWEEP_RUNS = _DECLARED["sweep_runs"]
"""Columns of the frame `runs` of a sweep, of runs.csv and of the view `runs`."""


def schema_of(table: str) -> TableSchema:
    """Return the schema of a table by its name; one without columns for an unknown static table."""
    if is_status(table):
        return AGENTS
    return TABLES.get(table, TableSchema({}, static=True))


def is_status(table: str) -> bool:
    """Check whether a table has the status of agents, during the run or at its start."""
    return table.startswith(("agents_", "start_"))


def sort_key(table: str) -> tuple[str, ...]:
    """Return the columns by which a table is sorted; empty for static tables."""
    schema = schema_of(table)
    return () if schema.static else schema.key


def grows_by_step(table: str) -> bool:
    """Check whether rows are added to a table in each step and carry their tick."""
    return "tick" in sort_key(table)
