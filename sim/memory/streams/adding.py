"""Adding memories for many agents: from what is told about them to what is stored."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.errors import ParameterError
from memopolis.sim.memory.streams import encoding
from memopolis.sim.memory.streams.pending import batch

if TYPE_CHECKING:
    from memopolis.sim.memory.memory import Memory

IntArray = NDArray[np.int64]
Text = str | Sequence[str] | NDArray[np.integer[Any]]


class Extractor(Protocol):
    """What reads tags and valence from the time and text of a memory."""

    def read(
        self,
        memory: "Memory",
        topics: NDArray[np.integer[Any]],
        ticks: NDArray[np.integer[Any]],
        texts: NDArray[np.integer[Any]],
    ) -> tuple[NDArray[np.uint16], NDArray[np.int8]]:
        """Read memories by numbers of topics, ticks and texts; all of one shape, as the result.

        Returns:
            Bits of tags, and valence as -127..127.
        """
        ...

    def read_one(self, memory: "Memory", topic: int, tick: int, text: int) -> tuple[int, int]:
        """Read one memory."""
        ...


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
"""What a memory holds besides topic and text, unless said otherwise."""


def add(
    memory: "Memory",
    rows: IntArray,
    topic: str,
    text: Text,
    columns: Mapping[str, Any],
    *,
    merge: bool = False,
) -> NDArray[np.int32]:
    """Let one memory of each row wait; arguments as in `CohortStream.add`."""
    given = {**DEFAULTS, **columns}
    unknown = given.keys() - DEFAULTS.keys()
    if unknown:
        raise ParameterError(
            f"a memory has no {', '.join(sorted(unknown))}; it has: {', '.join(DEFAULTS)}"
        )
    number = memory.topic_number(topic)
    fields = _encoded(memory, rows, number, text, given)
    if merge and len(rows):
        return _merged(memory, rows, number, fields)
    return _store(memory, rows, number, fields)


def _encoded(
    memory: "Memory", rows: IntArray, topic: int, text: Text, given: Mapping[str, Any]
) -> dict[str, NDArray[Any]]:
    """Columns as they are kept, each one value or one an agent."""
    fields: dict[str, NDArray[Any]] = {
        "text": text_numbers(memory, text),
        "actor": encoding.actors(given["actor"]),
        "place": encoding.places(given["place"]),
        "importance": encoding.fraction("importance", given["importance"]),
        "confidence": encoding.fraction("confidence", given["confidence"]),
        "kind": encoding.kinds(given["kind"], given["continues"]),
        "emotion": encoding.emotions(given["emotion"]),
        "valence": encoding.valence(0.0 if given["valence"] is None else given["valence"]),
        "tags": encoding.tags(given["tags"], memory.tags),
    }
    if memory.extractor is not None and (given["valence"] is None or given["tags"] is None):
        texts = np.atleast_1d(fields["text"])
        topics, ticks = np.full(texts.shape, topic), np.full(texts.shape, memory.now)
        tags, valence = memory.extractor.read(memory, topics, ticks, texts)
        if given["tags"] is None:
            fields["tags"] = tags.reshape(fields["text"].shape)
        if given["valence"] is None:
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
    """Update the near duplicates that agents hold already, and store the others."""
    from memopolis.sim.memory.night import merging

    whole = {name: np.broadcast_to(values, rows.shape) for name, values in fields.items()}
    ids = merging.near_duplicates(memory, rows, whole["text"], topic, whole["actor"])
    old = ids >= 0
    merging.update_old(memory, rows[old], ids[old], {n: v[old] for n, v in whole.items()})
    ids[~old] = _store(memory, rows[~old], topic, {n: v[~old] for n, v in whole.items()})
    return ids


def text_numbers(memory: "Memory", text: Text) -> NDArray[np.int32]:
    """Numbers of one text, of several, or of texts already interned."""
    if isinstance(text, str):
        return np.asarray(memory.texts.intern(text), np.int32)
    if isinstance(text, np.ndarray) and text.dtype.kind not in "OUT":
        return encoding.text_numbers(text, memory.texts.capacity)
    return memory.texts.intern_many(list(text))
