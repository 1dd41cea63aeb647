"""Points of Qdrant: the columns of memories as words and numbers, and filters of memories."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, cast

import numpy as np
from qdrant_client import models

from memopolis.sim.arrays import Array, Int64
from memopolis.sim.memory.interface import Memory
from memopolis.sim.memory.retrieval.filter import ALWAYS, ANY, EncodedFilter
from memopolis.sim.memory.streams.encoding import EMOTION_WORDS, KIND_WORDS, KINDS, emotion_number
from memopolis.sim.memory.streams.layout import COLUMNS, CONTINUES, THOUGHT

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

Payload = dict[str, int | str | list[str]]

_NUMBERS = (
    "time", "accessed", "accesses", "actor", "place", "thought", "importance", "valence",
    "confidence",
)  # fmt: skip
_NO_TOPIC = "\0"  # a topic that no memory has


def make_payloads(
    memory: Memory, rows: Array, ids: Array, columns: Mapping[str, Array]
) -> list[Payload]:
    """Return memories as payloads; `columns` are the encoded values of all columns, shape (m,).

    In a payload `importance` is in 0..30,000, `confidence` in 0..255 and `valence` in -127..127.
    """
    names = list(columns)
    values = (dict(zip(names, each, strict=True)) for each in zip(*_listed(columns), strict=True))
    return [
        {
            "row": row,
            "id": number,
            **{name: one[name] for name in _NUMBERS},
            "text": memory.texts[one["text"]],
            "topic": memory.topics[one["topic"]] if memory.topics else "",
            "kind": KIND_WORDS[one["kind"] & THOUGHT],
            "continues": bool(one["kind"] & CONTINUES),
            "emotion": EMOTION_WORDS[one["emotion"]],
            "tags": list(memory.tags.names(one["tags"])),
        }
        for row, number, one in zip(rows.tolist(), ids.tolist(), values, strict=True)
    ]


def _listed(columns: Mapping[str, Array]) -> list[list[int]]:
    return [values.tolist() for values in columns.values()]


def encode_payloads(memory: Memory, payloads: Sequence[Mapping[str, object]]) -> dict[str, Array]:
    """Encode payloads as columns of a stream; the memory gets new texts, topics and tags."""

    def words(name: str) -> list[str]:
        return cast("list[str]", [one[name] for one in payloads])

    kinds = zip(words("kind"), [one["continues"] for one in payloads], strict=True)
    columns: dict[str, ArrayLike] = {
        **{name: cast("list[int]", words(name)) for name in ("id", *_NUMBERS)},
        "text": memory.texts.intern_many(words("text")),
        "topic": [memory.topic_number(topic) for topic in words("topic")],
        "kind": [KINDS[kind] | (CONTINUES if continues else 0) for kind, continues in kinds],
        "emotion": [emotion_number(word or None) for word in words("emotion")],
        "tags": [memory.tags.bits(tags) for tags in words("tags")],
    }
    return {name: np.array(columns[name], dtype) for name, dtype in COLUMNS.items()}


def make_filter(memory: Memory, rows: Int64, where: EncodedFilter) -> models.Filter:
    """Express a filter by words and numbers of the payload."""
    topics = dict(enumerate(memory.topics))
    values: dict[str, int | str] = {}
    if where.topic >= 0:
        values["topic"] = topics.get(where.topic, _NO_TOPIC)
    if where.kind >= 0:
        values["kind"] = KIND_WORDS[where.kind]
    if where.emotion >= 0:
        values["emotion"] = EMOTION_WORDS[where.emotion]
    for name, each in (("place", where.place), ("actor", where.actor)):
        if each[0] != ANY:
            values[name] = int(each[0])
    must: list[models.Condition] = [
        models.FieldCondition(key=name, match=models.MatchValue(value=value))
        for name, value in values.items()
    ]
    if len(rows) < len(memory):
        must.append(_any_of("row", rows.tolist()))
    must += [_any_of("tags", memory.tags.names(b)) for b in (where.tags, where.urgent) if b]
    if where.ticks != ALWAYS:
        first, last = where.ticks
        must.append(models.FieldCondition(key="time", range=models.Range(gte=first, lte=last)))
    if where.sign:
        limits = models.Range(gt=0) if where.sign > 0 else models.Range(lt=0)
        must.append(models.FieldCondition(key="valence", range=limits))
    excluded = [_any_of("tags", memory.tags.names(where.without))] if where.without else []
    return models.Filter(must=must, must_not=excluded)


def _any_of(key: str, values: Sequence[int] | Sequence[str]) -> models.Condition:
    members = models.MatchAny(any=cast("list[int]", list(values)))
    return models.FieldCondition(key=key, match=members)


def of_rows(conditions: models.Filter, rows: Sequence[int]) -> models.Filter:
    """Restrict a filter to some agents."""
    must = cast("list[models.Condition]", conditions.must or [])
    return models.Filter(must=[*must, _any_of("row", rows)], must_not=conditions.must_not)
