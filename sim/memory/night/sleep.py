"""Sleep: what a night does to memories, in one fixed order.

    1. replay    rehearse what is due, which consolidates it
    2. relate    link the new memories to related ones
    3. cluster   let what left the short term join its clusters
    4. merge     make an abstract memory of what repeats
    5. forget    what is too old, and what has faded unless it was rehearsed this night

Each part may be left out. Where a society defers what is stored, all parts see the streams
as they were before the night.
"""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.errors import ParameterError
from memopolis.sim.memory.night.replay import Review, replay
from memopolis.sim.memory.streams import forgetting

if TYPE_CHECKING:
    from memopolis.sim.memory.memory import Memory

IntArray = NDArray[np.int64]

_REVIEW = Review()


@dataclass(frozen=True, slots=True)
class Night:
    """What a night does; by default it rehearses, and nothing else.

    Attributes:
        replay: Most memories that are due which an agent rehearses; 0 for none.
        review: How what is due is chosen.
        relate: Whether new memories are linked to related ones.
        cluster: Whether memories that left the short term join clusters.
        merge: Repeats from which an abstract memory is made, at least 2; 0 for never.
        forget_older: Hours after which a memory is forgotten; None for never.
        forget_below: Share of which less must be left of a memory for it to be forgotten; 0
            forgets nothing.

    Raises:
        ParameterError: If a number is out of range.
    """

    replay: int = 20
    review: Review = _REVIEW
    relate: bool = False
    cluster: bool = False
    merge: int = 0
    forget_older: float | None = None
    forget_below: float = 0.0

    def __post_init__(self) -> None:
        if self.replay < 0:
            raise ParameterError(f"replay is {self.replay}; a number >= 0 is needed")
        if self.merge < 0 or self.merge == 1:
            raise ParameterError(f"merge is {self.merge}; repeats are at least 2, 0 is never")
        older = self.forget_older
        if older is not None and not 0 <= older < math.inf:
            raise ParameterError(f"forget_older is {older} hours; a number >= 0 is needed")
        if not 0 <= self.forget_below <= 1:
            raise ParameterError(
                f"forget_below is {self.forget_below}; a share between 0 and 1 is needed"
            )

    @property
    def does_nothing(self) -> bool:
        """Whether every part is left out."""
        return not (
            self.replay
            or self.relate
            or self.cluster
            or self.merge
            or self.forget_older is not None
            or self.forget_below
        )


class Slept(NamedTuple):
    """What a night came to.

    Attributes:
        replayed: Ids of what each agent rehearsed, -1 where fewer were due, int32, shape
            (n, k); k is 0 where replay was left out.
        merged: Abstract memories each agent got, int32, shape (n,).
        forgotten: Memories each agent forgot, not counting repeats that were merged, int32,
            shape (n,).
    """

    replayed: NDArray[np.int32]
    merged: NDArray[np.int32]
    forgotten: NDArray[np.int32]


def sleep(memory: "Memory", rows: IntArray, night: Night) -> Slept:
    """Let agents sleep a night.

    Args:
        memory: Where they are.
        rows: Rows of the agents, shape (n,); who stands there twice sleeps once.
        night: What it does.
    """
    each, back = np.unique(rows, return_inverse=True)
    slept = _sleep(memory, each, night)
    return Slept(*(part[back] for part in slept))


def _sleep(memory: "Memory", rows: IntArray, night: Night) -> Slept:
    replayed = np.empty((len(rows), 0), np.int32)
    if night.replay:
        replayed = replay(memory, rows, night.replay, night.review)
    if night.relate or night.cluster:
        _order(memory, rows, night)
    merged = np.zeros(len(rows), np.int32)
    if night.merge:
        from memopolis.sim.memory.night.merging import merge_repeats

        merged = merge_repeats(memory, rows, night.merge)
    return Slept(replayed, merged, _forget(memory, rows, night, replayed))


def _order(memory: "Memory", rows: IntArray, night: Night) -> None:
    """Link and cluster what is new."""
    if night.relate:
        from memopolis.sim.memory.night.related import relate

        relate(memory, rows)
    if night.cluster:
        from memopolis.sim.memory.night.clusters import cluster

        cluster(memory, rows, memory.layer_settings.clustering)


def _forget(
    memory: "Memory", rows: IntArray, night: Night, replayed: NDArray[np.int32]
) -> NDArray[np.int32]:
    """Forget what is too old, and what has faded but was not rehearsed this night."""
    gone = np.empty(0, np.int64)
    if night.forget_below:
        kept = np.arange(len(rows))[:, None] << 32 | replayed
        gone = np.setdiff1d(_keys(forgetting.faded(memory, rows, night.forget_below)), kept)
    if night.forget_older is not None:
        gone = np.union1d(gone, _keys(forgetting.old(memory, rows, night.forget_older)))
    # Where storing is deferred, what was merged this night is there still.
    for who, ids in memory.pending.forgets:
        mine = np.isin(who, rows)
        places = np.searchsorted(rows, who[mine]).astype(np.int64)
        gone = np.setdiff1d(gone, _keys((places, ids[mine].astype(np.int64))))
    return forgetting.forget_these(memory, rows, gone >> 32, gone & 0xFFFFFFFF)


def _keys(found: tuple[IntArray, IntArray]) -> IntArray:
    """Place in the rows and id in one number."""
    places, ids = found
    return places << 32 | ids
