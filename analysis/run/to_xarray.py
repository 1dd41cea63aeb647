"""Export tables of a run as labelled arrays (extra `xarray`)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from memopolis.analysis.run.joining import encode_texts, has_texts
from memopolis.analysis.run.reader import TableReader
from memopolis.sim.errors import UnknownNameError, did_you_mean
from memopolis.sim.extras import require
from memopolis.sim.recording.schema import Column, TableSchema

if TYPE_CHECKING:
    import xarray as xr

_GRIDS = ("measures", "weather")
"""Tables, besides those of agents, with at most one row for each combination of key values."""


@dataclass(frozen=True)
class Source:
    """Tables and declarations of a run to export; `time_of` returns the dates of ticks."""

    reader: TableReader
    schemas: Mapping[str, TableSchema]
    measures: Sequence[Mapping[str, Any]]
    time_of: Callable[[pd.Series], pd.Series]


def build_tree(source: Source, tables: Sequence[str], columns: Sequence[str]) -> "xr.DataTree":
    """Build the arrays of a run; see `Run.to_xarray`."""
    require("xarray", "xarray", what="to_xarray")
    import xarray as xr

    selected = _select_columns(source, _select_tables(source, tables), columns)
    arrays = {name: _dataset(source, name, own) for name, own in selected.items()}
    return xr.DataTree.from_dict(arrays)


def _select_tables(source: Source, tables: Sequence[str]) -> list[str]:
    possible = [name for name in source.schemas if name.startswith("agents_") or name in _GRIDS]
    for name in tables:
        if name not in possible:
            raise UnknownNameError(
                f"table {name!r} cannot become arrays; to_xarray takes "
                f"{', '.join(possible) or 'none of the tables of this run'}. "
                "Read other tables by Run.table"
            )
    return list(dict.fromkeys(tables or possible))


def _select_columns(
    source: Source, tables: Sequence[str], columns: Sequence[str]
) -> dict[str, list[str]]:
    """Select the requested columns of each table; tables without any of them are left out."""
    if not columns:
        return {name: [] for name in tables}
    owned = {n: source.reader.columns(n) - set(source.schemas[n].key) for n in tables}
    known = set().union(*owned.values())
    for column in columns:
        if column not in known:
            raise UnknownNameError(
                f"no column {column!r} in {', '.join(tables) or 'any table'}; "
                f"{did_you_mean(column, known)}docs/tables.md lists all columns"
            )
    selected = {name: [one for one in columns if one in own] for name, own in owned.items()}
    return {name: names for name, names in selected.items() if names}


def _dataset(source: Source, name: str, columns: Sequence[str]) -> "xr.Dataset":
    """Turn a table into arrays with one dimension for each key column."""
    import xarray as xr

    known = source.schemas[name].columns
    keys = {key: known[key] for key in source.schemas[name].key}
    rows = source.reader.read(name, [*keys, *columns] if columns else ())
    grid = _Grid.of([_plain(rows[key]) for key in keys])
    made = xr.Dataset(
        {
            # Without fastpath, xarray copies each text that rows share.
            one: xr.Variable(
                [*keys], grid.place(_plain(rows[one])), _attributes(known.get(one)), fastpath=True
            )
            for one in rows.column_names
            if one not in keys
        },
        {
            key: (key, labels, _attributes(column))
            for (key, column), labels in zip(keys.items(), grid.labels, strict=True)
        },
    )
    times = source.time_of(pd.Series(made["tick"].to_numpy())).to_numpy()
    made = made.assign_coords(time=("tick", times))
    return _with_declarations(made, source.measures) if name == "measures" else made


def _with_declarations(
    measures: "xr.Dataset", declared_measures: Sequence[Mapping[str, Any]]
) -> "xr.Dataset":
    """Add the unit and the description of each measure as coordinates."""
    declared = {one["name"]: one for one in declared_measures}
    names = measures["measure"].to_numpy().tolist()
    texts = {
        entry: ("measure", [str(declared.get(name, {}).get(entry, "")) for name in names])
        for entry in ("unit", "description")
    }
    return measures.assign_coords(texts)


def _attributes(column: Column | None) -> dict[str, str]:
    return {} if column is None else {"units": column.unit, "description": column.meaning}


def _plain(column: pa.ChunkedArray) -> NDArray[Any]:
    """Convert a column to numpy; texts become Python strings, each distinct one stored once."""
    if not has_texts(column):
        return np.asarray(column.to_numpy())
    texts, codes = encode_texts(column)
    values: NDArray[np.object_] = np.array([*texts, None], object)[codes]
    return values


@dataclass(frozen=True)
class _Grid:
    """The place of each row in an array with one dimension for each key column.

    `labels` are the sorted values of each key column; `places` the index of each row in the
    flattened array, shape (rows,); `is_full` whether the rows fill the array in its order.
    """

    labels: tuple[NDArray[Any], ...]
    places: NDArray[np.intp]
    is_full: bool

    @classmethod
    def of(cls, keys: Sequence[NDArray[Any]]) -> "_Grid":
        """Arrange rows by key columns, each of shape (rows,), that no two rows share."""
        split = [np.unique(key, return_inverse=True) for key in keys]
        labels = tuple(values for values, _ in split)
        shape = tuple(map(len, labels))
        places = np.ravel_multi_index(tuple(codes for _, codes in split), shape)
        count = int(np.prod(shape))
        is_full = len(places) == count and np.array_equal(places, np.arange(count))
        return cls(labels, places, is_full)

    def place(self, values: NDArray[Any]) -> NDArray[Any]:
        """Arrange a column, shape (rows,); combinations of key values without a row become missing.

        If a row is missing, booleans and integers become floats with NaN, and missing texts None.
        """
        shape = tuple(map(len, self.labels))
        if self.is_full:
            return values.reshape(shape).copy()
        if len(values) == np.prod(shape):
            grid = np.empty(shape, values.dtype)
        elif values.dtype == object:
            grid = np.full(shape, None, object)
        else:
            grid = np.full(shape, np.nan, np.promote_types(values.dtype, np.float32))
        grid.reshape(-1)[self.places] = values
        return grid
