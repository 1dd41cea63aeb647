"""A recorder that digests what it would write, step by step, to compare runs cheaply."""

from collections.abc import Iterator, Mapping
from hashlib import blake2b
from typing import Any

import numpy as np

from memopolis.sim.recording.recorder import Recorder
from memopolis.sim.recording.rows import static_tables
from memopolis.sim.recording.table import Coded, Lists, Table
from memopolis.sim.society import Society


class DigestRecorder(Recorder):
    """Records a society without a folder.

    Attributes:
        digests: Digest of all tables so far: after building, then after each step.
    """

    def __init__(self, society: Society[Any]) -> None:
        self._hash = blake2b(digest_size=16)
        super().__init__("no-folder", society)
        society.recorder = self
        for name, frame in static_tables(society).items():
            self.static(name, frame)
        self.digests = [self._hash.digest()]

    def step(self) -> None:
        super().step()
        self.digests.append(self._hash.digest())

    def _prepare(self, position: Mapping[str, Any] | None) -> None:
        del position

    def _table(self, name: str) -> Table:
        recorder = self

        class Digested(Table):
            def append(self, rows: int, columns: Mapping[str, Any]) -> None:
                if rows:
                    recorder._hash.update(f"{name} {rows} {' '.join(columns)} ".encode())
                    for column in columns.values():
                        recorder._hash.update(_bytes(column))

        return Digested(self.folder, name)


class Trace:
    """The digests of a run, which is stepped only as far as they are asked for."""

    def __init__(self, society: Society[Any]) -> None:
        self.society = society
        self.recorder = DigestRecorder(society)

    def __iter__(self) -> Iterator[bytes]:
        place = 0
        while True:
            while place < len(self.recorder.digests):
                yield self.recorder.digests[place]
                place += 1
            if not self.society.running:
                return
            self.society.step()


def _bytes(column: Any) -> bytes:
    if isinstance(column, Lists):
        return column.lengths.tobytes() + column.items.tobytes()
    if isinstance(column, Coded):
        codes = np.atleast_1d(np.asarray(column.codes))
        return "|".join(column.labels[code] for code in codes.tolist()).encode()
    return repr(column.tolist()).encode() if column.dtype == object else bytes(column.tobytes())
