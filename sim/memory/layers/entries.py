"""Summaries and key memories, entries that are stored in the status as JSON.

A summary covers ten consecutive memories. A key memory is a fact pinned by a user, or promoted from
a cluster that is often returned. Side columns store progress.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, cast

import numpy as np

from memopolis.sim.arguments import INT64, check_text, shown, whole_number
from memopolis.sim.arrays import Int32, Int64, Ints
from memopolis.sim.errors import ParameterError, UnknownNameError
from memopolis.sim.memory.interface import Memory
from memopolis.sim.memory.layers.writing import Passage, Writer, load_passage, write
from memopolis.sim.memory.night import clusters
from memopolis.sim.memory.night.cluster_columns import founders_by_row

Source = Literal["user", "auto"]

SUMMARIES = "summaries"
KEY_MEMORIES = "key_memories"

_DESCRIPTIONS = {
    SUMMARIES: "Summaries of past memories, oldest first",
    KEY_MEMORIES: "Facts that are always part of the context",
}
_TICKS = ("time", "since", "until")
# Most members of a cluster that its gist is written from: those nearest the centroid.
GIST_MEMBERS = 20

Entry = dict[str, Any]


def declare(memory: Memory, name: str) -> None:
    """Declare one of the two attributes unless it is declared."""
    if name not in memory._columns.schema.attributes:
        memory._columns.declare(name, [], description=_DESCRIPTIONS[name])


def read_entries(memory: Memory, row: int, name: str) -> list[Entry]:
    """Return a copy of an agent's entries; an agent without the attribute has none."""
    if not memory._columns.is_present(name, row):
        return []
    entries = cast("list[Entry]", memory._columns.read(name, row))
    return [dict(entry) for entry in entries]


def load_entries[T](kind: Callable[..., T], memory: Memory, row: int, name: str) -> list[T]:
    """Return an agent's entries as objects of the class `kind`."""
    entries = read_entries(memory, row, name)
    return [kind(**{**entry, "memories": tuple(entry["memories"])}) for entry in entries]


def write_entries(memory: Memory, row: int, name: str, entries: Sequence[Entry]) -> None:
    """Replace an agent's entries."""
    declare(memory, name)
    memory._columns.write(name, row, list(entries))


def convert_times(memory: Memory, row: int, convert: Callable[[Int64], Ints]) -> None:
    """Convert the ticks of an agent's entries to the clock of its new memory."""
    for name in (SUMMARIES, KEY_MEMORIES):
        entries = read_entries(memory, row, name)
        for entry in entries:
            names = [tick for tick in _TICKS if tick in entry]
            ticks = convert(np.array([entry[tick] for tick in names], np.int64))
            entry.update(zip(names, ticks.tolist(), strict=True))
        if entries:
            write_entries(memory, row, name, entries)


def summarised_to(memory: Memory) -> Int32:
    """Return the first id that no summary covers, by agent, int32, shape (agents,)."""
    return memory.streams.agent_column("summarised", np.int32)


@dataclass(frozen=True, slots=True)
class Summary:
    """A summary of consecutive memories."""

    id: int  # id of the first memory it covers
    time: int  # tick at which it was written
    since: int  # tick of the oldest memory it covers
    until: int  # tick of the newest memory it covers
    text: str  # at most `LayerSettings.max_summary_length` characters
    memories: tuple[int, ...]  # ids of the memories it covers, some of which may have been evicted

    def __str__(self) -> str:
        return f"- {self.text}"


def summaries_due(memory: Memory, rows: Int64) -> tuple[Int64, Int64]:
    """Return each agent's first id that no summary covers, and how many are due, int64, (n,)."""
    streams = memory.streams
    starts = streams.oldest(rows).astype(np.int64)
    if streams.has_column("summarised"):
        starts = np.maximum(starts, summarised_to(memory)[rows])
    return starts, (streams.next[rows] - starts) // memory.layer_settings.summary_interval


def store_summary(memory: Memory, row: int, ids: Ints, text: str) -> None:
    """Store a summary of memories `ids`, unless empty; drop the oldest ones beyond the limit."""
    if not text:
        return
    times = memory.streams.get("time", row, ids[[0, -1]]).tolist()
    covered = tuple(int(number) for number in ids)
    summary = Summary(covered[0], memory.now, times[0], times[1], text, covered)
    others = [e for e in read_entries(memory, row, SUMMARIES) if e["id"] != summary.id]
    every = sorted([*others, asdict(summary)], key=lambda entry: int(entry["id"]))
    write_entries(memory, row, SUMMARIES, every[-memory.layer_settings.max_summaries :])


def summarise(memory: Memory, rows: Int64, writer: Writer) -> Int32:
    """Write every summary that is due; return their number by agent, all distinct, shape (n,)."""
    interval = memory.layer_settings.summary_interval
    starts, due = summaries_due(memory, rows)
    counts = np.zeros(len(rows), np.int32)
    for place in np.flatnonzero(due).tolist():
        row = int(rows[place])
        for block in range(int(due[place])):
            first = int(starts[place]) + block * interval
            passage = load_passage(memory, row, np.arange(first, first + interval), "summary")
            text = "" if passage is None else write(writer, passage)
            if passage is not None and text:
                store_summary(memory, row, passage.ids, text)
                counts[place] += 1
            # After each block, so that a writer that fails loses no earlier summary.
            summarised_to(memory)[row] = first + interval
    return counts


