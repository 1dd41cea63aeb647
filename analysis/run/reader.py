"""Read the tables of a run: parts in its folder, and rows that wait in the recorder."""

from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from functools import reduce
from itertools import compress
from operator import and_
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from memopolis.analysis.run.joining import encode_texts, join_pieces, select_columns
from memopolis.sim.errors import RunFolderError, UnknownNameError, did_you_mean
from memopolis.sim.recording.schema import (
    HELD,
    Column,
    TableSchema,
    grows_by_step,
    is_status,
    schema_of,
)
from memopolis.sim.recording.table import Waiting
from memopolis.sim.run_folder.folder import parts_of, reading

if TYPE_CHECKING:
    from memopolis.analysis.run.live_state import LiveState  # only runs in progress need it


type Extent = tuple[int, Waiting]
"""Number of parts of a table, and the rows that wait for the next part."""
type Series = dict[str, dict[str, tuple[NDArray[np.int32], NDArray[np.float64]]]]
"""Ticks and values of measures, by name and group."""


@dataclass(eq=False)
class Shared:
    """What all readers of a run share: checked files, and the measures and texts read so far."""

    lock: RLock = field(default_factory=RLock)
    checked: set[tuple[str, int]] = field(default_factory=set)  # paths and times of change
    texts: dict[int, str] = field(default_factory=dict)
    series: Series = field(default_factory=dict)
    read: dict[str, tuple[int, int]] = field(default_factory=dict)  # extents that were read
    # Path and columns of the part of each table that was read last for a moment, and its rows
    parts: dict[str, tuple[tuple[str, ...], pa.Table]] = field(default_factory=dict)


