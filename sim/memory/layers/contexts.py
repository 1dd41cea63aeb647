"""Contexts: the text given to a mind, within a token budget, and its evidence.

The policy "layers" chooses from all layers of a memory; there are three baselines.
"""

import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal, NamedTuple

import numpy as np

from memopolis.sim.arguments import check_callable, check_choice, whole_number
from memopolis.sim.arrays import Int64
from memopolis.sim.memory.interface import Memory
from memopolis.sim.memory.layers.key import keep_statements, key_memories, promote
from memopolis.sim.memory.layers.summaries import (
    SUMMARIES,
    Summary,
    extractive,
    load_entries,
    summarise,
)
from memopolis.sim.memory.night import clusters
from memopolis.sim.memory.retrieval import recalling
from memopolis.sim.memory.retrieval.recollection import Recollection, format_memories
from memopolis.sim.memory.retrieval.request import SearchOptions, queries_of
from memopolis.sim.memory.text.pieces import word_pieces

Policy = Literal["layers", "full history", "sliding window", "random"]

# How the memories of a context can be chosen.
POLICIES: tuple[Policy, ...] = ("layers", "full history", "sliding window", "random")
SEARCH_ALONE = 400
"""Tokens of a budget that are for matching memories alone."""
RECENT_SHARE, SUMMARY_SHARE = 0.12, 0.08
"""Shares of the other tokens for the newest memories and for summaries. `make bench-quality` prints
the evidence in a context beside that of one search alone, for 200 to 4,000 tokens."""

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


def write_due(memory: Memory, rows: Int64, *, observed: bool) -> None:
    """Write due summaries and key memories by the rule; in a society, a block does it."""
    memory.settle()
    if not observed and not memory.deferred:
        each = np.unique(rows)
        keep_statements(memory, each)
        promote(memory, each, extractive)
        summarise(memory, each, extractive)


def build_contexts(
    memory: Memory,
    rows: Int64,
    query: str | Sequence[str],
    budget: int,
    *,
    policy: str,
    count: Counter,
    observed: bool,
) -> list[Context]:
    """Build the context of each agent; as `CohortMemory.context`. An observer changes nothing."""
    most = whole_number("budget", budget, least=1, most=sys.maxsize)
    check_choice("policy", policy, POLICIES)
    check_callable("count", count)
    texts, each = queries_of(query, None, len(rows))
    write_due(memory, rows, observed=observed)
    contexts = []
    for row, text in zip(rows.tolist(), (texts[at] for at in each), strict=True):
        if policy == "layers":
            best = rank_memories(memory, row, text)
            reserved = draft_reserved(memory, row, most, count)
            draft = partial(draft_layers, memory, row, text, best, reserved=reserved)
        else:
            draft = partial(draft_history, memory, row, text, policy)
        contexts.append(fit_lazily(draft, most, count, policy))
    if policy == "layers" and not observed:
        clusters.cluster(memory, np.unique(rows))
        _record_accesses(memory, rows, contexts)
    return contexts


def rank_memories(memory: Memory, row: int, query: str) -> tuple[int, ...]:
    """Return the ids of an agent's memories, best first."""
    # Observed: only the memories that enter the context count as accessed.
    everything = SearchOptions(max(memory.streams.longest(np.array([row])), 1))
    ranked = recalling.search(memory, np.array([row]), query, everything, observed=True)
    return tuple(number for number in ranked.ids[0].tolist() if number >= 0)


def _record_accesses(memory: Memory, rows: Int64, contexts: Sequence[Context]) -> None:
    """Record an access of each matched memory that is part of a context."""
    parts = [context.part("mid") for context in contexts]
    recalled = [
        [] if part is None else [number for line in part.lines for number in line.memories]
        for part in parts
    ]
    table = np.full((len(rows), max(map(len, recalled), default=0)), -1, np.int32)
    for line, ids in zip(table, recalled, strict=True):
        line[: len(ids)] = ids
    recalling.record_access(memory, rows, table)


def short_term(memory: Memory, row: int) -> list[int]:
    """Return the ids of an agent's short term, oldest first; forgotten ones are not replaced."""
    size = memory.layer_settings.short_term_size
    ids = memory.streams.newest(np.array([row]), size)[0] if size else np.empty(0, np.int32)
    first = max(int(memory.streams.next[row]) - size, 0)
    kept: list[int] = ids[ids >= first].tolist()
    return kept


class Reserved(NamedTuple):
    """Lines of a context that do not depend on its query."""

    key: tuple[Line, ...]
    long: tuple[Line, ...]  # newest first
    short: tuple[Line, ...]  # oldest first


def draft_reserved(memory: Memory, row: int, budget: int, count: Counter) -> Reserved:
    """Return key memories, and newest summaries and memories within their shares of a budget."""
    settings, divided = memory.layer_settings, max(budget - SEARCH_ALONE, 0)
    key = tuple(
        Line(f"- {fact.text}", fact.text, fact.memories) for fact in key_memories(memory, row)
    )
    long = summary_lines(memory, row, settings.long_term_size) if divided else ()
    newest = _lines(memory, row, short_term(memory, row) if divided else ())[::-1]
    short = _take(newest, RECENT_SHARE, divided, count)
    return Reserved(key, _take(long, SUMMARY_SHARE, divided, count), short[::-1])


