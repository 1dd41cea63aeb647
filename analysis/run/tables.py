"""Count the rows of the tables of a run, and hash their content."""

import hashlib
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from memopolis.analysis.run.reader import TableReader
from memopolis.sim.run_folder.folder import parts_of, reading


def table_length(folder: Path, name: str) -> int:
    """Count the rows of a table without reading them; 0 if there is none."""
    import pyarrow.parquet as pq

    with reading(folder, name):
        return sum(pq.read_metadata(part).num_rows for part in parts_of(folder, name))


def table_digests(folder: str | Path) -> dict[str, str]:
    """Hash the content of every table of a run (SHA-256), to compare runs byte by byte.

    Parts are joined and sorted by key first, so that neither their sizes nor the encoding of texts
    matters.
    """
    reader = TableReader(Path(folder))
    return {name: _digest(reader.read(name)) for name in reader.names()}


def _digest(table: pa.Table) -> str:
    total = hashlib.sha256()
    for name in sorted(table.column_names):
        total.update(name.encode())
        for piece in _pieces(table[name]):
            total.update(piece)
    return total.hexdigest()


def _pieces(column: pa.ChunkedArray) -> list[bytes]:
    """Return the bytes of a column, equal for equal values; missing values are marked."""
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
