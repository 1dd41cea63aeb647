"""Recall: search under the recall policy, and record the accesses."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memopolis.sim.errors import ParameterError
from memopolis.sim.memory.retrieval.building import (
    NO_QUERY,
    NoQuery,
    Queries,
    build_request,
    profile_of,
)
from memopolis.sim.memory.retrieval.by_numpy import explain
from memopolis.sim.memory.retrieval.filter import NO_FILTER, Filter
from memopolis.sim.memory.retrieval.profiles import Profile
from memopolis.sim.memory.retrieval.search import find, newest_first
from memopolis.sim.memory.streams.recollection import Recalled

if TYPE_CHECKING:
    from memopolis.sim.memory.interface import Memory

By = Literal["importance", "time"]

_BY: dict[str, Profile] = {
    "importance": Profile(importance=1.0),
    "time": Profile(recency=1.0, since="created"),
}


def search(
    memory: "Memory",
    rows: NDArray[np.int64],
    query: Queries | NoQuery,
    k: int | None = None,
    *,
    profile: str | Profile,
    where: Filter = NO_FILTER,
    actor: Any = None,
    when: Any = None,
    each: ArrayLike | None = None,
    feeling: ArrayLike | None = None,
    explained: bool = False,
    observed: bool = False,
    recorded: bool = True,
) -> Recalled:
    """Search the streams of some agents; arguments as in `building.build_request`.

    Args:
        memory: Memory to search.
        rows: Rows of the agents, shape (n,).
        query: One query or several; NO_QUERY to search without text terms.
        k: Maximum number of memories; None for that of the profile.
        profile: How memories are scored, or the name of a profile.
        where: Conditions that memories must meet.
        actor: Actor that counts as named.
        when: First and last tick of the date that counts as named.
        each: Index of the query of each agent, shape (n,).
        feeling: Feeling that memories should match.
        explained: Whether to return the terms of the scores.
        observed: Whether to ignore the recall policy and record no access.
        recorded: Whether to record accesses; a caller that drops memories does so itself.
    """
    memory.settle()
    request = build_request(
        memory, rows, query, k, profile=profile_of(memory, profile), where=where, actor=actor,
        when=when, each=each, feeling=feeling, policy="scored" if observed else memory.recall,
    )  # fmt: skip
    ids, scores = find(memory.streams, request, memory.threads)
    if request.newest:
        ids, scores = newest_first(ids, scores)
    drawn = request.draw_key is not None
    terms = explain(memory.streams, request, ids) if drawn or explained else {}
    if drawn:
        # Only the choice is random: the scores are those of any other search.
        scores = terms["score"]
    if recorded and not observed:
        record_access(memory, rows, ids)
    return Recalled(rows, ids, scores, terms if explained else {})


def focus(
    memory: "Memory",
    rows: NDArray[np.int64],
    queries: Sequence[str],
    k: int,
    *,
    observed: bool = False,
    **arguments: Any,
) -> list[Recalled]:
    """Search for each of several queries, the same for all agents; arguments as in `search`.

    No query sees the accesses of another, and a memory found by several is recorded as
    accessed once.

    Returns:
        One result per query.

    Raises:
        ParameterError: If `queries` is a single str.
    """
    if isinstance(queries, str):
        raise ParameterError(f"queries must be a list of str, given the str {queries!r}")
    results = [
        search(memory, rows, query, k, observed=observed, recorded=False, **arguments)
        for query in queries
    ]
    if results and not observed:
        record_access(memory, rows, once(np.concatenate([one.ids for one in results], axis=1)))
    return results


def today(
    memory: "Memory",
    rows: NDArray[np.int64],
    query: Queries | None,
    k: int | None,
    *,
    by: str,
    observed: bool = False,
) -> Recalled:
    """Recall memories of today: those that match a query, or the most important or newest.

    Raises:
        ParameterError: If `by` is neither "importance" nor "time".
    """
    if by not in _BY:
        raise ParameterError(f"by is {by!r}; allowed are 'importance' and 'time'")
    where = Filter(ticks=memory.today)
    if query is not None:
        return search(memory, rows, query, k, profile="act", where=where, observed=observed)
    return search(memory, rows, NO_QUERY, k, profile=_BY[by], where=where, observed=observed)


def once(ids: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return the ids of each row, shape (n, k), sorted, with -1 instead of repetitions."""
    each = np.sort(ids, axis=1)
    each[:, 1:][each[:, 1:] == each[:, :-1]] = -1
    return each


def record_access(memory: "Memory", rows: NDArray[np.int64], ids: NDArray[np.int32]) -> None:
    """Record that agents recalled memories, once each and now; applied by the next flush."""
    exists = ids >= 0
    owners = np.broadcast_to(rows[:, None], ids.shape)[exists]
    numbers = ids[exists]
    if not len(numbers):
        return
    if len(rows) > 1 and not (rows[1:] > rows[:-1]).all():
        # An agent that is in a cohort twice recalls a memory once.
        both = np.unique(owners << 32 | numbers)
        owners, numbers = both >> 32, (both & 0xFFFFFFFF).astype(np.int32)
    memory.pending.accesses.append((owners, numbers, memory.now))
    memory.settle()
