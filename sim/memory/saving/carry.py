"""Copy the memory of one agent to an agent of another memory or society."""

from collections.abc import Callable, Mapping
from functools import partial
from types import NoneType

import numpy as np

from memopolis.sim.arguments import check_type
from memopolis.sim.arrays import Array, Int32, Int64
from memopolis.sim.errors import ParameterError, StateError
from memopolis.sim.memory.interface import Memory
from memopolis.sim.memory.layers.key import convert_times
from memopolis.sim.memory.streams.side_columns import width_of
from memopolis.sim.memory.streams.stream import OCCASIONS
from memopolis.sim.memory.views.memories import AgentMemory

# Fields of an attribute that are copied to a memory without it.
_FACTS = ("description", "unit", "role", "low", "high", "record", "labels", "embed", "template")


def carry(
    source: AgentMemory,
    target: AgentMemory,
    *,
    actors: Mapping[int, int] | None = None,
    places: Mapping[int, int] | None = None,
) -> int:
    """Copy status and stream of one agent to an agent without memories; return their number.

    Texts, topics and tags are matched by their names, so the two memories may number them
    differently. Memories keep their ids and their age. Listeners are not called.

    Args:
        source: The agent to copy from; it does not change.
        target: The agent to copy to, in the same memory or another.
        actors: Target unique_id of each source unique_id; others become -1. None keeps all ids.
        places: Target index of each source place; others become -1. None keeps all indices.

    Raises:
        StateError: If the target has memories.
        ParameterError: If the limit of the target is below the number of memories.
    """
    for name, renumbered in (("actors", actors), ("places", places)):
        check_type(name, renumbered, (Mapping, NoneType), "a mapping or None")
    old, new = source.memory, target.memory
    # In the order of `locking`, so that threads that carry in both directions and forks never wait
    # for each other.
    first, second = sorted((old.lock, new.lock), key=id)
    with first, second:
        return _carry(source, target, actors, places)


def _carry(
    source: AgentMemory,
    target: AgentMemory,
    actors: Mapping[int, int] | None,
    places: Mapping[int, int] | None,
) -> int:
    old, new = source.memory, target.memory
    old.settle()
    new.settle()
    _check(source, target)
    _copy_status(source, target)
    convert_times(new, target.row, partial(_convert_ticks, old, new))
    slots, _ = old.streams.live(np.array([source.row]))
    if not len(slots):
        return 0
    columns = _translate_columns(old, new, old.streams.all_at(slots), actors, places)
    ids = old.streams.at("id", slots)
    rows = np.full(len(slots), target.row)
    new.streams.append(rows, ids, columns)
    new.streams.next[target.row] = new.issued[target.row] = old.streams.next[source.row]
    if new.store is not None:
        new.store.queue(changed=[(rows, ids)])
    _copy_side_columns(source, target, slots, new.streams.locate(rows, ids))
    return int(new.streams.count[target.row])


def _check(source: AgentMemory, target: AgentMemory) -> None:
    old, new = source.memory, target.memory
    if new.issued[target.row]:
        raise StateError(
            f"agent {target.unique_id} already has memories; copy to an agent that has none"
        )
    if old.streams.count[source.row] > new.streams.limit:
        raise ParameterError(
            f"the source has {old.streams.count[source.row]} memories, but an agent of the target "
            f"stores at most {new.streams.limit}"
        )


def _translate_columns(
    old: Memory,
    new: Memory,
    columns: Mapping[str, Array],
    actors: Mapping[int, int] | None,
    places: Mapping[int, int] | None,
) -> dict[str, Array]:
    """Return columns with the numbers of the target memory."""
    new_values: dict[str, Callable[[int], int]] = {
        "text": lambda n: new.texts.intern(old.texts[n]),
        "topic": lambda n: new.topic_number(old.topics[n]),
        "tags": lambda n: new.tags.bits(old.tags.names(n)),
    }
    if actors is not None:
        new_values["actor"] = lambda n: actors.get(n, -1)
    if places is not None:
        new_values["place"] = lambda n: places.get(n, -1)
    translated = {}
    for name, value in new_values.items():
        distinct, back = np.unique(columns[name], return_inverse=True)
        values = [value(number) for number in distinct.tolist()]
        translated[name] = np.array(values, columns[name].dtype)[back]
    times = {name: _convert_ticks(old, new, columns[name]) for name in ("time", "accessed")}
    return {**columns, **translated, **times}


def _convert_ticks(old: Memory, new: Memory, ticks: Array) -> Int32:
    """Convert ticks to ticks of the target that are as long ago."""
    pace = new.ticks_per_day / old.ticks_per_day
    return (new.now - np.rint((old.now - ticks) * pace)).astype(np.int32)


def _copy_status(source: AgentMemory, target: AgentMemory) -> None:
    columns = source.memory._columns
    for name in columns.names(source.row):
        a = columns.schema.attributes[name]
        if name not in target.memory._columns.schema.attributes:
            target.memory._columns.declare(
                name, a.default, None if a.is_json else a.dtype, optional=True,
                **{fact: getattr(a, fact) for fact in _FACTS},
            )  # fmt: skip
        target.memory._columns.write(name, target.row, columns.read(name, source.row))


def _copy_side_columns(
    source: AgentMemory,
    target: AgentMemory,
    slots: Int64,
    places: Int64,
) -> None:
    old, new = source.memory, target.memory
    sides = old.streams.sides
    if old.streams.merges:
        times, since = old.streams.occasions(slots)
        merged = (times > 1) | (since != old.streams.at("time", slots))
        first = _convert_ticks(old, new, since[merged])
        new.streams.put_occasions(places[merged], times[merged], first)
    for name, values in sides.memories.items():
        if name in OCCASIONS:
            continue
        fill, width = sides.fills[name], width_of(values)
        column = new.streams.memory_column(name, values.dtype, fill=fill, width=width)
        column[places] = values[slots]
        if name == "updated":
            updated = places[values[slots] != fill]
            column[updated] = _convert_ticks(old, new, column[updated])
    for name, values in sides.agents.items():
        fill, width = sides.fills[name], width_of(values)
        column = new.streams.agent_column(name, values.dtype, fill=fill, width=width)
        column[target.row] = values[source.row]
