"""Queries: what a search text asks for besides its words: an actor, and a date.

Names are taken out of the text, because they would match the memories that address a
person, not those by that person; the named actor and date are terms of the score.
"""

import re
from bisect import bisect_left
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime

NOBODY = -2
"""Stands for no named actor; -1 is the actor of a memory that has none."""

NO_DATE = (0, -1)
"""Stands for no named date: an interval that holds no tick."""

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
    """A query taken apart.

    Attributes:
        text: The words to match, without names of actors.
        actor: unique_id of the first actor named, or NOBODY.
        month: Month named, 1..12, or None.
        year: Year named, or None.
    """

    text: str
    actor: int = NOBODY
    month: int | None = None
    year: int | None = None


def parse(text: str, names: Mapping[str, int]) -> Query:
    """Take a query apart.

    Args:
        text: What is asked.
        names: unique_id of each name an actor is known by, as written ("Ann", "Ann Lee").

    Returns:
        The query. Names count as written, with capitals, so that "will" is not Will; a name
        that is also a month is a name.
    """
    actor, rest = _take_names(text, names) if names else (NOBODY, text)
    return Query(rest, actor, _month(rest), _year(rest))


def _take_names(text: str, names: Mapping[str, int]) -> tuple[int, str]:
    """Find the first actor and cut out all names, longer names first."""
    words = list(_WORD.finditer(text))
    actor, cuts, at = NOBODY, [], 0
    while at < len(words):
        taken = _name_at(text, words, at, names)
        if taken is None:
            at += 1
            continue
        count, who = taken
        actor = who if actor == NOBODY else actor
        cuts.append((words[at].start(), words[at + count - 1].end()))
        at += count
    for start, end in reversed(cuts):
        text = text[:start] + text[end:]
    return actor, text


def _name_at(
    text: str, words: list[re.Match[str]], at: int, names: Mapping[str, int]
) -> tuple[int, int] | None:
    """Longest name of up to three words that begins at a word: how many words, and who."""
    for count in range(min(3, len(words) - at), 0, -1):
        name = text[words[at].start() : words[at + count - 1].end()]
        who = names.get(name)
        if who is None:
            who = names.get(_POSSESSIVE.sub("", name))
        if who is not None:
            return count, who
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
    """Turn the month or year that a query names into ticks.

    Args:
        query: As from `parse`.
        now: Tick of the search.
        date_of: Date at which a tick begins; None where ticks have no dates.

    Returns:
        First and last tick, both inclusive; NO_DATE if no date is named. A month without a
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
