"""Searches whose similarity Qdrant computes: the most similar points of each of several agents."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from qdrant_client import QdrantClient, models

from memopolis.sim.arrays import Float32, Int32, Int64
from memopolis.sim.memory.qdrant.sparse import SparseWords

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
