"""Profiles: named sets of weights that score memories, as immutable values."""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from memopolis.sim.arguments import (
    NUMBER,
    as_pairs,
    check_choice,
    check_names,
    check_range,
    check_type,
    shown,
    whole_number,
)
from memopolis.sim.errors import ParameterError
from memopolis.sim.memory.retrieval.filter import CONFIG, NO_FILTER, Filter
from memopolis.sim.memory.retrieval.terms.registry import TERMS, role_of
from memopolis.sim.memory.text.relevance import FULL

OWN = 20  # weight of a memory's own relevance; shares are rounded to integers in this unit
_STANDARD = ("recency", "importance", "relevance")
_SHARES = ("neighbours", "actor", "date")
_MOST = 3.0
_MOST_WEIGHT = 1e9  # larger weights would drown all other terms, and exceed float32 in the end
_MOST_HOURS = 1e300
_CHOICES = {
    "since": ("accessed", "created"),
    "fading": ("fixed", "adaptive", "power"),
    "normalise": ("none", "min-max"),
    "combine": ("sum", "product"),
    "order": ("best", "newest"),
}


@dataclass(frozen=True)
class Shares:
    """Summands of relevance in twentieths of a full match, so that their sum is an integer."""

    neighbours: int = 10  # share lent by a neighbour one away, 0 for none
    actor: int = 5  # share of a memory by the named actor
    date: int = 4  # share of a memory of the named date

    @cached_property
    def next_but_one(self) -> int:
        """Share lent by a neighbour two away: 0.8 of the nearer one."""
        return (8 * self.neighbours + 5) // 10

    @cached_property
    def values(self) -> tuple[np.int32, ...]:
        """What neighbours one and two away lend, and the named actor and date add."""
        lent = (self.neighbours, self.next_but_one)
        return tuple(np.int32(x) for x in (*lent, self.actor * FULL, self.date * FULL))


USUAL = Shares()  # half, a quarter and a fifth of a full match


