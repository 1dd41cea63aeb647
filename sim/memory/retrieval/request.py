"""What a search asks of the scoring pass, in arrays."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.memory.retrieval.filters import Filters
from memopolis.sim.memory.retrieval.scoring import USUAL, Shares
from memopolis.sim.memory.text.relevance import Relevance

if TYPE_CHECKING:
    from memopolis.sim.memory.night.consolidation import Tables
    from memopolis.sim.memory.text.words import TextWords

Int32 = NDArray[np.int32]
Float32 = NDArray[np.float32]


class TextTable(NamedTuple):
    """One text term of all queries.

    Attributes:
        values: Term of each query and text, float32, shape (rows, >= texts).
        row: Row that each agent asks for, int32, shape (n,).
    """

    values: Float32
    row: Int32


class Fit(NamedTuple):
    """What tf-idf is fitted on.

    Attributes:
        words: Words of all texts.
        asked: Words of the queries.
        query: Which of them each agent asks, int32, shape (n,).
        logs: ln 0 (as 0), ln 1, ..., float64.
    """

    words: "TextWords"
    asked: "TextWords"
    query: Int32
    logs: NDArray[np.float64]


class Fading(NamedTuple):
    """What adaptive recency reads.

    Attributes:
        pace: Steps of the table a tick takes.
        table: Recency by steps, as from `terms.fading_table`.
    """

    pace: np.float32
    table: Float32


@dataclass(frozen=True, slots=True, eq=False)
class Extra:
    """What a search reads that the fast pass does not have.

    Attributes:
        weights: Weights of `TERMS`; 0 for what a search has nothing to go by, such as text
            terms without a query. Whatever else has a weight is given below.
        normalise: Whether terms are stretched to 0..1.
        product: Whether terms are multiplied.
        bm25: Table of BM25; None for no such term, as in all that follow.
        dense: Table of cosines.
        keyword: Table of keyword scores.
        fit: What tf-idf is fitted on.
        tags: Bits of the tags asked of each agent's memories, uint16, shape (n,).
        feeling: Feeling asked of them, float32, shape (n,).
        firm: Tables of consolidation.
        fading: What adaptive recency reads.
    """

    weights: tuple[float, ...]
    normalise: bool = False
    product: bool = False
    bm25: TextTable | None = None
    dense: TextTable | None = None
    keyword: TextTable | None = None
    fit: Fit | None = None
    tags: NDArray[np.uint16] | None = None
    feeling: Float32 | None = None
    firm: "Tables | None" = None
    fading: Fading | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Request:
    """What each of n agents searches its memories for.

    Attributes:
        rows: Rows of the agents, int64, shape (n,).
        k: Most memories wanted.
        now: Tick of the search.
        relevance: R of all queries asked.
        query: Row of `relevance` that each agent asks for, int32, shape (n,).
        named: unique_id of the actor each query names, -2 for nobody, int32, shape (n,).
        first: First tick of the date each query names, int32, shape (n,).
        last: Its last tick; before `first` where no date is named, int32, shape (n,).
        weights: Of recency, importance and relevance.
        recency: Weight of each age in ticks, as from `scoring.recency_table`.
        since: Column that ages count from.
        shares: What neighbours, actor and date are worth.
        neighbours: Whether neighbours count.
        cues: Whether an actor or a date may count.
        filters: Which memories may be found; None for all.
        luck: Key of the draws that are the score; None to score.
        newest: Whether the newest of those found stand first.
        extra: What else the score is made of; None for the fast pass.
    """

    rows: NDArray[np.int64]
    k: int
    now: int
    relevance: Relevance
    query: Int32
    named: Int32
    first: Int32
    last: Int32
    weights: tuple[float, float, float]
    recency: Float32
    since: Literal["accessed", "time"] = "accessed"
    shares: Shares = USUAL
    neighbours: bool = True
    cues: bool = True
    filters: Filters | None = None
    luck: tuple[int, int] | None = None
    newest: bool = False
    extra: Extra | None = None
