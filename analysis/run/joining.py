"""Join pieces of tables, sorted by their key."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.errors import UnknownNameError
from memopolis.sim.recording.schema import sort_key

if TYPE_CHECKING:
    import pyarrow as pa


def join_pieces(name: str, pieces: Sequence["pa.Table"]) -> "pa.Table":
    """Join pieces of a table, one after another, and sort them by its key.

    Args:
        name: Name of the table.
        pieces: At least one, in recorded order.
    """
    import pyarrow as pa

    # Later parts may have wider types of dictionary codes.
    whole = pa.concat_tables(pieces, promote_options="permissive")
    whole = whole.unify_dictionaries().combine_chunks()
    ranked = [ranks(whole[key]) for key in sort_key(name) if key in whole.column_names]
    # Most tables are recorded in order, and checking is much faster than sorting.
    if not ranked or _is_sorted(ranked):
        return whole
    # The last key of lexsort is the primary one.
    return whole.take(np.lexsort(ranked[::-1]))


def select_columns(name: str, columns: Sequence[str], present: Sequence[str]) -> list[str] | None:
    """Return the key of a table and some of its columns, in recorded order; None for all.

    Args:
        name: Name of the table.
        columns: Columns to select besides the key; all if empty.
        present: All columns of the table.

    Raises:
        UnknownNameError: If there is no such column.
    """
    for column in columns:
        if column not in present:
            raise UnknownNameError(
                f"table {name!r} has no column {column!r}; it has {', '.join(present)}"
            )
    return [c for c in present if c in (*sort_key(name), *columns)] if columns else None


def _is_sorted(ranked: Sequence[NDArray[Any]]) -> bool:
    """Check whether rows are sorted by the first key, then by the second and so on."""
    equal = np.ones(max(len(ranked[0]) - 1, 0), np.bool_)
    for ranks_of_key in ranked:
        before, after = ranks_of_key[:-1], ranks_of_key[1:]
        if (equal & (before > after)).any():
            return False
        equal &= before == after
    return True


def ranks(column: "pa.ChunkedArray") -> NDArray[Any]:
    """Return numbers that sort like the values of a column, whatever its encoding.

    Args:
        column: Numbers, texts, or dictionary-encoded texts.

    Returns:
        The numbers themselves, or the rank of each text, -1 where it is missing, shape (rows,).
    """
    import pyarrow as pa

    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        column = column.dictionary_encode()
    if not pa.types.is_dictionary(column.type):
        return np.asarray(column.to_numpy())
    array = column.combine_chunks()
    if isinstance(array, pa.ChunkedArray):
        array = array.chunk(0) if array.num_chunks else pa.array([], column.type)
    labels = np.asarray(array.dictionary.to_pylist(), dtype=object).astype(str)
    rank = np.unique(labels, return_inverse=True)[1]
    codes = np.asarray(array.indices.fill_null(-1).to_numpy(zero_copy_only=False))
    return np.append(rank, -1)[codes]
