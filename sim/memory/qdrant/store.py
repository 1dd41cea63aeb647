"""The collection in Qdrant: the only place that talks to it."""

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.errors import MemopolisError, ParameterError, ServerError
from memopolis.sim.memory.qdrant.payload import GONE, Payload, point_id
from memopolis.sim.memory.vectors.embedders.extras import require

require("qdrant", "qdrant_client", what="a memory in Qdrant")

from qdrant_client import QdrantClient, models  # noqa: E402 - after the line that names the extra
from qdrant_client.http.exceptions import ApiException  # noqa: E402

Client = QdrantClient
"""A client of Qdrant: of a server, of a folder, or QdrantClient(":memory:")."""

PAGE = 1000
"""Points sent or read at once."""

_INTEGERS = ("row", "id", "time", "thought", "actor", "place")
_WORDS = ("topic", "tags", "text")


@dataclass(frozen=True, slots=True)
class Ask:
    """Which memories of one agent are wanted.

    Attributes:
        row: Row of the agent.
        first: Oldest id that counts.
        match: Values that columns must have, by column.
        among: Values of which a column must have one, by column.
        without: Values of which a column must have none, by column.
        between: Least and greatest value of a column, by column.
        forgotten: Whether those forgotten are wanted; None for all.
    """

    row: int
    first: int = 0
    match: tuple[tuple[str, Any], ...] = ()
    among: tuple[tuple[str, tuple[Any, ...]], ...] = ()
    without: tuple[tuple[str, tuple[Any, ...]], ...] = ()
    between: tuple[tuple[str, int, int], ...] = ()
    forgotten: bool | None = False


