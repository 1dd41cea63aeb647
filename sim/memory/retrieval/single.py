"""Search the stream of one agent by plain numbers, if that needs no filter or unusual terms."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.memory.interface import Memory
from memopolis.sim.memory.retrieval.profiles import Profile, check_profile
from memopolis.sim.memory.retrieval.query import NO_ACTOR, NO_DATE, interval
from memopolis.sim.memory.retrieval.recalling import WIDEST
from memopolis.sim.memory.streams.cluster_columns import count_hits
from memopolis.sim.memory.streams.layout import OFFSETS
from memopolis.sim.memory.text.pieces import NUMBERS
from memopolis.sim.memory.text.texts import Numbers
from memopolis.sim.threads import CACHES

_NO_ACTORS = np.full((1, 1), NO_ACTOR, np.int32)
_PLAIN = ("recency", "importance", "relevance")
_AROUND = (*_PLAIN, "window", "session", "answer", "statement", "information")
_DENSE = ("static", "dense", "dense_near")
_PLANS = 64
_MOST_PREPARED = 1 << 22  # most cosines of all prepared queries, unless there are more texts
_FEW_TEXTS = 1024  # number of texts up to which a query is compared with all of them at once
_NOTHING = np.zeros(0, np.float32)
_plans: dict[int, "_Plan"] = {}


@dataclass(frozen=True, slots=True)
class _Plan:
    """Everything that searches with one profile have in common."""

    profile: Profile  # the profile
    fits: bool  # whether a pass for one agent supports the profile
    around: bool  # whether the profile has weights besides `_PLAIN`, such as those of neighbours
    cosines: str  # attribute of the memory that computes its cosines, "" if it needs none
    # Weights of `_PLAIN`; with `around`, those of `_AROUND`, the sum of static and dense, and
    # dense_near.
    weights: tuple[np.float32, ...]
    shares: tuple[np.int32, ...]  # `Shares.values` of the profile
    column: int  # word of a page at which the column begins from which recency is computed


def _plan_of(profile: Profile) -> _Plan:
    plan = _plans.get(id(profile))
    if plan is None or plan.profile is not profile:
        if len(_plans) >= _PLANS:
            _plans.clear()
        plan = _plans[id(profile)] = _make_plan(profile)
    return plan


def _make_plan(profile: Profile) -> _Plan:
    check_profile(profile)
    weights, around = profile.weights, profile.general
    by_model = profile.dense > 0 or profile.dense_near > 0
    if around:
        values = [weights[name] for name in _AROUND]
        values += [profile.static + profile.dense, profile.dense_near]
    else:
        values = [weights[name] for name in _PLAIN]
    return _Plan(
        profile=profile,
        fits=_has_no_filter(profile) and (not around or _is_supported_sum(profile)),
        around=around,
        cosines="vectors" if by_model else "static_vectors" if profile.static > 0 else "",
        weights=tuple(np.float32(value) for value in values),
        shares=profile.shares.values,
        column=OFFSETS["time" if profile.since == "created" else "accessed"] // 4,
    )


def _has_no_filter(profile: Profile) -> bool:
    """Return whether a profile returns the best memories, whatever their age and content."""
    return (
        profile.where.is_empty
        and not profile.restricts
        and not profile.floor
        and profile.order == "best"
    )


def _is_supported_sum(profile: Profile) -> bool:
    """Return whether a profile is a plain sum of terms that `search_around` computes."""
    supported = {*_AROUND, *_DENSE}
    others = any(weight > 0 for name, weight in profile.weights.items() if name not in supported)
    two_embedders = profile.static > 0 and (profile.dense > 0 or profile.dense_near > 0)
    return (
        profile.relevance > 0
        and profile.combine == "sum"
        and profile.normalise == "none"
        and not profile.adaptive
        and not others
        and not two_embedders
    )


def search_one(
    memory: Memory, row: int, query: Any, k: int | None, *, profile: str | Profile, observed: bool
) -> tuple[NDArray[np.int32], NDArray[np.float32]] | None:
    """Search the stream of one agent by a query, and record the accesses unless `observed`.

    Returns ids, best first, and scores, both of shape (n,) with n <= k; None if the arguments need
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
    _, _, actor_share, date_share = plan.shares
    named, date = _NO_ACTORS, NO_DATE
    if actor_share and parsed.actors:
        named = np.array([parsed.actors], np.int32)
    if date_share and (parsed.month or parsed.year):
        date = interval(parsed, memory.now, memory.date_of)
    at_once = not (observed or memory.deferred)
    with CACHES:  # also while the caches are read, since other parts may replace rows
        if plan.around:
            source: tuple[Any, ...] = (_prepare(memory, row, parsed.text, plan.cosines),)
        else:
            relevance = memory.index.known(parsed.text, int(streams.count[row]))
            if relevance is None:
                return None
            source = relevance
        ids, scores = _kernels()[plan.around](
            row, streams.next, streams.count, *streams.view, *source, memory.now, plan.column,
            memory.recency_table(plan.profile), plan.weights, plan.shares, named, date,
            count, at_once,
        )  # fmt: skip
    if not observed and len(ids):
        recalled = np.array([row]), ids.reshape(1, -1)
        if not at_once:
            memory.pending.accesses.append((*recalled, memory.now))
        count_hits(streams, *recalled, memory.layer_settings.top_k)
    return ids, scores


def _prepare(memory: Memory, row: int, text: str, cosines: str) -> tuple[Any, ...]:
    """Return what `search_around` reads about a query and the texts, cached until texts change."""
    state, known = memory.prepared
    if state != memory.texts.version or len(known) * memory.texts.capacity > _MOST_PREPARED:
        state, known = memory.prepared = memory.texts.version, {}
    prepared: tuple[Any, ...] | None = known.get((text, cosines))
    if prepared is not None:
        return prepared
    numbers = None
    # With few texts, all are compared, since other agents may use the same query. A model embeds
    # only the texts that are needed.
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


def _match(memory: Memory, text: str, numbers: Numbers | None) -> tuple[Any, ...]:
    """Compare a query with all texts, or with some."""
    from memopolis.sim.memory.retrieval.terms.coverage import FULL_MATCH
    from memopolis.sim.memory.text.lexical_kernels import relevances_of_texts

    texts = memory.index.texts()
    pairs, _ = memory.index.pairs([text])
    if numbers is None:
        numbers = np.arange(memory.texts.capacity)
    some = np.zeros((len(numbers), pairs.widest), np.uint8), np.zeros(len(numbers), np.int32)
    word_of = np.zeros(NUMBERS, np.uint64)
    relevances_of_texts(pairs, 0, numbers, 0, len(numbers), word_of, *some)
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
