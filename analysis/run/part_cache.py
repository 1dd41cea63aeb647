"""Cache decoded parts of tables, since one life after another reads the same parts."""

from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import RLock

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from memopolis.analysis.run.agent_index import AgentIndex, Stamp
from memopolis.analysis.run.column_types import find_problem
from memopolis.analysis.run.joining import join_pieces, select_columns
from memopolis.sim.errors import RunFolderError
from memopolis.sim.recording.schema import HELD, schema_of
from memopolis.sim.run_folder.folder import parts_of, reading

CACHE_BYTES = 256 * 2**20  # bytes of decoded parts that are kept for a run


@dataclass(frozen=True, eq=False)
class _Steps:
    """The steps of a part, ascending, shape (steps,), and their first rows and the last's end."""

    ticks: NDArray[np.integer]
    rows: NDArray[np.intp]


class PartCache:
    """Read the parts of the tables of a run. Thread-safe.

    Up to `size` bytes of decoded parts are kept; the least recently used are dropped first.
    `agents` holds copies of parts that are sorted by agent.
    """

    def __init__(self, folder: Path, *, size: int = CACHE_BYTES) -> None:
        self.agents = AgentIndex()
        self._folder = folder
        self._size = size
        self._cache: OrderedDict[tuple[object, ...], pa.Table] = OrderedDict()
        self._steps: dict[Stamp, _Steps] = {}
        self._checked: set[Stamp] = set()
        self._lock = RLock()

    def names(self) -> list[str]:
        """Return the names of the tables that have parts, sorted."""
        tables = (path.name for path in (self._folder / "tables").iterdir())
        return sorted(name for name in tables if parts_of(self._folder, name))

    def count(self, name: str) -> int:
        """Count the parts of a table."""
        return len(parts_of(self._folder, name))

    def read(
        self,
        name: str,
        columns: Sequence[str] = (),
        *,
        agent: int | None = None,
        parts: int | None = None,
    ) -> pa.Table:
        """Join the first parts of a table, or all, at least one, sorted by its key.

        Columns besides the key, and the only agent, are selected as in `TableReader.read`.
        """
        with reading(self._folder, name):
            files = self._files(name, end=parts)
            names = self._select(name, columns, files[0])
            if agent is None:
                return self._join(name, names, files)
            fits = all(_stamp(file) in self.agents for file in files) or self._fits(files)
            return join_pieces(name, [self._of_agent(f, names, agent, fits=fits) for f in files])

    def read_range(self, name: str, first: int, end: int) -> pa.Table:
        """Read the parts first to end - 1 of a table without keeping them."""
        with reading(self._folder, name):
            parts = [_decode(file, None) for file in self._files(name, first, end)]
            return pa.concat_tables(parts, promote_options="permissive")

    def index_by_agent(self, files: Sequence[Path]) -> Iterator[None]:
        """Copy files with a column `agent`, sorted by agent, so that each agent is read at once.

        A file is copied once. Yields after each copy. Raises RunFolderError if a file cannot be
        read, or OSError if a copy cannot be written; such a file is still read without a copy.
        """
        for file in files:
            stamp = _stamp(file)
            if stamp in self.agents:
                continue
            with reading(self._folder, file.parent.name):
                self._check(file)
                rows = _decode(file, None)
            if len(rows):
                self.agents.add(stamp, rows)
                with self._lock:
                    self._cache.pop((stamp, ()), None)
                yield

    def columns(self, name: str) -> list[str]:
        """Return the columns of a table with at least one part."""
        with reading(self._folder, name):
            return list(_schema(self._files(name, end=1)[0]).names)

    def read_file(self, file: Path, agent: int | None) -> pa.Table:
        """Return the rows of one agent in any file with a column `agent`, or of all without one."""
        with reading(self._folder, file.stem):
            self._check(file)
            if agent is None:
                return _decode(file, None)
            return self._of_agent(file, None, agent, fits=False)

    def newest(
        self, name: str, before: int, columns: Sequence[str] = (), *, parts: int | None = None
    ) -> pa.Table:
        """Return the rows of the newest recorded step before a step; none if there is none.

        The table grows by step and has at least one part; `parts` limits the number to search.
        """
        with reading(self._folder, name):
            files = self._files(name, end=parts)
            names = self._select(name, columns, files[0])
            for file in reversed(files):
                # No step is split between two parts.
                steps = self._steps_of(file)
                number = int(np.searchsorted(steps.ticks, before))
                if number:
                    first, end = steps.rows[number - 1 : number + 1].tolist()
                    return self._part(file, names).slice(first, end - first)
            return self._part(files[0], names).slice(0, 0)

    def between(
        self,
        name: str,
        first: float,
        end: float,
        columns: Sequence[str] = (),
        *,
        parts: int,
        kept: bool,
    ) -> Iterator[pa.Table]:
        """Yield the rows from step `first` to before step `end` in the first parts of a table.

        The table grows by step, and no step is split between two parts. Each part has rows to
        yield; it is kept if `kept` and all columns are read.
        """
        with reading(self._folder, name):
            files = self._files(name, end=parts)
            names = self._select(name, columns, files[0])
            numbers = reversed(range(len(files)))
            earlier = (n for n in numbers if self._steps_of(files[n]).ticks[-1] < first)
            for file in files[next(earlier, -1) + 1 :]:
                steps = self._steps_of(file)
                start, stop = steps.rows[np.searchsorted(steps.ticks, (first, end))].tolist()
                if stop > start:
                    is_kept = kept and names is None
                    rows = self._part(file) if is_kept else _decode(file, names)
                    yield rows.slice(start, stop - start)

    def _files(self, name: str, first: int = 0, end: int | None = None) -> list[Path]:
        """Return the parts first to end - 1 of a table, or all, once their columns are checked."""
        files = parts_of(self._folder, name)[first:end]
        for file in files:
            self._check(file)
        return files

    def _check(self, file: Path) -> None:
        """Refuse a file whose columns are not those that a run writes; checked once per file."""
        stamp = _stamp(file)
        if stamp in self._checked:
            return
        table = file.parent.name
        declared = HELD if table == "memory" else schema_of(table)
        if problem := find_problem(table, _schema(file), declared):
            raise RunFolderError(
                f"{file.relative_to(self._folder)} of {self._folder} is broken: {problem}"
            )
        self._checked.add(stamp)

    def _steps_of(self, file: Path) -> _Steps:
        stamp = _stamp(file)
        if stamp not in self._steps:
            # A foreign part may not be in the order of steps; none of its rows is lost even so.
            ticks = np.maximum.accumulate(_decode(file, ["tick"])["tick"].to_numpy())
            known, rows = np.unique(ticks, return_index=True)
            self._steps[stamp] = _Steps(known, np.append(rows, len(ticks)))
        return self._steps[stamp]

    def _select(self, name: str, columns: Sequence[str], file: Path) -> list[str] | None:
        return select_columns(name, columns, _schema(file).names) if columns else None

    def _join(self, name: str, names: list[str] | None, files: Sequence[Path]) -> pa.Table:
        def join() -> pa.Table:
            return join_pieces(name, [_decode(file, names) for file in files])

        return self._cached((name, tuple(names or ()), *map(_stamp, files)), join)

    def _of_agent(self, file: Path, names: list[str] | None, agent: int, *, fits: bool) -> pa.Table:
        stamp = _stamp(file)
        if stamp in self.agents:
            rows = self.agents.read(stamp, agent)
            return rows if names is None else rows.select(names)
        if not fits:
            import pyarrow.parquet as pq

            return pq.read_table(file, columns=names, filters=[("agent", "==", agent)])
        part = self._part(file)
        own = part.take(np.flatnonzero(part["agent"].to_numpy() == agent))
        return _drop_unused_labels(own if names is None else own.select(names))

    def _part(self, file: Path, names: list[str] | None = None) -> pa.Table:
        return self._cached((_stamp(file), tuple(names or ())), lambda: _decode(file, names))

    def _cached(self, key: tuple[object, ...], make: Callable[[], pa.Table]) -> pa.Table:
        """Return a table from the cache, or make and keep it."""
        with self._lock:
            if key in self._cache:
                self._cache.move_to_end(key)
                return self._cache[key]
            made = make()
            if made.nbytes > self._size // 2:
                return made
            self._drop_shorter(key)
            self._cache[key] = made
            while sum(one.nbytes for one in self._cache.values()) > self._size:
                self._cache.popitem(last=False)
            return made

    def _drop_shorter(self, key: tuple[object, ...]) -> None:
        """Drop the same columns of fewer parts: a run in progress has more by now."""
        for other in list(self._cache):
            if other[:2] == key[:2] and isinstance(other[0], str):
                del self._cache[other]

    def _fits(self, files: Sequence[Path]) -> bool:
        """Check whether parts fit into the cache once decoded, by an upper estimate."""
        import pyarrow.parquet as pq

        rows = sum(pq.read_metadata(file).num_rows for file in files)
        return bool(rows * _row_bytes(_schema(files[0])) <= self._size // 2)


def _schema(file: Path) -> pa.Schema:
    import pyarrow.parquet as pq

    return pq.read_schema(file)


def _decode(file: Path, names: list[str] | None) -> pa.Table:
    import pyarrow.parquet as pq

    with pq.ParquetFile(file) as opened:
        return opened.read(columns=names)


def _stamp(file: Path) -> Stamp:
    """Identify a file; a static table may be rewritten under the same name."""
    return str(file), file.stat().st_mtime_ns


def _drop_unused_labels(rows: pa.Table) -> pa.Table:
    """Encode texts again, since one agent uses few of the labels of all agents."""
    for number, field in enumerate(rows.schema):
        if pa.types.is_dictionary(field.type):
            texts = rows[number].cast(field.type.value_type).dictionary_encode()
            rows = rows.set_column(number, field.name, texts)
    return rows


def _row_bytes(schema: pa.Schema) -> int:
    """Estimate the bytes of a decoded row."""
    total = 0
    for field in schema:
        if pa.types.is_dictionary(field.type):
            total += 4
        elif pa.types.is_primitive(field.type):
            total += max(1, field.type.bit_width // 8)
        else:
            total += 24
    return total
