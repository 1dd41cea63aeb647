"""Profiles: named ways to weigh what a memory is worth to a query.

A profile is a value: it can be kept, compared, written into settings and changed by
`dataclasses.replace`. What it weighs:

    recency        how lately it was recalled or made        importance     as it was stored
    relevance      soft lexical, with neighbours and cues    bm25, tfidf    words in common
    keyword        the query as it stands, or its words      dense          cosine of vectors
    context        tags of the moment                        feeling        mood at recall
    consolidation  how firmly it sits
"""

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from memopolis.sim.errors import ParameterError
from memopolis.sim.memory.retrieval.scoring import Shares, twentieths
from memopolis.sim.memory.retrieval.wanted import ALL, CONFIG, Wanted

TERMS = (
    "recency",
    "importance",
    "relevance",
    "bm25",
    "dense",
    "tfidf",
    "keyword",
    "context",
    "feeling",
    "consolidation",
)
"""Terms in the order in which they are added up."""

TEXT_TERMS = ("relevance", "bm25", "dense", "tfidf", "keyword")
"""Terms that compare texts: in a product their sum is the base."""

FACTORS = ("importance", "context", "feeling", "consolidation")
"""Terms that raise or lower the base of a product about their middle, in this order."""

_SHARES = ("neighbours", "actor", "date")
_MOST = 3.0
_NUMBER = (int, float, np.integer, np.floating)
_CHOICES = {
    "since": ("accessed", "created"),
    "fading": ("fixed", "adaptive"),
    "normalise": ("none", "min-max"),
    "combine": ("sum", "product"),
    "order": ("best", "newest"),
}


@dataclass(frozen=True, slots=True)
class Profile:
    """How a search scores memories, and which it may find.

    Attributes:
        recency: Weight of recency, >= 0; so are the nine that follow.
        importance: Of importance.
        relevance: Of soft lexical relevance.
        bm25: Of BM25.
        dense: Of the cosine of query and memory.
        tfidf: Of the tf-idf cosine, fitted on the query and the memories that pass.
        keyword: Of the share of the text that is the query, or of words in both.
        context: Of the share of the tags asked that a memory has.
        feeling: Of the likeness of a memory's valence to the feeling asked.
        consolidation: Of how firmly a memory sits.
        neighbours: What the neighbour of a full match in the same interaction gets, as a
            share of a full match in 0..3, to a twentieth; the one after gets 0.8 of it.
        actor: What being by the actor named in the query adds, in the same unit.
        date: What falling into the date named in the query adds, in the same unit.
        half_life: Hours after which recency is one half, > 0.
        floor: Least recency, 0..1.
        since: Whether recency counts from the last access or from the creation.
        fading: Whether all memories have that half-life, or consolidated ones a longer one:
            half_life * (1 + 2 * consolidation).
        normalise: Whether each term is stretched to 0..1 over the memories that pass.
        combine: Whether weighted terms are summed, or the sum of the text terms is
            multiplied by the others.
        time_to_live: Hours after which a memory is not found any more; None for never.
        without: Tags whose memories are not found.
        wanted: Filters; what a call says goes before.
        k: Most memories found, where a call does not say.
        order: Whether the best stand first in the result, or the newest.

    Raises:
        ParameterError: If a number is out of range or a word none of those allowed.
    """

    recency: float = 0.0
    importance: float = 0.0
    relevance: float = 0.0
    bm25: float = 0.0
    dense: float = 0.0
    tfidf: float = 0.0
    keyword: float = 0.0
    context: float = 0.0
    feeling: float = 0.0
    consolidation: float = 0.0
    neighbours: float = 0.5
    actor: float = 0.25
    date: float = 0.2
    half_life: float = 24.0
    floor: float = 0.0
    since: Literal["accessed", "created"] = "accessed"
    fading: Literal["fixed", "adaptive"] = "fixed"
    normalise: Literal["none", "min-max"] = "none"
    combine: Literal["sum", "product"] = "sum"
    time_to_live: float | None = None
    without: tuple[str, ...] = ()
    wanted: Wanted = ALL
    k: int = 10
    order: Literal["best", "newest"] = "best"

    # Settings refuse unknown keys, here as everywhere.
    __pydantic_config__ = CONFIG

    def __post_init__(self) -> None:
        for name in TERMS:
            _within(f"weight of {name}", getattr(self, name), 0)
        for name in _SHARES:
            _within(name, getattr(self, name), 0, _MOST)
        _within("floor", self.floor, 0, 1)
        _positive("half_life", self.half_life)
        if self.time_to_live is not None:
            _positive("time_to_live", self.time_to_live)
        for name, allowed in _CHOICES.items():
            if getattr(self, name) not in allowed:
                words = " and ".join(map(repr, allowed))
                raise ParameterError(f"{name} is {getattr(self, name)!r}; allowed are {words}")
        if self.normalise == "min-max" and self.combine == "product":
            raise ParameterError("min-max goes with a sum: in a product 0 would take out the rest")
        if self.combine == "product":
            for name in FACTORS:
                _within(f"in a product the weight of {name}", getattr(self, name), 0, 2)
        if isinstance(self.without, str):
            raise ParameterError(f"without is {self.without!r}; a tuple of tags is needed")
        object.__setattr__(self, "without", tuple(self.without))
        check_count(self.k)

    @property
    def weights(self) -> tuple[float, ...]:
        """Weights of `TERMS`."""
        return tuple(getattr(self, name) for name in TERMS)

    @property
    def shares(self) -> Shares:
        """Neighbours, actor and date as whole twentieths of a full match."""
        return Shares(*(twentieths(getattr(self, name)) for name in _SHARES))

    @property
    def adaptive(self) -> bool:
        """Whether recency falls more slowly for consolidated memories."""
        return self.fading == "adaptive" and self.recency > 0

    @property
    def general(self) -> bool:
        """Whether it takes more than recency, importance and relevance summed up."""
        return (
            any(weight > 0 for weight in self.weights[3:])
            or self.adaptive
            or self.normalise != "none"
            or self.combine != "sum"
        )


