"""Who is alike: agents grouped by attributes of their status, for a question to a whole group."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.errors import ParameterError
from memopolis.sim.mind.mind import Question

_JUDGED = "attitude"
"""Struct of which a question about one field needs no other."""


def groups_of(question: Question, by: Sequence[str], *, bins: int, least: int) -> NDArray[np.intp]:
    """Group those who are asked by what they have in common.

    A group too small is put together with others, by all attributes but the last, then by all
    but the last two, ...; who is left at the end joins the largest group.

    Args:
        question: What is asked, and whom.
        by: Attributes or structs of the status, the weightiest first; those a population does
            not have are passed over.
        bins: How many parts the values of a number are cut into, >= 1.
        least: Fewest members of a group, where as many are asked, >= 1.

    Returns:
        Number of the group of each, from 0 in the order of their first members, shape
        (agents,); at most agents / least groups, but always one.

    Raises:
        ParameterError: If an attribute holds neither numbers nor texts.
    """
    codes = [_codes(question, name, bins) for name in _names(question, by)]
    table = np.stack(codes, axis=1) if codes else np.zeros((len(question.cohort), 1), np.int64)
    return _numbered(_large(table, least))


def _names(question: Question, by: Sequence[str]) -> list[str]:
    """Attributes by which to group, structs as their fields."""
    columns = question.cohort.population.memory.columns
    about = f"{_JUDGED}.{question.about}"
    names: list[str] = []
    for name in by:
        if name == _JUDGED and columns.has(about):
            names.append(about)
        elif columns.has(name):
            names += columns.fields(name)
    return names


def _codes(question: Question, name: str, bins: int) -> NDArray[np.int64]:
    """Values of an attribute as whole numbers, few of them, shape (agents,)."""
    population, rows = question.cohort.population, question.cohort.rows
    attribute = population.memory.columns.schema.attributes[name]
    values = population.memory.columns.arrays[name][rows]
    if attribute.is_json:
        raise ParameterError(f"agents cannot be grouped by {name!r}: it is a {attribute.kind}")
    if attribute.kind in {"text", "bool"} or attribute.labels:
        return values.astype(np.int64)
    return binned(values, bins, attribute.low, attribute.high)


def binned(
    values: NDArray[Any], bins: int, low: float | None = None, high: float | None = None
) -> NDArray[np.int64]:
    """Cut numbers into parts.

    Args:
        values: Numbers, shape (agents,).
        bins: How many parts.
        low: Least sensible value; None if there is none.
        high: Greatest sensible value.

    Returns:
        Part of each, from 0: parts of equal width from low to high, or of about as many agents
        where these are not both known; shape (agents,).
    """
    if low is not None and high is not None:
        edges = np.linspace(low, high, bins + 1)[1:-1]
    else:
        edges = np.quantile(values, np.linspace(0, 1, bins + 1)[1:-1])
    return np.searchsorted(edges, values, side="right").astype(np.int64)


def _large(table: NDArray[np.int64], least: int) -> NDArray[np.intp]:
    """Groups of rows that agree in as many columns as leaves them large enough."""
    group = np.full(len(table), -1, np.intp)
    for width in range(table.shape[1], -1, -1):
        left = np.flatnonzero(group < 0)
        if not len(left):
            break
        alike = np.unique(table[left, :width], axis=0, return_inverse=True)[1].ravel()
        large = np.bincount(alike)[alike] >= least
        group[left[large]] = group.max(initial=-1) + 1 + alike[large]
    largest = np.bincount(group[group >= 0]).argmax() if (group >= 0).any() else 0
    return np.where(group < 0, largest, group)


def _numbered(group: NDArray[np.intp]) -> NDArray[np.intp]:
    """The same groups, numbered in the order of their first members."""
    _, first, place = np.unique(group, return_index=True, return_inverse=True)
    rank = np.empty(len(first), np.intp)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[place]
