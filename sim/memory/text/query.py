"""Parse queries: words, named actors and a named date, which is a year, a month, or a day.

Names are removed from the text, because they would match memories that address a person, not
those by that person. The named actors and date are terms of the score. Dates are read as follows.

English: "September", "September 2019", "3 March 2025", "3rd of March", "March 3, 2025", "Mar 3".
Chinese, Japanese and Korean: 2024年5月3日, 5月3日, 五月, 二〇二四年, 2024년 5월. Numbers:
2025-03-13, 2025/3/13, 2025.3.13 and 2025-03; 13.3.2025 has the day first. With slashes the order of
day and month differs between countries, so 13/3/2025 and 3/13/2025 are read by the number above 12,
and 3/4/2025 names only its year.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from unicodedata import normalize

from memopolis.sim.errors import ParameterError

MONTHS = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip

# Year, month and day, each None if not named. A day has a month.
Date = tuple[int | None, int | None, int | None]

_MONTH_NUMBERS = {name: number for number, name in enumerate(MONTHS, start=1)}
# Abbreviations name a month only beside a day.
_WITH_DAY = _MONTH_NUMBERS | {name[:3]: n for name, n in _MONTH_NUMBERS.items()} | {"sept": 9}
# As plain words these two are verbs, so only "May" and "March" name a month.
_VERBS = {"march", "may"}
_WORD_OF_DATE = re.compile(r"\w+(?:[-'\u2019]\w+)*")
_POSSESSIVE = re.compile(r"['\u2019]s$")
_YEARS = range(1600, 2200)
_OF_DIGITS = r"((?:1[6-9]|20|21)\d\d)"
_YEAR = re.compile(rf"\b{_OF_DIGITS}\b")
_NAME = "|".join(sorted(_WITH_DAY, key=len, reverse=True))
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_OF_YEAR = rf"(?:(?:,\s*|\s+(?:of\s+|in\s+)?)(?P<year>{_OF_DIGITS}))?\b"
_BEFORE, _AFTER = r"(?<![\w.,/:-])", r"(?!\w|[.,/:-]\d)"
_DAY_FORMS = tuple(
    re.compile(_BEFORE + form + _AFTER, re.IGNORECASE)
    for form in (
        rf"{_DAY}\s+(?:of\s+)?(?P<month>{_NAME})\.?{_OF_YEAR}",
        rf"(?P<month>{_NAME})\.?\s+(?:the\s+)?{_DAY}{_OF_YEAR}",
    )
)
_START, _STOP = r"(?<![\d.,/-])", r"(?!\d|[-/.,]\d)"
_YEAR_FIRST = re.compile(rf"{_START}{_OF_DIGITS}([-/.])(\d{{1,2}})(?:\2(\d{{1,2}}))?{_STOP}")
_YEAR_LAST = re.compile(rf"{_START}(\d{{1,2}})([/.])(\d{{1,2}})\2{_OF_DIGITS}{_STOP}")
_DIGITS = "〇零一二三四五六七八九"
_NUMBER = rf"\d{{1,2}}|[{_DIGITS}十]{{1,3}}"
_EAST_ASIAN = re.compile(
    rf"(?<![\d{_DIGITS}十])(?:(?P<year>\d{{4}}|[{_DIGITS}]{{4}})\s?[年년]\s?)?"
    rf"(?P<month>{_NUMBER})\s?[月월](?:份|\s?(?P<day>{_NUMBER})\s?[日号號일])?"
)
_EAST_ASIAN_YEAR = re.compile(rf"(?<![\d{_DIGITS}])(\d{{4}}|[{_DIGITS}]{{4}})\s?[年년]")


def named_date(text: str) -> Date:
    """Return the first date that a text names, without a day that the month does not have."""
    if not text.isascii():
        text = normalize("NFKC", text)
    date = _with_month_name(text) or _in_numbers(text) or _east_asian(text)
    return date or (_year(text), _month(text), None)


def _with_month_name(text: str) -> Date | None:
    for form in _DAY_FORMS:
        for match in form.finditer(text):
            name = match["month"]
            if name[0].isupper() or name not in _VERBS:
                year = int(match["year"]) if match["year"] else _year(text)
                if date := _checked(year, _WITH_DAY[name.lower()], int(match["day"])):
                    return date
    return None


def _in_numbers(text: str) -> Date | None:
    for match in _YEAR_FIRST.finditer(text):
        year, mark, month, day = match.groups()
        # 2025-03 is a month; 2025.3 is not.
        if day or mark == "-":
            return _checked(int(year), int(month), int(day) if day else None)
    for match in _YEAR_LAST.finditer(text):
        one, mark, two, year = match.groups()
        if date := _year_last(int(one), mark, int(two), int(year)):
            return date
    return None


def _east_asian(text: str) -> Date | None:
    if text.isascii():
        return None
    for match in _EAST_ASIAN.finditer(text):
        year = _number(match["year"]) if match["year"] else _year(text)
        day = _number(match["day"]) if match["day"] else None
        if date := _checked(year, _number(match["month"]), day):
            return date
    return None


def _year_last(one: int, mark: str, two: int, year: int) -> Date | None:
    """Return the date of two numbers and a year, None if the order of day and month is unclear."""
    if mark == "." or one == two or one > len(MONTHS):
        return _checked(year, two, one)
    return _checked(year, one, two) if two > len(MONTHS) else None


def _checked(year: int | None, month: int, day: int | None) -> Date | None:
    """Return a date without a day that its month does not have; None for an unknown month."""
    if not 1 <= month <= len(MONTHS) or (year is not None and year not in _YEARS):
        return None
    if day is not None and not has_day(2000 if year is None else year, month, day):
        day = None
    return year, month, day


def has_day(year: int, month: int, day: int) -> bool:
    """Return whether a month of a year has a day."""
    try:
        datetime(year, month, day)
    except ValueError:
        return False
    return True


def _number(text: str) -> int:
    """Return a number of Arabic or Chinese digits: 12, 十二, 二十, 二〇二四."""
    if text.isdecimal():
        return int(text)
    if "十" in text:
        tens, _, ones = text.partition("十")
        return 10 * (_number(tens) if tens else 1) + (_number(ones) if ones else 0)
    return int("".join(str(max(0, _DIGITS.index(digit) - 1)) for digit in text))


def _month(text: str) -> int | None:
    for match in _WORD_OF_DATE.finditer(text):
        word = _POSSESSIVE.sub("", match.group())
        number = _MONTH_NUMBERS.get(word.lower())
        if number is not None and (word[0].isupper() or word not in _VERBS):
            return number
    return None


def _year(text: str) -> int | None:
    match = _YEAR.search(text)
    if match:
        return int(match.group())
    match = None if text.isascii() else _EAST_ASIAN_YEAR.search(text)
    year = _number(match[1]) if match else 0
    return year if year in _YEARS else None


DateOf = Callable[[int], datetime]  # returns the local date, without zone, at which a tick begins

NO_ACTOR = -2  # encodes no named actor; -1 is the actor of a memory without one
NO_DATE = (0, -1)  # encodes no named date: an empty interval of ticks
# How far the interval of a named day extends on both sides, since people err by a day.
AROUND_A_DAY = timedelta(days=1)

# Scripts without spaces, and Hangul, whose particles follow a name without a space.
_UNSPACED = (
    "\u0e01-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17d3\u3005-\u3007\u3041-\u318f\u31f0-\u31ff"
    "\u3400-\u9fff\uac00-\ud7a3\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
)
_RUN = re.compile(f"[{_UNSPACED}]+")
# Letters, and the marks of Indic scripts that are no letters themselves.
_LETTER = rf"(?:[^\W{_UNSPACED}]|[\u0300-\u036f\u0900-\u0963\u0971-\u0dff])"
_WORD = re.compile(rf"[{_UNSPACED}]+|{_LETTER}+(?:[-'\u2019]{_LETTER}+)*")
_WORDS_OF_A_NAME = 3
_LETTERS_OF_A_NAME = 24


@dataclass(frozen=True, slots=True)
class Query:
    """A parsed query."""

    text: str  # the words to match, without names of actors
    actors: tuple[int, ...] = ()  # unique_id of each actor named, in order of first appearance
    month: int | None = None  # month named, 1..12, or None
    year: int | None = None  # year named, or None
    day: int | None = None  # day of the month named, 1..31, or None; only with a month


def parse(text: str, names: Mapping[str, int]) -> Query:
    """Parse a query; `names` has the unique_id of each name of an actor ("Ann", "Ann Lee", "张伟").

    Names are case-sensitive ("will" is not Will) and precede months. In Korean and in scripts
    without spaces, a name of at least two characters may be anywhere in a word.
    """
    actors, rest = _take_names(text, names) if names else ((), text)
    year, month, day = named_date(rest)
    return Query(rest, actors, month, year, day)


def _take_names(text: str, names: Mapping[str, int]) -> tuple[tuple[int, ...], str]:
    """Find the actors and remove all names, longer names first."""
    cuts = list(_names_by_words(text, names))
    for start, end, _ in reversed(cuts):
        text = text[:start] + text[end:]
    ranked = [(start, actor) for start, _, actor in cuts]
    if not text.isascii():
        within = list(_names_in_runs(text, names))
        for start, end, _ in reversed(within):
            text = f"{text[:start]} {text[end:]}"
        ranked = sorted(ranked + [(_before(cuts, start), actor) for start, _, actor in within])
    return tuple(dict.fromkeys(actor for _, actor in ranked)), text


def _before(cuts: list[tuple[int, int, int]], at: int) -> int:
    """Convert an index of a text without the cuts to one of the original text."""
    for start, end, _ in cuts:
        if start > at:
            break
        at += end - start
    return at


def _names_by_words(text: str, names: Mapping[str, int]) -> Iterator[tuple[int, int, int]]:
    """Yield start, end and actor of each name that consists of whole words."""
    words = list(_WORD.finditer(text))
    at = 0
    while at < len(words):
        match = _name_at(text, words, at, names)
        if match is None:
            at += 1
            continue
        count, actor = match
        yield words[at].start(), words[at + count - 1].end(), actor
        at += count


def _name_at(
    text: str, words: list[re.Match[str]], at: int, names: Mapping[str, int]
) -> tuple[int, int] | None:
    """Return the number of words and the actor of the longest name that begins at a word."""
    for count in range(min(_WORDS_OF_A_NAME, len(words) - at), 0, -1):
        name = text[words[at].start() : words[at + count - 1].end()]
        actor_id = names.get(name)
        if actor_id is None:
            actor_id = names.get(_POSSESSIVE.sub("", name))
        if actor_id is not None:
            return count, actor_id
    return None


def _names_in_runs(text: str, names: Mapping[str, int]) -> Iterator[tuple[int, int, int]]:
    """Yield start, end and actor of each name within a run, the longest at each character."""
    for run in _RUN.finditer(text):
        at, stop = run.span()
        while at < stop - 1:
            for end in range(min(stop, at + _LETTERS_OF_A_NAME), at + 1, -1):
                actor = names.get(text[at:end])
                if actor is not None:
                    yield at, end, actor
                    at = end
                    break
            else:
                at += 1


def interval(query: Query, now: int, date_of: DateOf | None) -> tuple[int, int]:
    """Convert the date of a query to its first and last tick, inclusive; NO_DATE without one.

    A day has the ticks from the day before to the day after, or if none begins then, the tick that
    contains it. A month or day without a year is the latest one that has begun. Raises
    ParameterError if the dates have a time zone.
    """
    if date_of is None or (query.month is None and query.year is None):
        return NO_DATE
    today = date_of(now)
    if today.tzinfo is not None:
        raise ParameterError(
            f"date_of returned {today.isoformat()}, which has a time zone; return local dates "
            "without one, such as date.replace(tzinfo=None)"
        )
    begin, end = _span(query, today)
    earliest = _tick_before(begin, date_of)
    ticks = range(earliest, now + 1)
    margin = timedelta(0) if query.day is None else AROUND_A_DAY
    first = earliest + bisect_left(ticks, begin - margin, key=date_of)
    last = earliest + bisect_left(ticks, end + margin, key=date_of) - 1
    if first > last and query.day is not None and date_of(earliest) <= begin < date_of(now + 1):
        first = last = earliest + bisect_right(ticks, begin, key=date_of) - 1
    return first, last


def _tick_before(date: datetime, date_of: DateOf) -> int:
    """Return a tick <= 0 that begins two days before a date or earlier, 0 if tick 0 does.

    Memories of a life before the start have negative ticks. If the calendar ends before the date,
    the result is the earliest tick tried that has a date.
    """
    tick, step = 0, 1
    try:
        while date_of(tick) > date - 2 * AROUND_A_DAY:
            date_of(tick - step)
            tick, step = tick - step, 2 * step
    except (OverflowError, ValueError, OSError):  # as the calendar of the system ends
        pass
    return tick


def _span(query: Query, today: datetime) -> tuple[datetime, datetime]:
    """Return the beginning and the end of the year, month or day that a query names."""
    year, month, day = query.year, query.month, query.day
    if month is None:
        year = year or 1
        return datetime(year, 1, 1), datetime(year + 1, 1, 1)
    if year is None:
        year = today.year if (month, day or 1) <= (today.month, today.day) else today.year - 1
        while day is not None and not has_day(year, month, day):  # 29 February
            year -= 1
    if day is None or not has_day(year, month, day):
        return datetime(year, month, 1), datetime(year + month // 12, month % 12 + 1, 1)
    begin = datetime(year, month, day)
    return begin, begin + timedelta(days=1)
