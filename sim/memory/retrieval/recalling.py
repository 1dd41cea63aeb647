"""Recall: a search under the recall policy, with its accesses booked."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memopolis.sim.errors import ParameterError
from memopolis.sim.memory.retrieval.asking import Queries, ask, ask_nothing, profile_of
from memopolis.sim.memory.retrieval.by_numpy import explain
from memopolis.sim.memory.retrieval.profiles import Profile
from memopolis.sim.memory.retrieval.request import Request
from memopolis.sim.memory.retrieval.search import find, newest_first
from memopolis.sim.memory.retrieval.wanted import ALL, Wanted
from memopolis.sim.memory.streams.recollection import Recalled

if TYPE_CHECKING:
    from memopolis.sim.memory.memory import Memory

By = Literal["importance", "time"]

_BY: dict[str, Profile] = {
    "importance": Profile(importance=1.0),
    "time": Profile(recency=1.0, since="created"),
}


def search(
    memory: "Memory",
    rows: NDArray[np.int64],
    query: Queries,
    k: int | None = None,
    *,
    profile: str | Profile,
    wanted: Wanted = ALL,
    actor: Any = None,
    when: Any = None,
    each: ArrayLike | None = None,
    feeling: ArrayLike | None = None,
    with_terms: bool = False,
    observed: bool = False,
    booked: bool = True,
) -> Recalled:
    """Search the streams of some agents; arguments as in `asking.ask`.

    `booked` says whether accesses are booked at once, or by the caller, who leaves some out.
    """
    memory.settle()
    request = ask(
        memory,
        rows,
        query,
        k,
        profile=profile_of(memory, profile),
        wanted=wanted,
        actor=actor,
        when=when,
        each=each,
        feeling=feeling,
        policy=_policy(memory, observed=observed),
    )
    return _recall(memory, request, with_terms=with_terms, observed=observed or not booked)


def focus(
    memory: "Memory",
    rows: NDArray[np.int64],
    queries: Sequence[str],
    k: int,
    *,
    profile: str | Profile,
    wanted: Wanted = ALL,
    feeling: ArrayLike | None = None,
    with_terms: bool = False,
    observed: bool = False,
) -> list[Recalled]:
    """Search the streams of some agents for each of several queries.

    Args:
        memory: Where to search.
        rows: Rows of the agents, shape (n,).
        queries: What everyone asks, one after another; none of them sees the accesses of
            another, and what several find is booked once.
        k: Most memories wanted for each query.
        profile: How they are scored, or the name of a profile.
        wanted: Filters.
        feeling: Feeling that memories should be like, -1..1, one or one an agent.
        with_terms: Whether the terms of the scores are given too.
        observed: Whether an observer looks.

    Returns:
        What was found, one for each query.

    Raises:
        ParameterError: If the queries are a single str.
    """
    if isinstance(queries, str):
        raise ParameterError(f"focal points are a list of queries, given the str {queries!r}")
    memory.settle()
    chosen, policy = profile_of(memory, profile), _policy(memory, observed=observed)
    found = []
    for query in queries:
        request = ask(
            memory, rows, query, k, profile=chosen, wanted=wanted, feeling=feeling, policy=policy
        )
        found.append(_recall(memory, request, with_terms=with_terms, observed=True))
    if found and not observed:
        book(memory, rows, once(np.concatenate([one.ids for one in found], axis=1)))
    return found


def today(
    memory: "Memory",
    rows: NDArray[np.int64],
    query: Queries | None,
    k: int | None,
    *,
    by: str,
    observed: bool = False,
) -> Recalled:
    """Recall memories of today: those a query asks for, or the most important or latest."""
    ranked = profile_by(by)
    wanted = Wanted(ticks=memory.today)
    if query is not None:
        return search(memory, rows, query, k, profile="act", wanted=wanted, observed=observed)
    return recommend(memory, rows, k, profile=ranked, wanted=wanted, observed=observed)


def profile_by(by: str) -> Profile:
    """Profile that ranks memories without a query, by importance or time.

    Raises:
        ParameterError: If it is neither.
    """
    if by not in _BY:
        raise ParameterError(f"by is {by!r}; allowed are 'importance' and 'time'")
    return _BY[by]


def recommend(
    memory: "Memory",
    rows: NDArray[np.int64],
    k: int | None = None,
    *,
    profile: str | Profile,
    wanted: Wanted = ALL,
    feeling: ArrayLike | None = None,
    with_terms: bool = False,
    observed: bool = False,
) -> Recalled:
    """Recall what comes to mind without a query; arguments as in `search`."""
    memory.settle()
    request = ask_nothing(
        memory,
        rows,
        k,
        profile=profile_of(memory, profile),
        wanted=wanted,
        feeling=feeling,
        policy=_policy(memory, observed=observed),
    )
    return _recall(memory, request, with_terms=with_terms, observed=observed)


def _policy(memory: "Memory", *, observed: bool) -> str:
    return "scored" if observed else memory.recall


def _recall(memory: "Memory", request: Request, *, with_terms: bool, observed: bool) -> Recalled:
    ids, scores = find(memory.streams, request, memory.threads)
    if request.newest:
        ids, scores = newest_first(ids, scores)
    by_luck = request.luck is not None
    terms = explain(memory.streams, request, ids) if by_luck or with_terms else {}
    if by_luck:
        # Chosen by luck, but worth what they are worth: only the choice differs.
        scores = terms["score"]
    if not observed:
        book(memory, request.rows, ids)
    return Recalled(request.rows, ids, scores, terms if with_terms else {})


def once(ids: NDArray[np.int32]) -> NDArray[np.int32]:
    """Ids of each row, shape (n, k), each but once and -1 for the rest, in rising order."""
    each = np.sort(ids, axis=1)
    each[:, 1:][each[:, 1:] == each[:, :-1]] = -1
    return each


def book(memory: "Memory", rows: NDArray[np.int64], ids: NDArray[np.int32]) -> None:
    """Note that agents recalled memories: once each, now, and stored with the next flush."""
    there = ids >= 0
    owners = np.broadcast_to(rows[:, None], ids.shape)[there]
    numbers = ids[there]
    if not len(numbers):
        return
    if len(rows) > 1 and not (rows[1:] > rows[:-1]).all():
        # An agent that stands in a cohort twice still recalls a memory once.
        both = np.unique(owners << 32 | numbers)
        owners, numbers = both >> 32, (both & 0xFFFFFFFF).astype(np.int32)
    memory.pending.accesses.append((owners, numbers, memory.now))
    memory.settle()
