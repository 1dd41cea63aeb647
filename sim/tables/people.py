"""Profiles of agents from a table: one row per agent, one column per attribute.

| column | what |
| --- | --- |
| agent | unique_id of the agent |
| name | its name, if there is no column agent and agents have names |
| any other | its value of that attribute; a new attribute only with `new_columns` |

Without agent and name the rows are the agents in order. An empty cell changes nothing.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.errors import DataFileError, SchemaError, did_you_mean
from memopolis.sim.memory.memory import Memory
from memopolis.sim.memory.status.schema import Attribute, Schema, dtype_of, empty_of
from memopolis.sim.tables.agents import KEYS, NAME, AgentIndex, RowOwners
from memopolis.sim.world.frames import Source, plain_cells, read_frame

if TYPE_CHECKING:
    import pandas as pd
import json
import math
from contextlib import suppress

from memopolis.sim.memory.status.schema import Kind, kind_of

# Values of attributes from the cells of a table.

_FLAGS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


class CellError(Exception):
    """An invalid cell; the message says what is expected."""


def parse_cell(attribute: Attribute, cell: Any) -> Any:
    """Convert a plain value, not None, to a value of an attribute; parse text where necessary."""
    if attribute.kind == "text":
        if not isinstance(cell, str):
            raise CellError("a text")
        return cell
    if attribute.kind == "bool":
        flag = _FLAGS.get(str(cell).lower())
        if flag is None:
            raise CellError("true or false")
        return flag
    if attribute.kind in ("int", "float"):
        return _number(attribute, cell)
    return _open(attribute, cell)


def _number(attribute: Attribute, cell: Any) -> float:
    whole = attribute.kind == "int"
    if cell in attribute.labels:
        return attribute.labels.index(cell)
    low, high = _range(attribute)
    expected = "a whole number" if whole else "a number"
    if math.isfinite(low):
        expected += f", at least {low:g}"
    if math.isfinite(high):
        expected += f", at most {high:g}"
    if attribute.labels:
        expected += f", or one of {', '.join(attribute.labels)}"
    number = None if isinstance(cell, bool) else _parse_number(cell)
    if number is None or not low <= number <= high or (whole and number != math.floor(number)):
        raise CellError(expected)
    return int(number) if whole else number


def _range(attribute: Attribute) -> tuple[float, float]:
    """Return the least and greatest sensible number that fits into the column."""
    dtype = np.dtype(attribute.dtype)
    info = np.iinfo(dtype) if dtype.kind in "iu" else np.finfo(dtype)
    low = float(info.min) if attribute.low is None else attribute.low
    high = float(info.max) if attribute.high is None else attribute.high
    if attribute.labels:
        low, high = max(low, 0), min(high, len(attribute.labels) - 1)
    return low, high


def _parse_number(cell: Any) -> float | None:
    try:
        if isinstance(cell, str):
            if "_" in cell:  # Python would parse it as a number
                return None
            cell = int(cell) if cell.lstrip("+-").isdecimal() else cell
        number: float = cell if isinstance(cell, int) else float(cell)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def _open(attribute: Attribute, cell: Any) -> Any:
    value = cell
    if isinstance(cell, str):
        with suppress(ValueError):
            value = json.loads(cell)
    if attribute.kind == "set" and isinstance(value, list | set):
        return set(value)
    fits = {"list": isinstance(value, list), "dict": isinstance(value, dict), "any": True}
    if not fits.get(attribute.kind, False):
        expected = {"list": 'a list such as ["a", "b"]', "set": 'a list such as ["a", "b"]'}
        raise CellError(expected.get(attribute.kind, 'a mapping such as {"a": 1}'))
    return value


def infer_kind(cells: Sequence[Any]) -> Kind:
    """Infer the kind of an undeclared attribute from its cells; texts of numbers are numbers."""
    filled = [cell for cell in cells if cell is not None]
    if filled and all(isinstance(cell, str) for cell in filled):
        return _kind_of_texts(filled)
    kinds = {kind_of(cell) for cell in filled}
    if kinds == {"int", "float"}:
        return "float"
    if len(kinds) != 1:
        types = ", ".join(sorted({type(cell).__name__ for cell in filled}))
        raise CellError(f"the cells of a column are of one type, got {types}")
    return kinds.pop()


def _kind_of_texts(texts: Sequence[str]) -> Kind:
    if all(text.lower() in ("true", "false") for text in texts):
        return "bool"
    numbers = [_parse_number(text) for text in texts]
    if any(number is None for number in numbers):
        return "text"
    whole = all(text.lstrip("+-").isdecimal() for text in texts)
    # A code with a leading zero, such as a zone number, is text.
    if any(len(text.lstrip("+-")) > 1 and text.lstrip("+-").startswith("0") for text in texts):
        return "text" if whole else "float"
    return "int" if whole else "float"


OWNED = ("alive",)  # attributes that only the society sets


@dataclass(frozen=True, slots=True, eq=False)
class _Column:
    """New values of an attribute for agents of one memory."""

    attribute: Attribute
    rows: NDArray[np.int64]
    cells: NDArray[np.object_]


def read_profiles(
    memories: Memory | Sequence[Memory],
    source: Source,
    *,
    owned: Sequence[str] = (),
    new_columns: bool = False,
) -> None:
    """Set the status of agents of one or several populations from a table, all of it or nothing.

    `source` is a CSV, Parquet or JSON file or a DataFrame, with the columns above. Fields of a
    struct are columns such as "emotion.fear", or a column of mappings. `owned` are attributes that
    a table may not set. A column that is no attribute is refused, or with `new_columns` declared
    with the type of its cells. A DataFileError names file, row (the first is 1) and column.
    """
    several = tuple(memories) if isinstance(memories, Sequence) else (memories,)
    table, name = read_frame(source)
    owners = AgentIndex(several).owners(table, name)
    _check_once(owners, name)
    values = table.drop(columns=[owners.key] if owners.key else [])
    columns = _columns(values, several, name, owned=(*OWNED, *owned))
    schemas = [memory.status.schema for memory in several]
    if not new_columns:
        _refuse_new(columns, schemas, name)
    plans: list[list[_Column]] = []
    for number, trial in enumerate(schemas):
        lines = np.flatnonzero(owners.memory == number)
        planned = [_plan(trial, named, lines, owners.row, name) for named in columns.items()]
        plans.append([column for column in planned if column is not None])
    for memory, plan in zip(several, plans, strict=True):
        _apply(memory, plan)


def _refuse_new(columns: Collection[str], schemas: Sequence[Schema], name: str) -> None:
    """Refuse columns that are no attribute of any agent, and close the schemas to new ones."""
    for schema in schemas:
        if NAME in columns and NAME not in schema.attributes and not schema.closed:
            schema.declare(NAME, "", record=True)  # agents without names may be given some
        schema.closed = True
    attributes = dict.fromkeys(key for schema in schemas for key in schema.attributes)
    for column in columns:
        if column not in attributes:
            raise _no_such_attribute(f"{name}, column {column}", column, attributes)


def _no_such_attribute(where: str, column: str, attributes: Iterable[str]) -> DataFileError:
    names = list(dict.fromkeys([*KEYS, *attributes]))
    near = did_you_mean(column, names).strip() or f"there are: {', '.join(names)}."
    return DataFileError(
        f"{where}: there is no such attribute; {near} new_columns=true adds new ones unless the "
        "schema is closed"
    )


def _check_once(owners: RowOwners, name: str) -> None:
    first: dict[tuple[int, int], int] = {}
    pairs = zip(owners.memory.tolist(), owners.row.tolist(), strict=True)
    for number, agent in enumerate(pairs, start=1):
        if agent in first:
            raise DataFileError(
                f"{name}, row {number}, column {owners.key}: the same agent as in row "
                f"{first[agent]}; each has one row"
            )
        first[agent] = number


def _columns(
    table: "pd.DataFrame", memories: Sequence[Memory], name: str, *, owned: Sequence[str]
) -> dict[str, list[Any]]:
    """Return cells by attribute; columns of mappings are split into the fields of a struct."""
    columns: dict[str, list[Any]] = {}
    for column in table.columns:
        where = f"{name}, column {column}"
        if column in owned:
            raise DataFileError(f"{where}: only the society sets {column}")
        cells = plain_cells(table[column], source=name)
        struct = any(column in m.status and column not in m.status.attributes for m in memories)
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


def _plan(
    trial: Schema,
    named: tuple[str, Sequence[Any]],
    lines: NDArray[np.intp],
    rows: NDArray[np.int64],
    source: str,
) -> _Column | None:
    """Check the cells of a column for the agents of one memory; None if all are empty."""
    column, cells = named
    filled = [at for at in lines.tolist() if cells[at] is not None]
    if not filled:
        return None
    attribute = trial.attributes.get(column)
    if attribute is None:
        attribute = _undeclared(trial, column, cells, f"{source}, column {column}")
    values = np.empty(len(filled), object)
    for place, at in enumerate(filled):
        try:
            values[place] = parse_cell(attribute, cells[at])
        except CellError as error:
            raise DataFileError(
                f"{source}, row {at + 1}, column {column}: {cells[at]!r}, expected {error}"
            ) from None
    return _Column(attribute, rows[filled], values)


def _undeclared(trial: Schema, column: str, cells: Sequence[Any], where: str) -> Attribute:
    """Declare an attribute with the kind of its cells."""
    if trial.closed:
        raise _no_such_attribute(where, column, trial.attributes)
    try:
        kind = infer_kind(cells)
        whole = [abs(int(cell)) for cell in cells if cell is not None] if kind == "int" else [0]
        plain = kind in ("float", "int", "bool", "text")
        dtype = dtype_of(kind, max(whole))
        trial.declare(column, empty_of(kind), dtype, record=plain, optional=True)
    except (CellError, SchemaError) as error:
        raise DataFileError(f"{where}: {error}") from None
    return trial.attributes[column]


def _apply(memory: Memory, plan: Sequence[_Column]) -> None:
    for column in plan:
        attribute = column.attribute
        if attribute.name not in memory.status.attributes:
            memory.status.declare(
                attribute.name, attribute.default, attribute.dtype, record=attribute.record,
                optional=attribute.optional,
            )  # fmt: skip
        numbers = attribute.kind in ("float", "int", "bool")
        values = np.array(column.cells.tolist()) if numbers else column.cells
        memory.of(column.rows).status[attribute.name] = values
