"""A store in Qdrant: one collection, one point per memory.

    memory = Memory(agents=2, store=QdrantStore("http://localhost:6333"))
    memory[0].stream.add("social", "Talked with {actor}", actor=1, importance=0.4)
    memory.flush()

The id of a point is row * 2**32 + id, its payload the columns of the memory as words and numbers,
its vectors the dense one of the text and a sparse one of its words, so other programs can search
the collection. `COLLECTION-status` has the texts of the status. Only one process may write to a
collection at a time.

Qdrant's local mode stores each point as a pickle, which could run any code when it is read. The
folder may come from anyone, so every pickle is read here first, by a reader that creates only
points.
"""

import json
import pickle
import sqlite3
import warnings
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from io import BytesIO
from itertools import groupby
from pathlib import Path
from typing import override

import numpy as np
from qdrant_client import QdrantClient, models
from qdrant_client.http.exceptions import ApiException

from memopolis.sim.arguments import shown
from memopolis.sim.arrays import Float32, Int32, Int64
from memopolis.sim.errors import (
    MemopolisError,
    ParameterError,
    RunFolderError,
    ServerError,
    TrustError,
)
from memopolis.sim.files import refuse_outer_links
from memopolis.sim.memory.interface import Memory
from memopolis.sim.memory.qdrant.points import (
    SPARSE,
    SentStatus,
    SparseWords,
    encode_payloads,
    make_filter,
    make_payloads,
    of_rows,
)
from memopolis.sim.memory.retrieval.filter import (
    EncodedFilter,
    Filter,
    encode_filter,
    encode_nothing,
)
from memopolis.sim.memory.store import Keys, Store
from memopolis.sim.memory.vectors.embedders.protocol import dimensions_of
from memopolis.sim.memory.views.status_search import FindingTable, embedded_names

_MODELS = "qdrant_client.http.models.models"
_CLASSES = {(_MODELS, "PointStruct"), (_MODELS, "SparseVector")}
_META, _COLLECTIONS = "meta.json", "collection"


def check_folder(folder: Path) -> None:
    """Refuse a folder, which may be missing, whose points could run code.

    Raises TrustError if a point names anything but a point, and RunFolderError if the folder is
    broken, or a link or a collection in it leads out of it.
    """
    if not folder.is_dir():
        return
    refuse_outer_links(folder)
    home = folder.resolve()
    for name in _collections(folder):
        if not (home / _COLLECTIONS / name).resolve().is_relative_to(home):
            raise RunFolderError(
                f"{folder} is not used: it has the collection {shown(name)}, which leads out of it"
            )
    for file in sorted(folder.rglob("*.sqlite")):
        try:
            for point in _points(file):
                _PointReader(file, point).load()
        except TrustError:
            raise
        except Exception as error:  # noqa: BLE001 - a broken pickle can raise anything
            raise RunFolderError(f"{file} is broken: {error}") from None


def _collections(folder: Path) -> list[str]:
    try:
        content = json.loads((folder / _META).read_text(encoding="utf-8"))
        return [str(name) for name in content["collections"]]
    except FileNotFoundError:
        return []
    except (OSError, ValueError, TypeError, KeyError, RecursionError) as error:
        raise RunFolderError(f"{folder / _META} is broken: {error}") from None


def _points(file: Path) -> Iterator[bytes]:
    with closing(sqlite3.connect(f"{file.resolve().as_uri()}?mode=ro", uri=True)) as storage:
        for (point,) in storage.execute("SELECT point FROM points"):
            yield point


class _PointReader(pickle.Unpickler):
    """Reads the pickle of a point."""

    def __init__(self, file: Path, point: bytes) -> None:
        super().__init__(BytesIO(point))
        self._file = file

    @override
    def find_class(self, module: str, name: str) -> object:
        if (module, name) not in _CLASSES:
            raise TrustError(
                f"{self._file} is not opened: a point in it names code, "
                f"{shown(f'{module}.{name}')}; use a folder that you made"
            )
        return super().find_class(module, name)