class TableReader:
    """Read the tables of a run that has ended, is in progress, or is cut at a step. Thread-safe.

    `counts` is the number of parts of each table to read, None for all; `live` the state of a run
    in progress, None for a run that is only in its folder. Readers of the same run have the same
    `shared`.
    """

    def __init__(
        self,
        folder: Path,
        *,
        counts: Mapping[str, int] | None = None,
        live: "LiveState | None" = None,
    ) -> None:
        self.live = live
        self.shared = Shared()
        self._folder = folder
        self._counts = counts
        self._until: int | None = None

    def cut(self, step: int) -> "TableReader":
        """Return a reader of the rows recorded before a step; static tables stay whole."""
        return self._with(live=self.live, until=step)

    def latest(self) -> "TableReader":
        """Return a reader of the run as it is now; this one if nothing has happened."""
        latest = None if self.live is None else self.live.latest()
        return self if latest is self.live else self._with(live=latest, until=None)

    def _with(self, *, live: "LiveState | None", until: int | None) -> "TableReader":
        other = copy(self)
        other.live, other._until = live, until  # noqa: SLF001 - of the same class
        return other

    def names(self) -> tuple[str, ...]:
        """Return the names of the tables that have rows, sorted."""
        if self.live is not None:
            extents = self.live.extents.items()
            return tuple(sorted(name for name, (n, waiting) in extents if n or waiting.chunks))
        if self._counts is not None:
            return tuple(sorted(self._counts))
        names = (path.name for path in (self._folder / "tables").iterdir())
        return tuple(sorted(name for name in names if parts_of(self._folder, name)))

    def files(self) -> dict[str, list[Path]]:
        """Return the parts of each table by its name."""
        return {
            name: parts_of(self._folder, name)[: self._extent(name)[0]] for name in self.names()
        }

    def columns(self, name: str) -> frozenset[str]:
        """Return the names of the columns of a table; none if there is no such table."""
        count, waiting = self._extent(name)
        with reading(self._folder, name):
            recorded = _schema(self._files(name)).names if count else ()
        return frozenset((*waiting.columns, *recorded))

    def read(self, name: str, columns: Sequence[str] = (), *, agent: int | None = None) -> pa.Table:
        """Return the rows of a table, sorted by its key.

        `columns` are read besides the key, all if empty; `agent` is the only agent, None for all.
        Raises UnknownNameError if there is no such table or column, or RunFolderError if it cannot
        be read.
        """
        count, waiting = self._extent(name)
        status = self._status(name)
        if status is not None and not (count or waiting.chunks):
            waiting = _without_rows(status)  # not recorded yet
        pieces = []
        if count:
            with reading(self._folder, name):
                pieces.append(_scan(name, self._files(name), columns, agent=agent))
        if waiting.chunks:
            pieces.append(_rows(name, waiting, columns, agent=agent))
        if not pieces:
            near = did_you_mean(name[:80], self.names())
            raise UnknownNameError(
                f"{self._folder} has no table {name!r}; {near}it has "
                f"{', '.join(self.names()) or 'none'}. "
                "What a run records is set by record.tables"
            )
        rows = join_pieces(name, pieces)
        if agent is not None:
            rows = _drop_unused_labels(rows)
        if self._until is None or not grows_by_step(name):
            return rows
        return rows.slice(0, int(np.searchsorted(rows["tick"].to_numpy(), self._until)))

    def between(
        self, name: str, first: int, before: int | None = None, columns: Sequence[str] = ()
    ) -> Iterator[pa.Table]:
        """Yield the rows of a table from step `first` to before step `before`, part by part.

        Rows are in recorded order; those from before the run have negative steps. Yields nothing
        if there are no such rows. Raises UnknownNameError if there is no such column, or
        RunFolderError if a part cannot be read.
        """
        end = min(np.inf if limit is None else limit for limit in (before, self._until))
        count, waiting = self._extent(name)
        # Waiting rows are of later steps than those in parts.
        if count and not (waiting.chunks and waiting.chunks[0]["tick"][0] <= first):
            with reading(self._folder, name):
                for file in self._files(name):
                    rows = _scan(name, [file], columns, steps=(first, end))
                    if len(rows):
                        yield rows
        is_within = (
            chunk["tick"][0] < end and chunk["tick"][-1] >= first for chunk in waiting.chunks
        )
        chunks = tuple(compress(waiting.chunks, is_within))
        if chunks:
            rows = _rows(name, Waiting(chunks, waiting.labels), columns)
            start, stop = np.searchsorted(rows["tick"].to_numpy(), (first, end))
            yield rows.slice(int(start), int(stop - start))

    def newest(self, name: str, before: int, columns: Sequence[str] = ()) -> pa.Table:
        """Return the status of agents in the newest record before a step, else that at the start.

        In a run in progress, the newest status is the present one.
        """
        before = before if self._until is None else min(before, self._until)
        status = self._status(name)
        if status is not None and self.live is not None and before >= self.live.step:
            return _rows(name, status, columns)
        waiting = self._extent(name)[1]
        for batch in reversed(waiting.chunks):  # each is one step
            if batch["tick"][0] < before:
                return _rows(name, Waiting((batch,), waiting.labels), columns)
        with reading(self._folder, name):
            for file in reversed(self._files(name)):  # no step is split between two parts
                ticks = _scan(name, [file], ["tick"], steps=(-np.inf, before))["tick"]
                if len(ticks):
                    rows = self._kept(name, file, columns)
                    return rows.filter(rows["tick"].to_numpy() == ticks.to_numpy().max())
        if before < 0:
            return self.read(name, columns).slice(0, 0)
        return self._at_start(name, columns)

    def first(self, name: str) -> pa.Table:
        """Return the rows of the first recorded step of a table, else the present status."""
        rows = self.read(name)
        status = self._status(name)
        if not len(rows) and status is not None:
            return _rows(name, status)
        ticks = rows["tick"].to_numpy()
        return rows.slice(0, int(np.searchsorted(ticks, ticks[0], "right")))

    def history(self, name: str, agent: int) -> pa.Table:
        """Return the recorded status of an agent, and the present one of a run in progress.

        Before the first record, the status is that at the start.
        """
        recorded = self.read(name, agent=agent)
        if not len(recorded):
            recorded = self._at_start(name, agent=agent)
        status = self._status(name)
        if status is None or self._until is not None or self.live is None:
            return recorded
        if self.live.step - 1 in recorded["tick"].to_pylist()[-1:]:
            return recorded  # the present one is recorded already
        return join_pieces(name, [recorded, _rows(name, status, agent=agent)])

    def held(self, population: str, agent: int | None = None) -> pa.Table | None:
        """Return the memories that agents, or one agent, hold at the end or at present.

        Returns columns as in the schema `HELD`; None if unknown. No rows in a run that is cut at a
        step, of which it is not recorded.
        """
        import pyarrow.dataset as ds

        file = self._folder / "memory" / f"{population}.parquet"
        if self.live is not None:
            held = self.live.held(population, agent)
        elif file.is_file():
            with reading(self._folder, file.stem):
                self._check(file)
                chosen = None if agent is None else ds.field("agent") == agent
                held = ds.dataset(file, format="parquet").to_table(filter=chosen)
        else:
            return None
        return held if self._until is None else held.slice(0, 0)

    def ids(self, populations: Sequence[str]) -> dict[str, frozenset[int]]:
        """Return the unique_ids of all agents that ever lived, by recorded population."""
        if self.live is not None:
            return self.live.ids()
        recorded = [name for name in populations if f"agents_{name}" in self.names()]
        rows = {name: self.read(f"agents_{name}", ["agent"]) for name in recorded}
        return {name: frozenset(one["agent"].unique().to_pylist()) for name, one in rows.items()}

    def texts(self) -> Mapping[int, str]:
        """Return texts by hash, at least those recorded so far."""
        size = self._size("texts")
        if self.live is not None and not any(size):
            return self.live.texts()  # they are recorded with the first step
        with self.shared.lock:
            earlier = self.shared.read.get("texts", (0, 0))
            if not any(size) or size > earlier:
                is_in_parts = size[0] > earlier[0] or not any(size)
                waiting = self._extent("texts")[1]
                rows = self.whole().read("texts") if is_in_parts else waiting.rows()
                hashes, words = rows["hash"].to_pylist(), rows["text"].to_pylist()
                self.shared.texts.update(zip(hashes, words, strict=True))
                self.shared.read["texts"] = size
            return self.shared.texts

    def measure_groups(self) -> dict[str, list[str]]:
        """Return the groups of each recorded measure, sorted."""
        return {name: sorted(groups) for name, groups in self._series().items()}

    def measure(self, name: str, group: str) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        """Return the ticks and values of a recorded measure, oldest first."""
        ticks, values = self._series()[name][group]
        last = np.inf if self.live is None else self.live.step
        end = int(np.searchsorted(ticks, last if self._until is None else min(last, self._until)))
        return ticks[:end], values[:end]

    def whole(self) -> "TableReader":
        """Return a reader of all steps; this one if it is not cut."""
        return self if self._until is None else self._with(live=self.live, until=None)

    def _series(self) -> Series:
        """Return all measures that were read, perhaps also of later steps."""
        size = self._size("measures")
        with self.shared.lock:
            if size > self.shared.read.get("measures", (0, 0)):
                rows = self.whole().read("measures")
                names, name_codes = encode_texts(rows["measure"])
                groups, group_codes = encode_texts(rows["group"])
                ticks, values = rows["tick"].to_numpy(), rows["value"].to_numpy()
                codes = name_codes.astype(np.int64) * len(groups) + group_codes
                order = np.argsort(codes, kind="stable")
                starts = np.flatnonzero(np.diff(codes[order], prepend=-1))
                series: Series = {}
                for own in np.split(order, starts[1:]):
                    name, group = names[name_codes[own[0]]], groups[group_codes[own[0]]]
                    series.setdefault(name, {})[group] = ticks[own], values[own]
                self.shared.series, self.shared.read["measures"] = series, size
            return self.shared.series

    def _size(self, name: str) -> tuple[int, int]:
        """Return the number of parts and of waiting batches of a table."""
        count, waiting = self._extent(name)
        return count, len(waiting.chunks)

    def _at_start(
        self, name: str, columns: Sequence[str] = (), *, agent: int | None = None
    ) -> pa.Table:
        """Return the status of agents before the first step; none if it was not recorded."""
        start = name.replace("agents_", "start_", 1)
        if start != name and start in self.names():
            return self.read(start, columns, agent=agent)
        return self.read(name, columns, agent=agent).slice(0, 0)

    def _extent(self, name: str) -> Extent:
        if self.live is not None:
            return self.live.extents.get(name, (0, Waiting()))
        if self._counts is not None:
            return self._counts.get(name, 0), Waiting()
        return len(parts_of(self._folder, name)), Waiting()

    def _status(self, name: str) -> Waiting | None:
        return None if self.live is None else self.live.status.get(name)

    def _files(self, name: str) -> list[Path]:
        """Return the parts of a table, once their columns are checked."""
        files = parts_of(self._folder, name)[: self._extent(name)[0]]
        for file in files:
            self._check(file)
        return files

    def _kept(self, name: str, file: Path, columns: Sequence[str]) -> pa.Table:
        """Return a part of a table and keep it, since the next moment is mostly in it too."""
        key = str(file), *columns
        with self.shared.lock:
            kept = self.shared.parts.get(name)
            if kept is None or kept[0] != key:
                kept = self.shared.parts[name] = key, _scan(name, [file], columns)
            return kept[1]

    def _check(self, file: Path) -> None:
        """Refuse a file whose columns are not those that a run writes; checked once per file."""
        import pyarrow.parquet as pq

        # A static table may be rewritten under the same name.
        stamp = str(file), file.stat().st_mtime_ns
        if stamp in self.shared.checked:
            return
        table = file.parent.name
        declared = HELD if table == "memory" else schema_of(table)
        if problem := find_problem(table, pq.read_schema(file), declared):
            raise RunFolderError(
                f"{file.relative_to(self._folder)} of {self._folder} is broken: {problem}"
            )
        self.shared.checked.add(stamp)


