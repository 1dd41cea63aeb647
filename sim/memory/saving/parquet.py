"""Write and read the tables of a saved memory: plain Parquet files whose checksum is known."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from memopolis.sim.arrays import Array, UInt8
from memopolis.sim.checksums import FileRecord, record_of, record_of_file
from memopolis.sim.errors import RunFolderError
from memopolis.sim.files import synced

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pyarrow as pa

# Without a dictionary or a compression, a small file has no huge content.
_ENCODINGS = frozenset(("PLAIN", "RLE", "BIT_PACKED"))


def write_table(path: Path, columns: "Mapping[str, pa.Array]") -> FileRecord:
    """Write a table, sync it to disk, and return its size and checksum."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    with path.open("wb") as file:
        pq.write_table(
            pa.table(dict(columns)), file, compression="none", use_dictionary=False,
            write_statistics=False,
        )  # fmt: skip
        file.flush()
        synced(file.fileno())
    return record_of_file(path)


@dataclass(frozen=True)
class SavedTable:
    """A table that was read; errors name its file."""

    name: str
    columns: "pa.Table"

    def __len__(self) -> int:
        return int(self.columns.num_rows)

    def check_columns(self, names: "set[str]") -> None:
        """Refuse a table with other columns."""
        columns = self.columns.column_names
        if missing := names.difference(columns):
            raise RunFolderError(f"{self.name} lacks the column {min(missing)}")
        others = [name for name in columns if name not in names or columns.count(name) > 1]
        if others:
            raise RunFolderError(f"{self.name} has the unknown or repeated column {min(others)}")

    def numbers(self, column: str) -> Array:
        """Return numbers, or lists of as many numbers as an array with two axes."""
        import pyarrow as pa

        values = self.columns[column].combine_chunks()
        width: tuple[int, ...] = ()
        kind = values.type
        if pa.types.is_fixed_size_list(kind):
            values, width, kind = values.flatten(), (kind.list_size,), kind.value_type
        is_number = pa.types.is_integer(kind) or pa.types.is_floating(kind)
        if not (is_number or pa.types.is_boolean(kind)) or values.null_count:
            raise RunFolderError(f"{self.name}, {column}, contains {kind}; numbers are needed")
        return np.array(values).reshape((len(self), *width))

    def texts(self, column: str) -> list[str]:
        """Return texts."""
        import pyarrow as pa

        values = self.columns[column]
        if values.type != pa.string() or values.null_count:
            raise RunFolderError(f"{self.name}, {column}, contains {values.type}, not texts")
        texts: list[str] = values.to_pylist()
        return texts

    def bytes(self, column: str, length: int) -> UInt8:
        """Return the bytes of all rows, `length` of each, one after another."""
        import pyarrow as pa

        values = self.columns[column].combine_chunks()
        if values.type != pa.binary(length) or values.null_count:
            raise RunFolderError(
                f"{self.name}, {column}, contains {values.type}; {length} bytes are needed"
            )
        if not len(values):
            return np.zeros(0, np.uint8)
        whole = values.buffers()[1]
        return np.frombuffer(whole, np.uint8, len(values) * length, values.offset * length)


def read_table(path: Path, record: FileRecord) -> SavedTable:
    """Read a table of `write_table` after comparing its size and checksum.

    Raises RunFolderError if they differ, or errors of Arrow.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    size = path.stat().st_size
    if not size:
        raise RunFolderError(f"{path.name} is empty")
    content = pa.memory_map(str(path)).read_buffer()
    if problem := record.problem(record_of(content)):
        raise RunFolderError(f"{path.name} {problem}")
    file = pq.ParquetFile(pa.BufferReader(content))
    for group in range(file.metadata.num_row_groups):
        for column in range(file.metadata.num_columns):
            chunk: Any = file.metadata.row_group(group).column(column)
            if chunk.compression != "UNCOMPRESSED" or not _ENCODINGS.issuperset(chunk.encodings):
                raise RunFolderError(f"{path.name} is compressed, which no saved memory is")
    return SavedTable(path.name, file.read())
