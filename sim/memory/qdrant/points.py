"""Points of Qdrant: the columns of memories as words and numbers, and filters of memories."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from qdrant_client import models

from memopolis.sim.arrays import Array, Int64
from memopolis.sim.memory.interface import Memory
from memopolis.sim.memory.retrieval.filter import ALWAYS, ANY, EncodedFilter
from memopolis.sim.memory.streams.encoding import EMOTION_WORDS, KIND_WORDS, KINDS, emotion_number
from memopolis.sim.memory.streams.layout import COLUMNS, CONTINUES, THOUGHT

Payload = dict[str, Any]

_NUMBERS = ("time", "accessed", "accesses", "actor", "place", "thought")
_CODES = ("importance", "valence", "confidence")


def make_payloads(
    memory: Memory, rows: Array, ids: Array, columns: dict[str, Array]
) -> list[Payload]:
    """Return memories as payloads; `columns` are the encoded values of all columns, shape (m,).

    In a payload `importance` is in 0..30,000, `confidence` in 0..255 and `valence` in -127..127.
    """
    listed = {name: values.tolist() for name, values in columns.items()}
    return [
        {"row": row, "id": number}
        | {name: listed[name][at] for name in (*_NUMBERS, *_CODES)}
        | _words(memory, {name: values[at] for name, values in listed.items()})
        for at, (row, number) in enumerate(zip(rows.tolist(), ids.tolist(), strict=True))
    ]


def _words(memory: Memory, values: dict[str, int]) -> Payload:
    kind = values["kind"]
    return {
        "text": memory.texts[values["text"]],
        "topic": memory.topics[values["topic"]] if memory.topics else "",
        "kind": KIND_WORDS[kind & THOUGHT],
        "continues": bool(kind & CONTINUES),
        "emotion": EMOTION_WORDS[values["emotion"]],
        "tags": list(memory.tags.names(values["tags"])),
    }


def encode_payloads(memory: Memory, payloads: Sequence[Payload]) -> dict[str, Array]:
    """Encode payloads as columns of a stream; the memory gets new texts, topics and tags."""
    columns: dict[str, Any] = {
        name: [one[name] for one in payloads] for name in (*_NUMBERS, *_CODES)
    }
    columns["text"] = memory.texts.intern_many([one["text"] for one in payloads])
    columns["topic"] = [memory.topic_number(one["topic"]) for one in payloads]
    columns["kind"] = [_kind(one) for one in payloads]
    columns["emotion"] = [emotion_number(one["emotion"] or None) for one in payloads]
    columns["tags"] = [memory.tags.bits(one["tags"]) for one in payloads]
    columns["id"] = [one["id"] for one in payloads]
    return {name: np.array(columns[name], dtype) for name, dtype in COLUMNS.items()}


def _kind(one: Payload) -> int:
    kind = KINDS[one["kind"]]
    return kind | CONTINUES if one["continues"] else kind


_NO_TOPIC = "\0"  # a topic that no memory has


def make_filter(memory: Memory, rows: Int64, where: EncodedFilter) -> models.Filter:
    """Express a filter by words and numbers of the payload."""
    topics = dict(enumerate(memory.topics))
    tags = [list(memory.tags.names(bits)) for bits in (where.tags, where.urgent) if bits]
    values: dict[str, Any] = {}
    if where.topic >= 0:
        values["topic"] = topics.get(where.topic, _NO_TOPIC)
    if where.kind >= 0:
        values["kind"] = KIND_WORDS[where.kind]
    if where.emotion >= 0:
        values["emotion"] = EMOTION_WORDS[where.emotion]
    values |= {
        name: int(each[0])
        for name, each in (("place", where.place), ("actor", where.actor))
        if each[0] != ANY
    }
    must: list[Any] = [
        models.FieldCondition(key=name, match=models.MatchValue(value=value))
        for name, value in values.items()
    ]
    if len(rows) < len(memory):
        members = models.MatchAny(any=rows.tolist())
        must.append(models.FieldCondition(key="row", match=members))
    must += [models.FieldCondition(key="tags", match=models.MatchAny(any=names)) for names in tags]
    if where.ticks != ALWAYS:
        first, last = where.ticks
        must.append(models.FieldCondition(key="time", range=models.Range(gte=first, lte=last)))
    if where.sign:
        limits = models.Range(gt=0) if where.sign > 0 else models.Range(lt=0)
        must.append(models.FieldCondition(key="valence", range=limits))
    without = models.MatchAny(any=list(memory.tags.names(where.without)))
    excluded: list[Any] = (
        [models.FieldCondition(key="tags", match=without)] if where.without else []
    )
    return models.Filter(must=must, must_not=excluded)
