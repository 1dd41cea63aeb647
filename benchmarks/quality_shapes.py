"""Types of the materials of the quality benchmark: streams of memories, and questions."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from pathlib import Path

FOLDER = Path(__file__).with_name("quality")


@dataclass(frozen=True)
class Remembered:
    """A memory of a stream."""

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
    """A question about one stream; `evidence` are positions in the stream."""

    kind: str
    text: str
    answer: str
    evidence: tuple[int, ...]


@dataclass(frozen=True)
class Stream:
    """The memories of one agent, and the questions about them."""

    name: str
    memories: tuple[Remembered, ...]
    questions: tuple[Question, ...]

    @property
    def asked(self) -> list[str]:
        """Texts of the questions."""
        return [question.text for question in self.questions]


@dataclass(frozen=True, eq=False)
class Material:
    """One stream per agent, and a number for each name that searches know."""

    name: str
    streams: tuple[Stream, ...]
    names: dict[str, int]
    kinds: tuple[str, ...]
    start: datetime
    end: datetime

    @cached_property
    def questions(self) -> list[Question]:
        """Questions of all streams, stream by stream."""
        return [question for stream in self.streams for question in stream.questions]

    @cached_property
    def half(self) -> int:
        """Number of questions of the first half of the streams."""
        return sum(len(s.questions) for s in self.streams[: len(self.streams) // 2])

    @property
    def now(self) -> int:
        """Tick at which all questions are asked."""
        return tick(self.start, self.end)


def tick(start: datetime, time: datetime) -> int:
    """Return the whole hours since the start."""
    return int((time - start) / timedelta(hours=1))


def lines(file: Path) -> Iterator[str]:
    """Yield the lines of a file that are neither empty nor comments."""
    for line in file.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            yield line
