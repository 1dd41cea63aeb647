"""A store in Qdrant: one collection, one point per memory.

    memory = Memory(agents=2, store=QdrantStore("http://localhost:6333"))
    memory[0].stream.add("social", "Talked with {actor}", actor=1, importance=0.4)
    memory.flush()

The id of a point is row * 2**32 + id, its payload the columns of the memory as words and numbers,
its vector that of the text, so other programs can search the collection. Only one process may write
to a collection at a time.
"""

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path
from typing import Any, override

import numpy as np

from memopolis.sim.arrays import Array, Int64
from memopolis.sim.errors import MemopolisError, ParameterError, ServerError
from memopolis.sim.extras import require
from memopolis.sim.memory.interface import Memory
from memopolis.sim.memory.qdrant.local import check_folder
from memopolis.sim.memory.retrieval.filter import ALWAYS, ANY, EncodedFilter
from memopolis.sim.memory.store import Keys, Store
from memopolis.sim.memory.streams.encoding import EMOTION_WORDS, KIND_WORDS, KINDS, emotion_number
from memopolis.sim.memory.streams.layout import COLUMNS, CONTINUES, THOUGHT
from memopolis.sim.memory.vectors.embedders.protocol import dimensions_of

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


require("qdrant", "qdrant_client", what="a memory in Qdrant")

from qdrant_client import QdrantClient, models  # noqa: E402 - after the check for the extra
from qdrant_client.http.exceptions import ApiException  # noqa: E402

LOCAL = "http://localhost:6333"  # URL of a server on this machine
PAGE = 256  # maximum number of points per request
IDS = 10_000  # maximum number of ids per request
_NO_TOPIC = "\0"  # a topic that no memory has
_INTEGERS = ("row", "id", "time", "thought", "actor", "place")
_WORDS = ("topic", "tags", "text")


class QdrantStore(Store):
    """All streams in a collection of Qdrant, created if missing; `client` may be a server's URL."""

    def __init__(self, client: QdrantClient | str, collection: str = "memopolis") -> None:
        super().__init__()
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

    def clear(self) -> None:
        """Delete the collection."""
        with _server_errors():
            self._client.delete_collection(self.collection)

    def close(self) -> None:
        """Close the connection; the collection stays."""
        self._client.close()

    def write(self, memory: Memory, rows: Int64, ids: Int64) -> None:
        """Write memories, new or changed, as a whole."""
        for part in _parts(len(rows)):
            columns = memory.streams.all_at(memory.streams.locate(rows[part], ids[part]))
            vectors = memory.vectors.vectors(columns["text"])
            points = [
                models.PointStruct(id=point, vector=vector, payload=payload)
                for point, vector, payload in zip(
                    (rows[part] << 32 | ids[part]).tolist(),
                    vectors.tolist(),
                    make_payloads(memory, rows[part], ids[part], columns),
                    strict=True,
                )
            ]
            with _server_errors():
                self._client.upsert(self.collection, points, wait=True)

    def update(self, memory: Memory, rows: Int64, ids: Int64) -> None:
        """Write the columns that recall and links change: accessed, accesses and thought."""
        slots = memory.streams.locate(rows, ids)
        names = ("accessed", "accesses", "thought")
        columns = [memory.streams.at(name, slots).tolist() for name in names]
        points = (rows << 32 | ids).tolist()
        values = [dict(zip(names, one, strict=True)) for one in zip(*columns, strict=True)]
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
        conditions = _make_filter(memory, rows, where)
        points = self._scroll(limit=IDS, scroll_filter=conditions, with_payload=False)
        return np.array([point.id for point in points], np.int64)

    def _create(self, dimensions: int) -> None:
        self._client.create_collection(
            self.collection,
            vectors_config=models.VectorParams(size=dimensions, distance=models.Distance.COSINE),
        )
        kinds = dict.fromkeys(_INTEGERS, models.PayloadSchemaType.INTEGER)
        kinds |= dict.fromkeys(_WORDS, models.PayloadSchemaType.KEYWORD)
        for name, kind in kinds.items():
            self._client.create_payload_index(self.collection, name, field_schema=kind)

    def _check(self, dimensions: int) -> None:
        stored = self._client.get_collection(self.collection).config.params.vectors
        size = getattr(stored, "size", None)
        if size != dimensions:
            raise ParameterError(
                f"the collection {self.collection} has vectors of {size} dimensions, the "
                f"embedder returns {dimensions}: use the embedder it was created with"
            )

    def _read(self, memory: Memory) -> None:
        """Read the collection into a memory without memories."""
        points = (point.payload or {} for point in self._scroll(limit=PAGE))
        for row, group in groupby(points, key=lambda one: int(one["row"])):
            if row >= len(memory):
                raise ParameterError(
                    f"the collection has memories of row {row}, the memory {len(memory)} agents"
                )
            columns = encode_payloads(memory, list(group))
            memory.streams.append(np.full(len(columns["id"]), row), columns["id"], columns)
        memory.issued = memory.streams.next.copy()

    def _scroll(self, **arguments: Any) -> Iterator[models.Record]:
        """Iterate over points by row and id; arguments as in `QdrantClient.scroll`."""
        page: Any = None
        while True:
            with _server_errors():
                points, page = self._client.scroll(self.collection, offset=page, **arguments)
            yield from points
            if page is None:
                return


def _make_filter(memory: Memory, rows: Int64, where: EncodedFilter) -> models.Filter:
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


def make_client(url: str, path: str = "none") -> QdrantClient:
    """Make a client of a server (`LOCAL` if "") or, if `path` is not "none", of a folder.

    Raises TrustError if the folder names code, see `check_folder`.
    """
    with _server_errors():
        if path != "none":
            check_folder(Path(path))
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