def _schema(files: Sequence[Path]) -> pa.Schema:
    """Return the schema of parts, of which later ones may have wider types."""
    import pyarrow.parquet as pq

    return pa.unify_schemas([pq.read_schema(file) for file in files], promote_options="permissive")


def _scan(
    name: str,
    files: Sequence[Path],
    columns: Sequence[str] = (),
    *,
    agent: int | None = None,
    steps: tuple[float, float] = (-np.inf, np.inf),
) -> pa.Table:
    """Return the rows of parts of a table, of an agent, from a step to before another.

    The key and some columns are read, all if none are named.
    """
    import pyarrow.dataset as ds

    schema = _schema(files)
    filters = [] if agent is None else [ds.field("agent") == agent]
    filters += [ds.field("tick") >= steps[0]] if steps[0] > -np.inf else []
    filters += [ds.field("tick") < steps[1]] if steps[1] < np.inf else []
    return ds.dataset(files, schema=schema, format="parquet").to_table(
        columns=select_columns(name, columns, schema.names),
        filter=reduce(and_, filters) if filters else None,
    )


def _rows(
    name: str, waiting: Waiting, columns: Sequence[str] = (), *, agent: int | None = None
) -> pa.Table:
    return waiting.rows(select_columns(name, columns, waiting.columns) or (), agent=agent)


