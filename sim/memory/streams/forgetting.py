"""Forgetting: memories that agents lose for ever, by id, age, topic or what is left of them.

What is left of a memory falls by its adaptive half-life since it was made, recalled or
updated last, so what was recalled often lasts (see `consolidation.py`).
"""

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.errors import ParameterError
from memopolis.sim.memory.night.consolidation import of_slots, tables_of, updates
from memopolis.sim.memory.retrieval.filters import NO_TOPIC

if TYPE_CHECKING:
    from memopolis.sim.memory.memory import Memory

IntArray = NDArray[np.int64]


def forget(
    memory: "Memory",
    rows: IntArray,
    ids: IntArray | None,
    *,
    older_than: float | None = None,
    below: float | None = None,
    topic: str | None = None,
) -> NDArray[np.int32]:
    """Forget memories; arguments as in `CohortStream.forget`.

    Raises:
        ParameterError: If nothing says which memories, `older_than` is no number >= 0, or
            `below` does not lie between 0 and 1.
    """
    if ids is None and older_than is None and below is None and topic is None:
        raise ParameterError("say what to forget: ids, older_than=, below= or topic=")
    memory.settle()
    if ids is None and below is not None:
        places, numbers = faded(memory, rows, below)
    elif ids is None and older_than is not None:
        places, numbers = old(memory, rows, older_than)
    else:
        places, numbers = _named(memory, rows, ids)
    if older_than is not None or below is not None or topic is not None:
        chosen = _chosen(
            memory, rows[places], numbers, older_than=older_than, below=below, topic=topic
        )
        places, numbers = places[chosen], numbers[chosen]
    return forget_these(memory, rows, places, numbers)


def forget_these(
    memory: "Memory", rows: IntArray, places: IntArray, ids: IntArray
) -> NDArray[np.int32]:
    """Forget memories that are there, each named once, by place in the rows and id.

    Returns:
        How many each agent forgot, shape (n,).
    """
    if len(places):
        memory.pending.forgets.append((rows[places], ids.astype(np.int32)))
        memory.settle()
    return np.bincount(places, minlength=len(rows)).astype(np.int32)


def old(memory: "Memory", rows: IntArray, hours: float) -> tuple[IntArray, IntArray]:
    """Find the memories made more than so many hours ago, without touching them.

    Returns:
        Place in the rows, and id, of each such memory, shape (m,).

    Raises:
        ParameterError: If `hours` is no number >= 0.
    """
    from memopolis.sim.memory.streams import forgetting_kernels

    most = _hours(hours)
    memory.settle()
    streams = memory.streams
    starts, marks = _marks(memory, rows)
    forgetting_kernels.mark_old(
        streams.view, streams.next, streams.limit, rows, memory.now, 24 / memory.ticks_per_day,
        most, starts, marks,
    )  # fmt: skip
    return _marked(memory, rows, starts, marks)


def faded(memory: "Memory", rows: IntArray, below: float) -> tuple[IntArray, IntArray]:
    """Find the memories of which little is left, without touching them.

    Args:
        memory: Where they are.
        rows: Rows of the agents, shape (n,).
        below: Share of which less is left, 0..1.

    Returns:
        Place in the rows, and id, of each such memory, shape (m,).

    Raises:
        ParameterError: If `below` does not lie between 0 and 1.
    """
    from memopolis.sim.memory.streams import forgetting_kernels

    least = _share(below)
    memory.settle()
    streams = memory.streams
    starts, marks = _marks(memory, rows)
    forgetting_kernels.mark_faded(
        streams.view, updates(streams), streams.next, streams.limit, rows, memory.now,
        tables_of(memory), least, starts, marks,
    )  # fmt: skip
    return _marked(memory, rows, starts, marks)


def _marks(memory: "Memory", rows: IntArray) -> tuple[IntArray, NDArray[np.bool_]]:
    """Where each agent's memories begin, and room for a mark on each."""
    spans = memory.streams.spans(rows).astype(np.int64)
    return np.cumsum(spans) - spans, np.zeros(int(spans.sum()), np.bool_)


def _marked(
    memory: "Memory", rows: IntArray, starts: IntArray, marks: NDArray[np.bool_]
) -> tuple[IntArray, IntArray]:
    """Place in the rows, and id, of each memory marked."""
    at = np.flatnonzero(marks)
    # Those without a memory begin where the next begins: the last to begin there is it.
    places = np.searchsorted(starts, at, side="right") - 1
    ids = at - starts[places] + memory.streams.first(rows)[places]
    return places.astype(np.int64), ids.astype(np.int64)


def _hours(older_than: float) -> float:
    if not (math.isfinite(older_than) and older_than >= 0):
        raise ParameterError(f"older_than is {older_than} hours; a number >= 0 is needed")
    return float(older_than)


def _share(below: float) -> np.float32:
    if not 0 <= below <= 1:
        raise ParameterError(f"below is {below}; a share between 0 and 1 is needed")
    return np.float32(below)


def _named(memory: "Memory", rows: IntArray, ids: IntArray | None) -> tuple[IntArray, IntArray]:
    """Place in the rows, and id, of each memory that is meant, each once."""
    streams = memory.streams
    if ids is None:
        places, numbers = streams.listed(rows)
    else:
        table = ids if ids.ndim == 2 else ids[:, None]
        places = np.repeat(np.arange(len(rows)), table.shape[1])
        numbers = table.ravel()
        there = (numbers >= 0) & (numbers < memory.issued[rows[places]])
        both = np.unique(places[there] << 32 | numbers[there])
        places, numbers = both >> 32, both & 0xFFFFFFFF
    # What waits to be stored is forgotten as soon as it is.
    held = streams.holds(rows[places], numbers) | (numbers >= streams.next[rows[places]])
    return places[held], numbers[held]


def _chosen(
    memory: "Memory",
    rows: IntArray,
    ids: IntArray,
    *,
    older_than: float | None = None,
    below: float | None = None,
    topic: str | None = None,
) -> NDArray[np.bool_]:
    """Whether each memory is of the age, share and topic; none that still waits is."""
    streams = memory.streams
    chosen = np.asarray(ids < streams.next[rows])
    slots = streams.slots(rows[chosen], ids[chosen])
    passes = np.ones(len(slots), np.bool_)
    if older_than is not None:
        age = (memory.now - streams.at("time", slots)) * (24 / memory.ticks_per_day)
        passes &= age > _hours(older_than)
    if below is not None:
        passes &= of_slots(memory, slots).retention < _share(below)
    if topic is not None:
        passes &= streams.at("topic", slots) == memory.topic_numbers.get(topic, NO_TOPIC)
    chosen[chosen] = passes
    return chosen
