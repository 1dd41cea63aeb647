"""Record where people are and what they do, compactly: a row for each change."""

from typing import TYPE_CHECKING, Any

import numpy as np

from memopolis.sim.recording.table import Coded

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from memopolis.sim.population import Population
    from memopolis.sim.society_base import SocietyBase

DOING = "doing"  # attribute with the present activity, which has labels
BEFORE = "doing_before"  # attribute with that of the half hour before, if there is one
GONE = -2  # zone of an agent that is no longer in the society
START = -1  # tick of the rows that describe the start
_BITS = 16  # bits of both activities in a state
_MASK = 2 ** (_BITS // 2) - 1
_NEVER = -9 << _BITS  # state before an agent joined


class MoveRecorder:
    """Record changes of zone and activity of a population in the table `moves`.

    `append` appends rows to a table: its name, number of rows, and columns. `is_continued` says
    whether the table already contains the present positions.
    """

    def __init__(
        self,
        population: "Population",
        append: "Callable[[str, int, dict[str, Any]], None]",
        *,
        is_continued: bool,
    ) -> None:
        self._population, self._append = population, append
        self._zone, self._labels = _zone_attribute(population), _labels(population)
        self._last = self._state() if is_continued else np.zeros(0, np.int32)
        if not is_continued:
            self.step(START)

    def step(self, tick: int) -> None:
        """Record the agents whose zone or activities differ from the previous step."""
        before, now = self._last, self._state()
        unknown = np.full(len(now) - len(before), _NEVER, np.int32)
        rows = np.flatnonzero(now != np.concatenate([before, unknown]))
        self._last = now
        columns = {
            "tick": np.full(len(rows), tick, np.int32),
            "agent": self._population.ids[rows].astype(np.int32),
            "zone": (now[rows] >> _BITS).astype(np.int16),
            "doing": Coded(now[rows] & _MASK, self._labels),
            BEFORE: Coded(now[rows] >> _BITS // 2 & _MASK, self._labels),
        }
        self._append("moves", len(rows), columns)

    def _state(self) -> "NDArray[np.int32]":
        """Return zone and activities of every row in one number, the activities in `_BITS`."""
        citizens = self._population.cohort()
        state = np.full(len(self._population.ids), GONE << _BITS, np.int32)
        zones = citizens[self._zone].astype(np.int32)
        doing = citizens[DOING].astype(np.int32) if len(self._labels) > 1 else np.int32(0)
        before = doing
        if BEFORE in self._population.recorded:
            before = citizens[BEFORE].astype(np.int32)
        state[citizens.rows] = (zones << _BITS) + (before << _BITS // 2) + doing
        return state


def record_moves(
    society: "SocietyBase[Any]",
    append: "Callable[[str, int, dict[str, Any]], None]",
    *,
    is_continued: bool,
) -> MoveRecorder | None:
    """Return a recorder of the moves of a society; None if its people have no place."""
    if society.place is None or not society.populations:
        return None
    population = society.populations[0]
    if not _zone_attribute(population):
        return None
    return MoveRecorder(population, append, is_continued=is_continued)


def _zone_attribute(population: "Population") -> str:
    """Return the recorded attribute with the present zone, else one with a zone, "" for none."""
    for role in ("current zone", "zone"):
        for name, declared in population.recorded.items():
            if declared.role == role:
                return name
    return ""


def _labels(population: "Population") -> tuple[str, ...]:
    """Return the names of activities by number; ("",) if there are none."""
    declared = population.recorded.get(DOING)
    return ("",) if declared is None or len(declared.labels) < 2 else tuple(declared.labels)
