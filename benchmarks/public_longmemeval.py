"""LongMemEval: questions to a chat assistant, each with a history of sessions of its own.

Source: D. Wu et al. (2025), LongMemEval: Benchmarking Chat Assistants on Long-Term Interactive
Memory, ICLR, arXiv:2410.10813; `longmemeval_s.json`, `_m`, `_oracle`. Read from the user's copy,
never shipped.
"""

from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Annotated, Literal, Self

from public_entries import Name, Text, read_entries, shown
from public_shapes import (
    Part,
    PublicQuestion,
    Session,
    Turn,
    begin_of,
    chat,
    material_of,
    parse_time,
)
from pydantic import BaseModel, BeforeValidator, Field, model_validator
from quality_shapes import Stream

from memopolis.sim.errors import DataFileError

ABSTENTION = "abstention"
"""Kind of the questions whose id ends in `_abs`: the history does not answer them."""

_MOST_SESSIONS = 5_000


def _time(value: object) -> datetime:
    return parse_time(value, "%Y/%m/%d (%a) %H:%M", "2023/05/30 (Tue) 23:40")


_Time = Annotated[datetime, BeforeValidator(_time)]


class _Turn(BaseModel):
    role: Literal["user", "assistant"]
    content: Text
    has_answer: bool = False


class _Entry(BaseModel):
    question_id: Name
    question_type: Literal[
        "single-session-user",
        "single-session-assistant",
        "single-session-preference",
        "multi-session",
        "temporal-reasoning",
        "knowledge-update",
    ]
    question: Annotated[Text, Field(min_length=1)]
    answer: Text
    question_date: _Time
    haystack_session_ids: Annotated[list[Name], Field(min_length=1, max_length=_MOST_SESSIONS)]
    haystack_dates: list[_Time]
    haystack_sessions: list[Annotated[list[_Turn], Field(max_length=2_000)]]
    answer_session_ids: Annotated[list[Name], Field(max_length=1_000)] = []

    @model_validator(mode="after")
    def _have_equal_lengths(self) -> Self:
        lists = (self.haystack_session_ids, self.haystack_dates, self.haystack_sessions)
        if len({len(one) for one in lists}) > 1:
            raise ValueError(
                "haystack_session_ids, haystack_dates and haystack_sessions need equal lengths, "
                f"not {', '.join(str(len(one)) for one in lists)}"
            )
        return self


def read_longmemeval(path: Path, *, most: int | None = None) -> Iterator[Part]:
    """Read questions one at a time, each with its history as the stream of one agent.

    Args:
        path: File in the format of `longmemeval_s.json`.
        most: Maximum number of questions to read; None for all.

    Yields:
        One part per question.

    Raises:
        DataFileError: If the file or a question is invalid.
    """
    for one, entry in islice(read_entries(path, _Entry, label="question_id"), most):
        yield _part(one, entry)


def _part(one: _Entry, entry: str) -> Part:
    notes: Counter[str] = Counter()
    sessions = [
        Session(time, [Turn(t.role, t.content, (number, at)) for at, t in enumerate(turns)], mark)
        for number, (time, turns, mark) in enumerate(
            zip(one.haystack_dates, one.haystack_sessions, one.haystack_session_ids, strict=True)
        )
    ]
    start = begin_of(one.haystack_dates)
    lived = chat(sessions, start, notes)
    if not lived.memories:
        raise DataFileError(f"{entry}: no turn has a text; at least one is needed")
    abstains = one.question_id.endswith("_abs")
    turns: tuple[int, ...] = ()
    marked: tuple[int, ...] = ()
    if not abstains:
        flagged = [
            (number, at)
            for number, session in enumerate(one.haystack_sessions)
            for at, turn in enumerate(session)
            if turn.has_answer
        ]
        turns = tuple(lived.turns[mark] for mark in flagged if mark in lived.turns)
        named = set(one.answer_session_ids)
        marked = tuple(number for mark, number in lived.sessions if mark in named)
        known = named & {mark for mark, _ in lived.sessions}
        notes["sessions with evidence that are not in the history, left out"] += len(named - known)
        notes["questions without turns with evidence, measured by session only"] += not turns
        notes["questions without sessions with evidence, measured by turn only"] += not marked
    kind = ABSTENTION if abstains else one.question_type
    question = PublicQuestion(
        kind, one.question, one.answer, turns, marked, abstains, one.question_date
    )
    stream = Stream(shown(one.question_id), lived.memories, (question,))
    end = max(one.question_date, *one.haystack_dates)
    return Part(material_of("LongMemEval", [stream], start, end), notes)