@dataclass(frozen=True)
class Profile:
    """How a search scores memories, and which it may return.

    Attributes:
        recency: Weight of recency, 0..1e9, as for the next 18.
        importance: Weight of importance.
        relevance: Weight of soft lexical relevance.
        window: Weight of the share of the query in the memory or the two before and after it.
        session: Weight of the share of the query in the whole interaction.
        answer: Weight of the relevance of the question that a memory follows.
        statement: Weight of being no question.
        information: Weight of the information that the text contains.
        static: Weight of the cosine of query and memory by the shipped static table.
        bm25: Weight of BM25.
        dense: Weight of the cosine of query and memory by the embedder of the memory.
        dense_near: Weight of the cosine of query and the more similar neighbour.
        late_interaction: Weight of the mean over the query's tokens of the best cosine with a token
            of the memory; the embedder needs token vectors.
        tfidf: Weight of the tf-idf cosine, fitted on the query and the memories that pass.
        keyword: Weight of the share of the text that is the query, or of shared words.
        context: Weight of the share of the context's tags that a memory has.
        feeling: Weight of the similarity of valence and feeling.
        consolidation: Weight of consolidation.
        activation: Weight of base-level activation, which is in a sum only.
        neighbours: Relevance lent to the neighbour of a full match in the same interaction, as
            a share of a full match, 0..3, rounded to 0.05; the next neighbour gets 0.8 of it.
        actor: Relevance of a memory by the actor named in the query, in the same unit.
        date: Relevance of a memory of the date named in the query, in the same unit.
        half_life: Half-life of recency in hours, > 0.
        floor: Lower bound of recency, 0..1.
        since: Whether recency counts from the last access or from the creation.
        fading: How recency falls with age: by a "fixed" half-life; by an "adaptive" one,
            half_life * (1 + 2 * consolidation); or as a "power" of age,
            (1 + 3 age / half_life) ** -0.5, which is one half at the half-life, too.
        normalise: Whether each term is rescaled to 0..1 over the memories that pass.
        combine: Whether weighted terms are summed, or the sum of the text terms is
            multiplied by the others.
        time_to_live: Age in hours after which a memory is not returned; None for never.
        without: Tags whose memories are not returned.
        where: Conditions that memories must meet; those of a call take precedence.
        k: Default maximum number of memories.
        order: Whether the result is ordered by score or by time, the newest first.
        extra: Names and weights of terms that were added by `add_term`.

    Raises:
        ParameterError: If a number or a word is not allowed.
    """

    recency: float = 0.0
    importance: float = 0.0
    relevance: float = 0.0
    window: float = 0.0
    session: float = 0.0
    answer: float = 0.0
    statement: float = 0.0
    information: float = 0.0
    static: float = 0.0
    bm25: float = 0.0
    dense: float = 0.0
    dense_near: float = 0.0
    late_interaction: float = 0.0
    tfidf: float = 0.0
    keyword: float = 0.0
    context: float = 0.0
    feeling: float = 0.0
    consolidation: float = 0.0
    activation: float = 0.0
    neighbours: float = 0.5
    actor: float = 0.25
    date: float = 0.2
    half_life: float = 24.0
    floor: float = 0.0
    since: Literal["accessed", "created"] = "accessed"
    fading: Literal["fixed", "adaptive", "power"] = "fixed"
    normalise: Literal["none", "min-max"] = "none"
    combine: Literal["sum", "product"] = "sum"
    time_to_live: float | None = None
    without: tuple[str, ...] = ()
    where: Filter = NO_FILTER
    k: int = 10
    order: Literal["best", "newest"] = "best"
    extra: tuple[tuple[str, float], ...] = ()

    # Settings refuse unknown keys, here as everywhere.
    __pydantic_config__ = CONFIG

    def __post_init__(self) -> None:
        for name, allowed in _CHOICES.items():
            check_choice(name, getattr(self, name), allowed)
        check_type("where", self.where, Filter, "a Filter")
        object.__setattr__(self, "extra", as_pairs("extra", self.extra))
        for name, weight in self.weights.items():
            check_range(f"weight of {name}", weight, 0, _MOST_WEIGHT)
            if role_of(name) == "factor" and self.combine == "product":
                check_range(f"in a product the weight of {name}", weight, 0, 2)
        for name in _SHARES:
            check_range(name, getattr(self, name), 0, _MOST)
        check_range("floor", self.floor)
        _positive("half_life", self.half_life)
        if self.time_to_live is not None:
            _positive("time_to_live", self.time_to_live)
        if self.normalise == "min-max" and self.combine == "product":
            raise ParameterError(
                "min-max needs a sum: in a product, a term of 0 would cancel all others"
            )
        if self.activation and self.combine == "product":
            raise ParameterError("activation needs a sum: it may be below 0")
        object.__setattr__(self, "without", tuple(check_names("without", self.without)))
        whole_number("k", self.k, least=1, most=2**63 - 1)

    @cached_property
    def weights(self) -> dict[str, float]:
        """Weights of all terms by name, in the order of their sum."""
        return {**{name: getattr(self, name) for name in TERMS}, **dict(self.extra)}

    @cached_property
    def counting(self) -> dict[str, float]:
        """Those of the weights that are above 0."""
        return {name: weight for name, weight in self.weights.items() if weight > 0}

    @cached_property
    def recency_power(self) -> float:
        """Power to which recency is raised: its weight in a product, 1 in a sum."""
        return self.recency if self.combine == "product" else 1.0

    @cached_property
    def shares(self) -> Shares:
        """Neighbours, actor and date as integer twentieths of a full match, halves rounded up."""
        return Shares(*(math.floor(OWN * getattr(self, name) + 0.5) for name in _SHARES))

    @cached_property
    def adaptive(self) -> bool:
        """Whether recency decays more slowly for consolidated memories."""
        return self.fading == "adaptive" and self.recency > 0

    @cached_property
    def restricts(self) -> bool:
        """Whether it excludes memories by tag or age."""
        return bool(self.without) or self.time_to_live is not None

    @cached_property
    def general(self) -> bool:
        """Whether it needs more than a sum of recency, importance and relevance."""
        return (
            any(w > 0 for name, w in self.weights.items() if name not in _STANDARD)
            or self.adaptive
            or self.normalise != "none"
            or self.combine != "sum"
        )


