"""Write an append-only table: rows are collected as arrays and written in parts."""

import os
from collections.abc import Callable, Mapping, Sequence, Sized
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.checksums import FileRecord, record_of
from memopolis.sim.files import whole
from memopolis.sim.run_folder.folder import writing
from memopolis.sim.run_folder.integrity import part_path

if TYPE_CHECKING:
    import pyarrow as pa

BUFFER_ROWS = 250_000  # number of rows collected in memory before a part is written
_COUNTING = ("tick", "agent", "id", "actor")
_SHARE_COLUMNS = ("importance", "valence", "confidence")
_MOST_CACHED = 1_000  # sets of labels whose numbers are kept
_MOST_SHORT = int(np.iinfo(np.int16).max)


@dataclass(frozen=True, slots=True, eq=False)
class Coded:
    """A column of few different texts, as indices of labels. A single index applies to all rows."""

    codes: NDArray[Any] | int
    labels: Sequence[str]


@dataclass(frozen=True, slots=True, eq=False)
class Lists:
    """A column of lists: their lengths, and their items concatenated."""

    lengths: NDArray[np.int32]
    items: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.lengths)

    def __getitem__(self, rows: NDArray[np.intp]) -> "Lists":
        """Return the lists of some rows."""
        lengths = self.lengths[rows]
        ends = np.cumsum(self.lengths)[rows]
        within = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        return Lists(lengths, self.items[np.repeat(ends - lengths, lengths) + within])


