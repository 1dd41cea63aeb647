"""Read the second material of the quality benchmark: four long conversations of two friends.

A conversation is the stream of one agent. Each turn is a memory with the speaker as actor, and
continues the previous turn of its session. A line of `quality/talks/NAME.txt` is one of

    2024-05-08 19:00|Mia|t1|text     the first turn of a session: time, speaker, mark, text
    +|Leo|t2|text                    the next turn of the session
    ?kind|t1,t2|text|answer          a question, the marks of its evidence, and a short answer
"""

from collections.abc import Sequence
from datetime import datetime
from functools import cache
from pathlib import Path

from quality_shapes import FOLDER, Material, Question, Remembered, Stream, lines, tick

TALKS = ("aisha_ben", "carmen_jun", "mia_leo", "tomas_ruth")
START, END = datetime(2024, 5, 1), datetime(2025, 6, 30, 22)


@cache
def talks() -> Material:
    """Read all conversations, in the order of TALKS."""
    return read_talks("talks", [FOLDER / "talks" / f"{name}.txt" for name in TALKS], START, END)


def read_talks(name: str, files: Sequence[Path], start: datetime, end: datetime) -> Material:
    """Read conversations, one stream per file; questions are asked at `end`."""
    return read_streams(name, [[file] for file in files], start, end)


def read_streams(
    name: str, files: Sequence[Sequence[Path]], start: datetime, end: datetime
) -> Material:
    """Read streams of one or more files each, merged in order of time; as `read_talks`."""
    streams = tuple(_stream(each, start) for each in files)
    speakers = [speaker for stream in streams for speaker in _speakers(stream)]
    numbers = {speaker: number for number, speaker in enumerate(dict.fromkeys(speakers))}
    kinds = tuple(dict.fromkeys(q.kind for s in streams for q in s.questions))
    return Material(name, streams, numbers, kinds, start, end)


def _stream(files: Sequence[Path], start: datetime) -> Stream:
    sessions: list[list[tuple[str, Remembered]]] = []  # turns with their marks
    questions: list[tuple[str, str, str, list[str]]] = []
    for file in files:
        for line in lines(file):
            first, second, third, rest = line.split("|")
            if first.startswith("?"):
                questions.append((first[1:], third, rest, second.split(",")))
                continue
            goes_on = first == "+"
            time = sessions[-1][-1][1].time if goes_on else datetime.fromisoformat(first)
            turn = Remembered(tick(start, time), time, second, rest, continues=goes_on)
            if not goes_on:
                sessions.append([])
            sessions[-1].append((third, turn))
    turns = [turn for each in sorted(sessions, key=lambda s: s[0][1].time) for turn in each]
    places = {mark: place for place, (mark, _) in enumerate(turns)}
    asked = tuple(
        Question(kind, text, answer, tuple(places[mark] for mark in marks))
        for kind, text, answer, marks in questions
    )
    return Stream(files[0].stem, tuple(turn for _, turn in turns), asked)


def _speakers(stream: Stream) -> list[str]:
    return list(dict.fromkeys(memory.actor for memory in stream.memories if memory.actor))