def half_life_of(decay: float, *, hours: float) -> float:
    """Convert the share 0 < decay < 1 that is left after some hours to a half-life in hours.

    Source:
        decay = 2 ** (-hours / half_life), solved for the half-life.
    """
    if not 0 < decay < 1:
        raise ParameterError(f"decay is {decay}; it must be between 0 and 1")
    if not hours > 0:
        raise ParameterError(f"hours is {hours}; it must be above 0")
    return -hours / math.log2(decay)


def _positive(name: str, value: object) -> None:
    if not isinstance(value, NUMBER) or not 0 < value <= _MOST_HOURS:
        raise ParameterError(
            f"{name} is {shown(value)} hours; more than 0 and at most {_MOST_HOURS:g} is needed"
        )


# fmt: off
PROFILES: dict[str, Profile] = {
    "act": Profile(recency=0.5, importance=0.5, relevance=1.0, half_life=24.0),
    "lasting": Profile(
        recency=0.5, importance=0.5, relevance=1.0, half_life=24.0, fading="adaptive"
    ),
    "recall": Profile(
        recency=0.1, importance=0.1, relevance=0.18, window=0.35, session=0.21, answer=0.48,
        statement=0.13, information=0.36, static=0.9, neighbours=0.0, actor=1.95, date=2.8,
        half_life=720.0,
    ),
    "dense": Profile(
        recency=0.1, importance=0.1, relevance=0.14, window=0.2, session=0.17, answer=0.32,
        statement=0.09, information=0.3, dense=0.9, dense_near=0.23, neighbours=0.0, actor=2.0,
        date=2.95, half_life=720.0,
    ),
    "late_interaction": Profile(
        recency=0.1, importance=0.1, relevance=0.15, window=0.1, session=0.17, answer=0.47,
        statement=0.09, information=0.27, dense=0.38, dense_near=0.27, late_interaction=0.9,
        neighbours=0.0, actor=1.95, date=2.95, half_life=720.0,
    ),
    "town": Profile(
        recency=1.0, importance=1.0, dense=1.0, half_life=half_life_of(0.99, hours=24),
        normalise="min-max", without=("idle",), k=4,
    ),
    "working": Profile(
        recency=1.0, importance=0.4, tfidf=0.7, keyword=0.3,
        half_life=half_life_of(0.95, hours=6), floor=0.1, since="created", combine="product",
        time_to_live=24.0, k=5,
    ),
    "society": Profile(dense=1.0, k=3, order="newest"),
    "act_r": Profile(activation=1.0, importance=2.0, relevance=4.0),
    "recommend": Profile(importance=0.4, consolidation=0.4, context=0.2),
}
# fmt: on
"""Profiles by name: `act` for decisions on the next step, `recall` for the whole past.

`lasting` is `act` with a half-life that grows with consolidation. `dense` is `recall` for a memory
whose embedder is a sentence model such as MiniLM, and `late_interaction` is `dense` with vectors of
tokens, which find slightly more and take about 20 times the memory.

`town`, `working`, `society` and `act_r` score like four published systems; `recommend` needs no
query. Weights of `recall`, `dense` and `late_interaction`, except recency and importance, were
learned by `benchmarks/learn_profile.py`; those of `act`, `act_r` and `recommend` and both
half-lives are illustrative.

Source:
    `town`: Park et al. 2023, doi:10.1145/3586183.3606763, with the time really elapsed.
    `act_r`: Anderson and Lebiere 1998, base-level activation plus association with the query.
    `society`: AgentSociety. `working`: a hybrid working memory of tf-idf and keywords.
"""
