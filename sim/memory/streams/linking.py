"""Linking memories to the thoughts they led to."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.errors import ParameterError
from memopolis.sim.memory.streams import encoding
from memopolis.sim.memory.streams.adding import Text, add, text_numbers
from memopolis.sim.memory.streams.pending import Added
from memopolis.sim.memory.streams.stream import THOUGHT

if TYPE_CHECKING:
    from memopolis.sim.memory.memory import Memory

IntArray = NDArray[np.int64]

TOPIC = "cognition"
"""Topic of a thought that a link stores."""


def link(
    memory: "Memory",
    rows: IntArray,
    ids: IntArray,
    *,
    text: Text | None,
    to: IntArray | None,
    columns: Mapping[str, Any],
) -> NDArray[np.int32]:
    """Point memories at thoughts, storing those that are new to their agents.

    Args:
        memory: Where they are.
        rows: Rows of the agents, shape (n,), each once.
        ids: Ids of their memories, -1 for none, shape (n, k).
        text: Texts of the thoughts, one or one an agent; None if `to` names them.
        to: Ids of the thoughts, shape (n,).
        columns: What a new thought holds besides topic and text.

    Returns:
        Ids of the thoughts, shape (n,).
    """
    check_table(rows, ids)
    # A memory that comes later is not meant, however long the link waits.
    there = (ids >= 0) & (ids < memory.issued[rows][:, None])
    if text is None:
        thoughts = named_thoughts(memory, rows, to)
    else:
        numbers = np.broadcast_to(text_numbers(memory, text), rows.shape)
        thoughts = _held(memory, rows, numbers)
        new = np.flatnonzero(thoughts < 0)
        if len(new):
            told = of_new(memory, columns, new, len(rows))
            thoughts[new] = add(memory, rows[new], TOPIC, numbers[new], told)
    memory.pending.links.append(
        (
            np.broadcast_to(rows[:, None], ids.shape)[there],
            ids[there].astype(np.int32),
            np.broadcast_to(thoughts[:, None], ids.shape)[there],
        )
    )
    return thoughts


def check_table(rows: IntArray, ids: IntArray) -> None:
    """Refuse ids that do not have one row an agent.

    Raises:
        ParameterError: If they do not.
    """
    if ids.ndim != 2 or len(ids) != len(rows):
        raise ParameterError(f"ids have shape {ids.shape}; ({len(rows)}, k) is needed")


def named_thoughts(memory: "Memory", rows: IntArray, to: IntArray | None) -> NDArray[np.int32]:
    """Ids of thoughts given by id, one an agent.

    Raises:
        ParameterError: If one was never given to a memory of its agent.
    """
    thoughts = np.broadcast_to(np.asarray(to), rows.shape)
    if not ((thoughts >= 0) & (thoughts < memory.issued[rows])).all():
        raise ParameterError("a thought is named by the id of a memory of the agent")
    return thoughts.astype(np.int32)


def of_new(
    memory: "Memory", columns: Mapping[str, Any], new: NDArray[np.intp], agents: int
) -> dict[str, Any]:
    """What new thoughts hold, from columns of one value or one an agent.

    Raises:
        ParameterError: If a column is neither.
    """
    given = dict(columns)
    if "tags" in given:
        # Several names hold for all, so they are no values of one agent each.
        given["tags"] = encoding.tags(given["tags"], memory.tags)
    for name, values in given.items():
        many = isinstance(values, list | tuple) or (isinstance(values, np.ndarray) and values.ndim)
        if many and len(values) != agents:
            raise ParameterError(f"{name} has {len(values)} values; one or {agents} are needed")
    return {"kind": "thought"} | {name: part(values, new) for name, values in given.items()}


def part(values: Any, chosen: NDArray[np.intp]) -> Any:
    """Values of the agents at the chosen places, where there is one an agent."""
    if isinstance(values, np.ndarray) and values.ndim:
        return values[chosen]
    if isinstance(values, list | tuple):
        return [values[place] for place in chosen.tolist()]
    return values


def _held(memory: "Memory", rows: IntArray, numbers: NDArray[np.int32]) -> NDArray[np.int32]:
    """Ids of thoughts the agents hold, or that wait to be stored; -1 for new ones."""
    from memopolis.sim.memory.streams import stream_kernels

    memory.settle()
    streams = memory.streams
    found: NDArray[np.int32] = stream_kernels.find_thoughts(
        streams.view, streams.next, streams.limit, rows, numbers.astype(np.int32)
    )
    for waiting in memory.pending.waiting():
        _find_waiting(waiting, rows, numbers, found)
    return found


def _find_waiting(
    waiting: Added, rows: IntArray, numbers: NDArray[np.int32], found: NDArray[np.int32]
) -> None:
    thought = np.flatnonzero((waiting.kind & encoding.KIND_BITS) == THOUGHT)
    if not len(thought):
        return
    keys = waiting.rows[thought] << 32 | waiting.text[thought]
    order = np.argsort(keys, kind="stable")
    wanted = rows << 32 | numbers
    at = np.searchsorted(keys[order], wanted, side="right") - 1
    hit = (at >= 0) & (keys[order][np.maximum(at, 0)] == wanted)
    found[hit] = waiting.ids[thought[order[at[hit]]]]
