"""Contexts of some agents: found, cut to the budget, and booked."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.errors import ParameterError
from memopolis.sim.memory.layers import mid, policies
from memopolis.sim.memory.layers.context import Context, Counter, checked_budget, fitted_lazily
from memopolis.sim.memory.layers.long import summarise
from memopolis.sim.memory.layers.promoting import promote
from memopolis.sim.memory.layers.writing import extractive
from memopolis.sim.memory.retrieval import recalling

if TYPE_CHECKING:
    from memopolis.sim.memory.memory import Memory

IntArray = NDArray[np.int64]


def catch_up(memory: "Memory", rows: IntArray, *, observed: bool) -> None:
    """Let the rule write what is due, unless an observer looks or a society writes itself."""
    memory.settle()
    if not observed and not memory.deferred:
        each = np.unique(rows)
        promote(memory, each, extractive)
        summarise(memory, each, extractive)


def contexts(
    memory: "Memory",
    rows: IntArray,
    query: str | Sequence[str],
    budget: int,
    *,
    policy: str,
    count: Counter,
    observed: bool,
) -> list[Context]:
    """Put together the text that each of some agents gives its mind.

    Args:
        memory: Where the memories are.
        rows: Rows of the agents, shape (n,).
        query: The present input, one or one an agent.
        budget: Most tokens, >= 1.
        policy: How the memories are chosen, one of `POLICIES`.
        count: Counts the tokens of a text.
        observed: Whether an observer looks: nothing is booked or written.

    Raises:
        ParameterError: If an argument is out of range, or there is not one query an agent.
    """
    most = checked_budget(budget)
    name = policies.checked_policy(policy)
    asked = _queries(query, len(rows))
    catch_up(memory, rows, observed=observed)
    if name != "layers":
        makers = [
            partial(policies.by_history, memory, row, text, name)
            for row, text in zip(rows.tolist(), asked, strict=True)
        ]
        return [fitted_lazily(make, most, count, name) for make in makers]
    made = []
    for row, text in zip(rows.tolist(), asked, strict=True):
        matches = mid.matches(memory, row, text, observed=observed)
        make = partial(policies.by_layers, memory, row, text, matches)
        made.append(fitted_lazily(make, most, count, name))
    if not observed:
        _book(memory, rows, made)
    return made


def _book(memory: "Memory", rows: IntArray, made: Sequence[Context]) -> None:
    """Book an access to each matched memory that came into a context."""
    parts = [context.part("mid") for context in made]
    recalled = [() if part is None else part.memories for part in parts]
    table = np.full((len(rows), max(map(len, recalled), default=0)), -1, np.int32)
    for line, ids in zip(table, recalled, strict=True):
        line[: len(ids)] = ids
    recalling.book(memory, rows, table)


def _queries(query: str | Sequence[str], agents: int) -> list[str]:
    given = [query] * agents if isinstance(query, str) else list(query)
    if len(given) != agents:
        raise ParameterError(f"{len(given)} queries for {agents} agents; give one or one each")
    for one in given:
        if not isinstance(one, str):
            raise ParameterError(f"a query is a text, given {one!r}")
    return given
