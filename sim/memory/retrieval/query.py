"""Parse queries: words, a named actor and a named date.

Names are removed from the text, because they would match memories that address a person, not
those by that person. The named actor and date are terms of the score.
"""

import re
from bisect import bisect_left
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime

NO_ACTOR = -2
"""Encodes no named actor; -1 is the actor of a memory without one."""

NO_DATE = (0, -1)
"""Encodes no named date: an empty interval of ticks."""

MONTHS = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip

_MONTH_NUMBERS = {name: number for number, name in enumerate(MONTHS, start=1)}
# As plain words these two are verbs, so only "May" and "March" name a month.
_VERBS = {"march", "may"}
_WORD = re.compile(r"\w+(?:[-'\u2019]\w+)*")
_POSSESSIVE = re.compile(r"['\u2019]s$")
_YEAR = re.compile(r"\b(?:1[6-9]|20|21)\d\d\b")


@dataclass(frozen=True, slots=True)
class Query:
    """A parsed query.

    Attributes:
        text: The words to match, without names of actors.
        actor: unique_id of the first actor named, or NO_ACTOR.
        month: Month named, 1..12, or None.
        year: Year named, or None.
    """

    text: str
    actor: int = NO_ACTOR
    month: int | None = None
    year: int | None = None


def parse(text: str, names: Mapping[str, int]) -> Query:
    """Parse a query.

    Args:
        text: The query.
        names: unique_id of each name of an actor, as written ("Ann", "Ann Lee").

    Returns:
        The query. Names are case-sensitive, so that "will" is not Will; a name that is also a
        month is a name.
    """
    actor, rest = _take_names(text, names) if names else (NO_ACTOR, text)
    return Query(rest, actor, _month(rest), _year(rest))


def _take_names(text: str, names: Mapping[str, int]) -> tuple[int, str]:
    """Find the first actor and remove all names, longer names first."""
    words = list(_WORD.finditer(text))
    actor, cuts, at = NO_ACTOR, [], 0
    while at < len(words):
        match = _name_at(text, words, at, names)
        if match is None:
            at += 1
            continue
        count, actor_id = match
        actor = actor_id if actor == NO_ACTOR else actor
        cuts.append((words[at].start(), words[at + count - 1].end()))
        at += count
    for start, end in reversed(cuts):
        text = text[:start] + text[end:]
    return actor, text


def _name_at(
    text: str, words: list[re.Match[str]], at: int, names: Mapping[str, int]
) -> tuple[int, int] | None:
    """Return the number of words and the actor of the longest name that begins at a word."""
    for count in range(min(3, len(words) - at), 0, -1):
        name = text[words[at].start() : words[at + count - 1].end()]
        actor_id = names.get(name)
        if actor_id is None:
            actor_id = names.get(_POSSESSIVE.sub("", name))
        if actor_id is not None:
            return count, actor_id
    return None


def _month(text: str) -> int | None:
    for match in _WORD.finditer(text):
        word = _POSSESSIVE.sub("", match.group())
        number = _MONTH_NUMBERS.get(word.lower())
        if number is not None and (word[0].isupper() or word not in _VERBS):
            return number
    return None


def _year(text: str) -> int | None:
    match = _YEAR.search(text)
    return int(match.group()) if match else None


def interval(query: Query, now: int, date_of: Callable[[int], datetime] | None) -> tuple[int, int]:
    """Convert the month or year of a query to ticks.

    Args:
        query: As from `parse`.
        now: Tick of the search.
        date_of: Date at which a tick begins; None if ticks have no dates.

    Returns:
        First and last tick, both inclusive; NO_DATE without a named date. A month without a
        year is the latest one that has begun.
    """
    if date_of is None or (query.month is None and query.year is None):
        return NO_DATE
    today = date_of(now)
    year = query.year
    if query.month is None:
        begin, end = datetime(year or 1, 1, 1), datetime((year or 1) + 1, 1, 1)
    else:
        if year is None:
            year = today.year if query.month <= today.month else today.year - 1
        begin = datetime(year, query.month, 1)
        end = datetime(year + query.month // 12, query.month % 12 + 1, 1)
    ticks = range(now + 1)
    return bisect_left(ticks, begin, key=date_of), bisect_left(ticks, end, key=date_of) - 1