def _take(lines: tuple[Line, ...], share: float, tokens: int, count: Counter) -> tuple[Line, ...]:
    """Return the first lines that fit into a share of some tokens; the first also into half."""
    total = 0
    for at, line in enumerate(lines):
        total += count(line.text)
        if total > (share if at else 0.5) * tokens:
            return lines[:at]
    return lines


def draft_layers(
    memory: Memory, row: int, query: str, best: Sequence[int], most: int, *, reserved: Reserved
) -> Draft:
    """Draft a context of key memories, summaries, matching memories, newest memories and input.

    Lines are dropped in this order: the worst match first, the oldest summary, the oldest of the
    short term. `best` are all memories, the best match first; at most `most` are formatted.
    """
    key, long, recent = reserved
    short = {line.memories[0] for line in recent}
    older = [number for number in best if number not in short]
    mid = _matching_lines(memory, row, older[:most])
    rank = {number: place for place, number in enumerate(older)}
    parts = (
        Part("key", key), Part("long", long), Part("mid", mid),
        Part("short", recent), Part("input", _input(query)),
    )  # fmt: skip
    drops = (
        *((2, at) for at in sorted(range(len(mid)), key=lambda at: -rank[mid[at].memories[0]])),
        *((1, at) for at in reversed(range(len(long)))),
        *((3, at) for at in range(len(recent))),
    )
    return Draft(parts, drops, more=len(older) > most)


def draft_history(memory: Memory, row: int, query: str, policy: str, most: int) -> Draft:
    """Draft a context of at most `most` memories in order of time, without layers.

    "full history" takes all memories and "sliding window" the newest `short_term_size`; both drop
    the oldest first. "random" drops them in a random order that changes with the tick.
    """
    window = memory.layer_settings.short_term_size
    _, ids, _ = memory.streams.listed(np.array([row]))
    if policy == "sliding window":
        ids = ids[ids >= int(memory.streams.next[row]) - window]
    if policy == "random":
        from memopolis.sim.memory.retrieval import kernels

        rows = np.full(len(ids), row, np.int64)
        ranks = kernels.draws(rows, memory.now, ids, memory.recall_key)
        chosen = np.sort(np.argsort(ranks, kind="stable")[:most])
        order = np.argsort(-ranks[chosen], kind="stable")
    else:
        chosen = np.arange(len(ids))[-most:]
        order = np.arange(len(chosen))
    parts = (
        Part("history", _lines(memory, row, ids[chosen].tolist())),
        Part("input", _input(query)),
    )
    return Draft(parts, tuple((0, at) for at in order.tolist()), more=len(ids) > most)


def summary_lines(memory: Memory, row: int, most: int) -> tuple[Line, ...]:
    """Return the lines of the newest summaries of an agent, newest first."""
    newest = load_entries(Summary, memory, row, SUMMARIES)[-most:] if most else []
    return tuple(
        Line(f"- {_format_span(memory, summary)}: {summary.text}", summary.text, summary.memories)
        for summary in reversed(newest)
    )


def _lines(memory: Memory, row: int, ids: Sequence[int]) -> tuple[Line, ...]:
    return tuple(_memory_line(memory, recalled) for recalled in format_memories(memory, row, ids))


def _matching_lines(memory: Memory, row: int, ids: Sequence[int]) -> tuple[Line, ...]:
    """Return the lines of memories, best first; those of one time follow the best of them."""
    groups: dict[int, list[Recollection]] = {}
    for recalled in format_memories(memory, row, ids):
        groups.setdefault(recalled.time, []).append(recalled)
    lines = []
    for best, *others in groups.values():
        lines.append(_memory_line(memory, best))
        others.sort(key=lambda recalled: recalled.id)
        lines += [_memory_line(memory, recalled, dated=False) for recalled in others]
    return tuple(lines)


def _memory_line(memory: Memory, one: Recollection, *, dated: bool = True) -> Line:
    when = f"{format_tick(memory, one.time)}: " if dated else ""
    content = " ".join(one.text.splitlines())
    return Line(f"- {when}{content}", content, (one.id,))


def _format_span(memory: Memory, one: Summary) -> str:
    first, last = (format_tick(memory, at, hours=False) for at in (one.since, one.until))
    return first if first == last else f"{first} to {last}"


def format_tick(memory: Memory, tick: int, *, hours: bool = True) -> str:
    """Format the date of a tick, else the day, with the time if steps are shorter than a day."""
    has_time = hours and memory.ticks_per_day > 1
    if memory.date_of is not None:
        date = memory.date_of(tick)
        return f"{date:%A %d %B %Y %H:%M}" if has_time else f"{date:%A %d %B %Y}"
    day, second = memory.day_and_second(tick)
    minutes = second // 60
    return f"day {day}, {minutes // 60:02}:{minutes % 60:02}" if has_time else f"day {day}"


def _input(query: str) -> tuple[Line, ...]:
    return (Line(query, query),) if query else ()
