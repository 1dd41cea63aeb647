"""Link memories to the thoughts they led to."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.errors import ParameterError
from memopolis.sim.memory.streams import encoding
from memopolis.sim.memory.streams.adding import Text, add, text_numbers
from memopolis.sim.memory.streams.layout import THOUGHT
from memopolis.sim.memory.streams.pending import Added

if TYPE_CHECKING:
    from memopolis.sim.memory.interface import Memory

IntArray = NDArray[np.int64]

TOPIC = "cognition"
"""Topic of the thoughts that links add."""


def link(
    memory: "Memory",
    rows: IntArray,
    ids: IntArray,
    *,
    text: Text | None,
    to: IntArray | None,
    columns: Mapping[str, Any],
) -> NDArray[np.int32]:
    """Link memories to thoughts, adding those that are new to their agents.

    Args:
        memory: Memory of the agents.
        rows: Rows of the agents, shape (n,), each once.
        ids: Ids of their memories, -1 for none, shape (n, k).
        text: Texts of the thoughts, one or one per agent; None if `to` gives their ids.
        to: Ids of the thoughts, shape (n,).
        columns: Further values of new thoughts.

    Returns:
        Ids of the thoughts, shape (n,).
    """
    check_table(rows, ids)
    # Memories added later are not linked, however long the link stays queued.
    exists = (ids >= 0) & (ids < memory.issued[rows][:, None])
    if text is None:
        thoughts = named_thoughts(memory, rows, to)
    else:
        numbers = np.broadcast_to(text_numbers(memory, text), rows.shape)
        thoughts = _held(memory, rows, numbers)
        new = np.flatnonzero(thoughts < 0)
        if len(new):
            arguments = of_new(memory, columns, new, len(rows))
            thoughts[new] = add(memory, rows[new], TOPIC, numbers[new], arguments)
    memory.pending.links.append(
        (
            np.broadcast_to(rows[:, None], ids.shape)[exists],
            ids[exists].astype(np.int32),
            np.broadcast_to(thoughts[:, None], ids.shape)[exists],
        )
    )
    return thoughts


def check_table(rows: IntArray, ids: IntArray) -> None:
    """Check that ids have one row per agent.

    Raises:
        ParameterError: If they have another shape.
    """
    if ids.ndim != 2 or len(ids) != len(rows):
        raise ParameterError(f"ids have shape {ids.shape}; ({len(rows)}, k) is needed")


def named_thoughts(memory: "Memory", rows: IntArray, to: IntArray | None) -> NDArray[np.int32]:
    """Check ids of thoughts and return one per agent.

    Raises:
        ParameterError: If an id does not belong to a memory of its agent.
    """
    thoughts = np.broadcast_to(np.asarray(to), rows.shape)
    if not ((thoughts >= 0) & (thoughts < memory.issued[rows])).all():
        raise ParameterError("a thought must be the id of a memory of the agent")
    return thoughts.astype(np.int32)


def of_new(
    memory: "Memory", columns: Mapping[str, Any], new: NDArray[np.intp], agents: int
) -> dict[str, Any]:
    """Return the columns of new thoughts, from columns with one value or one per agent.

    Raises:
        ParameterError: If a column has another number of values.
    """
    new_columns = dict(columns)
    if "tags" in new_columns:
        # Several names apply to all agents: they are not one value per agent.
        new_columns["tags"] = encoding.tags(new_columns["tags"], memory.tags)
    for name, values in new_columns.items():
        many = isinstance(values, list | tuple) or (isinstance(values, np.ndarray) and values.ndim)
        if many and len(values) != agents:
            raise ParameterError(f"{name} has {len(values)} values; one or {agents} are needed")
    return {"kind": "thought"} | {name: part(values, new) for name, values in new_columns.items()}


def part(values: Any, chosen: NDArray[np.intp]) -> Any:
    """Return the values of the chosen agents, if there is one value per agent."""
    if isinstance(values, np.ndarray) and values.ndim:
        return values[chosen]
    if isinstance(values, list | tuple):
        return [values[place] for place in chosen.tolist()]
    return values


def _held(memory: "Memory", rows: IntArray, numbers: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return the ids of thoughts that agents have or that are queued, -1 for new ones."""
    from memopolis.sim.memory.streams import stream_kernels

    memory.settle()
    streams = memory.streams
    thoughts: NDArray[np.int32] = stream_kernels.find_thoughts(
        streams.view, streams.next, streams.limit, rows, numbers.astype(np.int32)
    )
    for waiting in memory.pending.waiting():
        _find_waiting(waiting, rows, numbers, thoughts)
    return thoughts


def _find_waiting(
    waiting: Added, rows: IntArray, numbers: NDArray[np.int32], thoughts: NDArray[np.int32]
) -> None:
    thought = np.flatnonzero((waiting.kind & encoding.KIND_BITS) == THOUGHT)
    if not len(thought):
        return
    keys = waiting.rows[thought] << 32 | waiting.text[thought]
    order = np.argsort(keys, kind="stable")
    searched = rows << 32 | numbers
    at = np.searchsorted(keys[order], searched, side="right") - 1
    hit = (at >= 0) & (keys[order][np.maximum(at, 0)] == searched)
    thoughts[hit] = waiting.ids[thought[order[at[hit]]]]
