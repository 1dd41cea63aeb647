"""Add memories for several agents, and link memories to thoughts: check, encode, queue."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.arguments import (
    as_array,
    check_flag,
    check_per_agent,
    is_several,
    shown,
)
from memopolis.sim.arrays import Array, Int32, Int64, Ints, UInt8
from memopolis.sim.errors import ParameterError, mark_entry
from memopolis.sim.memory.interface import Memory
from memopolis.sim.memory.night import merging
from memopolis.sim.memory.streams import encoding
from memopolis.sim.memory.streams.layout import THOUGHT
from memopolis.sim.memory.streams.pending import Added, batch
from memopolis.sim.threads import CACHES

Topic = str | Ints
Text = str | Sequence[str] | Ints


DEFAULTS: dict[str, object] = {
    "actor": None, "place": None, "importance": 0.5, "valence": None, "confidence": 1.0,
    "kind": "event", "emotion": None, "continues": False, "tags": None,
}  # fmt: skip
"""Default values of a memory besides topic and text."""

THOUGHTS = "cognition"  # topic of the thoughts that links add


def add(
    memory: Memory,
    rows: Int64,
    topic: Topic,
    text: Text,
    columns: Mapping[str, object],
    *,
    merge: bool = False,
) -> Int32:
    """Queue one memory of each row; arguments as in `CohortStream.add`."""
    check_flag("merge", merge)
    arguments = {**DEFAULTS, **columns}
    unknown = arguments.keys() - DEFAULTS.keys()
    if unknown:
        raise ParameterError(
            f"a memory has no {', '.join(sorted(unknown))}; its columns are: {', '.join(DEFAULTS)}"
        )
    try:
        fields = _encoded(memory, rows, topic, text, arguments)
    except ParameterError as error:
        mark_entry(error, memory.unique_ids, rows)
        raise
    if merge and len(rows):
        return _merged(memory, rows, fields)
    return _store(memory, rows, fields)


def _encoded(
    memory: Memory, rows: Int64, topic: Topic, text: Text, arguments: Mapping[str, object]
) -> dict[str, Array | int]:
    """Encode the columns, each one value or one per agent."""
    valence = arguments["valence"]
    fields: dict[str, Array | int] = {
        "topic": topic_numbers(memory, topic),
        "text": text_numbers(memory, text),
        "actor": encoding.actors(arguments["actor"]),
        "place": encoding.places(arguments["place"]),
        "importance": encoding.share("importance", arguments["importance"]),
        "confidence": encoding.share("confidence", arguments["confidence"]),
        "kind": encoding.kinds(arguments["kind"], arguments["continues"]),
        "emotion": encoding.emotions(arguments["emotion"]),
        "valence": encoding.share("valence", 0.0 if valence is None else valence),
        "tags": encoding.tags(arguments["tags"], memory.tags),
    }
    for name, values in fields.items():
        if isinstance(values, np.ndarray):
            check_per_agent(name, values, len(rows))
    if memory.extractor is not None and (valence is None or arguments["tags"] is None):
        which = fields["topic"], memory.now, fields["text"]
        is_one = isinstance(which[0], int) and isinstance(which[2], int)
        with CACHES:
            read_from = memory.extractor.read_one if is_one else memory.extractor.read
            tags, read = read_from(memory, *which)
        if arguments["tags"] is None:
            fields["tags"] = tags
        if valence is None:
            fields["valence"] = read
    return fields


def _store(memory: Memory, rows: Int64, fields: Mapping[str, Array | int]) -> Int32:
    ids = memory.issue(rows)
    if len(rows):  # the caller may change its ids and rows
        own = batch(len(rows), rows=rows.copy(), ids=ids.copy(), time=memory.now, **fields)
        memory.pending.add(own)
    return ids


def _merged(memory: Memory, rows: Int64, fields: Mapping[str, Array | int]) -> Int32:
    """Update the near duplicates that agents have, and queue the other memories."""
    topic = fields["topic"]
    if not isinstance(topic, int):
        raise ParameterError("merge needs the name of one topic, given numbers of topics")
    arrays = {name: np.broadcast_to(values, rows.shape) for name, values in fields.items()}
    ids = merging.near_duplicates(memory, rows, arrays["text"], topic, arrays["actor"])
    old = ids >= 0
    merging.update_old(memory, rows[old], ids[old], {n: v[old] for n, v in arrays.items()})
    ids[~old] = _store(memory, rows[~old], {n: v[~old] for n, v in arrays.items()})
    return ids


def topic_numbers(memory: Memory, topic: Topic) -> UInt8 | int:
    """Return the number of a topic, or a copy of the given numbers of known topics."""
    if not isinstance(topic, np.ndarray):
        return memory.topic_number(topic)
    as_array("topic", topic, "iu", "a str, or numbers of topics,")
    if topic.size and (topic.min() < 0 or topic.max() >= len(memory.topics)):
        raise ParameterError(
            f"numbers of topics are 0 to {len(memory.topics) - 1}, given {topic.min()} to "
            f"{topic.max()}"
        )
    return topic.astype(np.uint8) if topic.ndim else int(topic)


def text_numbers(memory: Memory, text: Text) -> Int32 | int:
    """Return the numbers of one text, of several, or of interned texts."""
    if isinstance(text, str):
        return memory.texts.intern(text)
    if isinstance(text, np.ndarray) and text.dtype.kind not in "OUT":
        return encoding.text_numbers(text, memory.texts.capacity)
    if not is_several(text):
        raise ParameterError(
            f"text is {shown(text)}; a str, one per agent, or an array of text numbers is needed"
        )
    texts: list[Any] = text.ravel().tolist() if isinstance(text, np.ndarray) else list(text)
    return memory.texts.intern_many(texts)


def link(
    memory: Memory,
    rows: Int64,
    ids: Int64,
    *,
    text: Text | None,
    to: Int64 | None,
    columns: Mapping[str, object],
) -> Int32:
    """Link memories, ids of shape (n, k) with -1 for none, to thoughts; return the thoughts, (n,).

    The thoughts have either texts (`text`, stored unless an agent has them) or ids (`to`, (n,)).
    `columns` are further values of new thoughts, one or one per agent. Rows are distinct.
    """
    if ids.size and (ids.min() < -1 or (ids >= memory.issued[rows][:, None]).any()):
        raise ParameterError(
            f"ids are {shown(ids.tolist())}; ids of memories of the agents, or -1 for none, are "
            "needed"
        )
    exists = ids >= 0
    if memory.owners is not None:  # the owner of a stream links its memories
        exists &= memory.owners.mine(rows)[:, None]
    if text is None:
        check_per_agent("to", np.asarray(to), len(rows))
        targets = np.broadcast_to(np.asarray(to), rows.shape)
        if not ((targets >= 0) & (targets < memory.issued[rows])).all():
            raise ParameterError("a thought must be the id of a memory of the agent")
        thoughts = targets.astype(np.int32)
    else:
        text_ids = text_numbers(memory, text)
        check_per_agent("thought", text_ids, len(rows))
        numbers = np.broadcast_to(text_ids, rows.shape)
        thoughts = _find_thoughts(memory, rows, numbers)
        new = np.flatnonzero(thoughts < 0)
        if len(new):
            own = _select_columns(memory, columns, new, len(rows))
            thoughts[new] = add(memory, rows[new], THOUGHTS, numbers[new], own)
    memory.pending.links.append(
        (
            np.broadcast_to(rows[:, None], ids.shape)[exists],
            ids[exists].astype(np.int32),
            np.broadcast_to(thoughts[:, None], ids.shape)[exists],
        )
    )
    return thoughts


def _select_columns(
    memory: Memory, columns: Mapping[str, object], new: NDArray[np.intp], agents: int
) -> dict[str, object]:
    """Select the values of new thoughts from columns with one value or one per agent."""
    own: dict[str, object] = {"kind": "thought"}
    for name, values in columns.items():
        # Several names of tags apply to all agents: they are not one value per agent.
        each = encoding.tags(values, memory.tags) if name == "tags" else values
        if isinstance(each, list | tuple) or (isinstance(each, np.ndarray) and each.ndim):
            if len(each) != agents:
                raise ParameterError(f"{name} has {len(each)} values; one or {agents} are needed")
            each = each[new] if isinstance(each, np.ndarray) else [each[i] for i in new.tolist()]
        own[name] = each
    return own


def _find_thoughts(memory: Memory, rows: Int64, numbers: Int32) -> Int32:
    """Return the ids of thoughts that agents have or that are queued, -1 for new ones."""
    from memopolis.sim.memory.streams import stream_kernels

    memory.settle()
    streams = memory.streams
    thoughts: Int32 = stream_kernels.find_thoughts(
        streams.view, streams.count, rows, numbers.astype(np.int32)
    )
    for waiting in memory.pending.waiting():
        _find_waiting(waiting, rows, numbers, thoughts)
    return thoughts


def _find_waiting(waiting: Added, rows: Int64, numbers: Int32, thoughts: Int32) -> None:
    thought = np.flatnonzero((waiting.kind & encoding.KIND_BITS) == THOUGHT)
    if not len(thought):
        return
    keys = waiting.rows[thought] << 32 | waiting.text[thought]
    order = np.argsort(keys, kind="stable")
    searched = rows << 32 | numbers
    at = np.searchsorted(keys[order], searched, side="right") - 1
    hit = (at >= 0) & (keys[order][np.maximum(at, 0)] == searched)
    thoughts[hit] = waiting.ids[thought[order[at[hit]]]]
