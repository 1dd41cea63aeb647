"""Read the tables of a run: parts in its folder, and rows that wait in the recorder."""

from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from itertools import compress
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from memopolis.analysis.run.joining import join_pieces, select_columns
from memopolis.analysis.run.part_cache import PartCache
from memopolis.analysis.run.recorded_index import Extent, RecordedIndex
from memopolis.sim.errors import UnknownNameError, did_you_mean
from memopolis.sim.recording.schema import grows_by_step
from memopolis.sim.recording.table import Waiting
from memopolis.sim.run_folder.folder import parts_of

if TYPE_CHECKING:
    from memopolis.analysis.run.live_state import LiveState  # only runs in progress need it


class TableReader:
    """Read the tables of a run that has ended, is in progress, or is cut at a step. Thread-safe.

    `counts` is the number of parts of each table to read, None for all; `live` the state of a run
    in progress, None for a run that is only in its folder. Readers of the same run share `parts`.
    """

    def __init__(
        self,
        folder: Path,
        *,
        counts: Mapping[str, int] | None = None,
        live: "LiveState | None" = None,
    ) -> None:
        self.live = live
        self.parts = PartCache(folder)
        self._folder = folder
        self._counts = counts
        self._index = RecordedIndex(self.parts)
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
        return tuple(self.parts.names() if self._counts is None else sorted(self._counts))

    def files(self) -> dict[str, list[Path]]:
        """Return the parts of each table by its name."""
        return {
            name: parts_of(self._folder, name)[: self._extent(name)[0]] for name in self.names()
        }

    def columns(self, name: str) -> frozenset[str]:
        """Return the names of the columns of a table; none if there is no such table."""
        count, waiting = self._extent(name)
        return frozenset((*waiting.columns, *(self.parts.columns(name) if count else ())))

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
            pieces.append(self.parts.read(name, columns, agent=agent, parts=count))
        if waiting.chunks:
            pieces.append(_rows(name, waiting, columns, agent=agent))
        if not pieces:
            raise self._unknown(name)
        rows = join_pieces(name, pieces) if waiting.chunks else pieces[0]
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
        end = min(np.inf if one is None else one for one in (before, self._until))
        count, waiting = self._extent(name)
        # Waiting rows are of later steps than those in parts.
        if count and not (waiting.chunks and waiting.chunks[0]["tick"][0] <= first):
            # A run in progress reads each part once, so keeping them would only take memory.
            kept = self.live is None
            yield from self.parts.between(name, first, end, columns, parts=count, kept=kept)
        is_within = (one["tick"][0] < end and one["tick"][-1] >= first for one in waiting.chunks)
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
        count, waiting = self._extent(name)
        for batch in reversed(waiting.chunks):  # each is one step
            if batch["tick"][0] < before:
                return _rows(name, Waiting((batch,), waiting.labels), columns)
        rows = self.parts.newest(name, before, columns, parts=count) if count else None
        if before >= 0 and (rows is None or not len(rows)):
            return self._at_start(name, columns)
        return self.read(name, columns).slice(0, 0) if rows is None else rows

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
        file = self._folder / "memory" / f"{population}.parquet"
        if self.live is not None:
            held = self.live.held(population, agent)
        elif file.is_file():
            held = self.parts.read_file(file, agent)
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
        count, waiting = self._extent("texts")
        if count or waiting.chunks:
            return self._index.texts((count, waiting))
        if self.live is None:
            raise self._unknown("texts")
        return self.live.texts()  # they are recorded with the first step

    def measure_groups(self) -> dict[str, list[str]]:
        """Return the groups of each recorded measure, sorted."""
        return self._index.groups(self._extent("measures"))

    def measure(self, name: str, group: str) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        """Return the ticks and values of a recorded measure, oldest first."""
        until = np.iinfo(np.int32).max if self._until is None else self._until
        if self.live is not None:
            until = min(until, self.live.step)
        return self._index.series(self._extent("measures"), name, group, int(until))

    def index_by_agent(self) -> Iterator[None]:
        """Copy the tables of agents sorted by agent, so that each life is read at once.

        Call this before opening many lives, as the dashboard does. A part is copied once, into a
        temporary file of the process. Yields after each part, so that the caller may stop. Raises
        RunFolderError if a table cannot be read, or OSError if a copy cannot be written; lives are
        read without it.
        """
        for name, files in self.files().items():
            if name.startswith("agents_") or name in {"memories", "decisions"}:
                yield from self.parts.index_by_agent(files)
        yield from self.parts.index_by_agent(sorted((self._folder / "memory").glob("*.parquet")))

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
        count = self.parts.count(name) if self._counts is None else self._counts.get(name, 0)
        return count, Waiting()

    def _status(self, name: str) -> Waiting | None:
        return None if self.live is None else self.live.status.get(name)

    def _unknown(self, name: str) -> UnknownNameError:
        near = did_you_mean(name[:80], self.names())
        return UnknownNameError(
            f"{self._folder} has no table {name!r}; {near}it has "
            f"{', '.join(self.names()) or 'none'}. "
            "What a run records is set by record.tables"
        )


def _rows(
    name: str, waiting: Waiting, columns: Sequence[str] = (), *, agent: int | None = None
) -> pa.Table:
    return waiting.rows(select_columns(name, columns, waiting.columns) or (), agent=agent)


def _without_rows(waiting: Waiting) -> Waiting:
    empty = {name: column[:0] for name, column in waiting.chunks[0].items()}
    return Waiting((empty,), waiting.labels)
