"""How many occasions a memory stands for, and since when: a merged memory counts its repeats."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from memopolis.sim.memory.streams.stream import Streams

IntArray = NDArray[np.int64]

SINCE = "since"
"""Side column with the tick of the first occasion, of merged memories only."""

MOST_TIMES = np.iinfo(np.uint16).max
"""Greatest count; later occasions are not counted."""

_TIMES = "times"
_OWN = np.iinfo(np.int32).min


def has_occasions(streams: "Streams") -> bool:
    """Return whether any memory stands for several occasions."""
    return streams.has_column(_TIMES)


def read_occasions(
    streams: "Streams", slots: IntArray
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the number of occasions of memories, and the tick of the first one.

    Args:
        streams: The memories.
        slots: Slots of existing memories, shape (m,).

    Returns:
        Counts >= 1 and ticks, both int32, shape (m,).
    """
    time = streams.at("time", slots)
    if not has_occasions(streams):
        return np.ones(len(slots), np.int32), time
    since = _since_column(streams)[slots]
    return _times_column(streams)[slots].astype(np.int32), np.where(since == _OWN, time, since)


def read_times(streams: "Streams", slots: IntArray) -> NDArray[np.int32]:
    """Return the number of occasions of memories, int32, in the shape of `slots`; 0 for slot -1."""
    times = (slots >= 0).astype(np.int32)
    if has_occasions(streams):
        times *= _times_column(streams)[slots]
    return times


def write_occasions(
    streams: "Streams", slots: IntArray, times: NDArray[np.integer], since: NDArray[np.integer]
) -> None:
    """Store the number of occasions of memories, and the tick of the first one, shape (m,)."""
    _times_column(streams)[slots] = np.minimum(times, MOST_TIMES)
    _since_column(streams)[slots] = since


def _times_column(streams: "Streams") -> NDArray[np.uint16]:
    return streams.memory_column(_TIMES, np.uint16, fill=1)


def _since_column(streams: "Streams") -> NDArray[np.int32]:
    return streams.memory_column(SINCE, np.int32, fill=_OWN)
