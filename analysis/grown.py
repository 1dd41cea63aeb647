"""What a run under way has recorded so far, to which each look adds only what is new."""

from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from memopolis.analysis.parts import Parts
from memopolis.sim.recording.table import Waiting

if TYPE_CHECKING:
    import pyarrow as pa

type SoFar = tuple[int, Waiting]
"""How many parts a table has, and the rows that wait for the next."""


@dataclass
class _Seen:
    """How far a table was read: parts, and batches and rows of those that waited then."""

    parts: int = 0
    batches: int = 0
    rows: int = 0


class Grown:
    """Measures and texts of a run under way. Several threads may read and add.

    Args:
        parts: Parts in the folder of the run.
    """

    def __init__(self, parts: Parts) -> None:
        self.parts = parts
        self._lock = Lock()
        self._seen: dict[str, _Seen] = {}
        self._series: dict[str, dict[str, tuple[array[int], array[float]]]] = {}
        self._texts: dict[int, str] = {}

    def measured(self, so_far: SoFar) -> dict[str, list[str]]:
        """Groups of each measure, sorted.

        Args:
            so_far: Of the table `measures`.
        """
        with self._lock:
            self._add_measures(so_far)
            return {name: sorted(groups) for name, groups in self._series.items()}

    def series(
        self, so_far: SoFar, name: str, group: str, until: int
    ) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        """Ticks and values of a measure that there is, of the steps before a step."""
        with self._lock:
            self._add_measures(so_far)
            ticks, values = self._series[name][group]
            known = np.array(ticks, np.int32)
            end = int(np.searchsorted(known, until))
            return known[:end], np.array(values, np.float64)[:end]

    def texts(self, so_far: SoFar) -> dict[int, str]:
        """Texts by hash; of these and later looks, and not to be written to.

        Args:
            so_far: Of the table `texts`.
        """
        with self._lock:
            for rows in self._new("texts", so_far):
                hashes, texts = rows["hash"].to_pylist(), rows["text"].to_pylist()
                self._texts.update(zip(hashes, texts, strict=True))
            return self._texts

    def _add_measures(self, so_far: SoFar) -> None:
        for rows in self._new("measures", so_far):
            columns = (rows[name].to_pylist() for name in ("tick", "measure", "group", "value"))
            for tick, measure, group, value in zip(*columns, strict=True):
                groups = self._series.setdefault(measure, {})
                ticks, values = groups.setdefault(group, (array("i"), array("d")))
                ticks.append(tick)
                values.append(value)

    def _new(self, name: str, so_far: SoFar) -> Iterator["pa.Table"]:
        """Rows of a table that were not read yet; what waited may be in a part by now."""
        parts, waiting = so_far
        seen = self._seen.setdefault(name, _Seen())
        if parts < seen.parts:
            return  # a look from before the last one
        if parts > seen.parts:
            yield self.parts.since(name, seen.parts, parts).slice(seen.rows)
            seen.parts, seen.batches, seen.rows = parts, 0, 0
        fresh = tuple(islice(waiting.chunks, seen.batches, None))
        if fresh:
            rows = Waiting(fresh, waiting.labels).rows()
            yield rows
            seen.batches += len(fresh)
            seen.rows += len(rows)
