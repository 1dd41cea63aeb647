"""The request of a search: everything that the scoring passes read, as arrays."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.memory.retrieval.filter import EncodedFilter
from memopolis.sim.memory.text.relevance import FULL, Relevance

Int32 = NDArray[np.int32]
Float32 = NDArray[np.float32]


OWN = 20
"""Weight of a memory's own relevance in V."""

SCALE = OWN * FULL
"""V of a memory with every piece of the query and nothing else."""


class Shares(NamedTuple):
    """Further summands of V, in twentieths of a full match, so that V stays an integer.

    Attributes:
        neighbours: Share lent by a neighbour one away, 0 for none.
        actor: Share of a memory by the named actor.
        date: Share of a memory of the named date.
    """

    neighbours: int = 10
    actor: int = 5
    date: int = 4

    @property
    def next_but_one(self) -> int:
        """Share lent by a neighbour two away: 0.8 of the nearer one."""
        return (8 * self.neighbours + 5) // 10


USUAL = Shares()
"""Half, a quarter and a fifth of a full match."""


def twentieths(share: float) -> int:
    """Round a share of a full match to integer twentieths, halves up."""
    return math.floor(OWN * share + 0.5)


@dataclass(frozen=True, slots=True, eq=False)
class Request:
    """What each of n agents searches its memories for.

    The general pass reads all attributes; the fast pass stops at `newest`.

    Attributes:
        rows: Rows of the agents, int64, shape (n,).
        k: Maximum number of memories per agent.
        now: Tick of the search.
        relevance: R of all queries.
        query: Row of `relevance` of each agent's query, int32, shape (n,).
        named: unique_id of the actor that each query names, -2 for none, int32, shape (n,).
        first: First tick of the date that each query names, int32, shape (n,).
        last: Its last tick; before `first` if no date is named, int32, shape (n,).
        weights: Weights above 0 by name, without terms that the search has nothing for, such as
            text terms without a query.
        recency: Recency of each age in ticks, as from `ages.recency_table`.
        since: Column that ages count from.
        shares: Shares of neighbours, actor and date.
        neighbours: Whether neighbours count.
        cues: Whether an actor or a date may count.
        where: Which memories may be returned; None for all.
        draw_key: Key of the random draws that replace the score; None to score.
        newest: Whether the result is ordered by time, the newest first.
        general: Whether the general pass is needed.
        normalise: Whether terms are rescaled to 0..1.
        product: Whether terms are multiplied.
        prepared: What each term with a weight reads besides the memories; for the general pass.
    """

    rows: NDArray[np.int64]
    k: int
    now: int
    relevance: Relevance
    query: Int32
    named: Int32
    first: Int32
    last: Int32
    weights: Mapping[str, float]
    recency: Float32
    since: Literal["accessed", "time"] = "accessed"
    shares: Shares = USUAL
    neighbours: bool = True
    cues: bool = True
    where: EncodedFilter | None = None
    draw_key: tuple[int, int] | None = None
    newest: bool = False
    general: bool = False
    normalise: bool = False
    product: bool = False
    prepared: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
