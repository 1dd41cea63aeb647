"""Read the first material of the quality benchmark: eight people of a small town, and questions.

`quality/people/NAME.txt` holds the experiences of one person and questions about them, all written
by hand; `quality/everyday/*.txt` holds everyday memories to draw from. `town` merges both into one
timeline per person, always the same: the draws come from `memopolis.sim.chance`.
A line of a person's file is one of

    2024-09-06|Ruth|a1|text     a memory: day, actor, mark, template
    +|Ruth|a2|text              continues the previous memory, in the same conversation
    ?kind|a1,a2|text|answer     a question, the marks of its evidence, and a short answer
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from math import prod
from pathlib import Path

import numpy as np
from quality_shapes import FOLDER, Material, Question, Remembered, Stream, lines, tick

from memopolis.sim.chance import Chance


@dataclass(frozen=True)
class Place:
    """A place and its people.

    Attributes:
        name: Name of the material.
        folder: Folder with `people/NAME.txt`.
        people: Names in the order of their streams.
        common: File with everyday memories that anyone may have.
        own: File with everyday memories of single people; None for none.
        start: When memories begin.
        end: When questions are asked.
    """

    name: str
    folder: Path
    people: tuple[str, ...]
    common: Path
    own: Path | None
    start: datetime
    end: datetime


PEOPLE = ("Nora", "Sam", "Elena", "George", "Priya", "Danny", "Ingrid", "Marcus")
KINDS = ("single", "paraphrase", "person", "date", "conversation", "multi")
START, END = datetime(2024, 9, 1), datetime(2025, 10, 31, 22)
TOWN = Place(
    "town", FOLDER, PEOPLE, FOLDER / "everyday" / "common.txt", FOLDER / "everyday" / "own.txt",
    START, END,
)  # fmt: skip
FEWEST, STEP = 350, 12
MOST_USES = 4
CHANCE = Chance(2025)

_CHOICE = re.compile(r"\[([^\]]+)\]")


@dataclass(frozen=True)
class Line:
    """A memory in a file: its actor, its text, and the mark by which questions refer to it."""

    actor: str
    text: str
    mark: str = ""


@dataclass(frozen=True)
class Block:
    """Memories of one time: one, or several that continue one another."""

    time: datetime
    lines: tuple[Line, ...]


@dataclass(frozen=True)
class WrittenQuestion:
    """A question in a file, with its evidence as marks."""

    kind: str
    marks: tuple[str, ...]
    text: str
    answer: str


@cache
def town() -> Material:
    """Read the town of the benchmark."""
    return read_place(TOWN)


def read_place(place: Place) -> Material:
    """Read a place; its people are numbered first, then the others that they name."""
    streams = tuple(_stream(place, number) for number in range(len(place.people)))
    known = {m.actor for stream in streams for m in stream.memories} - {"", *place.people}
    names = {name: number for number, name in enumerate((*place.people, *sorted(known)))}
    return Material(place.name, streams, names, KINDS, place.start, place.end)


def read_person(person: str, folder: Path = FOLDER) -> tuple[list[Block], list[WrittenQuestion]]:
    """Read the file of a person: memories and questions."""
    blocks: list[Block] = []
    questions: list[WrittenQuestion] = []
    for line in lines(folder / "people" / f"{person.lower()}.txt"):
        first, second, third, rest = line.split("|", 3)
        if first.startswith("?"):
            questions.append(WrittenQuestion(first[1:], tuple(second.split(",")), third, rest))
        elif first == "+":
            last = blocks.pop()
            blocks.append(Block(last.time, (*last.lines, Line(second, rest, third))))
        else:
            blocks.append(Block(datetime.fromisoformat(first), (Line(second, rest, third),)))
    return blocks, questions


def read_everyday(person: str, place: Place = TOWN) -> list[list[Line]]:
    """Read the scenes from which everyday memories of a person are drawn, with all alternatives."""
    own = [] if place.own is None else _stock(place.own, person.lower())
    return [*own, *_stock(place.common, "")]


def _stock(file: Path, person: str) -> Iterator[list[Line]]:
    scene: list[Line] = []
    for line in lines(file):
        *whose, actor, text = line.split("|", 1 + bool(person))
        if whose not in ([], [person]):
            continue
        if scene and not actor.startswith("+"):
            yield scene
            scene = []
        scene.append(Line(actor.removeprefix("+"), text))
    if scene:
        yield scene


def _stream(place: Place, number: int) -> Stream:
    """Merge written and everyday memories into one timeline."""
    person = place.people[number]
    blocks, asked = read_person(person, place.folder)
    facts = sum(len(block.lines) for block in blocks)
    circle = Counter(line.actor for block in blocks for line in block.lines if line.actor)
    blocks += _filling(place, number, circle, FEWEST + STEP * number - facts)
    hours = CHANCE.uniform(f"hour {person}", np.arange(len(blocks))) * 14
    times = [b.time + timedelta(hours=7 + int(h)) for b, h in zip(blocks, hours, strict=True)]
    memories: list[Remembered] = []
    marks: dict[str, int] = {}
    for i in sorted(range(len(blocks)), key=lambda i: (times[i], i)):
        at = tick(place.start, times[i])
        for index, line in enumerate(blocks[i].lines):
            if line.mark:
                marks[line.mark] = len(memories)
            memories.append(Remembered(at, times[i], line.actor, line.text, continues=index > 0))
    questions = (
        Question(q.kind, q.text, q.answer, tuple(marks[m] for m in q.marks)) for q in asked
    )
    return Stream(person, tuple(memories), tuple(questions))


def _filling(place: Place, number: int, circle: Counter[str], count: int) -> Iterator[Block]:
    """Draw everyday blocks until there are `count` memories, each block worded differently."""
    person = place.people[number]
    scenes = read_everyday(person, place)
    uses = [(s, u) for s, scene in enumerate(scenes) for u in range(min(MOST_USES, _forms(scene)))]
    known, weights = list(circle), list(circle.values())
    days = (place.end - place.start).days
    rows = np.arange(len(uses))
    dates = CHANCE.uniform(f"day {person}", rows) * days
    friends = CHANCE.choice(f"friend {person}", rows, weights)
    for i in CHANCE.order(f"everyday {person}", rows):
        scene, use = uses[i]
        if count < len(scenes[scene]):
            continue
        count -= len(scenes[scene])
        form = (number * MOST_USES + use) * 7
        lines = tuple(_chosen(line, form, known[friends[i]]) for line in scenes[scene])
        yield Block(place.start + timedelta(days=int(dates[i])), lines)


def _forms(scene: list[Line]) -> int:
    """Return the number of forms of a scene, at most those of its longest line."""
    return max(prod(len(c.split("/")) for c in _CHOICE.findall(line.text)) for line in scene)


def _chosen(line: Line, form: int, friend: str) -> Line:
    """Choose one of each list of alternatives in a line."""
    text = line.text
    while match := _CHOICE.search(text):
        options = match.group(1).split("/")
        text = text[: match.start()] + options[form % len(options)] + text[match.end() :]
        form //= len(options)
    return Line(friend if line.actor == "@" else line.actor, text)
