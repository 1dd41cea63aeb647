"""Some memories taken out of Qdrant and laid on a desk: a small memory in arrays.

Whatever is worked out from memories (scores, days, texts written out) is worked out there,
by the same code as everywhere.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.memory.qdrant.payload import GONE, Payload, columns_of
from memopolis.sim.memory.streams.stream import CONTINUES

if TYPE_CHECKING:
    from memopolis.sim.memory.memory import Memory

RULES = (
    "now", "ticks_per_day", "day_offset", "names", "date_of", "name_of", "place_name", "profiles",
    "consolidation", "extractor", "threads",
)  # fmt: skip
"""What a desk takes over from the memory whose rules hold."""

_NOTHING: Payload = GONE | {
    "time": 0, "accessed": 0, "accesses": 0, "actor": -1, "place": -1, "thought": -1,
    "valence": 0, "confidence": 0, "topic": "", "emotion": "", "tags": [],
}  # fmt: skip


class Desk:
    """Some memories of some agents, numbered anew in order of their ids.

    Args:
        rules: Memory whose clock, names and profiles hold.
        found: Payloads of each agent's memories, in any order.

    Attributes:
        memory: They as a memory, a row an agent.
        ids: Ids of each agent's memories, rising; the place is the id on the desk.
    """

    def __init__(self, rules: "Memory", found: Sequence[Sequence[Payload]]) -> None:
        ordered = [sorted(one, key=lambda payload: payload["id"]) for one in found]
        self.ids = [np.array([p["id"] for p in one], np.int64) for one in ordered]
        self.memory = _empty(rules, len(found), max(map(len, found), default=0))
        rows = np.repeat(np.arange(len(found)), [len(one) for one in found])
        if not len(rows):
            return
        numbers = np.concatenate([np.arange(len(one)) for one in found]).astype(np.int32)
        columns = columns_of(self.memory, [p for one in ordered for p in one])
        self._renumber(columns, rows)
        _store(self.memory, rows, numbers, columns)

    def _renumber(self, columns: dict[str, NDArray[Any]], rows: NDArray[np.int64]) -> None:
        """Let links name places on the desk, and memories go on only from those beside them."""
        real = np.concatenate(self.ids)
        key = rows << 32 | real
        thought = rows << 32 | np.maximum(columns["thought"], 0)
        at = np.minimum(np.searchsorted(key, thought), len(key) - 1)
        there = (columns["thought"] >= 0) & (key[at] == thought)
        begins = np.searchsorted(rows, rows)
        columns["thought"] = np.where(there, at - begins, -1).astype(np.int32)
        alone = np.diff(key, prepend=-2) != 1
        columns["kind"][alone] &= np.uint8(255 - CONTINUES)

    def real(self, local: NDArray[np.integer[Any]]) -> NDArray[np.int32]:
        """Ids of memories by place on the desk, -1 for none, shape (agents, k)."""
        ids = np.full(local.shape, -1, np.int32)
        for row, places in enumerate(local):
            there = places >= 0
            ids[row, there] = self.ids[row][places[there]]
        return ids


def whole(rules: "Memory", rows: Sequence[int], found: Sequence[Sequence[Payload]]) -> "Memory":
    """Whole streams as a memory in arrays, with their own ids.

    Args:
        rules: Memory whose clock, names and profiles hold, and that gave out the ids.
        rows: Rows of the agents.
        found: Payloads of all their memories; one that is missing counts as forgotten.
    """
    memory = _empty(rules, len(rows), rules.streams.limit)
    memory.topics[:] = rules.topics
    memory.topic_numbers = dict(rules.topic_numbers)
    for place, (row, given) in enumerate(zip(rows, found, strict=True)):
        following = int(rules.issued[row])
        first = max(following - rules.streams.limit, 0)
        by_id = {payload["id"]: payload for payload in given}
        numbers = np.arange(first, following, dtype=np.int32)
        if len(numbers):
            held = [by_id.get(number, _NOTHING) for number in numbers.tolist()]
            columns = columns_of(memory, held)
            _store(memory, np.full(len(numbers), place), numbers, columns)
    return memory


def _empty(rules: "Memory", agents: int, limit: int) -> "Memory":
    from memopolis.sim.memory.memory import Memory
    from memopolis.sim.memory.streams.tags import TagNames

    memory = Memory(agents, limit=max(limit, 1), embedder=rules.embedder)
    for name in RULES:
        setattr(memory, name, getattr(rules, name))
    memory.tags = TagNames(rules.tags.all)
    return memory


def _store(
    memory: "Memory",
    rows: NDArray[np.int64],
    ids: NDArray[np.int32],
    columns: dict[str, NDArray[Any]],
) -> None:
    from memopolis.sim.memory.streams.stream import FORGOTTEN

    memory.streams.append(rows, ids, columns)
    memory.streams.forgets |= bool((columns["kind"] & FORGOTTEN).any())
    memory.issued = memory.streams.next.copy()
