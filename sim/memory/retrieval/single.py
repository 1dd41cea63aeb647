"""The search of one agent, if it needs neither filter nor the terms of other systems.

It computes what `recalling.search` does for a cohort of one, without arrays of one element.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.memory.retrieval.profiles import Profile
from memopolis.sim.memory.retrieval.query import NO_ACTOR, NO_DATE, interval
from memopolis.sim.memory.streams.layout import OFFSETS
from memopolis.sim.memory.streams.recollection import WIDEST
from memopolis.sim.memory.text.texts import Numbers

if TYPE_CHECKING:
    from memopolis.sim.memory.interface import Memory

_NO_ACTORS = np.full((1, 1), NO_ACTOR, np.int32)
_PLAIN = ("recency", "importance", "relevance")
_AROUND = (
    *_PLAIN, "window", "session", "answer", "statement", "information", "static", "dense",
    "dense_near",
)  # fmt: skip
_PLANS = 64
_MOST_PREPARED = 1 << 22
"""Most cosines of all prepared queries, unless there are more texts."""
_FEW_TEXTS = 1024
"""Number of texts up to which a query is compared with all of them at once."""
_NOTHING = np.zeros(0, np.float32)
_plans: dict[int, "_Plan"] = {}


@dataclass(frozen=True, slots=True)
class _Plan:
    """What searches with a profile have in common.

    Attributes:
        fits: Whether a pass for one agent can search with it.
        around: Whether it weighs what surrounds a memory.
        cosines: Name of the terms with the cosines that it weighs, "" for none.
        weights: Weights of `_PLAIN`, or of `_AROUND` with the sum of static and dense as one.
        shares: Values of neighbours, and of the named actor and date.
        column: Word of a page where recency's column begins.
    """

    profile: Profile
    fits: bool
    around: bool
    cosines: str
    weights: tuple[np.float32, ...]
    shares: tuple[np.int32, ...]
    column: int


def _plan_of(profile: Profile) -> _Plan:
    plan = _plans.get(id(profile))
    if plan is None or plan.profile is not profile:
        if len(_plans) >= _PLANS:
            _plans.clear()
        plan = _plans[id(profile)] = _make_plan(profile)
    return plan


def _make_plan(profile: Profile) -> _Plan:
    weights, around = profile.weights, profile.general
    sums = profile.relevance > 0 and profile.combine == "sum" and profile.normalise == "none"
    known = not any(weight > 0 for name, weight in weights.items() if name not in _AROUND)
    by_model = profile.dense > 0 or profile.dense_near > 0
    one = not (profile.static > 0 and by_model)
    fits = (
        (not around or (sums and known and one and not profile.adaptive)) and profile.where.is_empty
        and not profile.without and profile.time_to_live is None and not profile.floor
        and profile.order == "best"
    )  # fmt: skip
    values = [weights[name] for name in (_AROUND if around else _PLAIN)]
    if around:
        values[-3:] = [profile.static + profile.dense, profile.dense_near]
    cosines = "vectors" if by_model else "static_vectors" if profile.static > 0 else ""
    return _Plan(
        profile=profile,
        fits=fits,
        around=around,
        cosines=cosines,
        weights=tuple(np.float32(value) for value in values),
        shares=profile.shares.values,
        column=OFFSETS["time" if profile.since == "created" else "accessed"] // 4,
    )


def search_one(
    memory: "Memory",
    row: int,
    query: Any,
    k: int | None,
    *,
    profile: str | Profile,
    observed: bool,
) -> tuple[NDArray[np.int32], NDArray[np.float32]] | None:
    """Search the stream of one agent by a query, and record the accesses unless `observed`.

    Returns:
        Ids, best first, and scores, both of shape (n,) with n <= k; None if the arguments need
        the search for cohorts, which also reports invalid ones.
    """
    plan = _plan_of(memory.find_profile(profile))
    count = plan.profile.k if k is None else k
    scored = observed or memory.recall == "scored"
    if not (plan.fits and scored and memory.store is None and type(query) is str):
        return None
    if type(count) is not int or not 1 <= count <= WIDEST:
        return None
    memory.settle()
    parsed = memory.parsed(query)
    streams = memory.streams
    if plan.around:
        source: tuple[Any, ...] = (_prepare(memory, row, parsed.text, plan.cosines),)
    else:
        span = min(int(streams.next[row]), streams.limit)
        relevance = memory.index.known(parsed.text, span)
        if relevance is None:
            return None
        source = relevance
    shares, date = plan.shares, NO_DATE
    if shares[3] and (parsed.month or parsed.year):
        date = interval(parsed, memory.now, memory.date_of)
    named = np.array([parsed.actors], np.int32) if shares[2] and parsed.actors else _NO_ACTORS
    at_once = not (observed or memory.deferred)
    ids, scores = _kernels()[plan.around](
        row, streams.next, streams.limit, *streams.view, *source, memory.now, plan.column,
        memory.recency_table(plan.profile), plan.weights, shares, named, date, streams.forgets,
        count, at_once,
    )  # fmt: skip
    if not (observed or at_once) and len(ids):
        memory.pending.accesses.append((np.full(len(ids), row), ids, memory.now))
    return ids, scores


def _prepare(memory: "Memory", row: int, text: str, cosines: str) -> tuple[Any, ...]:
    """Return what `search_around` reads of a query and of texts, cached while those stay."""
    state, known = memory.prepared
    if state != memory.texts.version or len(known) * memory.texts.capacity > _MOST_PREPARED:
        state, known = memory.prepared = memory.texts.version, {}
    prepared: tuple[Any, ...] | None = known.get((text, cosines))
    if prepared is not None:
        return prepared
    numbers = None
    # Other agents may ask the same; a model should only embed texts that are needed.
    if len(memory.texts) > _FEW_TEXTS or cosines == "vectors":
        from memopolis.sim.memory.retrieval.terms.text_table import texts_read

        numbers = texts_read(memory, np.array([row]))
    if cosines:
        table, lines = getattr(memory, cosines).dense([text], numbers)
        cosine = table[lines[0]].copy()  # the table reuses its rows
    else:
        cosine = _NOTHING
    prepared = *_match(memory, text, numbers), cosine
    if numbers is None:
        known[text, cosines] = prepared
    return prepared


def _match(memory: "Memory", text: str, numbers: Numbers | None) -> tuple[Any, ...]:
    """Compare a query with all texts, or with some."""
    from memopolis.sim.memory.retrieval.terms.coverage import FULL_MATCH
    from memopolis.sim.memory.text.lexical_kernels import relevances_of_texts

    texts = memory.index.texts()
    pairs, _ = memory.index.pairs([text])
    if numbers is None:
        numbers = np.arange(memory.texts.capacity)
    some = np.zeros((len(numbers), pairs.widest), np.uint8), np.zeros(len(numbers), np.int32)
    relevances_of_texts(pairs, 0, numbers, 0, len(numbers), *some)
    if len(numbers) == memory.texts.capacity:
        matches, relevance = some
    else:
        matches = np.zeros((memory.texts.capacity, pairs.widest), np.uint8)
        relevance = np.zeros(memory.texts.capacity, np.int32)
        matches[numbers], relevance[numbers] = some
    full = np.float32(FULL_MATCH * pairs.total[0])
    return pairs.weight, full, matches, relevance, texts.statement, texts.information


@cache
def _kernels() -> tuple[Callable[..., tuple[NDArray[np.int32], NDArray[np.float32]]], ...]:
    from memopolis.sim.memory.retrieval.single_kernels import search_around, search_one

    return search_one, search_around
