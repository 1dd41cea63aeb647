"""Tables of a run: parts joined, sorted by their declared key, compared byte by byte."""

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.errors import UnknownNameError
from memopolis.sim.recording.schema import sort_key
from memopolis.sim.run_folder.folder import parts_of, reading

if TYPE_CHECKING:
    import pyarrow as pa


def table_names(folder: Path) -> list[str]:
    """Names of the tables that a run recorded, sorted; a table without rows is not there."""
    return sorted(
        path.name for path in (folder / "tables").iterdir() if parts_of(folder, path.name)
    )


def read_table(
    folder: Path, name: str, *, agent: int | None = None, columns: Sequence[str] = ()
) -> "pa.Table":
    """Join the parts of a table and sort them by its key.

    Args:
        folder: Of the run.
        name: Of the table.
        agent: unique_id of the only agent whose rows are wanted; None for all rows.
        columns: Those wanted beside the key; all if none are named.

    Returns:
        Its rows; texts that repeat stay dictionary-encoded.

    Raises:
        UnknownNameError: If the run has no such table, or the table no such column.
        RunFolderError: If a part cannot be read.
    """
    import pyarrow.parquet as pq

    parts = parts_of(folder, name)
    if not parts:
        raise UnknownNameError(
            f"{folder} has no table {name!r}; it has {', '.join(table_names(folder)) or 'none'}. "
            "What a run records is set by record.tables"
        )
    with reading(folder, name):
        wanted = None if agent is None else [("agent", "==", agent)]
        names = select_columns(name, columns, pq.read_schema(parts[0]).names)
        read = [pq.read_table(part, columns=names, filters=wanted) for part in parts]
        return join_pieces(name, read)


def join_pieces(name: str, pieces: Sequence["pa.Table"]) -> "pa.Table":
    """Join pieces of a table, one after another, and sort them by its key.

    Args:
        name: Of the table.
        pieces: At least one, in the order in which they were recorded.
    """
    import pyarrow as pa

    # Later parts may number their texts in wider types.
    whole = pa.concat_tables(pieces, promote_options="permissive")
    whole = whole.unify_dictionaries().combine_chunks()
    return _sorted(whole, [key for key in sort_key(name) if key in whole.column_names])


def select_columns(name: str, columns: Sequence[str], present: Sequence[str]) -> list[str] | None:
    """The key of a table and the columns wanted of those there are, None for all.

    Raises:
        UnknownNameError: If there is no such column.
    """
    for column in columns:
        if column not in present:
            raise UnknownNameError(
                f"table {name!r} has no column {column!r}; it has {', '.join(present)}"
            )
    return [c for c in present if c in (*sort_key(name), *columns)] if columns else None


def table_length(folder: Path, name: str) -> int:
    """Count the rows of a table without reading them; 0 if there is none.

    Raises:
        RunFolderError: If a part cannot be read.
    """
    import pyarrow.parquet as pq

    with reading(folder, name):
        return sum(pq.read_metadata(part).num_rows for part in parts_of(folder, name))


def column_names(folder: Path, name: str) -> frozenset[str]:
    """Names of a table's columns without reading its rows; none if there is no such table.

    Raises:
        RunFolderError: If its first part cannot be read.
    """
    import pyarrow.parquet as pq

    parts = parts_of(folder, name)
    with reading(folder, name):
        return frozenset(pq.read_schema(parts[0]).names) if parts else frozenset()


def table_digests(folder: str | Path) -> dict[str, str]:
    """Give a hash of the content of every table of a run, to compare runs byte by byte.

    Parts are joined and sorted by key first, so that where a part ends does not matter; nor
    does how a text is encoded.

    Args:
        folder: Of the run.

    Returns:
        SHA-256 by table name.

    Raises:
        RunFolderError: If a part cannot be read.
    """
    folder = Path(folder)
    return {name: _digest(read_table(folder, name)) for name in table_names(folder)}


def _sorted(table: "pa.Table", keys: list[str]) -> "pa.Table":
    if not keys:
        return table
    ranked = [ranks(table[key]) for key in keys]
    # Most tables are recorded in their order, and looking is much faster than sorting.
    if _in_order(ranked):
        return table
    # The last key of lexsort is the first to sort by.
    return table.take(np.lexsort(ranked[::-1]))


def _in_order(ranked: Sequence[NDArray[Any]]) -> bool:
    """Return whether rows are sorted by the first key, then by the second and so on."""
    equal = np.ones(max(len(ranked[0]) - 1, 0), np.bool_)
    for ranks_of_key in ranked:
        before, after = ranks_of_key[:-1], ranks_of_key[1:]
        if (equal & (before > after)).any():
            return False
        equal &= before == after
    return True


def ranks(column: "pa.ChunkedArray") -> NDArray[Any]:
    """Numbers in the order of the values: texts by alphabet, however they are encoded.

    Args:
        column: Numbers, texts, or texts by dictionary.

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


def _digest(table: "pa.Table") -> str:
    total = hashlib.sha256()
    for name in sorted(table.column_names):
        total.update(name.encode())
        for piece in _pieces(table[name]):
            total.update(piece)
    return total.hexdigest()


def _pieces(column: "pa.ChunkedArray") -> list[bytes]:
    """The bytes of a column, the same for the same values: missing ones are marked apart."""
    import pyarrow as pa
    import pyarrow.compute as pc

    missing = column.is_null().to_numpy().tobytes()
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if pa.types.is_list(column.type):
        lengths = pc.list_value_length(column).fill_null(-1).to_numpy().tobytes()
        return [missing, lengths, *_pieces(pc.list_flatten(column))]
    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        return [missing, "\x00".join(text or "" for text in column.to_pylist()).encode()]
    if pa.types.is_null(column.type):
        return [missing]
    empty = False if pa.types.is_boolean(column.type) else 0
    return [missing, str(column.type).encode(), column.fill_null(empty).to_numpy().tobytes()]
