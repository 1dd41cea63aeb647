"""LoCoMo: ten long conversations of two people, with questions about them.

Source: A. Maharana et al. (2024), Evaluating Very Long-Term Conversational Memory of LLM Agents,
ACL, arXiv:2402.17753; `locomo10.json`, CC BY-NC 4.0. Read from the user's copy, never shipped.
"""

import re
from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

from public_entries import Name, Text, read_entries, shown
from public_shapes import (
    Chat,
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
from quality_sessions import session_of
from quality_shapes import Stream

from memopolis.sim.errors import DataFileError

CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
"""Names of the numbers in the file, which follow another order than the paper."""
MOST_SAMPLES = 200
MOST_RANKED = 10_000_000
"""Most turns ranked, over all questions: those of the public file are ranked 1.2 million times."""

_MARK = re.compile(r"D:?(\d{1,6}):(\d{1,6})")
_SESSION = re.compile(r"session_[1-9]\d{0,3}")


def _time(value: object) -> datetime:
    return parse_time(value, "%I:%M %p on %d %B, %Y", "1:56 pm on 8 May, 2023")


class _Turn(BaseModel):
    speaker: Name
    dia_id: Name
    text: Text
    blip_caption: Text | None = None


class _Session(BaseModel):
    date_time: Annotated[datetime, BeforeValidator(_time)]
    turns: Annotated[list[_Turn], Field(max_length=2_000)]


class _Conversation(BaseModel):
    sessions: Annotated[dict[str, _Session], Field(min_length=1, max_length=2_000)]

    @model_validator(mode="before")
    @classmethod
    def _collect(cls, value: object) -> object:
        """Collect session_N and session_N_date_time; a time without a session is left out."""
        if not isinstance(value, dict):
            return value
        names = [name for name in value if _SESSION.fullmatch(name)]
        whole = {n: {"date_time": value.get(f"{n}_date_time"), "turns": value[n]} for n in names}
        return {"sessions": whole}


class _Question(BaseModel):
    question: Annotated[Text, Field(min_length=1)]
    answer: Text | None = None
    evidence: Annotated[list[Any], Field(max_length=1_000)] = []
    category: Annotated[int, Field(ge=1, le=5)]


class _Sample(BaseModel):
    sample_id: Name
    conversation: _Conversation
    qa: Annotated[list[_Question], Field(max_length=5_000)]


def read_locomo(path: Path, *, most: int | None = None) -> Iterator[Part]:
    """Read all conversations, each as the stream of one agent of one memory.

    Args:
        path: File in the format of `locomo10.json`.
        most: Maximum number of samples to read; None for all.

    Yields:
        One part.

    Raises:
        DataFileError: If the file or a sample is invalid.
    """
    samples = list(islice(read_entries(path, _Sample, label="sample_id"), most or MOST_SAMPLES + 1))
    if len(samples) > MOST_SAMPLES:
        raise DataFileError(f"{path} has more than {MOST_SAMPLES} samples, the maximum")
    times = [s.date_time for one, _ in samples for s in one.conversation.sessions.values()]
    start, end = begin_of(times), max(times) + timedelta(hours=1)
    notes: Counter[str] = Counter()
    streams = [_stream(sample, entry, start, notes) for sample, entry in samples]
    ranked = sum(len(stream.memories) * len(stream.questions) for stream in streams)
    if ranked > MOST_RANKED:
        raise DataFileError(
            f"{path} has {ranked:,} pairs of a question and a turn of its conversation; at most "
            f"{MOST_RANKED:,} are ranked: read fewer samples with --entries"
        )
    yield Part(material_of("LoCoMo", streams, start, end), notes)


def _stream(sample: _Sample, entry: str, start: datetime, notes: Counter[str]) -> Stream:
    sessions = sample.conversation.sessions
    lived = chat(
        [Session(one.date_time, _turns(one, notes), name) for name, one in sessions.items()],
        start,
        notes,
    )
    if not lived.memories:
        raise DataFileError(f"{entry}: no turn has a text; at least one is needed")
    if not sample.qa:
        raise DataFileError(f"{entry}: qa is empty; at least one question is needed")
    stream = Stream(shown(sample.sample_id), lived.memories, ())
    numbers = session_of(stream).tolist()
    last = max(memory.time for memory in lived.memories)
    asked = tuple(_asked(one, lived, numbers, last, notes) for one in sample.qa)
    return Stream(stream.name, lived.memories, asked)


def _turns(session: _Session, notes: Counter[str]) -> list[Turn]:
    turns = []
    for turn in session.turns:
        marks = _marks(turn.dia_id)
        notes["turns without a readable dia_id, which no evidence can name"] += len(marks) != 1
        photo = f" [photo: {turn.blip_caption}]" if turn.blip_caption else ""
        text = f"{turn.text}{photo}".strip()
        turns.append(Turn(turn.speaker, text, marks[0] if len(marks) == 1 else (-1, -1)))
    return turns


def _asked(
    one: _Question, lived: Chat, numbers: list[int], last: datetime, notes: Counter[str]
) -> PublicQuestion:
    places: list[int] = []
    for text in one.evidence:
        marks = _marks(text) if isinstance(text, str) else []
        known = [lived.turns[mark] for mark in marks if mark in lived.turns]
        notes["evidence entries that name no turn, left out"] += len(known) < max(len(marks), 1)
        places += known
    evidence = tuple(dict.fromkeys(places))
    notes["questions without readable evidence, not in the measures of retrieval"] += not evidence
    sessions = tuple(dict.fromkeys(numbers[place] for place in evidence))
    kind = CATEGORIES[one.category]
    return PublicQuestion(
        kind, one.question, one.answer or "", evidence, sessions, one.category == 5, last
    )


def _marks(text: str) -> list[tuple[int, int]]:
    """Read marks in all their forms, such as "D1:3", "D8:6; D9:17", "D:11:26" or "D30:05"."""
    return [(int(session), int(turn)) for session, turn in _MARK.findall(text)]
