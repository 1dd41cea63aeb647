"""Order and format memories for the page."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from memopolis.commands.shown_text import harmless
from memopolis.dashboard.life.paging import Page, page_at

MEMORIES = 15
"""Number of memories per page."""


@dataclass(frozen=True)
class MemoryText:
    """A memory, formatted for the page.

    Attributes:
        number: Id of the memory.
        text: Text as it was written.
        when: Date and hour.
        topic: Topic of the memory.
        notes: Importance, emotion and number of recalls, each in few words.
    """

    number: int
    text: str
    when: str
    topic: str
    notes: tuple[str, ...]


@dataclass(frozen=True)
class StreamPage:
    """The memories of one page, newest first.

    Attributes:
        page: The page.
        numbers: Ids of its memories.
        newer: Number of newer memories since the visitor started to turn pages.
    """

    page: Page
    numbers: tuple[int, ...]
    newer: int


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


def describe_memories(memories: pd.DataFrame, numbers: Sequence[int]) -> tuple[MemoryText, ...]:
    """Format the memories of some ids from `Life.memories`, in the order of the ids."""
    rows = memories.loc[list(numbers)].to_dict("records")
    return tuple(
        MemoryText(
            number,
            str(one["text"]),
            f"{one['time']:%a %d %b %Y %H:%M}",
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
