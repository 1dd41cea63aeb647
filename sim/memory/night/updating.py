"""Change a stored memory: its text, its topic, or how it is rated."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, cast

import numpy as np

from memopolis.sim.arguments import INT64, shown, whole_number
from memopolis.sim.arrays import Int64
from memopolis.sim.errors import ParameterError, UnknownNameError
from memopolis.sim.memory.interface import Memory
from memopolis.sim.memory.night.related import relate_again
from memopolis.sim.memory.streams import encoding
from memopolis.sim.memory.streams.cluster_columns import (
    NONE,
    STALE,
    cluster_numbers,
    cluster_shares,
)

if TYPE_CHECKING:
    from memopolis.sim.memory.streams.encoding import Tags

_FIELDS = ("text", "topic", "importance", "valence", "confidence", "tags")


def update(memory: Memory, row: int, number: int, values: Mapping[str, object]) -> None:
    """Change a memory at once, and record the tick; as `AgentStream.update`."""
    if not values or not values.keys() <= {*_FIELDS}:
        raise ParameterError(f"update takes {', '.join(_FIELDS)}, given {shown(list(values))}")
    memory.settle()
    streams = memory.streams
    number = whole_number("number", number, least=INT64[0], most=INT64[1])
    slots = streams.locate(np.array([row]), np.array([number]))
    if slots[0] < 0:
        raise UnknownNameError(f"the agent has no memory {shown(number)}")
    encoded = {name: _encode(memory, name, value) for name, value in values.items()}
    for name, code in (_read_again(memory, slots, encoded) | encoded).items():
        streams.put(name, slots, code)
    record_update(memory, slots)
    if "text" in values:
        relate_again(memory, row, number)
    if memory.store is not None:
        memory.store.queue(changed=[(np.array([row]), np.array([number]))])
        memory.store.send(memory)


def _encode(memory: Memory, name: str, value: object) -> int:
    """Encode a value of a field, which the called functions check."""
    match name:
        case "text":
            return memory.texts.intern(cast("str", value))
        case "topic":
            return memory.topic_number(cast("str", value))
        case "tags":
            return memory.tags.bits(cast("Tags", value))
        case _:
            code = np.asarray(encoding.share(name, value))
            if code.ndim:
                raise ParameterError(f"{name} is {shown(value)}; one value is needed")
            return int(code)


def _read_again(memory: Memory, slots: Int64, new: Mapping[str, int]) -> dict[str, int]:
    """Read tags and valence again from a new text or topic; what was given before stays.

    Tags that only the old text or topic has are removed, those that only the new one has are added.
    The valence changes if it is the one that was read from the old text.
    """
    if memory.extractor is None or not new.keys() & {"text", "topic"}:
        return {}
    names = ("topic", "time", "text", "tags", "valence")
    topic, time, text, tags, valence = (int(memory.streams.at(n, slots)[0]) for n in names)
    old_tags, old_valence = memory.extractor.read_one(memory, topic, time, text)
    topic, text = new.get("topic", topic), new.get("text", text)
    new_tags, new_valence = memory.extractor.read_one(memory, topic, time, text)
    again = {"tags": tags & ~(old_tags & ~new_tags) | new_tags & ~old_tags}
    return again | ({"valence": new_valence} if valence == old_valence else {})


def record_update(memory: Memory, slots: Int64) -> None:
    """Record that memories were updated now, by slot."""
    streams = memory.streams
    streams.memory_column("updated", np.int32, fill=-1)[slots] = memory.now
    if streams.has_column("cluster"):
        # The centroid of its cluster changes; the next pass computes it.
        members = slots[cluster_numbers(streams)[slots] != NONE]
        cluster_shares(streams)[members] = STALE
