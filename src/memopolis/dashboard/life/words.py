"""Format the attributes, memories, decisions and attitudes of an agent for readers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from memopolis.analysis.labels import format_moment, short, words
from memopolis.analysis.status_words import (
    format_share,
    format_status,
    is_missing,
    label_attribute,
)
from memopolis.commands.shown_text import harmless
from memopolis.dashboard.life.paging import Page, page_at

type Declared = Mapping[str, Mapping[str, Any]]
"""Declarations of the attributes of a population in a run's manifest, by name."""
MEMORIES = 15  # number of memories per page
MINDS = {
    "rule": "the rules",
    "model": "a language model",
    "replay": "a recorded answer of a language model",
    "fallback": "the rules, because the language model gave no answer",
}
"""Names of minds for readers, by their names in the tables."""
_RATED = {
    "attitude": "from 0, opposes, to 10, supports",
    "stay_or_go": "readiness to leave, from 0 to 10",
}
"""Meaning of the number of a rating, by kind of decision."""


@dataclass(frozen=True)
class AttributeText:
    """An attribute, formatted for readers."""

    label: str  # name of the attribute in words
    value: str  # value with its unit
    meaning: str  # description of the attribute, "" if undeclared


def describe_attributes(values: Mapping[str, Any], declared: Declared) -> list[AttributeText]:
    """Format attributes, without those that have no value."""
    formatted = []
    for name, value in values.items():
        if not is_missing(value):
            facts = declared.get(name, {})
            meaning = harmless(facts.get("description", ""))
            text = in_words(value, facts, name)
            formatted.append(AttributeText(label_attribute(name), text, meaning))
    return formatted


def in_words(value: Any, facts: Mapping[str, Any], name: str = "") -> str:
    """Format a value with its unit, or a need in words; `name` is that of the attribute."""
    return harmless(format_status(name, value, facts))


@dataclass(frozen=True)
class MemoryText:
    """A memory, formatted for the page."""

    number: int  # id of the memory
    text: str  # text as it was written
    when: str  # date and hour
    topic: str  # topic of the memory
    notes: tuple[str, ...]  # importance, emotion and number of recalls, each in few words


@dataclass(frozen=True)
class StreamPage:
    """The memories of one page, newest first."""

    page: Page
    numbers: tuple[int, ...]  # ids of its memories
    newer: int  # number of newer memories since the visitor started to turn pages


def topics_of(memories: pd.DataFrame) -> list[str]:
    """Return the topics of the memories, sorted by name."""
    return [] if memories.empty else sorted(map(str, memories["topic"].astype(str).unique()))


def newest_first(memories: pd.DataFrame, topic: str = "") -> NDArray[np.int64]:
    """Return the ids of the memories of a topic ("" for all), newest first."""
    if memories.empty:
        return np.zeros(0, np.int64)
    own = memories.index.to_numpy(np.int64)
    if topic:
        own = own[memories["topic"].astype(str).to_numpy() == topic]
    return np.sort(own)[::-1]


def stream_page(ids: NDArray[np.int64], number: int, *, upto: int | None = None) -> StreamPage:
    """Return a page, from 0, of the ids from `newest_first`.

    Only memories up to the id `upto` count, so that pages stay while more are made.
    """
    counted = ids if upto is None else ids[ids <= upto]
    page = page_at(number, len(counted), size=MEMORIES)
    return StreamPage(page, tuple(counted[page.part].tolist()), len(ids) - len(counted))


def page_of_memory(ids: NDArray[np.int64], memory: int) -> int | None:
    """Return the number of the page with a memory, None if it is not in the stream."""
    at = np.flatnonzero(ids == memory)
    return int(at[0]) // MEMORIES if len(at) else None


