"""The text a mind is given, within a budget of tokens, and what it rests on."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from memopolis.sim.errors import ParameterError
from memopolis.sim.memory.text.pieces import word_pieces

Counter = Callable[[str], int]
"""Counts the tokens of a text, as the mind that reads it would."""

PartName = Literal["key", "long", "mid", "short", "history", "input"]

HEADINGS: dict[PartName, str] = {
    "key": "Key facts:",
    "long": "Summaries, newest first:",
    "mid": "Related memories:",
    "short": "Recent memories:",
    "history": "Memories:",
    "input": "Now:",
}
"""What stands above each part."""


def tokens(text: str) -> int:
    """Count the word pieces of a text, by the shipped vocabulary."""
    return len(word_pieces().tokens(text))


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a context.

    Attributes:
        text: As it is printed.
        said: What it says, without mark and date.
        memories: Ids of the memories it comes from.
    """

    text: str
    said: str
    memories: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a context.

    Attributes:
        name: "key", "long", "mid", "short" or "input"; "history" where the policy has no layers.
        lines: Its lines, at least one.
    """

    name: PartName
    lines: tuple[Line, ...]

    @property
    def text(self) -> str:
        """Heading and lines."""
        return "\n".join((HEADINGS[self.name], *(line.text for line in self.lines)))

    @property
    def memories(self) -> tuple[int, ...]:
        """Ids of the memories it comes from, ascending, each once."""
        return tuple(sorted({number for line in self.lines for number in line.memories}))


@dataclass(frozen=True, slots=True)
class Context:
    """The text a mind is given; prints as that text.

    Attributes:
        text: All of it.
        tokens: How many tokens it has.
        parts: Its parts in their order; those without a line are left out.
        budget: Most tokens it was to have.
        policy: How the memories were chosen.
    """

    text: str
    tokens: int
    parts: tuple[Part, ...]
    budget: int
    policy: str

    @property
    def fits(self) -> bool:
        """Whether it is within the budget: not where key memories and input alone exceed it."""
        return self.tokens <= self.budget

    @property
    def evidence(self) -> tuple[int, ...]:
        """Ids of all memories it rests on, ascending, each once."""
        return tuple(sorted({number for part in self.parts for number in part.memories}))

    def part(self, name: PartName) -> Part | None:
        """The part of a name; None where it has no line."""
        return next((part for part in self.parts if part.name == name), None)

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Draft:
    """What would stand in a context if there were room.

    Attributes:
        parts: In their order, those without a line too.
        drops: Place of the part, and of the line in it, in the order in which lines go when
            there is no room. What is not listed never goes.
        more: Whether lines that would go even before these were left out.
    """

    parts: tuple[Part, ...]
    drops: tuple[tuple[int, int], ...]
    more: bool = False


def fitted_lazily(
    make: Callable[[int], Draft], budget: int, count: Counter, policy: str
) -> Context:
    """Fit a draft of which only as much is written out as may find room.

    Args:
        make: Makes the draft with at most so many of the lines that go first.
        budget: Most tokens, >= 1.
        count: Counts the tokens of a text.
        policy: Name of what makes the draft.

    Returns:
        As `fitted` of the whole draft.
    """
    most = budget // 16 + 8  # a line has some sixteen tokens
    while True:
        draft = make(most)
        context = fitted(draft, budget, count, policy)
        there = sum(len(part.lines) for part in draft.parts)
        if not draft.more or sum(len(part.lines) for part in context.parts) < there:
            return context
        most *= 2


def fitted(draft: Draft, budget: int, count: Counter, policy: str) -> Context:
    """Drop lines of a draft until it fits.

    Args:
        draft: What there is.
        budget: Most tokens, >= 1.
        count: Counts the tokens of a text.
        policy: Name of what made the draft.

    Returns:
        The context. Where what never goes exceeds the budget it stands alone: see
        `Context.fits`.
    """
    lines = [list(range(len(part.lines))) for part in draft.parts]
    heading = [count(HEADINGS[part.name]) for part in draft.parts]
    cost = [[count(line.text) for line in part.lines] for part in draft.parts]
    total = sum(sum(c) + h for c, h in zip(cost, heading, strict=True) if c)
    drops = iter(draft.drops)
    while total > budget and (drop := next(drops, None)) is not None:
        total -= _drop(lines, *drop, cost, heading)
    context = _assembled(draft, lines, budget, count, policy)
    # Some counters need more tokens for a whole than for its lines.
    while not context.fits and (drop := next(drops, None)) is not None:
        _drop(lines, *drop, cost, heading)
        context = _assembled(draft, lines, budget, count, policy)
    return context


def _drop(
    lines: list[list[int]],
    part: int,
    line: int,
    cost: Sequence[Sequence[int]],
    heading: Sequence[int],
) -> int:
    """Take a line out; returns how many tokens that saves."""
    lines[part].remove(line)
    return cost[part][line] + (0 if lines[part] else heading[part])


def _assembled(
    draft: Draft, lines: Iterable[Iterable[int]], budget: int, count: Counter, policy: str
) -> Context:
    parts = [
        Part(part.name, tuple(part.lines[at] for at in left))
        for part, left in zip(draft.parts, lines, strict=True)
    ]
    there = tuple(part for part in parts if part.lines)
    text = "\n".join(part.text for part in there)
    return Context(text, count(text), there, budget, policy)


def checked_budget(budget: Any) -> int:
    """Check a budget.

    Raises:
        ParameterError: If it is no whole number of at least 1.
    """
    if isinstance(budget, bool) or not isinstance(budget, int | np.integer) or budget < 1:
        raise ParameterError(f"budget is {budget!r}; a whole number of at least 1 token is needed")
    return int(budget)
