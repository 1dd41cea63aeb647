"""Writing to the collection: adding, linking, forgetting, and booking what was recalled."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.memory.qdrant.desk import whole
from memopolis.sim.memory.qdrant.payload import columns_of, payloads, point_id
from memopolis.sim.memory.qdrant.store import Ask
from memopolis.sim.memory.streams import adding, forgetting, linking
from memopolis.sim.memory.streams.pending import Added
from memopolis.sim.memory.streams.stream import COLUMNS

if TYPE_CHECKING:
    from memopolis.sim.memory.qdrant.memory import QdrantMemory

IntArray = NDArray[np.int64]
MOST_ACCESSES = 255

_TOLD = (
    "text", "importance", "kind", "actor", "time", "place", "tags", "valence", "confidence",
    "topic", "emotion",
)  # fmt: skip
"""Columns that a new memory is told."""


def add(
    memory: "QdrantMemory",
    rows: IntArray,
    topic: str,
    text: adding.Text,
    columns: Mapping[str, Any],
) -> NDArray[np.int32]:
    """Store one memory of each row; arguments as in `CohortStream.add`.

    What goes over the limit is deleted after the new memory is there, and is never found in
    between: searches ask for ids from the oldest that counts.
    """
    issued = memory.rules.issued.copy()
    try:
        ids = adding.add(memory.rules, rows, topic, text, columns)
        _put(memory, memory.rules.pending.take())
    except Exception:
        # Nothing was added, so no id was given; what did arrive is replaced by the next.
        memory.rules.issued = issued
        raise
    memory.tidy()
    return ids


def _put(memory: "QdrantMemory", added: Added | None) -> None:
    """Store new memories, then delete what they push out."""
    if added is None:
        return
    vectors = memory.unit_vectors([memory.rules.texts[n] for n in added.text.tolist()])
    fields = _fields(added)
    memory.store.put(payloads(memory.rules, added.rows, added.ids, fields), vectors)
    evicted = added.ids.astype(np.int64) - memory.rules.streams.limit
    there = evicted >= 0
    memory.store.drop(point_id(added.rows[there], evicted[there]).tolist())


def _fields(added: Added) -> dict[str, NDArray[Any]]:
    """Columns of new memories: recalled never, and led to nothing yet."""
    size = len(added)
    return {name: getattr(added, name) for name in _TOLD} | {
        "accessed": added.time,
        "accesses": np.zeros(size, np.uint8),
        "thought": np.full(size, -1, np.int32),
    }


def link(
    memory: "QdrantMemory",
    rows: IntArray,
    ids: IntArray,
    *,
    text: adding.Text | None,
    to: IntArray | None,
    columns: Mapping[str, Any],
) -> NDArray[np.int32]:
    """Point memories at thoughts; arguments as in `CohortStream.link`."""
    linking.check_table(rows, ids)
    if text is None:
        thoughts = linking.named_thoughts(memory.rules, rows, to)
    else:
        thoughts = _thoughts(memory, rows, text, columns)
    _change(memory, rows, ids, lambda place, _: {"thought": int(thoughts[place])})
    return thoughts


def _thoughts(
    memory: "QdrantMemory", rows: IntArray, text: adding.Text, columns: Mapping[str, Any]
) -> NDArray[np.int32]:
    """Ids of thoughts the agents hold or that are stored now."""
    numbers = np.broadcast_to(adding.text_numbers(memory.rules, text), rows.shape)
    said = [memory.rules.texts[number] for number in numbers.tolist()]
    thoughts = np.full(len(rows), -1, np.int32)
    for place, (row, words) in enumerate(zip(rows.tolist(), said, strict=True)):
        held = Ask(row, int(memory.first(row)), match=(("kind", "thought"), ("text", words)))
        thoughts[place] = max((one["id"] for one in memory.store.all(held)), default=-1)
    new = np.flatnonzero(thoughts < 0)
    if len(new):
        told = linking.of_new(memory.rules, columns, new, len(rows))
        texts = linking.part(said, new)
        thoughts[new] = add(memory, rows[new], linking.TOPIC, texts, told)
    return thoughts


def book(memory: "QdrantMemory", rows: IntArray, ids: NDArray[np.int32]) -> None:
    """Note that agents recalled memories: once each, now."""

    def accessed(_: int, kept: Mapping[str, Any]) -> dict[str, int]:
        return {
            "accessed": memory.rules.now,
            "accesses": min(kept["accesses"] + 1, MOST_ACCESSES),
        }

    _change(memory, rows, ids, accessed)


def _change(memory: "QdrantMemory", rows: IntArray, ids: NDArray[Any], write: Any) -> None:
    """Write columns of those memories that are there, each once."""
    owners = {
        point_id(row, number): place
        for place, (row, line) in enumerate(zip(rows.tolist(), ids.tolist(), strict=True))
        for number in line
        if memory.holds(row, number)
    }
    if owners:
        held = memory.store.get(list(owners))
        named = [(point_id(one["row"], one["id"]), one) for one in held if not one["forgotten"]]
        memory.store.change([(point, write(owners[point], one)) for point, one in named])


def forget(
    memory: "QdrantMemory",
    rows: IntArray,
    ids: IntArray | None,
    *,
    older_than: float | None,
    below: float | None,
    topic: str | None,
) -> NDArray[np.int32]:
    """Forget memories; arguments as in `CohortStream.forget`. Whole streams are read for it."""
    listed = rows.tolist()
    found = [list(memory.store.all(Ask(row, int(memory.first(row))))) for row in listed]
    streams = whole(memory.rules, listed, found)
    places = np.arange(len(rows))
    before = [streams.streams.holds(place, _ids(one)) for place, one in enumerate(found)]
    counts = forgetting.forget(
        streams, places, ids, older_than=older_than, below=below, topic=topic
    )
    gone = []
    for place, one in enumerate(found):
        lost = before[place] & ~streams.streams.holds(place, _ids(one))
        gone += [point_id(listed[place], number) for number in _ids(one)[lost].tolist()]
    memory.store.blank(gone)
    return counts


def _ids(found: list[dict[str, Any]]) -> IntArray:
    return np.array([one["id"] for one in found], np.int64)


def counts(memory: "QdrantMemory", rows: IntArray) -> NDArray[np.int32]:
    """How many memories each agent holds, shape (n,)."""
    held = [memory.store.count(Ask(row, int(memory.first(row)))) for row in rows.tolist()]
    return np.array(held, np.int32)


def found(
    memory: "QdrantMemory", name: str, rows: IntArray, ids: IntArray
) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """A column at memories that may be gone, as `Streams.found`."""
    values = np.zeros(ids.shape, COLUMNS[name])
    there = np.zeros(ids.shape, np.bool_)
    for place, row in enumerate(rows.tolist()):
        named = [point_id(row, n) for n in ids[place].tolist() if memory.holds(row, n)]
        held = [one for one in memory.store.get(named) if not one["forgotten"]] if named else []
        column = columns_of(memory.rules, held)[name] if held else values[:0, 0]
        for one, value in zip(held, column, strict=True):
            mine = ids[place] == one["id"]
            values[place, mine], there[place, mine] = value, True
    return values, there
