"""The search of one agent, if it needs neither filter nor general pass.

It computes what `recalling.search` does for a cohort of one, without arrays of one element.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.memory.retrieval.building import profile_of
from memopolis.sim.memory.retrieval.profiles import Profile
from memopolis.sim.memory.retrieval.query import NO_ACTOR, NO_DATE, interval
from memopolis.sim.memory.streams.layout import OFFSETS
from memopolis.sim.memory.streams.recollection import WIDEST

if TYPE_CHECKING:
    from memopolis.sim.memory.interface import Memory

_NOBODY = np.full((1, 1), NO_ACTOR, np.int32)
_PLANS = 64
_plans: dict[int, "_Plan"] = {}


@dataclass(frozen=True, slots=True)
class _Plan:
    """What searches with a profile have in common.

    Attributes:
        profile: The profile.
        fits: Whether it needs neither filter nor general pass.
        weights: Weights of recency, importance and relevance.
        shares: Values of neighbours, and of the named actor and date.
        column: Word of a page where recency's column begins.
    """

    profile: Profile
    fits: bool
    weights: tuple[np.float32, ...]
    shares: tuple[np.int32, ...]
    column: int


def _plan_of(profile: Profile) -> _Plan:
    plan = _plans.get(id(profile))
    if plan is None or plan.profile is not profile:
        if len(_plans) >= _PLANS:
            _plans.clear()
        fits = (
            not profile.general and profile.where.is_empty and not profile.without
            and profile.time_to_live is None and not profile.floor and profile.order == "best"
        )  # fmt: skip
        weights = (profile.recency, profile.importance, profile.relevance)
        plan = _plans[id(profile)] = _Plan(
            profile, fits, tuple(np.float32(one) for one in weights), profile.shares.values,
            OFFSETS["time" if profile.since == "created" else "accessed"] // 4,
        )  # fmt: skip
    return plan


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
    plan = _plan_of(profile_of(memory, profile))
    count = plan.profile.k if k is None else k
    scored = observed or memory.recall == "scored"
    if not (plan.fits and scored and memory.store is None and type(query) is str):
        return None
    if type(count) is not int or not 1 <= count <= WIDEST:
        return None
    memory.settle()
    parsed = memory.parsed(query)
    streams = memory.streams
    span = min(int(streams.next[row]), streams.limit)
    relevance = memory.index.known(parsed.text, span)
    if relevance is None:
        return None
    shares, dates = plan.shares, NO_DATE
    if shares[3] and (parsed.month or parsed.year):
        dates = interval(parsed, memory.now, memory.date_of)
    named = np.array([parsed.actors], np.int32) if shares[2] and parsed.actors else _NOBODY
    at_once = not (observed or memory.deferred)
    ids, scores = _kernel()(
        row, streams.next, streams.limit, *streams.view, *relevance, memory.now, plan.column,
        memory.recency_table(plan.profile), plan.weights, shares,
        named, dates, streams.forgets, count, at_once,
    )  # fmt: skip
    if not (observed or at_once) and len(ids):
        memory.pending.accesses.append((np.full(len(ids), row), ids, memory.now))
    return ids, scores


@cache
def _kernel() -> Callable[..., tuple[NDArray[np.int32], NDArray[np.float32]]]:
    from memopolis.sim.memory.retrieval.single_kernels import search_one

    kernel: Callable[..., tuple[NDArray[np.int32], NDArray[np.float32]]] = search_one
    return kernel
