"""The request of a search: everything that the scoring passes read, as arrays."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.memory.retrieval.filter import EncodedFilter
from memopolis.sim.memory.retrieval.scoring import USUAL, Shares
from memopolis.sim.memory.text.relevance import Relevance

if TYPE_CHECKING:
    from memopolis.sim.memory.night.consolidation import Tables
    from memopolis.sim.memory.text.words import TextWords

Int32 = NDArray[np.int32]
Float32 = NDArray[np.float32]


class TextTable(NamedTuple):
    """The values of one text term for all queries and texts.

    Attributes:
        values: Value of each query and text, float32, shape (queries, >= texts).
        row: Row of the query of each agent, int32, shape (n,).
    """

    values: Float32
    row: Int32


class Fit(NamedTuple):
    """What tf-idf is fitted on.

    Attributes:
        words: Words of all texts.
        asked: Words of the queries.
        query: Query of each agent, int32, shape (n,).
        logs: ln 0 (as 0), ln 1, ..., float64.
    """

    words: "TextWords"
    asked: "TextWords"
    query: Int32
    logs: NDArray[np.float64]


class Fading(NamedTuple):
    """What adaptive recency reads.

    Attributes:
        pace: Steps of the table per tick.
        table: Recency by steps, as from `terms.fading_table`.
    """

    pace: np.float32
    table: Float32


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
        weights: Weights of `TERMS`; 0 if the search lacks what a term compares with, such as
            text terms without a query.
        recency: Recency of each age in ticks, as from `scoring.recency_table`.
        since: Column that ages count from.
        shares: Shares of neighbours, actor and date.
        neighbours: Whether neighbours count.
        cues: Whether an actor or a date may count.
        where: Which memories may be returned; None for all.
        draw_key: Key of the random draws that replace the score; None to score.
        newest: Whether the result is ordered by time, the newest first.
        general: Whether the general pass is needed.
        normalise: Whether terms are stretched to 0..1.
        product: Whether terms are multiplied.
        tables: Tables of bm25, dense and keyword, those that have a weight.
        fit: What tf-idf is fitted on; None without such a term, as for all that follow.
        tags: Bits of the tags of each agent's context, uint16, shape (n,).
        feeling: Feeling of each agent, float32, shape (n,).
        consolidation: Tables of consolidation.
        fading: What adaptive recency reads.
    """

    rows: NDArray[np.int64]
    k: int
    now: int
    relevance: Relevance
    query: Int32
    named: Int32
    first: Int32
    last: Int32
    weights: tuple[float, ...]
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
    tables: Mapping[str, TextTable] = field(default_factory=dict)
    fit: Fit | None = None
    tags: NDArray[np.uint16] | None = None
    feeling: Float32 | None = None
    consolidation: "Tables | None" = None
    fading: Fading | None = None
