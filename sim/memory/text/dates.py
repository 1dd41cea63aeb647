"""Dates named in a text: a year, a month, or a day.

English: "September", "September 2019", "3 March 2025", "3rd of March", "March 3, 2025", "Mar 3".
Chinese, Japanese and Korean: 2024年5月3日, 5月3日, 五月, 二〇二四年, 2024년 5월. Numbers:
2025-03-13, 2025/3/13, 2025.3.13 and 2025-03; 13.3.2025 has the day first. With slashes the order of
day and month differs between countries, so 13/3/2025 and 3/13/2025 are read by the number above 12,
and 3/4/2025 names only its year.
"""

import re
from datetime import datetime
from unicodedata import normalize

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
_WORD = re.compile(r"\w+(?:[-'\u2019]\w+)*")
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
    for match in _WORD.finditer(text):
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
