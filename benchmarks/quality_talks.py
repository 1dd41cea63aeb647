"""The second material of the quality benchmark: four long talks of two friends each.

A talk is one agent's stream: each turn is a memory with its speaker as actor, and turns of one
session go on from one another. A line of `quality/talks/NAME.txt` is one of

    2024-05-08 19:00|Mia|t1|text     a session begins: time, speaker, mark, what is said
    +|Leo|t2|text                    the next turn of the session
    ?kind|t1,t2|text|answer          a question, the marks of its evidence, and a short answer
"""

from collections.abc import Sequence
from datetime import datetime
from functools import cache
from pathlib import Path

from quality_shapes import FOLDER, Material, Question, Remembered, Stream, lines, tick

TALKS = ("aisha_ben", "carmen_jun", "mia_leo", "tomas_ruth")
KINDS = ("single", "multi", "date", "open")
START, END = datetime(2024, 5, 1), datetime(2025, 6, 30, 22)


@cache
def talks() -> Material:
    """All talks, in the order of TALKS."""
    return read_talks("talks", [FOLDER / "talks" / f"{name}.txt" for name in TALKS], START, END)


def read_talks(name: str, files: Sequence[Path], start: datetime, end: datetime) -> Material:
    """Read talks from files, one stream a file, from `start` to `end`, when questions are asked."""
    streams = tuple(_stream(file, start) for file in files)
    speakers = [speaker for stream in streams for speaker in _speakers(stream)]
    numbers = {speaker: number for number, speaker in enumerate(speakers)}
    return Material(name, streams, numbers, KINDS, start, end)


def _stream(file: Path, start: datetime) -> Stream:
    memories: list[Remembered] = []
    questions: list[Question] = []
    places: dict[str, int] = {}
    for line in lines(file):
        first, second, third, rest = line.split("|")
        if first.startswith("?"):
            evidence = tuple(places[mark] for mark in second.split(","))
            questions.append(Question(first[1:], third, rest, evidence))
            continue
        goes_on = first == "+"
        time = memories[-1].time if goes_on else datetime.fromisoformat(first)
        places[third] = len(memories)
        memories.append(Remembered(tick(start, time), time, second, rest, continues=goes_on))
    return Stream(file.stem, tuple(memories), tuple(questions))


def _speakers(stream: Stream) -> list[str]:
    return list(dict.fromkeys(memory.actor for memory in stream.memories))
