"""Search, filter and sort the agents of a population."""

from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from memopolis.analysis.labels import date_form
from memopolis.analysis.run.life import is_zone
from memopolis.analysis.run.run import Run
from memopolis.dashboard.life.words import Declared, in_words

NUMBER = "agent"  # column of the unique_id, the initial order

FIRST = 5  # number of attributes listed initially

MOST_CHOICES = 80  # maximum number of distinct values of an attribute with a list of choices

_NOT_LISTED = {"tick", "time", "zone", "zone_name"}

type Kind = Literal["choice", "number", "text"]
"""How an attribute is filtered; "text" only by search."""


@dataclass(frozen=True)
class Filter:
    """Select agents whose attribute has one of some values, or is between two numbers."""

    column: str  # name of the attribute
    shown: tuple[str, ...] = ()  # values as displayed; empty for any
    least: float | None = None  # minimum, None for no bound
    most: float | None = None  # maximum, None for no bound


@dataclass(frozen=True)
class PeopleQuery:
    """Search, filters and order of the list."""

    search: str = ""  # words of the name, or first digits of the number
    filters: tuple[Filter, ...] = field(default=())  # filters that listed agents must pass
    sort: str = NUMBER  # column to sort by
    down: bool = False  # whether the order is descending


def people_to_list(run: Run, population: str) -> pd.DataFrame:
    """Return all current agents of a population, formatted for the list.

    Returns by unique_id: name and the attributes recorded; zones by name.
    """
    people, attributes = run.people(population), run.attributes(population)
    shown = people.drop(columns=[name for name in people if name in _NOT_LISTED])
    for name in shown:
        if is_zone(attributes, str(name)):
            shown[name] = _zones(run, shown[name])
    return shown.set_index(NUMBER)


def kind_of(values: pd.Series) -> Kind:
    """Return how an attribute is filtered."""
    if pd.api.types.is_bool_dtype(values.dtype):
        return "choice"
    if pd.api.types.is_numeric_dtype(values.dtype):
        return "number"
    return "choice" if values.nunique() <= MOST_CHOICES else "text"


def choices_of(values: pd.Series) -> list[str]:
    """Return the sorted distinct values of an attribute, as displayed."""
    if pd.api.types.is_bool_dtype(values.dtype):
        return ["yes", "no"]
    return sorted(_as_text(values).dropna().unique())


def select_people(people: pd.DataFrame, query: PeopleQuery) -> NDArray[np.int64]:
    """Return the agents of the list, in order: their unique_ids, shape (listed,)."""
    passes = _matches_search(people, query.search)
    for condition in query.filters:
        passes &= _passes(people, condition)
    chosen = people[passes]
    if query.sort not in chosen:
        order = np.argsort(chosen.index.to_numpy(), kind="stable")
        return chosen.index.to_numpy(np.int64)[order[::-1] if query.down else order]
    values = chosen[query.sort]
    if isinstance(values.dtype, pd.CategoricalDtype) or values.dtype == object:
        values = _as_text(values).str.casefold()
    sorted_ = values.sort_values(ascending=not query.down, kind="stable", na_position="last")
    return sorted_.index.to_numpy(np.int64)


def cell(run: Run, value: object, name: str, declared: Declared) -> str:
    """Format a cell of the list; a tick is shown as its date."""
    facts = declared.get(name, {})
    if facts.get("role") == "tick" and isinstance(value, int | np.integer):
        if value < 0:
            return "never"
        return f"{run.time_of(pd.Series([value])).iloc[0]:{date_form(run.hours)}}"
    return in_words(value, facts)


def shown_columns(people: pd.DataFrame, declared: Declared, query: PeopleQuery) -> list[str]:
    """Return the listed attributes: the first few, and those used by filters or the order."""
    asked = [condition.column for condition in query.filters] + [query.sort]
    # Codes and counts are of little use in a list.
    plain = [n for n in people if declared.get(str(n), {}).get("role") not in {"code", "count"}]
    first = [str(name) for name in plain if name != "name"][:FIRST]
    return [name for name in dict.fromkeys([*first, *asked]) if name in people and name != "name"]


def number_typed(text: str) -> float | None:
    """Parse a typed number, None for an empty text.

    Raises ValueError if it is not a number; the message is for the visitor.
    """
    plain = text.strip().replace(",", "")
    if not plain:
        return None
    try:
        number = float(plain)
    except ValueError:
        raise ValueError(f"{text[:30]!r} is not a number") from None
    if not np.isfinite(number):
        raise ValueError(f"{text[:30]!r} is not a finite number")
    return number


def _zones(run: Run, numbers: pd.Series) -> pd.Series:
    codes, zones = pd.factorize(numbers)
    names = ["away" if zone < 0 else run.place_name(int(zone)) for zone in zones]
    labels = np.array([*names, None], dtype=object)  # the last label is for agents without a zone
    return pd.Series(labels[codes], index=numbers.index, dtype=object)


def _matches_search(people: pd.DataFrame, search: str) -> NDArray[np.bool_]:
    is_match = np.ones(len(people), np.bool_)
    names = people["name"].astype(str).str.casefold()
    numbers = people.index.astype(str)
    for word in search.casefold().split():
        hit = names.str.contains(word, regex=False).to_numpy(np.bool_)
        if word.isdecimal():
            hit = hit | np.asarray(numbers.str.startswith(word), np.bool_)
        is_match &= hit
    return is_match


def _passes(people: pd.DataFrame, one: Filter) -> NDArray[np.bool_]:
    if one.column not in people:
        return np.zeros(len(people), np.bool_)
    values, passes = people[one.column], np.ones(len(people), np.bool_)
    if one.shown:
        passes &= _as_text(values).isin(one.shown).to_numpy(np.bool_)
    if one.least is not None:
        passes &= values.to_numpy(np.float64, na_value=np.nan) >= one.least
    if one.most is not None:
        passes &= values.to_numpy(np.float64, na_value=np.nan) <= one.most
    return passes


def _as_text(values: pd.Series) -> pd.Series:
    """Return values as displayed; booleans are "yes" and "no"."""
    if pd.api.types.is_bool_dtype(values.dtype):
        return values.map({True: "yes", False: "no"}).astype(object)
    return values.astype(object).where(values.notna(), None).map(str, na_action="ignore")
