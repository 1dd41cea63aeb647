"""Key memories: facts pinned by a user, or promoted from a cluster that is often returned."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.errors import ParameterError, UnknownNameError
from memopolis.sim.memory.interface import Memory
from memopolis.sim.memory.layers.entries import (
    KEY_MEMORIES,
    load_entries,
    write_entries,
)
from memopolis.sim.memory.layers.writing import Passage, Writer, load_passage, write
from memopolis.sim.memory.night import clusters
from memopolis.sim.memory.night.cluster_columns import founders_by_row
from memopolis.sim.memory.text.texts import check_encodable

IntArray = NDArray[np.int64]
Source = Literal["user", "auto"]

# Most members of a cluster that its gist is written from: those nearest the centroid.
GIST_MEMBERS = 20


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
    facts = {one.id: one for one in key_memories(memory, row)}
    if number not in facts:
        known = ", ".join(map(str, facts)) or "none"
        raise UnknownNameError(f"no key memory has the id {number}; there are: {known}")
    facts[number] = replace(facts[number], time=memory.now, text=fact)
    _store(memory, row, list(facts.values()))


def promotions_due(memory: Memory, rows: IntArray) -> tuple[IntArray, IntArray]:
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


def store_gist(memory: Memory, row: int, number: int, ids: NDArray[np.integer], text: str) -> None:
    """Pin the gist of a cluster, written from members `ids`, unless empty; mark it as promoted."""
    founders = founders_by_row(memory.streams, memory.layer_settings.max_clusters)
    _promoted(memory)[row, number] = founders[row, number]
    if text:
        pin(memory, row, text, "auto", ids.tolist())


def promote(memory: Memory, rows: IntArray, writer: Writer) -> NDArray[np.int32]:
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


def _promoted(memory: Memory) -> NDArray[np.int32]:
    """Return the founder of the cluster last promoted under each cluster number, -1 for none.

    Cluster numbers are reused, founders are not: so each cluster is promoted once, even if its key
    memory is deleted later. int32, shape (agents, max_clusters).
    """
    width = memory.layer_settings.max_clusters
    column = memory.streams.agent_column("promoted", np.int32, fill=-1, width=width)
    return column.reshape(-1, width)


def _checked(text: Any) -> str:
    if not isinstance(text, str) or not text.strip():
        raise ParameterError(f"a key memory needs a text that is not blank, got {text!r}")
    check_encodable(text)
    return text.strip()


def _store(memory: Memory, row: int, facts: list[KeyMemory]) -> None:
    order = sorted(facts, key=lambda fact: (fact.source != "user", fact.id))
    write_entries(memory, row, KEY_MEMORIES, [asdict(fact) for fact in order])
