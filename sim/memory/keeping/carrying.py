"""Copy the memory of one agent to an agent of another memory or society."""

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.errors import ParameterError, StateError
from memopolis.sim.memory.layers import entries
from memopolis.sim.memory.streams.side_columns import width_of

if TYPE_CHECKING:
    from memopolis.sim.memory.interface import Memory
    from memopolis.sim.memory.views import AgentMemory


def carry(
    source: "AgentMemory",
    target: "AgentMemory",
    *,
    actors: Mapping[int, int] | None = None,
    places: Mapping[int, int] | None = None,
) -> int:
    """Copy status and stream of one agent to an agent without memories.

    Texts, topics and tags are matched by their names, so the two memories may number them
    differently. Memories keep their ids and their age. Listeners are not called.

    Args:
        source: The agent to copy from; it does not change.
        target: The agent to copy to, in the same memory or another.
        actors: Target unique_id of each source unique_id; others become -1. None keeps all ids.
        places: Target index of each source place; others become -1. None keeps all indices.

    Returns:
        Number of copied memories.

    Raises:
        StateError: If the target has memories.
        ParameterError: If the limit of the target is below the number of memories.
    """
    old, new = source.memory, target.memory
    old.settle()
    new.settle()
    _check(source, target)
    _carry_status(source, target)
    entries.convert_times(new, target.row, partial(_moved, old, new))
    slots, _ = old.streams.live(np.array([source.row]))
    if not len(slots):
        return 0
    lived = old.streams.all_at(slots)
    carried = _carried(old, new, lived, actors, places)
    following = int(old.streams.next[source.row])
    ids = np.arange(following - len(slots), following, dtype=np.int32)
    rows = np.full(len(slots), target.row)
    new.streams.append(rows, ids, carried)
    new.issued[target.row] = following
    new.streams.forgets |= old.streams.forgets
    if new.store is not None:
        new.store.queue(changed=[(rows, ids)])
    _carry_sides(source, target, slots, new.streams.slots(rows, ids))
    return int(new.streams.counts(target.row))


def _check(source: "AgentMemory", target: "AgentMemory") -> None:
    old, new = source.memory, target.memory
    if new.issued[target.row]:
        raise StateError(
            f"agent {target.unique_id} has memories already; a memory is carried to who has none"
        )
    if old.streams.spans(source.row) > new.streams.limit:
        raise ParameterError(
            f"an agent of the target keeps {new.streams.limit} memories, "
            f"{old.streams.spans(source.row)} were to be carried"
        )


def _carried(
    old: "Memory",
    new: "Memory",
    lived: Mapping[str, NDArray[Any]],
    actors: Mapping[int, int] | None,
    places: Mapping[int, int] | None,
) -> dict[str, NDArray[Any]]:
    """Return columns with the numbers of the target memory."""
    carried = dict(lived)
    carried["text"] = _mapped(lived["text"], lambda n: new.texts.intern(old.texts[n]))
    carried["topic"] = _mapped(lived["topic"], lambda n: new.topic_number(old.topics[n]))
    carried["tags"] = _mapped(lived["tags"], lambda n: new.tags.bits(old.tags.names(n)))
    if actors is not None:
        carried["actor"] = _mapped(lived["actor"], lambda n: actors.get(n, -1))
    if places is not None:
        carried["place"] = _mapped(lived["place"], lambda n: places.get(n, -1))
    for name in ("time", "accessed"):
        carried[name] = _moved(old, new, lived[name])
    return carried


def _moved(old: "Memory", new: "Memory", ticks: NDArray[Any]) -> NDArray[np.int32]:
    """Convert ticks to ticks of the target that are as long ago."""
    pace = new.ticks_per_day / old.ticks_per_day
    return (new.now - np.rint((old.now - ticks) * pace)).astype(np.int32)


def _mapped(values: NDArray[Any], new: Any) -> NDArray[Any]:
    distinct, back = np.unique(values, return_inverse=True)
    return np.array([new(int(value)) for value in distinct], values.dtype)[back]


def _carry_status(source: "AgentMemory", target: "AgentMemory") -> None:
    columns = source.memory.columns
    for name, a in columns.schema.attributes.items():
        if name not in target.memory.columns.arrays:
            target.memory.columns.declare(
                name, a.default, None if a.is_json else a.dtype, description=a.description,
                unit=a.unit, low=a.low, high=a.high, record=a.record, labels=a.labels,
                embed=a.embed, template=a.template,
            )  # fmt: skip
        target.memory.columns.write(name, target.row, columns.read(name, source.row))


def _carry_sides(
    source: "AgentMemory",
    target: "AgentMemory",
    slots: NDArray[np.int64],
    places: NDArray[np.int64],
) -> None:
    old, new = source.memory, target.memory
    sides = old.streams.sides
    for name, values in sides.memories.items():
        fill, width = sides.fills[name], width_of(values)
        column = new.streams.memory_column(name, values.dtype, fill=fill, width=width)
        column[places] = values[slots]
        if name == "updated":
            known = places[values[slots] != fill]
            column[known] = _moved(old, new, column[known])
    for name, values in sides.agents.items():
        fill, width = sides.fills[name], width_of(values)
        column = new.streams.agent_column(name, values.dtype, fill=fill, width=width)
        column[target.row] = values[source.row]
