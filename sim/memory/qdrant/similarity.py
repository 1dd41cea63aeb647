"""Sparse vectors of texts for Qdrant: the word weights of BM25 by FastEmbed.

    SparseWords().of(["A hurricane is coming"])  # one SparseVector

FastEmbed would download its lists of stop words; the English one of this package replaces them, so
no network is needed. Qdrant multiplies the weights by the inverse document frequency.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from qdrant_client import QdrantClient, models
from qdrant_client.models import SparseVector

from memopolis.sim.arrays import Float32, Int32, Int64
from memopolis.sim.memory.interface import Memory
from memopolis.sim.memory.text.pieces import STOP_WORDS
from memopolis.sim.memory.views.status_search import embedded_names, texts_of

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
    def _model(self) -> Any:
        from fastembed.sparse.bm25 import Bm25

        # With a folder, which is not read if there are stop words, nothing is downloaded.
        here = str(Path(__file__).parent)
        return Bm25("Qdrant/bm25", specific_model_path=here, stopwords=set(STOP_WORDS))


def _vector(embedding: Any) -> SparseVector:
    return SparseVector(indices=embedding.indices.tolist(), values=embedding.values.tolist())


SPARSE = "words"
"""Name of the sparse vector of a point; the dense one has no name."""
_ROWS = 1000
"""Maximum number of agents per request."""
_ID = 2**32 - 1

type _Found = Iterator[tuple[int, Sequence[models.ScoredPoint]]]
"""Index of an agent and its most similar points."""


@dataclass(frozen=True)
class WordSearch:
    """Searches of one collection by the words of texts."""

    client: QdrantClient
    collection: str
    words: SparseWords

    def find(
        self, rows: Int64, query: str | Sequence[str], k: int, conditions: models.Filter
    ) -> tuple[Int32, Float32]:
        """Find the k points of each agent that are most similar to one query, or to one per agent.

        A point belongs to the agent in its payload `row`. Returns the lower halves of the ids of
        the points, best first, -1 where there are fewer, and similarities, 0 there; both (n, k).
        """
        ids = np.full((len(rows), k), -1, np.int32)
        scores = np.zeros((len(rows), k), np.float32)
        if isinstance(query, str):
            answers = self._by_groups(rows, query, k, conditions)
        else:
            answers = self._by_agents(rows, query, k, conditions)
        for agent, points in answers:
            ids[agent, : len(points)] = [int(point.id) & _ID for point in points]
            scores[agent, : len(points)] = [point.score for point in points]
        return ids, scores

    def _by_groups(self, rows: Int64, query: str, k: int, conditions: models.Filter) -> _Found:
        """Ask one query for many agents in one request."""
        vector = self.words.of_query(query)
        for first in range(0, len(rows), _ROWS):
            agents = {row: first + n for n, row in enumerate(rows[first : first + _ROWS].tolist())}
            answer = self.client.query_points_groups(
                self.collection,
                group_by="row",
                query=vector,
                using=SPARSE,
                query_filter=_of_rows(conditions, list(agents)),
                limit=len(agents),
                group_size=k,
                with_payload=False,
            )
            yield from ((agents[int(group.id)], group.hits) for group in answer.groups)

    def _by_agents(
        self, rows: Int64, queries: Sequence[str], k: int, conditions: models.Filter
    ) -> _Found:
        """Ask one query per agent, many in one request."""
        requests = [
            models.QueryRequest(
                query=self.words.of_query(text),
                using=SPARSE,
                filter=_of_rows(conditions, [row]),
                limit=k,
                with_payload=False,
            )
            for row, text in zip(rows.tolist(), queries, strict=True)
        ]
        for first in range(0, len(requests), _ROWS):
            batch = requests[first : first + _ROWS]
            answers = self.client.query_batch_points(self.collection, batch)
            yield from ((first + n, answer.points) for n, answer in enumerate(answers))


def _of_rows(conditions: models.Filter, rows: list[int]) -> models.Filter:
    members = models.FieldCondition(key="row", match=models.MatchAny(any=rows))
    must: Any = conditions.must or []
    return models.Filter(must=[*must, members], must_not=conditions.must_not)


class SentStatus:
    """The texts of the status as they were sent last, so that only changes are sent."""

    def __init__(self) -> None:
        self.tick = -1
        self._texts: dict[str, Any] = {}

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
            vectors = words.of(texts[changed].tolist())
            for row, text, vector in zip(
                rows[changed].tolist(), texts[changed].tolist(), vectors, strict=True
            ):
                payload = {"row": row, "attribute": name, "text": text}
                yield models.PointStruct(
                    id=row << 32 | number, vector={SPARSE: vector}, payload=payload
                )