def describe_memories(
    memories: pd.DataFrame, numbers: Sequence[int], *, hours: float
) -> tuple[MemoryText, ...]:
    """Format the memories of some ids from `Life.memories`, in the order of the ids.

    `hours` is the length of a step.
    """
    rows = memories.loc[list(numbers)].to_dict("records")
    return tuple(
        MemoryText(
            number,
            str(one["text"]),
            format_moment(one["time"], hours),
            harmless(one["topic"]),
            tuple(_notes(one)),
        )
        for number, one in zip(numbers, rows, strict=True)
    )


def is_forgotten(memories: pd.DataFrame, number: int) -> bool:
    """Return whether the agent has lost a memory; False if that is unknown."""
    (one,) = memories.loc[[number]].to_dict("records")
    return _forgotten(one)


def _forgotten(one: Mapping[Any, Any]) -> bool:
    held = one.get("held")
    return held is not None and not pd.isna(held) and not held


def _notes(one: Mapping[Any, Any]) -> list[str]:
    notes = [f"importance {float(one['importance']):.2f}"]
    if one["emotion"]:
        notes.append(harmless(one["emotion"]))
    accesses = one.get("accesses")
    if accesses is not None and not pd.isna(accesses) and accesses > 0:
        notes.append("recalled once" if accesses == 1 else f"recalled {int(accesses):,} times")
    times = one.get("times")
    if times is not None and not pd.isna(times) and times > 1:
        notes.append(f"{int(times):,} occasions")
    if _forgotten(one):
        notes.append("forgotten")
    return notes


def describe_subject(kind: str, item: str) -> str:
    """Format the subject of a decision, such as "Attitude: government trust"."""
    subject = f"{words(kind)}: {item}" if item not in {"", kind} else words(kind)
    return harmless(subject.replace("_", " "))


def format_answer(choice: str, value: float) -> str:
    """Format a decision: the name of the choice, else the number."""
    return harmless(choice.replace("_", " ")) if choice else short(float(value))


def describe_scale(kind: str, choice: str) -> str:
    """Format the meaning of a rating: " (readiness to leave, from 0 to 10)", or "".

    Decisions with a choice show no number.
    """
    return f" ({_RATED[kind]})" if kind in _RATED and not choice else ""


def describe_reason(reason: str, mind: str) -> str:
    """Format the reason of a decision and the mind that decided."""
    who = f"by {describe_mind(mind)}"
    return f"{harmless(reason)}; {who}" if reason else who


def describe_mind(mind: str, fault: str = "") -> str:
    """Describe how an answer was reached, and the reason for a fallback."""
    who = MINDS.get(mind, harmless(mind))
    return f"{who} ({harmless(fault)})" if fault else who


def describe_draw(probability: float, draw: float, choice: str = "") -> str:
    """Format the probability and the draw that carried out a decision, "" without a draw.

    The probability is NaN without a draw from [0, 1). `choice` states what was done; "" for a
    rating.
    """
    if pd.isna(probability):
        return ""
    result = "" if choice else ": carried out" if draw < probability else ": not carried out"
    return f"A chance of {format_share(probability)}; the draw was {format_share(draw)}{result}."


def count_without_memories(decisions: pd.DataFrame) -> str:
    """Count decisions based on no memory by kind, as a sentence; "" if there are none."""
    if decisions.empty:
        return ""
    alone = decisions[decisions["rests_on"].str.len() == 0]
    counts = alone["kind"].astype(str).value_counts()
    parts = [f"{words(str(kind)).lower()} {count:,}" for kind, count in counts.items()]
    return f"Decisions based on no memory: {', '.join(parts)}." if parts else ""


def describe_attitude(name: str, value: float, before: float) -> str:
    """Format an attitude: its rating, direction and change."""
    lean = "supports" if value >= 6 else "opposes" if value <= 4 else "is undecided"
    moved = value - before
    since = f"{moved:+.1f} since the first record" if abs(moved) >= 0.05 else "unchanged"
    return f"{harmless(name)}: {value:.1f} of 10, {lean}; {since}"


def latest_first(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows of a table by time, the latest first."""
    return [] if frame.empty else frame.iloc[::-1].to_dict("records")  # type: ignore[return-value]
