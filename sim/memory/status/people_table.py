"""Profiles of people from a table: a row an agent, a column an attribute of the status.

| column | what |
| --- | --- |
| agent | unique_id of the agent |
| name | its name, where there is no column agent and agents have names |
| any other | its value of that attribute; one nobody declared is added |

Without agent and name the rows are the agents in their order. An empty cell changes nothing.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.errors import DataFileError, SchemaError
from memopolis.sim.memory.status.schema import Attribute, Schema, dtype_of, empty_of
from memopolis.sim.memory.status.table_agents import People, Whose
from memopolis.sim.memory.status.table_cells import CellError, kind_of_cells, value_of_cell
from memopolis.sim.world.frames import Source, plain_cells, read_frame

if TYPE_CHECKING:
    import pandas as pd

    from memopolis.sim.memory.memory import Memory

OWNED = ("alive",)
"""Attributes that no table may set: they say what the society itself did."""


@dataclass(frozen=True, slots=True, eq=False)
class _Column:
    """A column of the table for the agents of one memory: who gets which value."""

    attribute: Attribute
    rows: NDArray[np.int64]
    given: NDArray[np.object_]


def read_profiles(
    memories: "Memory | Sequence[Memory]", source: Source, *, owned: Sequence[str] = ()
) -> None:
    """Give agents the status that a table says they have: all of it, or none if it is wrong.

    Args:
        memories: The memory of the agents, or those of several populations.
        source: A CSV, Parquet or JSON file or a DataFrame, with the columns above. Fields of
            a struct are columns such as "emotion.fear", or a column of mappings.
        owned: Attributes that no table may set, beside `OWNED`.

    Raises:
        DataFileError: Naming file, row (the first is 1) and column, if the file cannot be
            read, a row means no agent or one that had a row before, or a cell does not fit.
    """
    several = tuple(memories) if isinstance(memories, Sequence) else (memories,)
    table, name = read_frame(source)
    whose = People(several).whose(table, name)
    _check_once(whose, name)
    told = table.drop(columns=[whose.key] if whose.key else [])
    columns = _columns(told, several, name, owned=(*OWNED, *owned))
    plans: list[list[_Column]] = []
    for number, memory in enumerate(several):
        mine = np.flatnonzero(whose.memory == number)
        trial = memory.columns.schema.copy()
        plans.append(
            [
                planned
                for column, cells in columns.items()
                for planned in _planned(trial, (column, cells), mine, whose.row, name)
            ]
        )
    for memory, plan in zip(several, plans, strict=True):
        _apply(memory, plan)


def _check_once(whose: Whose, name: str) -> None:
    first: dict[tuple[int, int], int] = {}
    pairs = zip(whose.memory.tolist(), whose.row.tolist(), strict=True)
    for number, who in enumerate(pairs, start=1):
        if who in first:
            raise DataFileError(
                f"{name}, row {number}, column {whose.key}: the same agent as in row "
                f"{first[who]}; each has one row"
            )
        first[who] = number


def _columns(
    table: "pd.DataFrame", memories: "Sequence[Memory]", name: str, *, owned: Sequence[str]
) -> dict[str, list[Any]]:
    """Cells by name of the attribute; columns of mappings taken apart where these are structs."""
    columns: dict[str, list[Any]] = {}
    for column in table.columns:
        where = f"{name}, column {column}"
        if column in owned:
            raise DataFileError(f"{where}: nobody but the society itself sets {column}")
        cells = plain_cells(table[column], source=name)
        struct = any(m.columns.has(column) and column not in m.columns.arrays for m in memories)
        for key, part in _fields(column, cells, name) if struct else [(column, cells)]:
            if key in columns:
                inside = key.rpartition(".")[0]
                raise DataFileError(
                    f"{name}, column {key}: given twice, as a column and in {inside}"
                )
            columns[key] = part
    return columns


def _fields(column: str, cells: Sequence[Any], source: str) -> Iterator[tuple[str, list[Any]]]:
    for number, cell in enumerate(cells, start=1):
        if cell is not None and not isinstance(cell, dict):
            raise DataFileError(
                f"{source}, row {number}, column {column}: {cell!r}, expected a mapping: "
                f"{column} is a struct, with a field a key"
            )
    for key in dict.fromkeys(key for cell in cells if cell for key in cell):
        yield f"{column}.{key}", [(cell or {}).get(key) for cell in cells]


def _planned(
    trial: Schema,
    named: tuple[str, Sequence[Any]],
    mine: NDArray[np.intp],
    rows: NDArray[np.int64],
    source: str,
) -> Iterator[_Column]:
    """What a column means for the agents of one memory, checked cell by cell."""
    column, cells = named
    there = [at for at in mine.tolist() if cells[at] is not None]
    if not there:
        return
    attribute = trial.attributes.get(column)
    if attribute is None:
        attribute = _undeclared(trial, column, cells, f"{source}, column {column}")
    values = np.empty(len(there), object)
    for place, at in enumerate(there):
        try:
            values[place] = value_of_cell(attribute, cells[at])
        except CellError as error:
            raise DataFileError(
                f"{source}, row {at + 1}, column {column}: {cells[at]!r}, expected {error}"
            ) from None
    yield _Column(attribute, rows[there], values)


def _undeclared(trial: Schema, column: str, cells: Sequence[Any], where: str) -> Attribute:
    """Declare an attribute by the cells of its column."""
    if trial.closed:
        raise DataFileError(
            f"{where}: there is no such attribute and the schema is closed; there are: "
            f"{', '.join(trial.attributes)}"
        )
    try:
        kind = kind_of_cells(cells)
        whole = [abs(int(cell)) for cell in cells if cell is not None] if kind == "int" else [0]
        plain = kind in ("float", "int", "bool", "text")
        trial.declare(column, empty_of(kind), dtype_of(kind, max(whole)), record=plain)
    except (CellError, SchemaError) as error:
        raise DataFileError(f"{where}: {error}") from None
    return trial.attributes[column]


def _apply(memory: "Memory", plan: Sequence[_Column]) -> None:
    columns = memory.columns
    for column in plan:
        attribute = column.attribute
        if attribute.name not in columns.arrays:
            columns.declare(
                attribute.name, attribute.default, attribute.dtype, record=attribute.record
            )
        numbers = attribute.kind in ("float", "int", "bool")
        values = np.array(column.given.tolist()) if numbers else column.given
        columns.write(attribute.name, column.rows, values)
