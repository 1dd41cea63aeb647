"""Memories of a stream in the order and the words in which a page shows them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from memopolis.commands.shown_text import harmless
from memopolis.dashboard.life.paging import Page, page_at, page_with

MEMORIES = 15
"""Memories of a page."""


@dataclass(frozen=True)
class MemoryTold:
    """A memory as a page shows it.

    Attributes:
        number: Its id in the life.
        text: As it was written.
        when: Date and hour.
        topic: What it belongs to.
        notes: What else is known of it, each in few words.
    """

    number: int
    text: str
    when: str
    topic: str
    notes: tuple[str, ...]


@dataclass(frozen=True)
class StreamPage:
    """Memories that stand on a page, newest first.

    Attributes:
        page: Which page it is.
        numbers: Ids of its memories.
        newer: How many newer ones came since the reader began to turn pages.
    """

    page: Page
    numbers: tuple[int, ...]
    newer: int


def topics_of(memories: pd.DataFrame) -> list[str]:
    """Topics that some memory has, by name."""
    return [] if memories.empty else sorted(map(str, memories["topic"].astype(str).unique()))


def newest_first(memories: pd.DataFrame, topic: str = "") -> NDArray[np.int64]:
    """Ids of the memories of a topic ("" for all), newest first."""
    if memories.empty:
        return np.zeros(0, np.int64)
    own = memories.index.to_numpy(np.int64)
    if topic:
        own = own[memories["topic"].astype(str).to_numpy() == topic]
    return np.sort(own)[::-1]


def stream_page(ids: NDArray[np.int64], number: int, *, upto: int | None = None) -> StreamPage:
    """A page of a stream.

    Args:
        ids: As `newest_first` gives them.
        number: Of the page wanted, from 0.
        upto: Id of the newest memory that counts, so that pages stay while more are made; None
            for all.
    """
    there = ids if upto is None else ids[ids <= upto]
    page = page_at(number, len(there), size=MEMORIES)
    return StreamPage(page, tuple(there[page.part].tolist()), len(ids) - len(there))


def page_of_memory(ids: NDArray[np.int64], memory: int) -> int | None:
    """Number of the page on which a memory stands, None if it is not in the stream."""
    at = np.flatnonzero(ids == memory)
    return page_with(int(at[0]), len(ids), size=MEMORIES).number if len(at) else None


def memories_told(memories: pd.DataFrame, numbers: Sequence[int]) -> tuple[MemoryTold, ...]:
    """Memories in words.

    Args:
        memories: As `Life.memories` gives them.
        numbers: Ids of those wanted.

    Returns:
        In the order of `numbers`.
    """
    rows = memories.loc[list(numbers)].to_dict("records")
    return tuple(
        MemoryTold(
            number,
            str(one["text"]),
            f"{one['time']:%a %d %b %Y %H:%M}",
            harmless(one["topic"]),
            tuple(_notes(one)),
        )
        for number, one in zip(numbers, rows, strict=True)
    )


def is_forgotten(memories: pd.DataFrame, number: int) -> bool:
    """Whether the agent does not hold a memory any more; False where that is not known."""
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
    if _forgotten(one):
        notes.append("forgotten since")
    return notes
