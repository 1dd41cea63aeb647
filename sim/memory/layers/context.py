"""Contexts: the text given to a mind, within a token budget, and its evidence."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

from memopolis.sim.memory.text.pieces import word_pieces

Counter = Callable[[str], int]  # counts the tokens of a text with the tokenizer of the mind

PartName = Literal["key", "long", "mid", "short", "history", "input"]

HEADINGS: dict[PartName, str] = {
    "key": "Key facts:",
    "long": "Summaries, newest first:",
    "mid": "Memories:",
    "short": "Recent memories:",
    "history": "Memories:",
    "input": "Now:",
}
"""Heading of each part."""


def count_tokens(text: str) -> int:
    """Count the word pieces of a text with the shipped vocabulary."""
    return len(word_pieces().tokens(text))


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a context."""

    text: str  # the line as printed
    content: str  # its text without bullet and date
    memories: tuple[int, ...] = ()  # ids of the memories it comes from


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a context."""

    # "key", "long", "mid", "short" or "input"; "history" if the policy has no layers.
    name: PartName
    lines: tuple[Line, ...]  # its lines, at least one

    @property
    def text(self) -> str:
        """Heading and lines, one per line of text."""
        return "\n".join((HEADINGS[self.name], *(line.text for line in self.lines)))

    @property
    def memories(self) -> tuple[int, ...]:
        """Ids of its memories, ascending, without duplicates."""
        return tuple(sorted({number for line in self.lines for number in line.memories}))


@dataclass(frozen=True, slots=True)
class Context:
    """The text given to a mind; `str` returns that text."""

    text: str  # the whole text
    tokens: int  # number of tokens
    parts: tuple[Part, ...]  # its parts in order, without empty ones
    budget: int  # token budget
    policy: str  # how the memories were chosen

    @property
    def fits(self) -> bool:
        """Whether it is within the budget; False if key memories and input alone exceed it."""
        return self.tokens <= self.budget

    @property
    def evidence(self) -> tuple[int, ...]:
        """Ids of all its memories, ascending, without duplicates."""
        return tuple(sorted({number for part in self.parts for number in part.memories}))

    def part(self, name: PartName) -> Part | None:
        """Return the part of a name, or None if it is empty."""
        return next((part for part in self.parts if part.name == name), None)

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Draft:
    """A context before it is cut to its budget, with its parts in order, empty ones included.

    `drops` are index of the part and of the line, in the order in which lines are dropped; other
    lines stay. `more` says that lines are omitted that would be dropped before these.
    """

    parts: tuple[Part, ...]
    drops: tuple[tuple[int, int], ...]
    more: bool = False


def fit_lazily(make: Callable[[int], Draft], budget: int, count: Counter, policy: str) -> Context:
    """Return the result of `fit`, but let `make` format only as many lines as may fit."""
    most = budget // 16 + 8  # a line has about 16 tokens
    while True:
        draft = make(most)
        context = fit(draft, budget, count, policy)
        lines = sum(len(part.lines) for part in draft.parts)
        if not draft.more or sum(len(part.lines) for part in context.parts) < lines:
            return context
        most *= 2


def fit(draft: Draft, budget: int, count: Counter, policy: str) -> Context:
    """Drop lines of a draft until it has at most `budget` tokens, >= 1, or none can be dropped."""
    lines = [dict(enumerate(part.lines)) for part in draft.parts]
    heading = [count(HEADINGS[part.name]) for part in draft.parts]
    cost = [[count(line.text) for line in part.lines] for part in draft.parts]
    total = sum(sum(c) + h for c, h in zip(cost, heading, strict=True) if c)
    drops = iter(draft.drops)
    while total > budget and (drop := next(drops, None)) is not None:
        part, line = drop
        del lines[part][line]
        total -= cost[part][line] + (0 if lines[part] else heading[part])
    context = _assemble(draft, lines, budget, count, policy)
    # With some counters, a text has more tokens than its lines.
    while not context.fits and (drop := next(drops, None)) is not None:
        part, line = drop
        del lines[part][line]
        context = _assemble(draft, lines, budget, count, policy)
    return context


def _assemble(
    draft: Draft, lines: Iterable[dict[int, Line]], budget: int, count: Counter, policy: str
) -> Context:
    pairs = zip(draft.parts, lines, strict=True)
    parts = tuple(Part(part.name, tuple(rest.values())) for part, rest in pairs if rest)
    text = "\n".join(part.text for part in parts)
    return Context(text, count(text), parts, budget, policy)
