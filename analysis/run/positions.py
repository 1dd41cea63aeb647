"""Follow where people are and what they do from step to step, from the changes recorded."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from memopolis.analysis.run.joining import encode_texts
from memopolis.analysis.run.run import Run
from memopolis.sim.recording.moves import GONE, START

_NO_ROWS = np.zeros(0, np.intp)
_MOST_ACTIVITIES = 256  # maximum number of activities that are distinguished


@dataclass(frozen=True, eq=False)
class Changes:
    """People whose zone or activity changed between two moments."""

    rows: NDArray[np.intp]  # rows of `Positions.agents`, ascending, shape (changes,)
    zone: NDArray[np.int16]  # their zones now
    doing: NDArray[np.uint8]  # numbers of their activities now
    whole: bool = False  # whether these are all people, because the agents or the run are others


@dataclass(eq=False)
class Positions:
    """Zone and activity of the people of a run at a moment, moved from moment to moment."""

    step: int = -1  # number of steps after which it is, -1 before the first `go_to`
    # Their unique_id, ascending, shape (agents,)
    agents: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    # Number of the zone, -1 for away, `GONE` for no longer present, shape (agents,)
    zone: NDArray[np.int16] = field(default_factory=lambda: np.zeros(0, np.int16))
    # Index of the activity in `activities`, shape (agents,)
    doing: NDArray[np.uint8] = field(default_factory=lambda: np.zeros(0, np.uint8))
    activities: list[str] = field(default_factory=list)  # names of the activities, as they occurred

    def go_to(self, run: Run) -> Changes:
        """Go to the moment of a run, forwards or backwards, and return what changed.

        Always pass moments of the same run; use another object for another run.
        """
        before, step = self.step, run.ticks
        if step == before:
            return self._changes(_NO_ROWS)
        if before < 0 or step < before or not run.has("moves"):
            return self._restart(run)
        parts = list(run.reader.between("moves", before, step))
        self.step = step
        if not np.isin(_agents(parts), self.agents).all():  # some were born
            return self._restart(run)
        return self._changes(np.unique(np.concatenate([_NO_ROWS, *map(self._apply, parts)])))

    def _restart(self, run: Run) -> Changes:
        """Read the moment from the start."""
        old = (self.agents, self.zone, self.doing)
        is_first, self.step = self.step < 0, run.ticks
        if run.has("moves"):
            parts = list(run.reader.between("moves", START, run.ticks))
            self.agents = np.unique(_agents(parts))
            self._clear()
            for rows in parts:
                self._apply(rows)
        else:
            self._read_status(run)
        if is_first or not np.array_equal(old[0], self.agents):
            return self._changes(np.arange(len(self.agents)), whole=True)
        return self._changes(np.flatnonzero((old[1] != self.zone) | (old[2] != self.doing)))

    def _clear(self) -> None:
        self.zone = np.full(len(self.agents), GONE, np.int16)
        self.doing = np.zeros(len(self.agents), np.uint8)

    def _apply(self, rows: pa.Table) -> NDArray[np.intp]:
        """Apply changes in their order, and return the rows of the agents."""
        at = np.asarray(np.searchsorted(self.agents, rows["agent"].to_numpy()))
        names, codes = encode_texts(rows["doing"])
        number = np.array([self._number(str(name)) for name in names.tolist()] or [0], np.uint8)
        zone, doing = self.zone[at], self.doing[at]
        self.zone[at] = rows["zone"].to_numpy()  # the last of several values stays
        self.doing[at] = number[codes]
        # A row may only change what was done in the half hour before.
        return np.asarray(at[(zone != self.zone[at]) | (doing != self.doing[at])])

    def _number(self, activity: str) -> int:
        """Return the number of an activity, that of the last one if there are too many."""
        if activity not in self.activities and len(self.activities) < _MOST_ACTIVITIES:
            self.activities.append(activity)
        known = self.activities
        return known.index(activity) if activity in known else len(known) - 1

    def _read_status(self, run: Run) -> None:
        """Read zones from the latest status, where the table of moves was not recorded."""
        people = run.people()
        self.agents = people["agent"].to_numpy(np.int64)
        self._clear()
        if "zone" in people:
            self.zone = people["zone"].fillna(-1).to_numpy().astype(np.int16)
        self.activities = self.activities or [""]

    def _changes(self, rows: NDArray[np.intp], *, whole: bool = False) -> Changes:
        return Changes(rows, self.zone[rows], self.doing[rows], whole)


def _agents(parts: Sequence[pa.Table]) -> NDArray[np.int64]:
    known = (rows["agent"].to_numpy().astype(np.int64) for rows in parts)
    return np.concatenate([np.zeros(0, np.int64), *known])