def check_count(k: Any) -> None:
    """Refuse a number of memories that is no whole number or below 1.

    Raises:
        ParameterError: If it is.
    """
    # numpy's whole numbers too, but no booleans: both have `__index__`.
    whole = hasattr(k, "__index__") and not isinstance(k, bool)
    if not whole or k < 1:
        raise ParameterError(f"k is {k!r}; at least 1 memory has to be asked for")


def half_life_of(decay: float, *, hours: float) -> float:
    """Turn a decay factor into a half-life.

    Args:
        decay: What is left after `hours`, in (0, 1).
        hours: Time in which a weight falls to `decay`, > 0.

    Returns:
        Half-life in hours.

    Raises:
        ParameterError: If `decay` or `hours` is out of range.

    Source:
        decay = 2 ** (-hours / half_life), solved for the half-life.
    """
    if not 0 < decay < 1:
        raise ParameterError(f"decay is {decay}; it lies between 0 and 1")
    if not hours > 0:
        raise ParameterError(f"hours is {hours}; more than 0 is needed")
    return -hours / math.log2(decay)


def _within(name: str, value: Any, low: float, high: float = math.inf) -> None:
    if not isinstance(value, _NUMBER) or not low <= value <= high or math.isinf(value):
        allowed = f">= {low}" if math.isinf(high) else f"from {low} to {high:g}"
        raise ParameterError(f"{name} is {value}; a number {allowed} is needed")


def _positive(name: str, value: Any) -> None:
    if not isinstance(value, _NUMBER) or not 0 < value < math.inf:
        raise ParameterError(f"{name} is {value} hours; more than 0 is needed")


PROFILES: dict[str, Profile] = {
    "act": Profile(recency=0.5, importance=0.5, relevance=1.0, half_life=24.0),
    "recall": Profile(recency=0.1, importance=0.1, relevance=1.0, half_life=720.0),
    "town": Profile(
        recency=1.0,
        importance=1.0,
        dense=1.0,
        half_life=half_life_of(0.99, hours=24),
        normalise="min-max",
        without=("idle",),
        k=4,
    ),
    "working": Profile(
        recency=1.0,
        importance=0.4,
        tfidf=0.7,
        keyword=0.3,
        half_life=half_life_of(0.95, hours=6),
        floor=0.1,
        since="created",
        combine="product",
        time_to_live=24.0,
        k=5,
    ),
    "society": Profile(dense=1.0, k=3, order="newest"),
    "recommend": Profile(importance=0.4, consolidation=0.4, context=0.2),
}
"""Profiles by name: `act` decides the next step, `recall` answers about the whole past.

`town`, `working` and `society` score as three published systems do; `recommend` needs no
query. Weights of `recall` were found on long conversations with labelled evidence; those of
`act` and `recommend` and both half-lives are illustrative.

Source:
    `town`: Park et al. 2023, doi:10.1145/3586183.3606763, with the time really elapsed.
    `society`: AgentSociety. `working`: a hybrid working memory of tf-idf and keywords.
"""
