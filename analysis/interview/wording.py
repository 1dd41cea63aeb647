"""Answers from the record and their words: dates, numbers, names, and quotes without repeats."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from memopolis.analysis.labels import format_time
from memopolis.analysis.run.life import Life

QUOTED = 3  # maximum number of memories that an answer quotes
_NUMBERS = re.compile(r"\d+")
_SPEAKER = re.compile(r"^.{1,60}? (told me|answered): ")
_WORD = re.compile(r"[^\W_]+")
_SMALL = 0.01
STEM = 6  # letters by which kinds of ties, attitudes and attributes are recognised in a question
_SHORTEST_STEM = 3


@dataclass(frozen=True, eq=False)
class RecordAnswer:
    """An answer composed from the tables of a run, without a mind."""

    text: str  # the answer in the first person
    memories: tuple[int, ...]  # ids in the run of the memories that it quotes
    decisions: pd.DataFrame  # rows of `Life.decisions` that it explains; empty if it explains none


def date(time: Any) -> str:
    """Format a date with its hour: "30 Aug 2019 09:00"."""
    return format_time(pd.Timestamp(time))


def words(name: object) -> str:
    """Convert a name of a table to words."""
    return str(name).replace("_", " ")


def short_number(value: float) -> str:
    """Format a number with three digits."""
    return f"{float(value):.3g}"


def percent(share: float) -> str:
    """Format a probability: "20 %", or "0.4 %" if it is small."""
    return f"{100 * share:.0f} %" if share >= _SMALL else f"{100 * share:.2g} %"


def join_names(names: Sequence[str]) -> str:
    """Join names: "Ann, Bob and Cy"."""
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1]))) if names else ""


def split(text: str) -> list[str]:
    """Return the words of a text in lower case."""
    return [match[0].lower() for match in _WORD.finditer(text)]


def stems(text: str) -> set[str]:
    """Return the first letters of the longer words of a text."""
    shortened = (re.sub(r"(ing|ment|ness|s)$", "", word) for word in split(text.replace("_", " ")))
    return {word[:STEM] for word in shortened if len(word) >= _SHORTEST_STEM}


def gist(text: str) -> str:
    """Return a text without speaker and numbers, by which repeats are recognised."""
    return _NUMBERS.sub("", _SPEAKER.sub("", text)).casefold().strip(" .")


def quoted_ids(
    life: Life, ids: Iterable[int], *, reason: str = "", most: int = QUOTED
) -> tuple[int, ...]:
    """Choose at most `most` recorded memories to quote, best first, without repeats.

    Memories whose topic the reason of the decision names come first.
    """
    known = [int(one) for one in ids if one in life.memories.index]
    named = set(re.findall(r"\w+", reason.casefold()))
    known.sort(key=lambda one: str(life.memories.loc[one, "topic"]) not in named)
    distinct: dict[str, int] = {}
    for one in known:
        distinct.setdefault(gist(str(life.memories.loc[one, "text"])), one)
    return tuple(distinct.values())[:most]


def quote_memories(
    life: Life,
    ids: Iterable[int],
    *,
    reason: str = "",
    most: int = QUOTED,
    lead: str = "I remembered",
) -> str:
    """Quote memories with their dates after `lead`, "" if there are none; see `quoted_ids`."""
    quotes = [
        f'"{str(life.memories.loc[one, "text"]).rstrip(".")}" '
        f"({date(life.memories.loc[one, 'time'])})"
        for one in quoted_ids(life, ids, reason=reason, most=most)
    ]
    return f"{lead} {join_names(quotes)}." if quotes else ""


def quote_reason(life: Life, row: pd.Series) -> str:
    """Quote the recorded reason of a decision and the memories that it is based on."""
    reason = str(row["reason"])
    stated = f"The recorded reason: {reason.rstrip('.')}." if reason else ""
    return " ".join(filter(None, (stated, quote_memories(life, row["rests_on"], reason=reason))))
