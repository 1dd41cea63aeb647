"""Adding memories for many agents, and linking them to the thoughts they led to."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.errors import ParameterError
from memopolis.sim.memory import encoding
from memopolis.sim.memory.pending import Added, batch
from memopolis.sim.memory.stream import THOUGHT

if TYPE_CHECKING:
    from memopolis.sim.memory.memory import Memory

IntArray = NDArray[np.int64]
Text = str | Sequence[str] | NDArray[np.integer[Any]]

TOPIC = "cognition"
"""Topic of a thought that a link stores."""


def add(
    memory: "Memory", rows: IntArray, topic: str, text: Text, columns: Mapping[str, Any]
) -> NDArray[np.int32]:
    """Let one memory of each row wait; `columns` as in `CohortStream.add`."""
    given = {**DEFAULTS, **columns}
    unknown = given.keys() - DEFAULTS.keys()
    if unknown:
        raise ParameterError(
            f"a memory has no {', '.join(sorted(unknown))}; it has: {', '.join(DEFAULTS)}"
        )
    fields: dict[str, Any] = {
        "text": text_numbers(memory, text),
        "actor": encoding.actors(given["actor"]),
        "place": encoding.places(given["place"]),
        "importance": encoding.fraction("importance", given["importance"]),
        "valence": encoding.valence(given["valence"]),
        "confidence": encoding.fraction("confidence", given["confidence"]),
        "kind": encoding.kinds(given["kind"], given["continues"]),
        "emotion": encoding.emotions(given["emotion"]),
        "tags": encoding.tags(given["tags"]),
    }
    for name, values in fields.items():
        if np.shape(values) not in ((), (len(rows),)):
            raise ParameterError(
                f"{name} has shape {np.shape(values)}; one value or ({len(rows)},) is needed"
            )
    number = memory.topic_number(topic)
    ids = memory.issue(rows)
    if len(rows):
        memory.pending.add(
            batch(len(rows), rows=rows, ids=ids, time=memory.now, topic=number, **fields)
        )
    return ids


DEFAULTS: dict[str, Any] = {
    "actor": None,
    "place": None,
    "importance": 0.5,
    "valence": 0.0,
    "confidence": 1.0,
    "kind": "event",
    "emotion": None,
    "continues": False,
    "tags": 0,
}
"""What a memory holds besides topic and text, unless said otherwise."""


def text_numbers(memory: "Memory", text: Text) -> NDArray[np.int32]:
    """Numbers of one text, of several, or of texts already interned."""
    if isinstance(text, str):
        return np.asarray(memory.texts.intern(text), np.int32)
    if isinstance(text, np.ndarray) and text.dtype.kind not in "OUT":
        return encoding.text_numbers(text, memory.texts.capacity)
    return memory.texts.intern_many(list(text))


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
    from memopolis.sim.memory import stream_kernels

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
