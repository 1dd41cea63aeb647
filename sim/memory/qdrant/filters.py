"""Filters of memories as filters of points."""

from typing import Any

from qdrant_client import models

from memopolis.sim.arrays import Int64
from memopolis.sim.memory.interface import Memory
from memopolis.sim.memory.retrieval.filter import ALWAYS, ANY, EncodedFilter
from memopolis.sim.memory.streams.encoding import EMOTION_WORDS, KIND_WORDS

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