@dataclass(frozen=True, slots=True)
class KeyMemory:
    """One pinned fact."""

    id: int  # its id, unique among all key memories the agent ever had
    time: int  # tick at which it was pinned or last edited
    source: Source  # "user" if it was pinned, "auto" if it was promoted
    text: str  # its text
    # Ids of the memories it was promoted from; empty if it was pinned.
    memories: tuple[int, ...] = ()

    def __str__(self) -> str:
        return f"- {self.text}"


def key_memories(memory: Memory, row: int) -> list[KeyMemory]:
    """Return the key memories of one agent: pinned ones first, then promoted ones, each by id."""
    return load_entries(KeyMemory, memory, row, KEY_MEMORIES)


def pin(memory: Memory, row: int, text: str, source: Source, memories: Sequence[int] = ()) -> int:
    """Add a key memory to one agent; return its id."""
    fact = _checked(text)
    ids = memory.streams.agent_column("key_numbers", np.int32)  # id of the next one
    number = int(ids[row])
    new = KeyMemory(number, memory.now, source, fact, tuple(memories))
    _store(memory, row, [*key_memories(memory, row), new])
    ids[row] = number + 1
    return number


def edit(memory: Memory, row: int, number: int, text: str) -> None:
    """Replace the text of a key memory of one agent."""
    fact = _checked(text)
    number = whole_number("number", number, least=INT64[0], most=INT64[1])
    facts = {one.id: one for one in key_memories(memory, row)}
    if number not in facts:
        known = ", ".join(map(str, facts)) or "none"
        raise UnknownNameError(f"no key memory has the id {shown(number)}; there are: {known}")
    facts[number] = replace(facts[number], time=memory.now, text=fact)
    _store(memory, row, list(facts.values()))


def promotions_due(memory: Memory, rows: Int64) -> tuple[Int64, Int64]:
    """Find clusters with enough hits to promote: index into `rows` and number, shape (m,)."""
    settings = memory.layer_settings
    places, numbers = np.nonzero(clusters.hits_of(memory, rows) > settings.hit_threshold)
    if not len(places):
        return places, numbers
    founders = founders_by_row(memory.streams, settings.max_clusters)[rows[places], numbers]
    due = _promoted(memory)[rows[places], numbers] != founders
    return places[due], numbers[due]


def gist_passage(memory: Memory, row: int, number: int) -> Passage | None:
    """Load the members of a cluster that its gist is written from; None if there are none."""
    every = clusters.clusters_of(memory, row, observed=True)
    ids = next((np.asarray(one.ids) for one in every if one.number == number), None)
    passage = None if ids is None else load_passage(memory, row, ids, "gist")
    if passage is None or len(passage.memories) <= GIST_MEMBERS:
        return passage
    nearest = np.argsort(-passage.centrality, kind="stable")[:GIST_MEMBERS]
    return load_passage(memory, row, passage.ids[np.sort(nearest)], "gist")


def store_gist(memory: Memory, row: int, number: int, ids: Ints, text: str) -> None:
    """Pin the gist of a cluster, written from members `ids`, unless empty; mark it as promoted."""
    founders = founders_by_row(memory.streams, memory.layer_settings.max_clusters)
    _promoted(memory)[row, number] = founders[row, number]
    if text:
        pin(memory, row, text, "auto", ids.tolist())


def promote(memory: Memory, rows: Int64, writer: Writer) -> Int32:
    """Promote every cluster that is due; return the number by agent, shape (n,)."""
    counts = np.zeros(len(rows), np.int32)
    places, numbers = promotions_due(memory, rows)
    # An agent that is in a cohort twice gets a key memory once.
    _, once = np.unique(rows[places] << 32 | numbers, return_index=True)
    for place, number in zip(places[once].tolist(), numbers[once].tolist(), strict=True):
        row = int(rows[place])
        passage = gist_passage(memory, row, number)
        if passage is not None:
            store_gist(memory, row, number, passage.ids, write(writer, passage))
            counts[place] += 1
    return counts


def _promoted(memory: Memory) -> Int32:
    """Return the founder of the cluster last promoted under each cluster number, -1 for none.

    Cluster numbers are reused, founders are not: so each cluster is promoted once, even if its key
    memory is deleted later. int32, shape (agents, max_clusters).
    """
    width = memory.layer_settings.max_clusters
    column = memory.streams.agent_column("promoted", np.int32, fill=-1, width=width)
    return column.reshape(-1, width)


def _checked(text: Any) -> str:
    check_text("text", text)
    if not text.strip():
        raise ParameterError(f"text is {shown(text)}; a text that is not blank is needed")
    return str(text.strip())


def _store(memory: Memory, row: int, facts: list[KeyMemory]) -> None:
    order = sorted(facts, key=lambda fact: (fact.source != "user", fact.id))
    write_entries(memory, row, KEY_MEMORIES, [asdict(fact) for fact in order])