LOCAL = "http://localhost:6333"  # URL of a server on this machine
PAGE = 256  # maximum number of points per request
IDS = 10_000  # maximum number of ids per request
_FOLDER_MODE = (
    "a folder of Qdrant is searched point by point in Python and fit for some thousand memories; "
    "for more, start a server and set memory.url"
)
_ID = 2**32 - 1
type _Answers = list[tuple[int, Sequence[models.ScoredPoint]]]
"""Index of an agent and its most similar points."""
_INTEGERS = ("row", "id", "time", "thought", "actor", "place")
_WORDS = ("topic", "tags", "text")


class QdrantStore(Store):
    """All streams in a collection of Qdrant, created if missing; `client` may be a server's URL."""

    def __init__(self, client: QdrantClient | str, collection: str = "memopolis") -> None:
        super().__init__()
        self._words, self._status = SparseWords(), SentStatus()
        # The first request shows whether the server is compatible.
        self._client = make_client(client) if isinstance(client, str) else client
        self.collection = collection

    def __len__(self) -> int:
        """Return the number of points."""
        with _server_errors():
            return int(self._client.count(self.collection, exact=True).count)

    def open(self, memory: Memory) -> None:
        """Connect a memory: read the collection into an empty memory, or write a first copy.

        Raises ParameterError if the collection has vectors of another length or rows that the
        memory lacks, or both hold memories; ServerError if the server does not answer.
        """
        dimensions = dimensions_of(memory.vectors.embedder)
        with _server_errors():
            exists = self._client.collection_exists(self.collection)
            if exists:
                self._check(dimensions)
            else:
                self._create(dimensions)
        if exists and len(self):
            if memory.issued.any():
                raise ParameterError(
                    f"the collection {self.collection} is not empty; name another, or delete it"
                )
            self._read(memory)
        else:
            rows = np.arange(len(memory))
            owners, ids, _ = memory.streams.listed(rows)
            self.queue(changed=[(rows[owners], ids)])
            self.send(memory)

    @property
    def status_collection(self) -> str:
        """Name of the collection of the status."""
        return f"{self.collection}-status"

    def search(
        self,
        memory: Memory,
        rows: Sequence[int] | Int64,
        query: str | Sequence[str],
        k: int = 3,
        *,
        where: Filter | None = None,
    ) -> tuple[Int32, Float32]:
        """Find memories by the similarity that Qdrant computes, BM25; one query, or one per agent.

        Nothing is recorded as recalled. Returns ids, best first, -1 where there are fewer, and
        similarities, 0 there; both of shape (n, k). A memory without a word of the query is not
        found. `place` and `actor` of the filter are one for all agents.
        """
        memory.flush()
        encoded = encode_filter(memory, where or Filter(), 1) or encode_nothing(1)
        conditions = make_filter(memory, np.arange(len(memory)), encoded)
        agents = np.asarray(rows, np.int64)
        return self._find_similar(self.collection, agents, query, k, conditions)

    def search_status(
        self,
        memory: Memory,
        rows: Sequence[int] | Int64,
        query: str | Sequence[str],
        k: int = 3,
    ) -> FindingTable:
        """Find embedded attributes by the similarity that Qdrant computes, as `search`."""
        self.send_status(memory)
        agents = np.asarray(rows, np.int64)
        attributes, scores = self._find_similar(
            self.status_collection, agents, query, k, models.Filter()
        )
        names = embedded_names(memory._columns, None)
        return FindingTable(agents, names, attributes, np.full_like(attributes, -1), scores)

    def send_status(self, memory: Memory) -> None:
        """Write the texts of the embedded attributes that have changed."""
        self._upsert(self.status_collection, list(self._status.changed_points(memory, self._words)))

    @override
    def send(self, memory: Memory) -> None:
        super().send(memory)
        if self._status.tick != memory.now:
            self.send_status(memory)

    def clear(self) -> None:
        """Delete the collections."""
        with _server_errors():
            self._client.delete_collection(self.collection)
            self._client.delete_collection(self.status_collection)
        self._status = SentStatus()

    def close(self) -> None:
        """Close the connection; the collection stays."""
        self._client.close()

    def write(self, memory: Memory, rows: Int64, ids: Int64) -> None:
        """Write memories, new or changed, as a whole."""
        points: list[models.PointStruct] = []
        for part in _parts(len(rows)):
            columns = memory.streams.all_at(memory.streams.locate(rows[part], ids[part]))
            vectors = memory.vectors.vectors(columns["text"])
            words = self._words.of([memory.texts[text] for text in columns["text"].tolist()])
            points += [
                models.PointStruct(id=point, vector={"": vector, SPARSE: sparse}, payload=payload)
                for point, vector, sparse, payload in zip(
                    (rows[part] << 32 | ids[part]).tolist(),
                    vectors.tolist(),
                    words,
                    make_payloads(memory, rows[part], ids[part], columns),
                    strict=True,
                )
            ]
        self._upsert(self.collection, points)

    def update(self, memory: Memory, rows: Int64, ids: Int64) -> None:
        """Write the columns that recall and links change: accessed, accesses and thought."""
        slots = memory.streams.locate(rows, ids)
        names = ("accessed", "accesses", "thought")
        columns = [memory.streams.at(name, slots).tolist() for name in names]
        points = (rows << 32 | ids).tolist()
        values = [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]
        operations = [
            models.SetPayloadOperation(
                set_payload=models.SetPayload(payload=payload, points=[point])
            )
            for point, payload in zip(points, values, strict=True)
        ]
        for part in _parts(len(operations)):
            with _server_errors():
                self._client.batch_update_points(self.collection, operations[part], wait=True)

    def delete(self, rows: Int64, ids: Int64) -> None:
        """Delete memories; those that the collection lacks are skipped."""
        points = (rows << 32 | ids).tolist()
        for part in _parts(len(points)):
            chosen = models.PointIdsList(points=points[part])
            with _server_errors():
                self._client.delete(self.collection, chosen, wait=True)

    @override
    def find(self, memory: Memory, rows: Int64, where: EncodedFilter) -> Keys:
        conditions = make_filter(memory, rows, where)
        points = self._scroll(IDS, conditions, with_payload=False)
        return np.array([point.id for point in points], np.int64)

    def _find_similar(
        self,
        collection: str,
        rows: Int64,
        query: str | Sequence[str],
        k: int,
        conditions: models.Filter,
    ) -> tuple[Int32, Float32]:
        """Find the k points of each agent that are most similar to one query, or to one per agent.

        A point belongs to the agent in its payload `row`. Returns the lower halves of the ids of
        the points, best first, -1 where there are fewer, and similarities, 0 there; both (n, k).
        """
        ids = np.full((len(rows), k), -1, np.int32)
        scores = np.zeros((len(rows), k), np.float32)
        # One query is much faster as one request for several agents.
        for part in _parts(len(rows)):
            own = rows[part].tolist()
            with _server_errors():
                answers = (
                    self._find_by_query(collection, own, query, k, conditions)
                    if isinstance(query, str)
                    else self._find_by_agent(collection, own, query[part], k, conditions)
                )
            for agent, points in answers:
                at = part.start + agent
                ids[at, : len(points)] = [int(point.id) & _ID for point in points]
                scores[at, : len(points)] = [point.score for point in points]
        return ids, scores

    def _find_by_query(
        self, collection: str, rows: list[int], query: str, k: int, conditions: models.Filter
    ) -> _Answers:
        answer = self._client.query_points_groups(
            collection, "row", self._words.of_query(query), using=SPARSE, limit=len(rows),
            group_size=k, query_filter=of_rows(conditions, rows), with_payload=False,
        )  # fmt: skip
        return [(rows.index(int(group.id)), group.hits) for group in answer.groups]

    def _find_by_agent(
        self,
        collection: str,
        rows: list[int],
        queries: Sequence[str],
        k: int,
        conditions: models.Filter,
    ) -> _Answers:
        requests = [
            models.QueryRequest(
                query=self._words.of_query(text), using=SPARSE, limit=k,
                filter=of_rows(conditions, [row]),
            )
            for row, text in zip(rows, queries, strict=True)
        ]  # fmt: skip
        answers = self._client.query_batch_points(collection, requests)
        return [(agent, answer.points) for agent, answer in enumerate(answers)]

    def _upsert(self, collection: str, points: list[models.PointStruct]) -> None:
        """Write points in batches; the server works on the next while one is being written."""
        parts = list(_parts(len(points)))
        for number, part in enumerate(parts, start=1):
            with _server_errors():
                self._client.upsert(collection, points[part], wait=number == len(parts))

    def _create(self, dimensions: int) -> None:
        sparse = {SPARSE: models.SparseVectorParams(modifier=models.Modifier.IDF)}
        self._client.create_collection(
            self.collection,
            vectors_config=models.VectorParams(size=dimensions, distance=models.Distance.COSINE),
            sparse_vectors_config=sparse,
        )
        if not self._client.collection_exists(self.status_collection):
            self._client.create_collection(
                self.status_collection, vectors_config={}, sparse_vectors_config=sparse
            )
        integer = models.PayloadSchemaType.INTEGER
        self._client.create_payload_index(self.status_collection, "row", field_schema=integer)
        kinds = dict.fromkeys(_INTEGERS, models.PayloadSchemaType.INTEGER)
        kinds |= dict.fromkeys(_WORDS, models.PayloadSchemaType.KEYWORD)
        for name, kind in kinds.items():
            self._client.create_payload_index(self.collection, name, field_schema=kind)

    def _check(self, dimensions: int) -> None:
        stored = self._client.get_collection(self.collection).config.params
        if SPARSE not in (stored.sparse_vectors or {}):
            raise ParameterError(
                f"the collection {self.collection} has no sparse vectors {SPARSE!r}: name another, "
                "or delete it"
            )
        size = getattr(stored.vectors, "size", None)
        if size != dimensions:
            raise ParameterError(
                f"the collection {self.collection} has vectors of {size} dimensions, the "
                f"embedder returns {dimensions}: use the embedder it was created with"
            )

    def _read(self, memory: Memory) -> None:
        """Read the collection into a memory without memories."""
        points = (point.payload or {} for point in self._scroll(PAGE))
        for row, group in groupby(points, key=lambda payload: int(payload["row"])):
            if row >= len(memory):
                raise ParameterError(
                    f"the collection has memories of row {row}, the memory {len(memory)} agents"
                )
            columns = encode_payloads(memory, list(group))
            memory.streams.append(np.full(len(columns["id"]), row), columns["id"], columns)
        memory.issued = memory.streams.next.copy()

    def _scroll(
        self, limit: int, conditions: models.Filter | None = None, *, with_payload: bool = True
    ) -> Iterator[models.Record]:
        """Iterate over points by row and id, `limit` per request."""
        page = None
        while True:
            with _server_errors():
                points, page = self._client.scroll(
                    self.collection, conditions, limit, offset=page, with_payload=with_payload
                )
            yield from points
            if page is None:
                return


def make_client(url: str, path: str = "none") -> QdrantClient:
    """Make a client of a server (`LOCAL` if "") or, if `path` is not "none", of a folder.

    Raises TrustError if the folder names code, see `check_folder`.
    """
    with _server_errors():
        if path != "none":
            check_folder(Path(path))
            warnings.warn(_FOLDER_MODE, RuntimeWarning, stacklevel=2)
            return QdrantClient(path=path)
        return QdrantClient(url=url or LOCAL, check_compatibility=False)


def _parts(length: int) -> Iterator[slice]:
    return (slice(begin, begin + PAGE) for begin in range(0, length, PAGE))


@contextmanager
def _server_errors() -> Iterator[None]:
    """Convert exceptions of the client to a ServerError of one line."""
    try:
        with warnings.catch_warnings():
            # The local mode warns that it needs neither indices nor search parameters.
            warnings.filterwarnings("ignore", "Local mode|Payload indexes", UserWarning)
            yield
    except (ApiException, RuntimeError, ValueError) as error:
        if isinstance(error, MemopolisError):
            raise
        first = str(error).partition("\n")[0]
        raise ServerError(f"Qdrant returned an error: {first}") from None
