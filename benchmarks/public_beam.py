"""BEAM: long conversations of a user with an assistant, with questions about ten abilities.

Source: M. Tavakoli et al. (2025), Beyond a Million Tokens: Benchmarking and Enhancing Long-Term
Memory in LLMs, arXiv:2510.27246. Read from the user's copy, never shipped.
"""

import ast
from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Annotated, Any, Literal

from public_entries import LONGEST_TEXT, Name, Text, read_entries, shown
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
from pydantic import AliasChoices, BaseModel, BeforeValidator, Field
from quality_sessions import session_of
from quality_shapes import Stream

from memopolis.sim.errors import DataFileError

ABSTENTION = "abstention"
"""Ability of the questions that the conversation does not answer."""
FIRST_TIME = datetime(2024, 1, 1)
"""Time of sessions before the first one with a time."""

_MOST_PROBES = 20 * LONGEST_TEXT


def _literal(value: object) -> object:
    """Parse the text of a Python value, in which the public files keep their questions."""
    if not isinstance(value, str):
        return value
    if len(value) > _MOST_PROBES:
        raise ValueError(f"has more than {_MOST_PROBES:,} characters, the maximum")
    try:
        return ast.literal_eval(value)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        raise ValueError("needed is an object, or the text of one") from None


def _ids(value: object) -> list[int]:
    """Collect the whole numbers of nested lists and objects."""
    values = value.values() if isinstance(value, dict) else value
    if isinstance(values, int) and not isinstance(values, bool):
        return [values]
    if isinstance(values, str) or not hasattr(values, "__iter__"):
        return []
    return [number for each in values for number in _ids(each)]


class _Turn(BaseModel):
    role: Literal["user", "assistant"]
    content: Text
    id: int = -1
    time_anchor: Text | None = None


class _Question(BaseModel):
    question: Annotated[Text, Field(min_length=1)]
    answer: Annotated[
        Text, Field(validation_alias=AliasChoices("answer", "ideal_response", "ideal_answer"))
    ] = ""
    source_chat_ids: Annotated[list[int], BeforeValidator(_ids)] = []


class _Entry(BaseModel):
    conversation_id: Name
    chat: Annotated[
        list[Annotated[list[_Turn], Field(max_length=20_000)]],
        Field(min_length=1, max_length=5_000),
    ]
    probing_questions: Annotated[
        dict[Name, Annotated[list[_Question], Field(max_length=1_000)]], BeforeValidator(_literal)
    ]


def read_beam(path: Path, *, most: int | None = None) -> Iterator[Part]:
    """Read conversations one at a time, each as the stream of one agent.

    Args:
        path: A JSON list of conversations.
        most: Maximum number of conversations to read; None for all.

    Yields:
        One part per conversation.

    Raises:
        DataFileError: If the file or a conversation is invalid.
    """
    for one, entry in islice(read_entries(path, _Entry, label="conversation_id"), most):
        yield _part(one, entry)


def _part(one: _Entry, entry: str) -> Part:
    notes: Counter[str] = Counter()
    try:
        sessions = _sessions(one, notes)
    except ValueError as error:
        raise DataFileError(f"{entry}: time_anchor: {error}") from None
    start = begin_of([session.time for session in sessions])
    lived = chat(sessions, start, notes)
    if not lived.memories:
        raise DataFileError(f"{entry}: no turn has a text; at least one is needed")
    stream = Stream(shown(one.conversation_id), lived.memories, ())
    numbers, end = session_of(stream).tolist(), lived.memories[-1].time + timedelta(hours=1)
    places: dict[int, list[int]] = {}
    for (_, number), place in lived.turns.items():
        places.setdefault(number, []).append(place)
    asked = []
    for ability, questions in one.probing_questions.items():
        for question in questions:
            abstains = ability == ABSTENTION
            evidence = () if abstains else _evidence(question, places, notes)
            within = tuple(dict.fromkeys(numbers[place] for place in evidence))
            asked.append(
                PublicQuestion(
                    ability, question.question, question.answer, evidence, within, abstains, end
                )
            )
    if not asked:
        raise DataFileError(f"{entry}: probing_questions is empty; at least one is needed")
    own = Stream(stream.name, lived.memories, tuple(asked))
    return Part(material_of("BEAM", [own], start, end), notes)


def _sessions(one: _Entry, notes: Counter[str]) -> list[Session]:
    """Return the sessions, each at the time of its first turn with one, in the order of the file.

    A session without a time, or with an earlier one, has that of the session before.
    """
    sessions: list[Session] = []
    for number, turns in enumerate(one.chat):
        anchors = [turn.time_anchor for turn in turns if turn.time_anchor]
        last = sessions[-1].time if sessions else FIRST_TIME
        time = parse_time(anchors[0], "%B-%d-%Y", "March-15-2024") if anchors else last
        notes["sessions without a time, or with an earlier one than the session before"] += (
            not anchors or (bool(sessions) and time < last)
        )
        time = max(time, last) if sessions else time
        marked = [Turn(t.role, t.content, (number, t.id)) for t in turns]
        sessions.append(Session(time, marked, str(number)))
    return sessions


def _evidence(
    question: _Question, places: dict[int, list[int]], notes: Counter[str]
) -> tuple[int, ...]:
    """Return the turns that a question names; an id of several turns names none."""
    named: list[int] = []
    for number in dict.fromkeys(question.source_chat_ids):
        at: list[Any] = places.get(number, [])
        notes["ids of evidence that name no turn or several, left out"] += len(at) != 1
        named += at if len(at) == 1 else []
    notes["questions without readable evidence, not in the measures of retrieval"] += not named
    return tuple(sorted(named))
