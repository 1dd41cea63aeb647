"""A memory as Qdrant keeps it: plain names and numbers, so that others can read it too."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.memory.streams.emotion import emotion_number, emotion_word
from memopolis.sim.memory.streams.encoding import KINDS, kind_word
from memopolis.sim.memory.streams.stream import COLUMNS, CONTINUES, FORGOTTEN

if TYPE_CHECKING:
    from memopolis.sim.memory.memory import Memory

Payload = dict[str, Any]

_NUMBERS = ("time", "accessed", "accesses", "actor", "place", "thought")
_CODES = ("importance", "valence", "confidence")
GONE: Payload = {"forgotten": True, "text": "", "importance": 0, "kind": "event"} | {
    "continues": False
}
"""What becomes of a memory that is forgotten: its place stays, so that ids stay in order."""


def point_id[T: (int, NDArray[np.int64])](row: T, number: T) -> T:
    """Number of the point of an agent's memory: row * 2**32 + id."""
    return row << 32 | number


def payloads(
    rules: "Memory", rows: NDArray[Any], ids: NDArray[Any], columns: dict[str, NDArray[Any]]
) -> list[Payload]:
    """Write memories out as payloads.

    Args:
        rules: Memory whose numbers of texts, topics and tags the columns hold.
        rows: Rows of their agents, shape (m,).
        ids: Their ids, shape (m,).
        columns: Values of every column of a stream, as they are kept there, shape (m,).

    Returns:
        One payload each: `importance` and `confidence` in 0..255, `valence` in -127..127.
    """
    listed = {name: values.tolist() for name, values in columns.items()}
    return [
        {"row": row, "id": number}
        | {name: listed[name][at] for name in (*_NUMBERS, *_CODES)}
        | _words(rules, {name: values[at] for name, values in listed.items()})
        for at, (row, number) in enumerate(zip(rows.tolist(), ids.tolist(), strict=True))
    ]


def _words(rules: "Memory", kept: dict[str, int]) -> Payload:
    kind = kept["kind"]
    return {
        "text": rules.texts[kept["text"]],
        "topic": rules.topics[kept["topic"]] if rules.topics else "",
        "kind": kind_word(kind),
        "continues": bool(kind & CONTINUES),
        "forgotten": bool(kind & FORGOTTEN),
        "emotion": emotion_word(kept["emotion"]),
        "tags": list(rules.tags.names(kept["tags"])),
    }


def columns_of(memory: "Memory", given: Sequence[Payload]) -> dict[str, NDArray[Any]]:
    """Read payloads as columns of a stream, in the numbers of a memory.

    Args:
        memory: Memory that learns their texts, topics and tags.
        given: Payloads, m of them.

    Returns:
        Every column of a stream, each of shape (m,).
    """
    columns: dict[str, Any] = {name: [one[name] for one in given] for name in (*_NUMBERS, *_CODES)}
    columns["text"] = memory.texts.intern_many([one["text"] for one in given])
    columns["topic"] = [memory.topic_number(one["topic"]) for one in given]
    columns["kind"] = [_kind(one) for one in given]
    columns["emotion"] = [emotion_number(one["emotion"] or None) for one in given]
    columns["tags"] = [memory.tags.bits(one["tags"]) for one in given]
    return {name: np.array(columns[name], dtype) for name, dtype in COLUMNS.items()}


def _kind(one: Payload) -> int:
    kind = FORGOTTEN if one["forgotten"] else KINDS[one["kind"]]
    return kind | CONTINUES if one["continues"] else kind
