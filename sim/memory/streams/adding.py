"""Add memories for several agents: check and encode the arguments, and queue them."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.errors import ParameterError, mark_entry
from memopolis.sim.memory.streams import encoding
from memopolis.sim.memory.streams.pending import batch

if TYPE_CHECKING:
    from memopolis.sim.memory.interface import Memory

IntArray = NDArray[np.int64]
Text = str | int | Sequence[str] | NDArray[np.integer[Any]]


DEFAULTS: dict[str, Any] = {
    "actor": None,
    "place": None,
    "importance": 0.5,
    "valence": None,
    "confidence": 1.0,
    "kind": "event",
    "emotion": None,
    "continues": False,
    "tags": None,
}
"""Default values of a memory besides topic and text."""


def add(
    memory: "Memory",
    rows: IntArray,
    topic: str,
    text: Text,
    columns: Mapping[str, Any],
    *,
    merge: bool = False,
) -> NDArray[np.int32]:
    """Queue one memory of each row; arguments as in `CohortStream.add`."""
    arguments = {**DEFAULTS, **columns}
    unknown = arguments.keys() - DEFAULTS.keys()
    if unknown:
        raise ParameterError(
            f"a memory has no {', '.join(sorted(unknown))}; its columns are: {', '.join(DEFAULTS)}"
        )
    number = memory.topic_number(topic)
    try:
        fields = _encoded(memory, rows, number, text, arguments)
    except ParameterError as error:
        mark_entry(error, memory.unique_ids, rows)
        raise
    if merge and len(rows):
        return _merged(memory, rows, number, fields)
    return _store(memory, rows, number, fields)


def _encoded(
    memory: "Memory", rows: IntArray, topic: int, text: Text, arguments: Mapping[str, Any]
) -> dict[str, NDArray[Any]]:
    """Encode the columns, each one value or one per agent."""
    fields: dict[str, NDArray[Any]] = {
        "text": text_numbers(memory, text),
        "actor": encoding.actors(arguments["actor"]),
        "place": encoding.places(arguments["place"]),
        "importance": encoding.fraction("importance", arguments["importance"]),
        "confidence": encoding.fraction("confidence", arguments["confidence"]),
        "kind": encoding.kinds(arguments["kind"], arguments["continues"]),
        "emotion": encoding.emotions(arguments["emotion"]),
        "valence": encoding.valence(0.0 if arguments["valence"] is None else arguments["valence"]),
        "tags": encoding.tags(arguments["tags"], memory.tags),
    }
    if memory.extractor is not None and (arguments["valence"] is None or arguments["tags"] is None):
        texts = np.atleast_1d(fields["text"])
        topics, ticks = np.full(texts.shape, topic), np.full(texts.shape, memory.now)
        tags, valence = memory.extractor.read(memory, topics, ticks, texts)
        if arguments["tags"] is None:
            fields["tags"] = tags.reshape(fields["text"].shape)
        if arguments["valence"] is None:
            fields["valence"] = valence.reshape(fields["text"].shape)
    for name, values in fields.items():
        if np.shape(values) not in ((), (len(rows),)):
            raise ParameterError(
                f"{name} has shape {np.shape(values)}; one value or ({len(rows)},) is needed"
            )
    return fields


def _store(
    memory: "Memory", rows: IntArray, topic: int, fields: Mapping[str, NDArray[Any]]
) -> NDArray[np.int32]:
    ids = memory.issue(rows)
    if len(rows):
        memory.pending.add(
            batch(len(rows), rows=rows, ids=ids, time=memory.now, topic=topic, **fields)
        )
    return ids


def _merged(
    memory: "Memory", rows: IntArray, topic: int, fields: Mapping[str, NDArray[Any]]
) -> NDArray[np.int32]:
    """Update the near duplicates that agents have, and queue the other memories."""
    from memopolis.sim.memory.night import merging

    whole = {name: np.broadcast_to(values, rows.shape) for name, values in fields.items()}
    ids = merging.near_duplicates(memory, rows, whole["text"], topic, whole["actor"])
    old = ids >= 0
    merging.update_old(memory, rows[old], ids[old], {n: v[old] for n, v in whole.items()})
    ids[~old] = _store(memory, rows[~old], topic, {n: v[~old] for n, v in whole.items()})
    return ids


def text_numbers(memory: "Memory", text: Text) -> NDArray[np.int32]:
    """Return the numbers of one text, of several, or of interned texts."""
    if isinstance(text, str):
        return np.asarray(memory.texts.intern(text), np.int32)
    if isinstance(text, int | np.integer):
        text = np.asarray(text)
    if isinstance(text, np.ndarray) and text.dtype.kind not in "OUT":
        return encoding.text_numbers(text, memory.texts.capacity)
    return memory.texts.intern_many(list(text))
