"""Copies of parts whose rows stand by agent, so that those of one agent are read at once."""

from dataclasses import dataclass
from functools import cached_property
from os import SEEK_END
from tempfile import TemporaryFile
from threading import Lock
from typing import IO, TYPE_CHECKING
from weakref import finalize

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pyarrow as pa

_BATCH = 4096
"""Rows of a batch, and as many more as its last agent has."""

type Stamp = tuple[str, int]
"""A file, and when it was written."""


@dataclass(frozen=True)
class _Copy:
    """Where a copy lies.

    Attributes:
        first: unique_id of the first agent of each batch, shape (batches,).
        places: Byte at which each batch begins, and the last one ends, shape (batches + 1,).
        texts: Texts of each column that only has their numbers.
    """

    first: NDArray[np.integer]
    places: NDArray[np.int64]
    texts: dict[str, "pa.Array"]


class ByAgent:
    """Copies of parts, in one file without a name. Several threads may read.

    In a part, rows of an agent lie among everybody's, all of which are decoded to find them. In
    its copy they stand together, in one of many small batches.
    """

    def __init__(self) -> None:
        self._copies: dict[Stamp, _Copy] = {}
        self._lock = Lock()

    def __contains__(self, part: Stamp) -> bool:
        return part in self._copies

    def add(self, part: Stamp, rows: "pa.Table") -> None:
        """Copy a part.

        Args:
            part: Which one.
            rows: All of its rows, at least one, with a column `agent`.

        Raises:
            OSError: If it cannot be written; the part is not there then.
        """
        numbers, texts = _apart(rows)
        order = np.argsort(numbers["agent"].to_numpy(), kind="stable")
        sorted_ = numbers.take(order).combine_chunks()
        agents = sorted_["agent"].to_numpy()
        starts = _starts(agents)
        packed = [_packed(sorted_[a:b]) for a, b in zip(starts, [*starts[1:], None], strict=True)]
        sizes = np.cumsum([0, *map(len, packed)])
        with self._lock:
            begin = self._file.seek(0, SEEK_END)
            self._file.writelines(packed)
            self._file.flush()
        self._copies[part] = _Copy(agents[starts], begin + sizes, texts)

    def read(self, part: Stamp, agent: int) -> "pa.Table":
        """Rows of an agent in a part that was copied, in their order.

        Raises:
            OSError: If the file cannot be read.
        """
        import pyarrow as pa

        copy = self._copies[part]
        batch = max(int(np.searchsorted(copy.first, agent, "right")) - 1, 0)
        begin, end = copy.places[batch : batch + 2].tolist()
        with self._lock:
            self._file.seek(begin)
            packed = self._file.read(end - begin)
        with pa.ipc.open_stream(packed) as stream:
            rows = stream.read_all()
        own = rows.take(np.flatnonzero(rows["agent"].to_numpy() == agent))
        for name, texts in copy.texts.items():
            own = own.set_column(own.column_names.index(name), name, _told(own[name], texts))
        return own

    @cached_property
    def _file(self) -> IO[bytes]:
        """Without a name: it goes with this object, however the process ends."""
        file = TemporaryFile(prefix="memopolis-")  # noqa: SIM115 - closed with this object
        finalize(self, file.close)
        return file


def _starts(agents: NDArray[np.integer]) -> list[int]:
    """Rows at which batches begin: never inside those of one agent."""
    changes = np.append(np.flatnonzero(np.diff(agents)) + 1, len(agents))
    wanted = np.arange(_BATCH, len(agents), _BATCH)
    cuts = np.unique(changes[np.searchsorted(changes, wanted)])
    return [0, *cuts[cuts < len(agents)].tolist()]


def _apart(rows: "pa.Table") -> tuple["pa.Table", dict[str, "pa.Array"]]:
    """Rows with numbers in place of texts that repeat, and the texts of these columns."""
    import pyarrow as pa

    rows, texts = rows.unify_dictionaries().combine_chunks(), {}
    for number, field in enumerate(rows.schema):
        if pa.types.is_dictionary(field.type):
            (column,) = rows[number].chunks
            texts[field.name] = column.dictionary
            rows = rows.set_column(number, field.name, column.indices)
    return rows, texts


def _told(numbers: "pa.ChunkedArray", texts: "pa.Array") -> "pa.ChunkedArray":
    """Texts by their numbers; of all texts, only those that are named."""
    return texts.take(numbers).dictionary_encode()


def _packed(rows: "pa.Table") -> bytes:
    import pyarrow as pa

    out = pa.BufferOutputStream()
    options = pa.ipc.IpcWriteOptions(compression="lz4")
    with pa.ipc.new_stream(out, rows.schema, options=options) as stream:
        stream.write_table(rows)
    packed: bytes = out.getvalue().to_pybytes()
    return packed
