"""Conversations of public benchmarks as material of the quality benchmark, with sessions."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

import numpy as np
from numpy.typing import NDArray
from quality_shapes import Material, Question, Remembered, Stream, tick

FIRST_YEAR, LAST_YEAR = 1900, 2100


@dataclass(frozen=True)
class PublicQuestion(Question):
    """A question with its evidence as turns and as sessions, both by place in the stream.

    Attributes:
        sessions: Sessions with evidence, counted from 0 in order of time.
        unanswerable: Whether the right answer is that the conversation does not say.
        time: When it is asked.
    """

    sessions: tuple[int, ...]
    unanswerable: bool
    time: datetime


@dataclass(frozen=True)
class Turn:
    """What a speaker says; its mark is how evidence refers to it."""

    speaker: str
    text: str
    mark: tuple[int, int]


@dataclass(frozen=True)
class Session:
    """Turns of one time; its mark is how evidence refers to it."""

    time: datetime
    turns: Sequence[Turn]
    mark: str


@dataclass
class Part:
    """Some streams that are remembered and searched together, and what could not be read."""

    material: Material
    notes: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True)
class Chat:
    """A conversation as memories in order of time.

    Attributes:
        memories: Turns with a text.
        turns: Place of each mark of a turn.
        sessions: Number of each mark of a session that has memories; several may share a mark.
    """

    memories: tuple[Remembered, ...]
    turns: dict[tuple[int, int], int]
    sessions: list[tuple[str, int]]


def chat(sessions: Sequence[Session], start: datetime, notes: Counter[str]) -> Chat:
    """Put the turns of sessions in order of time.

    Args:
        sessions: In any order; those of equal time keep theirs.
        start: Time of tick 0.
        notes: Counts the turns that are left out.
    """
    memories: list[Remembered] = []
    turns: dict[tuple[int, int], int] = {}
    numbers: list[tuple[str, int]] = []
    for session in sorted(sessions, key=lambda one: one.time):
        spoken = [turn for turn in session.turns if turn.text]
        notes["turns without text left out"] += len(session.turns) - len(spoken)
        if spoken:
            numbers.append((session.mark, len(numbers)))
        for place, turn in enumerate(spoken):
            turns.setdefault(turn.mark, len(memories))
            at = tick(start, session.time)
            one = Remembered(at, session.time, turn.speaker, turn.text, continues=place > 0)
            memories.append(one)
    return Chat(tuple(memories), turns, numbers)


def session_of(stream: Stream) -> NDArray[np.int64]:
    """Number of the session of each memory of a stream, shape (memories,)."""
    begins = [not memory.continues for memory in stream.memories]
    return np.cumsum(begins, dtype=np.int64) - 1


def material_of(name: str, streams: Sequence[Stream], start: datetime, end: datetime) -> Material:
    """Put streams together; every speaker gets a number that searches know."""
    speakers = dict.fromkeys(m.actor for stream in streams for m in stream.memories)
    kinds = dict.fromkeys(q.kind for stream in streams for q in stream.questions)
    numbers = {speaker: number for number, speaker in enumerate(speakers)}
    return Material(name, tuple(streams), numbers, tuple(kinds), start, end)


def parse_time(value: object, form: str, example: str) -> datetime:
    """Parse a time as a benchmark writes it.

    Raises:
        ValueError: If it has another form, or its year is not one of 1900 to 2100.
    """
    try:
        time = datetime.strptime(value, form) if isinstance(value, str) else None
    except ValueError:
        time = None
    if time is None or not FIRST_YEAR <= time.year <= LAST_YEAR:
        raise ValueError(f"needed is a time such as '{example}', {FIRST_YEAR} to {LAST_YEAR}")
    return time


def begin_of(times: Sequence[datetime]) -> datetime:
    """Return the full hour in which the first of some times is."""
    return min(times).replace(minute=0, second=0)
