"""Parts of tables, decoded once as far as there is room: a life reads the same ones again."""

from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING

import numpy as np

from memopolis.analysis.by_agent import ByAgent
from memopolis.analysis.tables import chosen, joined
from memopolis.sim.running.folder import parts_of, reading

if TYPE_CHECKING:
    import pyarrow as pa

ROOM = 256 * 2**20
"""Bytes of decoded parts that are kept for a run."""


class Parts:
    """The parts of a run's tables. Several threads may read.

    Args:
        folder: Of the run.
        room: Bytes of decoded parts that are kept; those not asked for the longest go first.
    """

    def __init__(self, folder: Path, *, room: int = ROOM) -> None:
        self._folder = folder
        self._room = room
        self._kept: OrderedDict[tuple[object, ...], pa.Table] = OrderedDict()
        self._by_agent = ByAgent()
        self._lock = RLock()

    def count(self, name: str) -> int:
        """How many parts a table has."""
        return len(parts_of(self._folder, name))

    def read(
        self,
        name: str,
        columns: Sequence[str] = (),
        *,
        agent: int | None = None,
        parts: int | None = None,
    ) -> "pa.Table":
        """Join the first parts of a table, sorted by its key.

        Args:
            name: Of a table that has at least one part.
            columns: Those wanted beside the key; all if none are named.
            agent: unique_id of the only agent whose rows are wanted; None for all rows.
            parts: How many; None for all.

        Raises:
            UnknownNameError: If there is no such column.
            RunFolderError: If a part cannot be read.
        """
        files = parts_of(self._folder, name)[:parts]
        with reading(self._folder, name):
            names = self._chosen(name, columns, files[0])
            if agent is None:
                return self._joined(name, names, files)
            fits = all(_stamp(file) in self._by_agent for file in files) or self._fits(files)
            return joined(name, [self._of_agent(f, names, agent, fits=fits) for f in files])

    def since(self, name: str, first: int, end: int) -> "pa.Table":
        """Rows of the parts first to end - 1 of a table, which are read once and not kept.

        Raises:
            RunFolderError: If a part cannot be read.
        """
        import pyarrow as pa

        with reading(self._folder, name):
            read = [_decoded(file, None) for file in parts_of(self._folder, name)[first:end]]
            return pa.concat_tables(read, promote_options="permissive")

    def lay_out(self, name: str, *, parts: int | None = None) -> Iterator[None]:
        """Copy the first parts of a table by agent, so that each agent's rows are read at once.

        Args:
            name: Of a table with a column `agent`.
            parts: How many; None for all.

        Yields:
            After each copy that was made; a part is copied once.

        Raises:
            RunFolderError: If a part cannot be read.
            OSError: If a copy cannot be written; such a part is read as ever.
        """
        for file in parts_of(self._folder, name)[:parts]:
            yield from self.lay_out_file(file)

    def lay_out_file(self, file: Path) -> Iterator[None]:
        """Copy any file of the run that has a column `agent`; as `lay_out`."""
        stamp = _stamp(file)
        if stamp not in self._by_agent:
            with reading(self._folder, file.parent.name):
                rows = _decoded(file, None)
            if len(rows):
                self._by_agent.add(stamp, rows)
                with self._lock:
                    self._kept.pop((stamp, ()), None)
                yield

    def schema(self, name: str) -> "pa.Schema":
        """Columns of a table that has at least one part.

        Raises:
            RunFolderError: If its first part cannot be read.
        """
        import pyarrow.parquet as pq

        with reading(self._folder, name):
            return pq.read_schema(parts_of(self._folder, name)[0])

    def own(self, file: Path, agent: int) -> "pa.Table":
        """Rows of one agent in any file of the run, such as what was remembered at the end.

        Raises:
            RunFolderError: If it cannot be read.
        """
        with reading(self._folder, file.stem):
            return self._of_agent(file, None, agent, fits=False)

    def newest(
        self, name: str, before: int, columns: Sequence[str] = (), *, parts: int | None = None
    ) -> "pa.Table":
        """Rows of the newest step before a step, of the first parts; none if there is none.

        Args:
            name: Of a table with steps that has at least one part.
            before: The step.
            columns: Those wanted beside the key; all if none are named.
            parts: How many parts; None for all.

        Raises:
            RunFolderError: If a part cannot be read.
        """
        files = parts_of(self._folder, name)[:parts]
        with reading(self._folder, name):
            names = self._chosen(name, columns, files[0])
            for file in reversed(files):
                # A step never lies in two parts.
                ticks = self._part(file, ["tick"])["tick"].to_numpy()
                end = int(np.searchsorted(ticks, before))
                if end:
                    first = int(np.searchsorted(ticks, ticks[end - 1]))
                    return self._part(file, names).slice(first, end - first)
            return self._part(files[0], names).slice(0, 0)

    def _chosen(self, name: str, columns: Sequence[str], file: Path) -> list[str] | None:
        import pyarrow.parquet as pq

        return chosen(name, columns, pq.read_schema(file).names) if columns else None

    def _joined(self, name: str, names: list[str] | None, files: Sequence[Path]) -> "pa.Table":
        def join() -> "pa.Table":
            return joined(name, [_decoded(file, names) for file in files])

        what = (name, tuple(names or ()), *map(_stamp, files))
        return self._keep(what, join)

    def _of_agent(
        self, file: Path, names: list[str] | None, agent: int, *, fits: bool
    ) -> "pa.Table":
        stamp = _stamp(file)
        if stamp in self._by_agent:
            rows = self._by_agent.read(stamp, agent)
            return rows if names is None else rows.select(names)
        if not fits:
            return _found(file, names, agent)
        part = self._part(file)
        own = part.take(np.flatnonzero(part["agent"].to_numpy() == agent))
        return _lean(own if names is None else own.select(names))

    def _part(self, file: Path, names: list[str] | None = None) -> "pa.Table":
        return self._keep((_stamp(file), tuple(names or ())), lambda: _decoded(file, names))

    def _keep(self, what: tuple[object, ...], make: "Callable[[], pa.Table]") -> "pa.Table":
        """What was made before, if it is still kept; else make it and keep it."""
        with self._lock:
            if what not in self._kept:
                made = make()
                if made.nbytes > self._room // 2:
                    return made
                self._forget_shorter(what)
                self._kept[what] = made
                while sum(one.nbytes for one in self._kept.values()) > self._room:
                    self._kept.popitem(last=False)
                return made
            self._kept.move_to_end(what)
            return self._kept[what]

    def _forget_shorter(self, what: tuple[object, ...]) -> None:
        """Leave out the same columns of fewer parts: a run under way has more by now."""
        for other in list(self._kept):
            if other[:2] == what[:2] and isinstance(other[0], str):
                del self._kept[other]

    def _fits(self, files: Sequence[Path]) -> bool:
        """Whether parts would find room once they are decoded, by a guess from above."""
        import pyarrow.parquet as pq

        rows = sum(pq.read_metadata(file).num_rows for file in files)
        return bool(rows * _width(pq.read_schema(files[0])) <= self._room // 2)


def _decoded(file: Path, names: list[str] | None) -> "pa.Table":
    import pyarrow.parquet as pq

    with pq.ParquetFile(file) as opened:
        return opened.read(columns=names)


def _stamp(file: Path) -> tuple[str, int]:
    """A static table may be written anew under the same name."""
    return str(file), file.stat().st_mtime_ns


def _lean(rows: "pa.Table") -> "pa.Table":
    """The same rows with no more texts than they name: one agent has few of everybody's."""
    import pyarrow as pa

    for number, field in enumerate(rows.schema):
        if pa.types.is_dictionary(field.type):
            texts = rows[number].cast(field.type.value_type).dictionary_encode()
            rows = rows.set_column(number, field.name, texts)
    return rows


def _found(file: Path, names: list[str] | None, agent: int) -> "pa.Table":
    """The rows of an agent, of a table too large to be kept."""
    import pyarrow.parquet as pq

    return pq.read_table(file, columns=names, filters=[("agent", "==", agent)])


def _width(schema: "pa.Schema") -> int:
    """About how many bytes a row has."""
    import pyarrow as pa

    total = 0
    for field in schema:
        if pa.types.is_dictionary(field.type):
            total += 4
        elif pa.types.is_primitive(field.type):
            total += max(1, field.type.bit_width // 8)
        else:
            total += 24
    return total
