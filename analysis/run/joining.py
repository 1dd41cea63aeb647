"""Join pieces of tables, sorted by their key."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from memopolis.sim.errors import UnknownNameError, did_you_mean
from memopolis.sim.recording.schema import sort_key


def join_pieces(name: str, pieces: Sequence[pa.Table]) -> pa.Table:
    """Join pieces of a table, at least one, in recorded order, and sort them by its key."""
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

    `present` are all columns of the table. Raises UnknownNameError if there is no such column.
    """
    for column in columns:
        if column not in present:
            near = did_you_mean(column[:80], present)
            raise UnknownNameError(
                f"table {name!r} has no column {column[:80]!r}; {near}it has {', '.join(present)}"
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


def encode_texts(column: pa.ChunkedArray) -> tuple[NDArray[np.object_], NDArray[np.integer]]:
    """Return the distinct texts of a column, and the index of the text of each row, -1 for none."""
    if not pa.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    array = column.unify_dictionaries().combine_chunks()
    if isinstance(array, pa.ChunkedArray):
        array = array.chunk(0) if array.num_chunks else pa.array([], column.type)
    codes = np.asarray(array.indices.fill_null(-1).to_numpy(zero_copy_only=False))
    return np.array(array.dictionary.to_pylist(), object), codes


def has_texts(column: pa.ChunkedArray) -> bool:
    """Whether a column contains texts, dictionary-encoded or not."""
    kind = column.type
    return any(
        is_kind(kind)
        for is_kind in (pa.types.is_dictionary, pa.types.is_string, pa.types.is_large_string)
    )


def ranks(column: pa.ChunkedArray) -> NDArray[Any]:
    """Return numbers that sort like the values of a column, whatever its encoding.

    Returns the numbers themselves, or the rank of each text, -1 where it is missing, shape (rows,).
    """
    if not has_texts(column):
        return np.asarray(column.to_numpy())
    texts, codes = encode_texts(column)
    rank = np.unique(texts.astype(str), return_inverse=True)[1]
    ranked: NDArray[np.intp] = np.append(rank, -1)[codes]
    return ranked
