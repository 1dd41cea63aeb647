"""Convert conversations of public benchmarks to material of the quality benchmark."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from quality_shapes import Material, Question, Remembered, Stream, tick

FIRST_YEAR, LAST_YEAR = 1900, 2100


@dataclass(frozen=True)
class PublicQuestion(Question):
    """A question with its evidence as positions of turns and numbers of sessions.

    Attributes:
        sessions: Sessions with evidence, counted from 0 in order of time.
        unanswerable: Whether the conversation does not contain the answer.
        time: Time of the question.
    """

    sessions: tuple[int, ...]
    unanswerable: bool
    time: datetime


@dataclass(frozen=True)
class Turn:
    """A turn of a speaker; evidence refers to its mark."""

    speaker: str
    text: str
    mark: tuple[int, int]


@dataclass(frozen=True)
class Session:
    """Turns of one time; evidence refers to its mark."""

    time: datetime
    turns: Sequence[Turn]
    mark: str


@dataclass
class Part:
    """Streams that are stored and searched together, and notes on entries that were left out."""

    material: Material
    notes: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True)
class Chat:
    """A conversation as memories in order of time.

    Attributes:
        memories: Turns with a text.
        turns: Position of the turn of each mark.
        sessions: Numbers of the sessions with memories of each mark.
    """

    memories: tuple[Remembered, ...]
    turns: dict[tuple[int, int], int]
    sessions: list[tuple[str, int]]


def chat(sessions: Sequence[Session], start: datetime, notes: Counter[str]) -> Chat:
    """Put the turns of sessions in order of time.

    Args:
        sessions: In any order; sessions of equal time keep their order.
        start: Time of tick 0.
        notes: Counts of turns that are left out.
    """
    memories: list[Remembered] = []
    turns: dict[tuple[int, int], int] = {}
    numbers: list[tuple[str, int]] = []
    for session in sorted(sessions, key=lambda one: one.time):
        texts_of = [turn for turn in session.turns if turn.text]
        notes["turns without text left out"] += len(session.turns) - len(texts_of)
        if texts_of:
            numbers.append((session.mark, len(numbers)))
        for place, turn in enumerate(texts_of):
            turns.setdefault(turn.mark, len(memories))
            at = tick(start, session.time)
            one = Remembered(at, session.time, turn.speaker, turn.text, continues=place > 0)
            memories.append(one)
    return Chat(tuple(memories), turns, numbers)


def material_of(name: str, streams: Sequence[Stream], start: datetime, end: datetime) -> Material:
    """Combine streams; searches know all speakers by name."""
    speakers = dict.fromkeys(m.actor for stream in streams for m in stream.memories)
    kinds = dict.fromkeys(q.kind for stream in streams for q in stream.questions)
    numbers = {speaker: number for number, speaker in enumerate(speakers)}
    return Material(name, tuple(streams), numbers, tuple(kinds), start, end)


def parse_time(value: object, form: str, example: str) -> datetime:
    """Parse a time in the format of a benchmark.

    Raises:
        ValueError: If it has another format, or its year is not within 1900..2100.
    """
    try:
        time = datetime.strptime(value, form) if isinstance(value, str) else None
    except ValueError:
        time = None
    if time is None or not FIRST_YEAR <= time.year <= LAST_YEAR:
        raise ValueError(f"needed is a time such as '{example}', {FIRST_YEAR} to {LAST_YEAR}")
    return time


def begin_of(times: Sequence[datetime]) -> datetime:
    """Return the full hour of the earliest time."""
    return min(times).replace(minute=0, second=0)
