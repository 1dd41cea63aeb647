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
    """The encoded search of n agents."""

    rows: NDArray[np.int64]  # rows of the agents, shape (n,)
    k: int  # maximum number of memories per agent
    now: int  # tick of the search
    relevance: Relevance  # R of all queries
    query: Int32  # row of `relevance` of each agent's query, shape (n,)
    named: Int32  # unique_id of the actors that each query names, -2 for none, shape (n, w)
    first: Int32  # first tick of the date that each query names, shape (n,)
    last: Int32  # its last tick; before `first` if no date is named, shape (n,)
    # Weights above 0 by name, without terms that have no input in this search, such as text terms
    # without a query.
    weights: Mapping[str, float]
    recency: Float32  # recency of each age in ticks, as from `ages.recency_table`
    since: Literal["accessed", "time"]  # column that ages count from
    shares: Shares  # shares of neighbours, 0 without a query, and of actor and date
    cues: bool  # whether an actor or a date may count
    where: EncodedFilter | None  # which memories may be returned; None for all
    # Which memories a store returned for `where`, in the order of `Streams.listed`, shape (m,);
    # None without a store.
    candidates: NDArray[np.bool_] | None
    # Key of the random draws that replace the score; None to score.
    draw_key: tuple[int, int] | None
    profile: Profile  # the profile; the fast pass reads only the attributes above
    general: bool  # whether the profile needs the general pass
    # Input of each term with a weight, besides the memories; for the general pass.
    prepared: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
