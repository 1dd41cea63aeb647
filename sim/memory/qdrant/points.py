"""Points of Qdrant: columns of memories as words and numbers, filters, and sparse vectors."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, cast

import numpy as np
from qdrant_client import models
from qdrant_client.models import SparseVector

from memopolis.sim.arrays import Array, Int64
from memopolis.sim.memory.interface import Memory
from memopolis.sim.memory.retrieval.filter import ALWAYS, ANY, EncodedFilter
from memopolis.sim.memory.streams.encoding import EMOTION_WORDS, KIND_WORDS, KINDS, emotion_number
from memopolis.sim.memory.streams.layout import COLUMNS, CONTINUES, THOUGHT
from memopolis.sim.memory.text.pieces import STOP_WORDS
from memopolis.sim.memory.views.status_search import embedded_names, texts_of

if TYPE_CHECKING:
    from fastembed.sparse.bm25 import Bm25
    from fastembed.sparse.sparse_embedding_base import SparseEmbedding
    from numpy.typing import ArrayLike

    from memopolis.sim.arrays import Objects


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
        return cast("list[str]", [payload[name] for payload in payloads])

    kinds = zip(words("kind"), [payload["continues"] for payload in payloads], strict=True)
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


# Sparse vectors of memories and of the status for Qdrant: word weights of BM25 by FastEmbed.
#
# FastEmbed would download its lists of stop words; the English one of this package replaces them,
# so no network is needed. Qdrant multiplies the weights by the inverse document frequency.
#
# The status has one point for each embedded attribute of each agent. Its id is row * 2**32 + the
# number of the attribute, its payload the row, the name of the attribute and its text.


SPARSE = "words"
"""Name of the sparse vector of a point; the dense one has no name."""
_KEPT = 100_000
"""Number of texts whose vectors are kept, since most texts are stored several times."""


class SparseWords:
    """Sparse vectors of texts and queries, computed once for each distinct text."""

    def __init__(self) -> None:
        self._kept: dict[str, SparseVector] = {}

    def of(self, texts: Sequence[str]) -> list[SparseVector]:
        """Return the vectors of texts: hashes of word stems, and their weights."""
        new = [text for text in dict.fromkeys(texts) if text not in self._kept]
        if len(self._kept) + len(new) > _KEPT:
            self._kept.clear()
            new = list(dict.fromkeys(texts))
        self._kept |= zip(new, map(_vector, self._model.embed(new)), strict=True)
        return [self._kept[text] for text in texts]

    def of_query(self, query: str) -> SparseVector:
        """Return the vector of a query, in which each word weighs 1."""
        return _vector(next(iter(self._model.query_embed(query))))

    @cached_property
    def _model(self) -> "Bm25":
        from fastembed.sparse.bm25 import Bm25

        # With a folder, which is not read if there are stop words, nothing is downloaded.
        here = str(Path(__file__).parent)
        return Bm25("Qdrant/bm25", specific_model_path=here, stopwords=set(STOP_WORDS))


def _vector(embedding: "SparseEmbedding") -> SparseVector:
    return SparseVector(indices=embedding.indices.tolist(), values=embedding.values.tolist())


class SentStatus:
    """The texts of the status as they were sent last, so that only changes are sent."""

    def __init__(self) -> None:
        self.tick = -1
        self._texts: dict[str, Objects] = {}

    def changed_points(self, memory: Memory, words: SparseWords) -> Iterator[models.PointStruct]:
        """Iterate over the points of attributes whose texts have changed; they count as sent."""
        self.tick = memory.now
        rows = np.arange(len(memory))
        for number, name in enumerate(embedded_names(memory._columns, None)):
            distinct, which = texts_of(memory, rows, name)
            texts = np.array(distinct, object)[which]
            present = memory._columns.presence(name)
            if present is not None:
                texts[~present] = ""
            before = self._texts.get(name, np.full(0, "", object))
            changed = np.ones(len(rows), np.bool_)
            changed[: len(before)] = texts[: len(before)] != before
            self._texts[name] = texts
            new = texts[changed].tolist()
            for row, text, vector in zip(rows[changed].tolist(), new, words.of(new), strict=True):
                payload = {"row": row, "attribute": name, "text": text}
                yield models.PointStruct(
                    id=row << 32 | number, vector={SPARSE: vector}, payload=payload
                )
