"""Recall: a search under the recall policy, with its accesses booked."""

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memopolis.sim.errors import ParameterError
from memopolis.sim.memory.asking import Queries, Wanted, ask, ask_nothing, profile_of
from memopolis.sim.memory.profiles import Profile
from memopolis.sim.memory.recollection import Recalled
from memopolis.sim.memory.search import Request, explain, find

if TYPE_CHECKING:
    from memopolis.sim.memory.memory import Memory

By = Literal["importance", "time"]

_BY: dict[str, Profile] = {
    "importance": Profile(0.0, 1.0, 0.0, use_neighbours=False, use_actor=False, use_date=False),
    "time": Profile(
        1.0, 0.0, 0.0, since="created", use_neighbours=False, use_actor=False, use_date=False
    ),
}


def search(
    memory: "Memory",
    rows: NDArray[np.int64],
    query: Queries,
    k: int,
    *,
    profile: str | Profile,
    wanted: Wanted,
    actor: Any = None,
    when: Any = None,
    each: ArrayLike | None = None,
    with_terms: bool = False,
    observed: bool = False,
) -> Recalled:
    """Search the streams of some agents; arguments as in `asking.ask`."""
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
        policy="scored" if observed else memory.recall,
    )
    return _recall(memory, request, with_terms=with_terms, observed=observed)


def today(
    memory: "Memory",
    rows: NDArray[np.int64],
    query: Queries | None,
    k: int,
    *,
    by: str,
    observed: bool = False,
) -> Recalled:
    """Recall memories of today: those a query asks for, or the most important or latest."""
    if by not in _BY:
        raise ParameterError(f"by is {by!r}; allowed are 'importance' and 'time'")
    wanted = Wanted(ticks=memory.today)
    if query is not None:
        return search(memory, rows, query, k, profile="act", wanted=wanted, observed=observed)
    memory.settle()
    policy = "scored" if observed else memory.recall
    request = ask_nothing(memory, rows, k, profile=_BY[by], wanted=wanted, policy=policy)
    return _recall(memory, request, with_terms=False, observed=observed)


def _recall(memory: "Memory", request: Request, *, with_terms: bool, observed: bool) -> Recalled:
    ids, scores = find(memory.streams, request, memory.threads)
    by_luck = request.luck is not None
    terms = explain(memory.streams, request, ids) if by_luck or with_terms else {}
    if by_luck:
        # Chosen by luck, but worth what they are worth: only the choice differs.
        scores = terms["score"]
    if not observed:
        book(memory, request.rows, ids)
    return Recalled(request.rows, ids, scores, terms if with_terms else {})


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