@dataclass(frozen=True, slots=True, eq=False)
class Waiting:
    """Snapshot of the rows that are not written to a part yet."""

    # Columns of each batch by name, in the order of batches
    chunks: tuple[Mapping[str, Any], ...] = ()
    # Texts by number, for each column of texts
    labels: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns; empty if there are no rows."""
        return tuple(self.chunks[0]) if self.chunks else ()

    def rows(self, names: Sequence[str] = (), *, agent: int | None = None) -> "pa.Table":
        """Return the rows as a table, equal to the part they would be written to.

        By default, it has all columns, and the rows of all agents.
        """
        import pyarrow as pa

        names, chunks = names or self.columns, list(self.chunks)
        if agent is not None:
            chunks = _of_agent(chunks, agent, names)
        columns = {name: _concatenate([chunk[name] for chunk in chunks]) for name in names}
        return pa.table({n: _to_arrow(of, self.labels.get(n)) for n, of in columns.items()})


class Table:
    """Collect rows of a table as arrays until there are enough for a part.

    The table is `tables/name` of the folder and continues after `parts` existing parts. `record` is
    called with the path and the record of a part before the part gets its name.
    """

    def __init__(
        self,
        folder: Path,
        name: str,
        *,
        parts: int = 0,
        record: "Callable[[str, FileRecord], None] | None" = None,
    ) -> None:
        self._run = folder
        self._name = name
        self._record = record
        self._chunks: list[dict[str, Any]] = []
        self._labels: dict[str, dict[str, int]] = {}
        # By column and labels: blocks take turns, so a column has the same few labels again.
        self._numbers: dict[tuple[str, tuple[str, ...]], NDArray[np.signedinteger[Any]]] = {}
        self._listed: dict[str, tuple[str, ...]] = {}
        self._rows = 0
        self._synced = parts
        self.parts = parts

    def append(self, rows: int, columns: Mapping[str, Any]) -> None:
        """Add rows: arrays of shape (rows,), `Coded` texts or `Lists`, by name of the column."""
        if not rows:
            return
        if self._chunks and columns.keys() != self._chunks[0].keys():
            self.flush()  # all rows of a part have the same columns
        self._chunks.append(self._number_texts(rows, columns))
        self._rows += rows
        if self._rows >= BUFFER_ROWS:
            self.flush()

    def append_by_agent(self, batches: Sequence[tuple[int, Mapping[str, Any]]]) -> None:
        """Add batches as one, sorted by agent; rows of one agent keep their order."""
        chunks = [self._number_texts(rows, columns) for rows, columns in batches]
        columns = {name: _concatenate([chunk[name] for chunk in chunks]) for name in chunks[0]}
        agents = columns["agent"]
        if (agents[1:] < agents[:-1]).any():
            order = np.argsort(agents, kind="stable")
            columns = {name: values[order] for name, values in columns.items()}
        self.append(len(agents), columns)

    def _number_texts(self, rows: int, columns: Mapping[str, Any]) -> dict[str, Any]:
        return {
            name: self._numbered(name, column, rows) if isinstance(column, Coded) else column
            for name, column in columns.items()
        }

    def _numbered(self, name: str, column: Coded, rows: int) -> NDArray[np.signedinteger[Any]]:
        """Number texts among all texts that the column has had."""
        known = self._labels.setdefault(name, {})
        if isinstance(column.codes, int):
            number = known.setdefault(column.labels[column.codes], len(known))
            return np.full(rows, number, _wide_enough(known))
        numbers: Any = self._numbers_of(name, column.labels)[np.ma.getdata(column.codes)]
        if isinstance(column.codes, np.ma.MaskedArray):
            numbers = np.ma.array(numbers, mask=np.ma.getmaskarray(column.codes))
        return np.asanyarray(numbers)

    def _numbers_of(self, name: str, labels: Sequence[str]) -> NDArray[np.signedinteger[Any]]:
        """Return the number of each label."""
        known, key = self._labels[name], (name, tuple(labels))
        numbers = self._numbers.get(key)
        if numbers is None or numbers.dtype != _wide_enough(known):
            if len(self._numbers) >= _MOST_CACHED:
                self._numbers.clear()
            fresh = [known.setdefault(text, len(known)) for text in labels]
            numbers = self._numbers[key] = np.array(fresh, _wide_enough(known))
        return numbers

    def flush(self) -> None:
        """Write the collected rows as the next part, atomically; on an error they are kept."""
        if not self._chunks:
            return
        rows = self.waiting().rows()
        columns = {name: rows[name].chunk(0) for name in rows.column_names}
        with writing(self._run):
            self._write(rows, self._encoding(columns))
        self._chunks = []
        self._rows = 0
        self.parts += 1

    def _write(self, rows: "pa.Table", encoding: Mapping[str, Any]) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        # Encoded in memory and written at once: writing column by column takes longer for the
        # few rows of a short run.
        sink = pa.BufferOutputStream()
        pq.write_table(rows, sink, compression="snappy", write_statistics=False, **encoding)
        packed, path = sink.getvalue(), part_path(self._name, self.parts)
        part = self._run / path
        part.parent.mkdir(parents=True, exist_ok=True)
        with whole(part) as unfinished:
            unfinished.write_bytes(packed)
            if self._record is not None:
                self._record(path, record_of(packed))

    def sync(self) -> None:
        """Write the collected rows, and sync all parts to disk."""
        self.flush()
        with writing(self._run):
            for number in range(self._synced, self.parts):
                with (self._run / part_path(self._name, number)).open("rb+") as part:
                    os.fsync(part.fileno())
        self._synced = self.parts

    @staticmethod
    def _encoding(columns: "Mapping[str, pa.Array]") -> dict[str, Any]:
        """Choose encodings: differences for counting columns, dictionaries for few values."""
        import pyarrow as pa

        lists = [name for name, column in columns.items() if isinstance(column, pa.ListArray)]
        counting = [name for name in _COUNTING if name in columns]
        few = [
            name
            for name, column in columns.items()
            if name not in (*counting, *lists)
            and (name in _SHARE_COLUMNS or not pa.types.is_floating(column.type))
        ]
        differences = (*counting, *(f"{name}.list.element" for name in lists))
        return {
            "use_dictionary": few,
            "column_encoding": dict.fromkeys(differences, "DELTA_BINARY_PACKED"),
        }

    def waiting(self) -> Waiting:
        """Return a snapshot of the rows not written yet, without writing anything."""
        return Waiting(tuple(self._chunks), {name: self._texts_of(name) for name in self._labels})

    def _texts_of(self, name: str) -> tuple[str, ...]:
        """Return all texts that a column has had, by number."""
        known = self._labels[name]
        listed = self._listed.get(name, ())
        if len(listed) < len(known):
            listed = self._listed[name] = tuple(known)
        return listed


def _concatenate(pieces: Sequence[Any]) -> Any:
    """Concatenate a column of several batches, at least one: arrays or `Lists`."""
    if len(pieces) == 1:
        return pieces[0]
    if isinstance(pieces[0], Lists):
        lengths = np.concatenate([piece.lengths for piece in pieces])
        return Lists(lengths, np.concatenate([piece.items for piece in pieces]))
    if any(isinstance(piece, np.ma.MaskedArray) for piece in pieces):
        return np.ma.concatenate(pieces)
    return np.concatenate(pieces)


def _to_arrow(column: Any, labels: Sequence[str] | None) -> "pa.Array":
    """Convert a column to Arrow; numbers of `labels`, if given, become texts.

    Masked values become nulls. The dictionary has the texts that occur, in alphabetical order: it
    does not depend on the order in which they were numbered.
    """
    import pyarrow as pa

    if isinstance(column, Lists):
        offsets = np.concatenate([[0], np.cumsum(column.lengths)]).astype(np.int32)
        return pa.ListArray.from_arrays(pa.array(offsets), pa.array(column.items))
    mask = None
    if isinstance(column, np.ma.MaskedArray):
        mask, column = np.ma.getmaskarray(column), np.ma.getdata(column)
    if labels is None:
        return pa.array(column, mask=mask)
    occurs = np.zeros(len(labels), np.bool_)
    occurs[column if mask is None else column[~mask]] = True
    used = sorted(np.flatnonzero(occurs).tolist(), key=labels.__getitem__)
    numbers = np.zeros(len(labels), _wide_enough(used))
    numbers[used] = np.arange(len(used))
    texts = pa.array([labels[number] for number in used], pa.string())
    return pa.DictionaryArray.from_arrays(pa.array(numbers[column], mask=mask), texts)


def _of_agent(
    chunks: Sequence[Mapping[str, Any]], agent: int, names: Sequence[str]
) -> list[Mapping[str, Any]]:
    """Return the rows of one agent by batch; one batch without rows if there are none."""
    matches = ((chunk, np.flatnonzero(chunk["agent"] == agent)) for chunk in chunks)
    own = [(chunk, rows) for chunk, rows in matches if len(rows)]
    none = [(chunk, np.zeros(0, np.intp)) for chunk in chunks[:1]]
    return [{n: chunk[n][rows] for n in names} for chunk, rows in own or none]


def _wide_enough(labels: Sized) -> type[np.signedinteger[Any]]:
    """Return an integer type wide enough for labels; a model gives many reasons."""
    return np.int16 if len(labels) <= _MOST_SHORT else np.int32
