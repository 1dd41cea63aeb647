"""Policies: how the memories of a context are chosen; by layers, or in three plainer ways.

The three plain ones are baselines to compare with. All of them stand above the present input
and are cut to the same budget.
"""

from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.errors import ParameterError
from memopolis.sim.memory.layers.context import Draft, Line, Part
from memopolis.sim.memory.layers.key import key_memories
from memopolis.sim.memory.layers.long import LongTerm, Summary
from memopolis.sim.memory.layers.mid import Matches
from memopolis.sim.memory.layers.short import newest
from memopolis.sim.memory.streams.recollection import Recollection
from memopolis.sim.memory.streams.telling import tell

if TYPE_CHECKING:
    from memopolis.sim.memory.memory import Memory

Policy = Literal["layers", "full history", "sliding window", "random"]

POLICIES: tuple[Policy, ...] = ("layers", "full history", "sliding window", "random")
"""Ways to choose the memories of a context."""


def checked_policy(policy: str) -> str:
    """Check the name of a policy.

    Raises:
        ParameterError: If there is no such policy.
    """
    if policy not in POLICIES:
        raise ParameterError(f"policy is {policy!r}; allowed are {', '.join(map(repr, POLICIES))}")
    return policy


def by_layers(memory: "Memory", row: int, query: str, found: Matches, most: int) -> Draft:
    """Key memories, summaries, clusters that match, the newest memories, the input.

    Without room first goes the mid term (what fits the query least before what fits it best),
    then the older summaries, then the oldest of the short term;
    key memories and the input never.

    Args:
        memory: Where the memories are.
        row: Row of the agent.
        query: The present input.
        found: What of the mid term matches it.
        most: Most memories of the mid term that are written out.
    """
    settings = memory.layer_settings
    size = settings.long_term_size
    summaries = list(LongTerm(memory, row))[-size:] if size else []
    short = newest(memory, np.array([row]), settings.short_term_size)[0]
    key = tuple(Line(f"- {one.text}", one.text, one.memories) for one in key_memories(memory, row))
    long = tuple(_summary_line(memory, one) for one in reversed(summaries))
    mid, least = _mid_lines(memory, row, found, most)
    recent = _lines(memory, row, short[short >= 0])
    parts = (
        Part("key", key), Part("long", long), Part("mid", mid), Part("short", recent),
        Part("input", _input(query)),
    )  # fmt: skip
    drops = (
        *((2, at) for at in least),
        *((1, at) for at in reversed(range(len(long)))),
        *((3, at) for at in range(len(recent))),
    )
    return Draft(parts, drops, more=len(found.best) > most)


def by_history(memory: "Memory", row: int, query: str, policy: str, most: int) -> Draft:
    """Memories without layers, in the order of time.

    "full history" is everything and "sliding window" the newest `short_term_size`, of both
    the oldest goes first; of "random" goes what memory's chance ranks last.

    Args:
        memory: Where the memories are.
        row: Row of the agent.
        query: The present input.
        policy: One of the three names.
        most: Most memories that are written out.
    """
    window = memory.layer_settings.short_term_size
    size = window if policy == "sliding window" else memory.streams.limit
    ids = newest(memory, np.array([row]), size)[0]
    ids = ids[ids >= 0].astype(np.int64)
    if policy == "random":
        ranks = _drawn(memory, row, ids)
        chosen = np.sort(np.argsort(ranks, kind="stable")[:most])
        order = np.argsort(-ranks[chosen], kind="stable")
    else:
        chosen = np.arange(len(ids))[-most:]
        order = np.arange(len(chosen))
    lines = _lines(memory, row, ids[chosen])
    parts = (Part("history", lines), Part("input", _input(query)))
    return Draft(parts, tuple((0, at) for at in order.tolist()), more=len(ids) > most)


def _drawn(memory: "Memory", row: int, ids: NDArray[np.int64]) -> NDArray[np.float32]:
    """A number of 0..1 for each memory, anew at each tick: the smallest are chosen."""
    from memopolis.sim.memory.retrieval import kernels

    draws: NDArray[np.float32] = kernels.draws(
        np.full(len(ids), row, np.int64), memory.now, ids, memory.luck
    )
    return draws


def _mid_lines(
    memory: "Memory", row: int, found: Matches, most: int
) -> tuple[tuple[Line, ...], list[int]]:
    """Lines of the clusters, each in the order of time; and their places, least fitting first."""
    rank = {number: place for place, number in enumerate(found.best[:most])}
    ids = [number for members in found.clusters for number in members if number in rank]
    lines = _lines(memory, row, np.array(ids, np.int64))
    return lines, sorted(range(len(ids)), key=lambda at: -rank[ids[at]])


def _lines(memory: "Memory", row: int, ids: NDArray[np.integer]) -> tuple[Line, ...]:
    told = tell(memory, row, ids.tolist())
    return tuple(_memory_line(memory, one) for one in told)


def _memory_line(memory: "Memory", one: Recollection) -> Line:
    when = f"day {one.day}"
    if memory.ticks_per_day > 1:
        minutes = one.second // 60
        when = f"{when}, {minutes // 60:02}:{minutes % 60:02}"
    said = " ".join(one.text.splitlines())
    return Line(f"- {when}: {said}", said, (one.id,))


def _summary_line(memory: "Memory", one: Summary) -> Line:
    first, _ = memory.day_and_second(one.since)
    last, _ = memory.day_and_second(one.until)
    when = f"day {first}" if first == last else f"days {first} to {last}"
    return Line(f"- {when}: {one.text}", one.text, one.memories)


def _input(query: str) -> tuple[Line, ...]:
    return (Line(query, query),) if query else ()
