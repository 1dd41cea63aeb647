"""Where the rows of a run come from: its folder, as it grows, or as it was at a moment."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np

from memopolis.analysis.parts import Parts
from memopolis.analysis.tables import column_names, table_names
from memopolis.sim.errors import UnknownNameError
from memopolis.sim.recording.recorder import KEYS

if TYPE_CHECKING:
    import pyarrow as pa


class Rows(Protocol):
    """Tables of a run."""

    def names(self) -> tuple[str, ...]:
        """Names of the tables that have rows, sorted."""
        ...

    def columns(self, name: str) -> frozenset[str]:
        """Names of the columns of a table; none if there is no such table."""
        ...

    def read(
        self, name: str, columns: Sequence[str] = (), *, agent: int | None = None
    ) -> "pa.Table":
        """Rows of a table, sorted by its key.

        Args:
            name: Of the table.
            columns: Those wanted beside the key; all if none are named.
            agent: unique_id of the only agent whose rows are wanted; None for all rows.

        Raises:
            UnknownNameError: If there is no such table or column.
            RunFolderError: If it cannot be read.
        """
        ...

    def newest(self, name: str, before: int, columns: Sequence[str] = ()) -> "pa.Table":
        """Rows of the newest step of a table that lies before a step; none if there is none.

        Args:
            name: Of the table.
            before: The step.
            columns: Those wanted beside the key; all if none are named.
        """
        ...

    def held(self, population: str, agent: int) -> "pa.Table | None":
        """What an agent still remembers: id, accessed, accesses, thought; None if not known."""
        ...

    def lay_out_lives(self) -> Iterator[None]:
        """Copy by agent what lives are read from, so that each is read at once.

        For whoever is going to open many of them, such as a page. A part is copied once, into a
        file that goes with the process.

        Yields:
            After each part, so that one may stop in between.

        Raises:
            RunFolderError: If a table cannot be read.
            OSError: If a copy cannot be written; lives are read without it.
        """
        ...


class KeptRows:
    """Tables of a run that has ended, as they lie in its folder.

    Args:
        folder: Of the run.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._parts = Parts(folder)

    def names(self) -> tuple[str, ...]:
        """Names of the tables, as `Rows.names`."""
        return tuple(table_names(self._folder))

    def columns(self, name: str) -> frozenset[str]:
        """Names of the columns of a table, as `Rows.columns`."""
        return column_names(self._folder, name)

    def read(
        self, name: str, columns: Sequence[str] = (), *, agent: int | None = None
    ) -> "pa.Table":
        """Rows of a table, as `Rows.read`."""
        if not self._parts.count(name):
            raise no_table(self._folder, name, self.names())
        return self._parts.read(name, columns, agent=agent)

    def newest(self, name: str, before: int, columns: Sequence[str] = ()) -> "pa.Table":
        """Rows of the newest step before a step, as `Rows.newest`."""
        if not self._parts.count(name):
            raise no_table(self._folder, name, self.names())
        return self._parts.newest(name, before, columns)

    def held(self, population: str, agent: int) -> "pa.Table | None":
        """What an agent remembered at the end, as `Rows.held`."""
        file = self._folder / "memory" / f"{population}.parquet"
        return self._parts.own(file, agent) if file.is_file() else None

    def lay_out_lives(self) -> Iterator[None]:
        """Copy by agent what lives are read from, as `Rows.lay_out_lives`."""
        for name in of_agents(self.names()):
            yield from self._parts.lay_out(name)
        for file in sorted((self._folder / "memory").glob("*.parquet")):
            yield from self._parts.lay_out_file(file)


class CutRows:
    """Tables as they were after some steps: static ones whole, of others what was recorded.

    Args:
        whole: All rows.
        step: Rows of this step and later ones are not there.
    """

    def __init__(self, whole: Rows, step: int) -> None:
        self._whole = whole
        self._step = step

    def names(self) -> tuple[str, ...]:
        """Names of the tables of the whole run."""
        return self._whole.names()

    def columns(self, name: str) -> frozenset[str]:
        """Names of the columns of a table, as `Rows.columns`."""
        return self._whole.columns(name)

    def read(
        self, name: str, columns: Sequence[str] = (), *, agent: int | None = None
    ) -> "pa.Table":
        """Rows recorded before the step, as `Rows.read`."""
        rows = self._whole.read(name, columns, agent=agent)
        return until(rows, self._step) if is_recorded(name) else rows

    def newest(self, name: str, before: int, columns: Sequence[str] = ()) -> "pa.Table":
        """Rows of the newest step before a step, as `Rows.newest`."""
        return self._whole.newest(name, min(before, self._step), columns)

    def held(self, population: str, agent: int) -> "pa.Table | None":
        """No rows: what was still remembered at a moment is not known."""
        known = self._whole.held(population, agent)
        return None if known is None else known.slice(0, 0)

    def lay_out_lives(self) -> Iterator[None]:
        """Copy by agent what lives are read from, as `Rows.lay_out_lives`."""
        return self._whole.lay_out_lives()


def of_agents(names: Sequence[str]) -> list[str]:
    """Tables, of those named, from which a life is read."""
    return [n for n in names if n.startswith("agents_") or n in {"memories", "decisions"}]


def is_recorded(name: str) -> bool:
    """Whether rows of a table are added step by step; others are written once, at the start."""
    return name.startswith("agents_") or "tick" in KEYS.get(name, ())


def until(rows: "pa.Table", step: int) -> "pa.Table":
    """Rows of steps before a step, of a table sorted by tick; none are copied."""
    return rows.slice(0, int(np.searchsorted(rows["tick"].to_numpy(), step)))


def no_table(folder: Path, name: str, names: Sequence[str]) -> UnknownNameError:
    """Say which tables there are."""
    return UnknownNameError(
        f"{folder} has no table {name!r}; it has {', '.join(names) or 'none'}. "
        "What a run records is set by record.tables"
    )