class Store:
    """One collection, a point a memory.

    Args:
        client: A client, or the URL of a server.
        collection: Name of the collection, made if it is not there.
        dimensions: Length of the vectors.

    Raises:
        ServerError: If the server cannot be reached.
        ParameterError: If the collection is there with vectors of another length.
    """

    def __init__(self, client: QdrantClient | str, collection: str, dimensions: int) -> None:
        # Whether the server fits is told by its answers, without a request ahead.
        self._client = (
            QdrantClient(url=client, check_compatibility=False)
            if isinstance(client, str)
            else client
        )
        self._collection = collection
        self._dimensions = dimensions
        with _answering():
            if self._client.collection_exists(collection):
                self._check()
            else:
                self._make()

    def _make(self) -> None:
        self._client.create_collection(
            self._collection,
            vectors_config=models.VectorParams(
                size=self._dimensions, distance=models.Distance.COSINE
            ),
        )
        kinds = dict.fromkeys(_INTEGERS, models.PayloadSchemaType.INTEGER)
        kinds |= dict.fromkeys(_WORDS, models.PayloadSchemaType.KEYWORD)
        for name, kind in kinds.items():
            self._client.create_payload_index(self._collection, name, field_schema=kind)

    def _check(self) -> None:
        kept = self._client.get_collection(self._collection).config.params.vectors
        size = getattr(kept, "size", None)
        if size != self._dimensions:
            raise ParameterError(
                f"the collection {self._collection} has vectors of {size} dimensions, the "
                f"embedder gives {self._dimensions}: take the embedder it was made with"
            )

    def __len__(self) -> int:
        with _answering():
            return int(self._client.count(self._collection, exact=True).count)

    def count(self, ask: Ask) -> int:
        """How many memories are wanted."""
        with _answering():
            found = self._client.count(self._collection, count_filter=_filter(ask), exact=True)
        return int(found.count)

    def put(self, given: Sequence[Payload], vectors: NDArray[np.float32]) -> None:
        """Write memories, with a vector each; one that is there is replaced."""
        for begin in range(0, len(given), PAGE):
            part = slice(begin, begin + PAGE)
            points = [
                models.PointStruct(id=point_id(one["row"], one["id"]), vector=vector, payload=one)
                for one, vector in zip(given[part], vectors[part].tolist(), strict=True)
            ]
            with _answering():
                self._client.upsert(self._collection, points, wait=True)

    def drop(self, points: Sequence[int]) -> None:
        """Delete points, those that are not there included."""
        for begin in range(0, len(points), PAGE):
            chosen = models.PointIdsList(points=list(points[begin : begin + PAGE]))
            with _answering():
                self._client.delete(self._collection, chosen, wait=True)

    def change(self, changes: Sequence[tuple[int, Payload]]) -> None:
        """Write some columns of points that are there."""
        for begin in range(0, len(changes), PAGE):
            orders = [
                models.SetPayloadOperation(
                    set_payload=models.SetPayload(payload=payload, points=[point])
                )
                for point, payload in changes[begin : begin + PAGE]
            ]
            with _answering():
                self._client.batch_update_points(self._collection, orders, wait=True)

    def blank(self, points: Sequence[int]) -> None:
        """Empty points that are there, vector included; their places stay."""
        self.change([(point, GONE) for point in points])
        nothing = [0.0] * self._dimensions
        empty = [models.PointVectors(id=point, vector=nothing) for point in points]
        if empty:
            with _answering():
                self._client.update_vectors(self._collection, empty, wait=True)

    def get(self, points: Sequence[int]) -> list[Payload]:
        """Payloads of those points that are there."""
        with _answering():
            found = self._client.retrieve(self._collection, list(points), with_payload=True)
        return [one.payload or {} for one in found]

    def nearest(
        self, asks: Sequence[Ask], vectors: NDArray[np.float32], limits: Sequence[int]
    ) -> list[tuple[list[Payload], list[float]]]:
        """The memories nearest to a vector, for each of some agents.

        Returns:
            Payloads and cosines of each, nearest first.
        """
        requests = [
            models.QueryRequest(
                query=vector, filter=_filter(ask), limit=limit, with_payload=True,
                params=models.SearchParams(exact=True),
            )
            for ask, vector, limit in zip(asks, vectors.tolist(), limits, strict=True)
        ]  # fmt: skip
        with _answering():
            found = self._client.query_batch_points(self._collection, requests)
        return [
            ([p.payload or {} for p in one.points], [p.score for p in one.points]) for one in found
        ]

    def all(
        self, ask: Ask | None = None, columns: Sequence[str] | None = None
    ) -> Iterator[Payload]:
        """Every memory that is wanted, by number of its point; of all agents without `ask`."""
        page: Any = None
        while True:
            with _answering():
                found, page = self._client.scroll(
                    self._collection,
                    scroll_filter=None if ask is None else _filter(ask),
                    limit=PAGE,
                    offset=page,
                    with_payload=True if columns is None else list(columns),
                )
            yield from (one.payload or {} for one in found)
            if page is None:
                return


def _filter(ask: Ask) -> models.Filter:
    must: list[Any] = [
        _is("row", ask.row),
        models.FieldCondition(key="id", range=models.Range(gte=ask.first)),
        *(_is(name, value) for name, value in ask.match),
        *(_in(name, values) for name, values in ask.among),
        *(
            models.FieldCondition(key=name, range=models.Range(gte=low, lte=high))
            for name, low, high in ask.between
        ),
    ]
    if ask.forgotten is not None:
        must.append(_is("forgotten", ask.forgotten))
    return models.Filter(must=must, must_not=[_in(name, values) for name, values in ask.without])


def _is(name: str, value: Any) -> models.FieldCondition:
    return models.FieldCondition(key=name, match=models.MatchValue(value=value))


def _in(name: str, values: Sequence[Any]) -> models.FieldCondition:
    return models.FieldCondition(key=name, match=models.MatchAny(any=list(values)))


@contextmanager
def _answering() -> Iterator[None]:
    """Turn what a client raises into one line."""
    try:
        with warnings.catch_warnings():
            # The local mode warns that it needs neither index nor parameters of a search.
            warnings.filterwarnings("ignore", "Local mode|Payload indexes", UserWarning)
            yield
    except (ApiException, RuntimeError, ValueError) as error:
        if isinstance(error, MemopolisError):
            raise
        first = str(error).partition("\n")[0]
        raise ServerError(f"Qdrant does not answer as it should: {first}") from None
