"""Match rows of two tables by their keys, and find the values that differ."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from memopolis.analysis.run.joining import ranks


@dataclass(frozen=True, eq=False)
class Pairs:
    """Matched rows of A and B, in the order of A, rows of B alone at the end."""

    joint: pa.Table  # rows of A, then those of B, in one table
    a: NDArray[np.int64]  # row of `joint` from A, -1 if A has none, shape (pairs,)
    b: NDArray[np.int64]  # row of `joint` from B, -1 if B has none, shape (pairs,)
    # Whether a column differs, by its name, shape (pairs,); False for rows that only one of the two
    # has
    changed: dict[str, NDArray[np.bool_]]

    @property
    def differ(self) -> NDArray[np.bool_]:
        """Whether a pair differs in any column, shape (pairs,)."""
        alone = (self.a < 0) | (self.b < 0)
        return np.asarray(np.logical_or.reduce([alone, *self.changed.values()]))

    def first(self) -> NDArray[np.int64]:
        """Return a row of `joint` with the key of each pair, shape (pairs,)."""
        return np.where(self.a >= 0, self.a, self.b)


def pairs_of(a: pa.Table, b: pa.Table, keys: Sequence[str]) -> Pairs:
    """Match the rows of two tables by their key, or by position without keys.

    Rows with the same key are matched by order, each row of A and of B once. A column that only one
    of them has differs wherever it is not missing. NaN equals NaN.
    """
    joint = _joined(a, b)
    key_ranks = [ranks(joint[key]) for key in keys]
    first, second = _matched(key_ranks, a.num_rows, b.num_rows)
    both = (first >= 0) & (second >= 0)
    changed = {}
    for name in joint.column_names:
        if name not in keys:
            differs = np.zeros(len(first), np.bool_)
            differs[both] = _unequal(joint[name], first[both], second[both])
            changed[name] = differs
    return Pairs(joint, first, second, changed)


def _joined(a: pa.Table, b: pa.Table) -> pa.Table:
    try:
        joint = pa.concat_tables([a, b], promote_options="permissive")
    except pa.ArrowException:
        # A column may have another type in another version: then its texts are compared.
        odd = [n for n in a.column_names if n in b.column_names and a[n].type != b[n].type]
        joint = pa.concat_tables([_as_texts(a, odd), _as_texts(b, odd)], promote_options="default")
    return joint.unify_dictionaries().combine_chunks()


def _as_texts(table: pa.Table, names: Sequence[str]) -> pa.Table:
    for name in names:
        written = pa.array([None if v is None else str(v) for v in table[name].to_pylist()])
        table = table.set_column(table.column_names.index(name), name, written.cast(pa.string()))
    return table


def _matched(
    keys: Sequence[NDArray[Any]], rows_a: int, rows_b: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return matched rows of the joint table, -1 for none; unmatched rows are at the end."""
    row = np.arange(rows_a + rows_b)
    if not keys:
        keys = [np.concatenate([np.arange(rows_a), np.arange(rows_b)])]
    if rows_a == rows_b and all((key[:rows_a] == key[rows_a:]).all() for key in keys):
        return row[:rows_a], row[rows_a:]  # the usual case, without sorting
    # Equal for the nth row with a key in A and the nth row with it in B.
    frame = pd.DataFrame(dict(enumerate(keys))).assign(in_b=row >= rows_a)
    names = list(range(len(keys)))
    frame["nth"] = frame.groupby([*names, "in_b"]).cumcount()
    frame["row"] = row
    both = frame[~frame["in_b"]].merge(
        frame[frame["in_b"]], on=[*names, "nth"], how="outer", suffixes=("_a", "_b")
    )
    both = both[["row_a", "row_b"]].fillna(-1).astype(np.int64)
    alone = (both < 0).any(axis=1).rename("alone")
    both = both.assign(alone=alone, only_b=both["row_a"] < 0)
    both = both.sort_values(["alone", "only_b", "row_a", "row_b"])
    return both["row_a"].to_numpy(), both["row_b"].to_numpy()


def _unequal(
    column: pa.ChunkedArray, a: NDArray[np.int64], b: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Check whether the values of two rows differ, shape of `a`."""
    missing = column.is_null().to_numpy()
    values = _comparable(column)
    one, other = values[a], values[b]
    different = one != other
    if pa.types.is_floating(column.type):
        different &= ~(np.isnan(one) & np.isnan(other))
    if different.ndim > 1:
        different = different.any(axis=1)
    either, both = missing[a] | missing[b], missing[a] & missing[b]
    return np.asarray(np.where(either, ~both, different))


def _comparable(column: pa.ChunkedArray) -> NDArray[Any]:
    """Return values as numbers, shape (rows,), lists as rows of a matrix; missing ones vary."""
    kind = column.type
    if pa.types.is_dictionary(kind) or pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return ranks(column)
    if pa.types.is_list(kind):
        lengths = pc.list_value_length(column).fill_null(0).to_numpy()
        items = np.asarray(pc.list_flatten(column).to_numpy(), np.float64)
        table = np.full((len(lengths), 1 + int(lengths.max(initial=0))), -1.0)
        table[:, 0] = lengths
        table[:, 1:][np.arange(table.shape[1] - 1) < lengths[:, None]] = items
        return table
    if pa.types.is_null(kind):
        return np.zeros(len(column))
    empty = False if pa.types.is_boolean(kind) else 0
    return np.asarray(column.fill_null(empty).to_numpy())