def _without_rows(waiting: Waiting) -> Waiting:
    empty = {name: column[:0] for name, column in waiting.chunks[0].items()}
    return Waiting((empty,), waiting.labels)


def _drop_unused_labels(rows: pa.Table) -> pa.Table:
    """Encode texts again, since one agent uses few of the labels of all agents."""
    for number, column in enumerate(rows.schema):
        if pa.types.is_dictionary(column.type):
            texts = rows[number].cast(column.type.value_type).dictionary_encode()
            rows = rows.set_column(number, column.name, texts)
    return rows


def find_problem(table: str, schema: pa.Schema, declared: TableSchema) -> str:
    """Describe the first column of a part that is missing or of a wrong type; "" if there is none.

    A column may have a narrower type than declared. The attributes of agents, and columns that are
    not declared, may be numbers, flags or texts.
    """
    for name, column in declared.columns.items():
        if name not in schema.names:
            if not declared.static:
                return f"its column {name} is missing"
        elif not _fits(schema.field(name).type, column, exact=not declared.static):
            return f"its column {name} is of type {schema.field(name).type}, not {column.type}"
    if len(set(schema.names)) < len(schema.names):
        return "two of its columns have the same name"
    for column in schema if is_status(table) else ():
        if column.name not in declared.columns and not _is_plain(column.type):
            return f"its column {column.name} is of type {column.type}, not a number, flag or text"
    return ""


def _fits(actual: pa.DataType, column: Column, *, exact: bool) -> bool:
    """Whether a type is of the declared kind and, if `exact`, not wider."""
    if column.type == "text":
        return _is_text(actual)
    if column.type.startswith("list of "):
        return bool(pa.types.is_list(actual) and pa.types.is_integer(actual.value_type))
    declared = pa.type_for_alias(column.type)
    if pa.types.is_boolean(declared):
        return bool(pa.types.is_boolean(actual))
    if pa.types.is_floating(declared) and pa.types.is_floating(actual):
        return True
    return bool(
        pa.types.is_integer(actual) and (not exact or actual.bit_width <= declared.bit_width)
    )


def _is_text(kind: pa.DataType) -> bool:
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _is_plain(kind: pa.DataType) -> bool:
    is_number = pa.types.is_integer(kind) or pa.types.is_floating(kind)
    return bool(is_number or pa.types.is_boolean(kind) or _is_text(kind))
