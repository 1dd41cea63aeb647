"""Export tables of a run as labelled arrays (extra `xarray`)."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

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
    selected = {
        name: [column for column in columns if column in own] for name, own in owned.items()
    }
    return {name: names for name, names in selected.items() if names}


def _dataset(source: Source, name: str, columns: Sequence[str]) -> "xr.Dataset":
    """Turn a table into arrays with one dimension for each key column."""
    import xarray as xr

    known, keys = source.schemas[name].columns, source.schemas[name].key
    rows = source.reader.read(name, [*keys, *columns] if columns else ())
    # Texts are arranged by their numbers, because xarray would copy each that rows share.
    texts = {
        column: encode_texts(rows[column])
        for column in rows.column_names
        if has_texts(rows[column])
    }
    plain = {
        column: texts[column][1] if column in texts else rows[column].to_numpy()
        for column in rows.column_names
    }
    plain |= {column: texts[column][0][plain[column]] for column in keys if column in texts}
    frame = pd.DataFrame(plain).set_index([*keys])
    if len(frame) < math.prod(frame.index.get_level_values(key).nunique() for key in keys):
        flags = frame.columns[frame.dtypes == np.bool_]
        frame = frame.astype(dict.fromkeys(flags, np.float32))  # xarray would make them objects
    made = xr.Dataset.from_dataframe(frame)
    for text in texts.keys() - {*keys}:
        codes = made[text].fillna(-1).to_numpy().astype(np.intp)
        values = np.array([*texts[text][0], None], object)[codes]
        made[text] = xr.Variable(made[text].dims, values, fastpath=True)
    for variable in made.variables:
        made[variable].attrs.update(_attributes(known.get(str(variable))))
    times = source.time_of(pd.Series(made["tick"].to_numpy())).to_numpy()
    made = made.assign_coords(time=("tick", times))
    return _with_declarations(made, source.measures) if name == "measures" else made


def _with_declarations(
    measures: "xr.Dataset", declared_measures: Sequence[Mapping[str, Any]]
) -> "xr.Dataset":
    """Add the unit and the description of each measure as coordinates."""
    declared = {measure["name"]: measure for measure in declared_measures}
    names = measures["measure"].to_numpy().tolist()
    texts = {
        entry: ("measure", [str(declared.get(name, {}).get(entry, "")) for name in names])
        for entry in ("unit", "description")
    }
    return measures.assign_coords(texts)


def _attributes(column: Column | None) -> dict[str, str]:
    return {} if column is None else {"units": column.unit, "description": column.meaning}
