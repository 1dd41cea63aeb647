"""What the materials of the quality benchmark are made of: streams of memories, and questions."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from pathlib import Path

FOLDER = Path(__file__).with_name("quality")


@dataclass(frozen=True)
class Remembered:
    """A memory in its stream."""

    tick: int
    time: datetime
    actor: str
    template: str
    continues: bool

    @property
    def text(self) -> str:
        """The template with the name written out."""
        return self.template.replace("{actor}", self.actor)


@dataclass(frozen=True)
class Question:
    """A question to one stream; evidence by place in the stream."""

    kind: str
    text: str
    answer: str
    evidence: tuple[int, ...]


@dataclass(frozen=True)
class Stream:
    """What one agent remembers and is asked."""

    name: str
    memories: tuple[Remembered, ...]
    questions: tuple[Question, ...]

    @property
    def asked(self) -> list[str]:
        """The questions' words."""
        return [question.text for question in self.questions]


@dataclass(frozen=True, eq=False)
class Material:
    """One society: a stream an agent, and a number for each name that searches know."""

    name: str
    streams: tuple[Stream, ...]
    names: dict[str, int]
    kinds: tuple[str, ...]
    start: datetime
    end: datetime

    @cached_property
    def questions(self) -> list[Question]:
        """The questions of all streams in turn."""
        return [question for stream in self.streams for question in stream.questions]

    @cached_property
    def half(self) -> int:
        """How many questions the first half of the streams has."""
        return sum(len(s.questions) for s in self.streams[: len(self.streams) // 2])

    @property
    def now(self) -> int:
        """Tick at which everything is asked."""
        return tick(self.start, self.end)


def tick(start: datetime, time: datetime) -> int:
    """Whole hours since the start."""
    return int((time - start) / timedelta(hours=1))


def lines(file: Path) -> Iterator[str]:
    """Lines of a file that are neither empty nor comments."""
    for line in file.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            yield line
