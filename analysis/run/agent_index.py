"""Copy parts of tables sorted by agent, so that the rows of one agent are read together."""

from dataclasses import dataclass
from functools import cached_property
from os import SEEK_END
from tempfile import TemporaryFile
from threading import Lock
from typing import IO
from weakref import finalize

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

_BATCH = 4096  # rows of a batch; the rows of its last agent may exceed it

type Stamp = tuple[str, int]
"""Path of a file and the time at which it was written."""


@dataclass(frozen=True)
class _Copy:
    """Locate the copy of a part.

    `first` is the unique_id of the first agent of each batch, `offsets` the first byte of each
    batch and the end of the last, `labels` the texts of columns of which the copy has codes.
    """

    first: NDArray[np.integer]
    offsets: NDArray[np.int64]
    labels: dict[str, pa.Array]


class AgentIndex:
    """Hold sorted copies of parts in one anonymous temporary file. Thread-safe.

    In a part, the rows of an agent are scattered, and finding them takes decoding all rows. In
    its copy they are adjacent, in one of many small batches.
    """

    def __init__(self) -> None:
        self._copies: dict[Stamp, _Copy] = {}
        self._lock = Lock()

    def __contains__(self, part: Stamp) -> bool:
        return part in self._copies

    def __len__(self) -> int:
        return len(self._copies)

    def add(self, part: Stamp, rows: pa.Table) -> None:
        """Copy all rows of a part, at least one, with a column `agent`.

        If it raises an OSError, the part is not added.
        """
        codes, labels = _split_dictionaries(rows)
        order = np.argsort(codes["agent"].to_numpy(), kind="stable")
        sorted_ = codes.take(order).combine_chunks()
        agents = sorted_["agent"].to_numpy()
        starts = batch_starts(agents, _BATCH)
        with self._lock:
            offsets = [self._file.seek(0, SEEK_END)]
            for start, end in zip(starts, [*starts[1:], None], strict=True):
                offsets.append(offsets[-1] + self._file.write(_pack(sorted_[start:end])))
            self._file.flush()
        self._copies[part] = _Copy(agents[starts], np.array(offsets), labels)

    def read(self, part: Stamp, agent: int) -> pa.Table:
        """Return the rows of an agent in a copied part, in recorded order; may raise an OSError."""
        copy = self._copies[part]
        batch = max(int(np.searchsorted(copy.first, agent, "right")) - 1, 0)
        begin, end = copy.offsets[batch : batch + 2].tolist()
        with self._lock:
            self._file.seek(begin)
            packed = self._file.read(end - begin)
        with pa.ipc.open_stream(packed) as stream:
            rows = stream.read_all()
        own = rows.take(np.flatnonzero(rows["agent"].to_numpy() == agent))
        for name, labels in copy.labels.items():
            texts = labels.take(own[name]).dictionary_encode()  # only the labels that occur
            own = own.set_column(own.column_names.index(name), name, texts)
        return own

    @cached_property
    def _file(self) -> IO[bytes]:
        """Open a file without a name; it disappears with this object or with the process."""
        file = TemporaryFile(prefix="memopolis-")  # noqa: SIM115 - closed with this object
        finalize(self, file.close)
        return file


def batch_starts(keys: NDArray[np.integer], rows: int) -> list[int]:
    """Return the first row of each batch of at least `rows`; rows with the same key stay together.

    `keys` is the key of each row, ascending, shape (rows,); the last batch may be smaller.
    """
    changes = np.append(np.flatnonzero(np.diff(keys)) + 1, len(keys))
    targets = np.arange(rows, len(keys), rows)
    cuts = np.unique(changes[np.searchsorted(changes, targets)])
    return [0, *cuts[cuts < len(keys)].tolist()]


def _split_dictionaries(rows: pa.Table) -> tuple[pa.Table, dict[str, pa.Array]]:
    """Replace dictionary-encoded columns by their codes, and return their labels."""
    rows, labels = rows.unify_dictionaries().combine_chunks(), {}
    for number, field in enumerate(rows.schema):
        if pa.types.is_dictionary(field.type):
            (column,) = rows[number].chunks
            labels[field.name] = column.dictionary
            rows = rows.set_column(number, field.name, column.indices)
    return rows, labels


def _pack(rows: pa.Table) -> pa.Buffer:
    out = pa.BufferOutputStream()
    options = pa.ipc.IpcWriteOptions(compression="lz4")
    with pa.ipc.new_stream(out, rows.schema, options=options) as stream:
        stream.write_table(rows)
    return out.getvalue()
