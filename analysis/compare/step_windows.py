"""Read tables of two runs a few steps at a time, so that large ones need little memory."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.run_folder.folder import parts_of, reading

if TYPE_CHECKING:
    import pyarrow as pa

ROWS = 400_000  # rows of both runs to read at once; more if a single step has more


@dataclass(frozen=True, eq=False)
class _Part:
    """A file of a table, and the number of its rows in each step."""

    path: Path
    ticks: NDArray[np.int64]
    counts: NDArray[np.int64]


def windows(
    a: Path, b: Path, name: str, *, until: int, rows: int = ROWS
) -> Iterator[tuple["pa.Table", "pa.Table"]]:
    """Read the same steps of a table of two runs, from the first to before `until`.

    Rows of A and of B, about `rows` of both, are yielded in recorded order; all at once if the
    table has no steps.
    """
    with reading(f"{a} or {b}", name):
        one, other = (_parts(folder, name) for folder in (a, b))
        if one is None or other is None:
            yield _whole(a, name), _whole(b, name)
            return
        for first, last in _spans([*one, *other], until, rows):
            yield _between(one, first, last), _between(other, first, last)


def _parts(folder: Path, name: str) -> list[_Part] | None:
    """Return the files of a table with their steps; None for a table without steps."""
    import pyarrow.parquet as pq

    paths = parts_of(folder, name)
    if "tick" not in pq.read_schema(paths[0]).names:
        return None
    read = (pq.read_table(path, columns=["tick"])["tick"].to_numpy() for path in paths)
    counted = (np.unique(ticks, return_counts=True) for ticks in read)
    return [_Part(path, *steps) for path, steps in zip(paths, counted, strict=True)]


def _spans(parts: list[_Part], until: int, rows: int) -> Iterator[tuple[int, int]]:
    """Yield ranges of steps (first, end) with about so many rows each."""
    ticks = np.concatenate([part.ticks for part in parts])
    counts = np.concatenate([part.counts for part in parts])[ticks < until]
    ticks, place = np.unique(ticks[ticks < until], return_inverse=True)
    if not len(ticks):
        return
    window = (np.cumsum(np.bincount(place, counts)) - 1) // rows
    begins = np.append(np.flatnonzero(np.diff(window, prepend=-1)), len(ticks))
    for begin, end in pairwise(begins):
        yield int(ticks[begin]), int(ticks[end - 1]) + 1


def _between(parts: list[_Part], first: int, last: int) -> "pa.Table":
    import pyarrow as pa
    import pyarrow.parquet as pq

    within = [("tick", ">=", first), ("tick", "<", last)]
    inside = [p for p in parts if ((p.ticks >= first) & (p.ticks < last)).any()] or parts[:1]
    read = [pq.read_table(part.path, filters=within) for part in inside]
    return pa.concat_tables(read, promote_options="permissive")


def _whole(folder: Path, name: str) -> "pa.Table":
    import pyarrow as pa
    import pyarrow.parquet as pq

    read = [pq.read_table(path) for path in parts_of(folder, name)]
    return pa.concat_tables(read, promote_options="permissive")
