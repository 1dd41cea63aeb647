"""Export tables of a run as labelled arrays (extra `xarray`)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from memopolis.sim.errors import UnknownNameError, did_you_mean
from memopolis.sim.extras import require
from memopolis.sim.recording.schema import TableSchema

if TYPE_CHECKING:
    import xarray as xr

    from memopolis.analysis.run.reader import TableReader

_GRIDS = ("measures", "weather")
"""Tables, besides those of agents, with at most one row for each combination of key values."""


@dataclass(frozen=True)
class Source:
    """Tables and declarations of a run to export.

    Attributes:
        reader: Reads the tables.
        schemas: Columns of each table.
        measures: Declared measures.
        time_of: Returns the dates of ticks.
    """

    reader: "TableReader"
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
    known = source.schemas[name].columns
    keys = list(source.schemas[name].key)
    rows = source.reader.read(name, [*keys, *columns] if columns else ()).to_pandas()
    texts = rows.columns[rows.dtypes == "category"]
    rows = rows.astype(dict.fromkeys(texts, object))
    if len(rows) < rows[keys].nunique().prod():  # combinations without a row become missing
        numbers = rows.columns.difference(keys).intersection(rows.select_dtypes(["bool", "int"]))
        rows = rows.astype({n: np.promote_types(rows[n].dtype, np.float32) for n in numbers})
    arrays: xr.Dataset = rows.set_index(keys).to_xarray()
    for column in map(str, arrays.variables):
        if column in known:
            arrays[column].attrs = {
                "units": known[column].unit,
                "description": known[column].meaning,
            }
    times = source.time_of(pd.Series(arrays["tick"].to_numpy())).to_numpy()
    arrays = arrays.assign_coords(time=("tick", times))
    return _with_declarations(arrays, source.measures) if name == "measures" else arrays


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
