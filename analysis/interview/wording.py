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


@dataclass(frozen=True, eq=False)
class RecordAnswer:
    """An answer composed from the tables of a run, without a mind."""

    text: str  # the answer in the first person, one to three sentences
    memories: tuple[int, ...]  # ids in the run of the memories that it quotes
    decisions: pd.DataFrame  # rows of `Life.decisions` that it explains; empty if it explains none
    # The same with times, probabilities, draws and values, as recorded; "" if there is no more
    details: str = ""
    declines: bool = False  # whether it only refuses to answer


def date(time: Any) -> str:
    """Format a date with its hour: "30 Aug 2019 09:00"."""
    return format_time(pd.Timestamp(time))


def words(name: object) -> str:
    """Convert a name of a table to words."""
    return str(name).replace("_", " ")


def percent(share: float) -> str:
    """Format a probability: "20 %", or "0.4 %" if it is small."""
    return f"{100 * share:.0f} %" if share >= 1 / 100 else f"{100 * share:.2g} %"


def join_names(names: Sequence[str]) -> str:
    """Join names: "Ann, Bob and Cy"."""
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1]))) if names else ""


def gist(text: str) -> str:
    """Return a text without speaker and numbers, by which repeats are recognised."""
    return _NUMBERS.sub("", _SPEAKER.sub("", text)).casefold().strip(" .")


def quote_memories(
    life: Life, ids: Iterable[int], *, most: int = QUOTED, lead: str = "I remember"
) -> tuple[str, tuple[int, ...]]:
    """Quote recorded memories with their dates after `lead`, best first, without repeats.

    Returns the text, "" if there are none, and the ids of at most `most` quoted memories.
    """
    distinct: dict[str, int] = {}
    for number in ids:
        if number in life.memories.index:
            distinct.setdefault(gist(str(life.memories.loc[number, "text"])), int(number))
    chosen = tuple(distinct.values())[:most]
    rows = life.memories.loc[[*chosen]].to_dict("records")
    quotes = [f'"{str(row["text"]).rstrip(".")}" ({date(row["time"])})' for row in rows]
    return (f"{lead} {join_names(quotes)}." if quotes else ""), chosen
