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
KINDS = ("single", "multi", "date", "open")
START, END = datetime(2024, 5, 1), datetime(2025, 6, 30, 22)


@cache
def talks() -> Material:
    """Read all conversations, in the order of TALKS."""
    return read_talks("talks", [FOLDER / "talks" / f"{name}.txt" for name in TALKS], START, END)


def read_talks(name: str, files: Sequence[Path], start: datetime, end: datetime) -> Material:
    """Read conversations, one stream per file; questions are asked at `end`."""
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
