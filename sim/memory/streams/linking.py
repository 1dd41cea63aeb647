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
    if ids.ndim != 2 or len(ids) != len(rows):
        raise ParameterError(f"ids have shape {ids.shape}; ({len(rows)}, k) is needed")
    if text is None:
        thoughts = np.broadcast_to(np.asarray(to, np.int32), rows.shape)
        if not ((thoughts >= 0) & (thoughts < memory.issued[rows])).all():
            raise ParameterError("a thought is named by the id of a memory of the agent")
    else:
        numbers = np.broadcast_to(text_numbers(memory, text), rows.shape)
        thoughts = _held(memory, rows, numbers)
        new = thoughts < 0
        if new.any():
            told = {"kind": "thought", **{n: _part(v, new) for n, v in columns.items()}}
            thoughts[new] = add(memory, rows[new], TOPIC, numbers[new], told)
    there = ids >= 0
    memory.pending.links.append(
        (
            np.broadcast_to(rows[:, None], ids.shape)[there],
            ids[there].astype(np.int32),
            np.broadcast_to(thoughts[:, None], ids.shape)[there],
        )
    )
    return thoughts


def _part(values: Any, chosen: NDArray[np.bool_]) -> Any:
    """Values of the chosen agents, where there is one an agent."""
    if isinstance(values, np.ndarray) and values.ndim:
        return values[chosen]
    if isinstance(values, list | tuple):
        return [v for v, c in zip(values, chosen, strict=True) if c]
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
