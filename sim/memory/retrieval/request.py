"""The request of a search: everything that the scoring passes read, as arrays."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.memory.retrieval.filter import EncodedFilter
from memopolis.sim.memory.retrieval.profiles import Profile, Shares
from memopolis.sim.memory.text.relevance import Relevance

Int32 = NDArray[np.int32]
Float32 = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Request:
    """The encoded search of n agents.

    Attributes:
        rows: Rows of the agents, int64, shape (n,).
        k: Maximum number of memories per agent.
        now: Tick of the search.
        relevance: R of all queries.
        query: Row of `relevance` of each agent's query, int32, shape (n,).
        named: unique_id of the actors that each query names, -2 for none, int32, shape (n, w).
        first: First tick of the date that each query names, int32, shape (n,).
        last: Its last tick; before `first` if no date is named, int32, shape (n,).
        weights: Weights above 0 by name, without terms that have no input in this search, such
            as text terms without a query.
        recency: Recency of each age in ticks, as from `ages.recency_table`.
        since: Column that ages count from.
        shares: Shares of neighbours, 0 without a query, and of actor and date.
        cues: Whether an actor or a date may count.
        where: Which memories may be returned; None for all.
        candidates: Which memories a store returned for `where`, in the order of
            `Streams.listed`, shape (m,); None without a store.
        draw_key: Key of the random draws that replace the score; None to score.
        profile: The profile; the fast pass reads only the attributes above.
        general: Whether the profile needs the general pass.
        prepared: Input of each term with a weight, besides the memories; for the general pass.
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
    since: Literal["accessed", "time"]
    shares: Shares
    cues: bool
    where: EncodedFilter | None
    candidates: NDArray[np.bool_] | None
    draw_key: tuple[int, int] | None
    profile: Profile
    general: bool
    prepared: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
