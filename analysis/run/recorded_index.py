"""Index the measures and texts of a run; each later snapshot adds only the new rows."""

from array import array
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from threading import Lock

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from memopolis.analysis.run.joining import encode_texts
from memopolis.analysis.run.part_cache import PartCache
from memopolis.sim.recording.table import Waiting

type Extent = tuple[int, Waiting]
"""Number of parts of a table, and the rows that wait for the next part."""


@dataclass
class _Progress:
    """Record how far a table was read: parts, then batches and rows that waited."""

    parts: int = 0
    batches: int = 0
    rows: int = 0


class RecordedIndex:
    """Index measures by name and group, and texts by hash. Thread-safe."""

    def __init__(self, parts: PartCache) -> None:
        self._parts = parts
        self._lock = Lock()
        self._progress: dict[str, _Progress] = {}
        self._series: dict[str, dict[str, tuple[array[int], array[float]]]] = {}
        self._texts: dict[int, str] = {}

    def groups(self, measures: Extent) -> dict[str, list[str]]:
        """Return the groups of each measure, sorted."""
        with self._lock:
            self._add_measures(measures)
            return {name: sorted(groups) for name, groups in self._series.items()}

    def series(
        self, measures: Extent, name: str, group: str, until: int
    ) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        """Return ticks and values of a measure in the steps before a step, oldest first."""
        with self._lock:
            self._add_measures(measures)
            ticks, values = self._series[name][group]
            known = np.array(ticks, np.int32)
            end = int(np.searchsorted(known, until))
            return known[:end], np.array(values, np.float64)[:end]

    def texts(self, texts: Extent) -> Mapping[int, str]:
        """Return texts by hash, which may include texts of later snapshots."""
        with self._lock:
            for rows in self._new_rows("texts", texts):
                hashes, words = rows["hash"].to_pylist(), rows["text"].to_pylist()
                self._texts.update(zip(hashes, words, strict=True))
            return self._texts

    def _add_measures(self, measures: Extent) -> None:
        for rows in self._new_rows("measures", measures):
            names, name_codes = encode_texts(rows["measure"])
            groups, group_codes = encode_texts(rows["group"])
            codes = name_codes.astype(np.int64) * len(groups) + group_codes
            order = np.argsort(codes, kind="stable")
            starts = np.flatnonzero(np.diff(codes[order], prepend=-1))
            ticks, values = rows["tick"].to_numpy(), rows["value"].to_numpy()
            for own in np.split(order, starts[1:]):
                name, group = names[name_codes[own[0]]], groups[group_codes[own[0]]]
                series = self._series.setdefault(name, {})
                known = series.setdefault(group, (array("i"), array("d")))
                known[0].extend(ticks[own].tolist())
                known[1].extend(values[own].tolist())

    def _new_rows(self, name: str, extent: Extent) -> Iterator[pa.Table]:
        """Yield the rows that were not read yet; rows that waited may be in a part by now."""
        parts, waiting = extent
        seen = self._progress.setdefault(name, _Progress())
        if parts < seen.parts:
            return  # a snapshot older than the last one
        if parts > seen.parts:
            new = self._parts.read_range(name, seen.parts, parts).slice(seen.rows)
            seen.parts, seen.batches, seen.rows = parts, 0, 0
            if len(new):
                yield new
        batches = tuple(islice(waiting.chunks, seen.batches, None))
        if batches:
            new = Waiting(batches, waiting.labels).rows()
            yield new
            seen.batches += len(batches)
            seen.rows += len(new)
