"""Search of attributes by their texts: the template of an attribute turns each value into one."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.errors import UnknownNameError
from memopolis.sim.memory.interface import Memory
from memopolis.sim.memory.retrieval.recalling import limit_count, queries_of
from memopolis.sim.memory.status.schema import Attribute
from memopolis.sim.memory.streams.recollection import Recollection, format_memories
from memopolis.sim.memory.vectors.embedders.registry import embedder_of
from memopolis.sim.memory.vectors.embedding import VectorCache, embed_rounded, pair_cosines

if TYPE_CHECKING:
    from memopolis.sim.memory.status.columns import Columns


@dataclass(frozen=True, slots=True)
class StatusFinding:
    """One attribute in the results of a search."""

    name: str  # its key
    text: str  # its text
    value: Any  # a copy of its value
    score: float  # cosine with the query, -1..1

    source: ClassVar[str] = "status"
    id: ClassVar[int] = -1

    def __str__(self) -> str:
        return f"- {self.text}"


class Findings[T: StatusFinding | Recollection](list[T]):
    """A list of attributes and memories that prints as a mind reads it."""

    def __str__(self) -> str:
        return "\n".join(map(str, self)) or "Nothing"


@dataclass(frozen=True, slots=True, eq=False)
class FindingTable:
    """Attributes and memories found for several agents, best first."""

    rows: NDArray[np.int64]  # rows of the agents, shape (n,)
    names: tuple[str, ...]  # names of the attributes that were searched
    # Indices into `names`, -1 for a memory or no result, int32, shape (n, k).
    attributes: NDArray[np.int32]
    ids: NDArray[np.int32]  # ids of memories, -1 for an attribute or no result, shape (n, k)
    scores: NDArray[np.float32]  # cosines with the query, 0 for no result, shape (n, k)

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def counts(self) -> NDArray[np.intp]:
        """Number of results of each agent, shape (n,)."""
        return np.asarray(((self.attributes >= 0) | (self.ids >= 0)).sum(axis=1))


def search(
    columns: "Columns",
    rows: NDArray[np.integer[Any]],
    query: str | Sequence[str],
    k: int,
    *,
    only: str | Sequence[str] | None = None,
    memory: Memory | None = None,
) -> FindingTable:
    """Search the embedded attributes of some agents; arguments as in `CohortStatus.search`."""
    queries, asks = queries_of(query, None, len(rows))
    names = embedded_names(columns, only)
    most = limit_count(k, len(names))
    scores = np.zeros((len(rows), len(names)), np.float32)
    each = [_texts_of(columns, rows, name, memory) for name in names] if len(rows) else []
    if each:
        cache = _cache_of(columns, memory)
        vectors = cache.get([*queries, *(text for texts, _ in each for text in texts)])
    first = len(queries)
    for place, (texts, text) in enumerate(each):
        pairs, which = np.unique(asks * len(texts) + text, return_inverse=True)
        number, value = np.divmod(pairs, len(texts))
        scores[:, place] = pair_cosines(vectors[number], vectors[first + value])[which]
        first += len(texts)
    # Stable: ties in the order of declaration.
    order = np.argsort(-scores, axis=1, kind="stable")[:, :most]
    best_attributes = np.full((len(rows), most), -1, np.int32)
    best = np.zeros((len(rows), most), np.float32)
    best_attributes[:, : order.shape[1]] = order
    best[:, : order.shape[1]] = np.take_along_axis(scores, order, axis=1)
    ids = np.full_like(best_attributes, -1)
    return FindingTable(np.asarray(rows, np.int64), names, best_attributes, ids, best)


def format_results(
    columns: "Columns", results: FindingTable, memory: Memory | None = None
) -> Findings[StatusFinding]:
    """Format the results of the first agent."""
    pairs = zip(results.attributes[0].tolist(), results.scores[0].tolist(), strict=True)
    row, names = int(results.rows[0]), results.names
    return Findings(
        format_attribute(columns, row, names[at], score, memory) for at, score in pairs if at >= 0
    )


def format_attribute(
    columns: "Columns", row: int, name: str, score: float, memory: Memory | None = None
) -> StatusFinding:
    """Format an attribute of an agent."""
    attribute = columns.schema.attributes[name]
    value = columns.read(name, row)
    shown = value
    if attribute.role == "memory" and memory is not None:
        shown = _memory_text(memory, row, value)
    return StatusFinding(name, text_of(attribute, shown), value, score)


def embedded_names(columns: "Columns", only: str | Sequence[str] | None) -> tuple[str, ...]:
    """Return the names of the embedded attributes to search, in order of declaration."""
    embedded = [name for name, a in columns.schema.attributes.items() if a.embed]
    if only is None:
        return tuple(embedded)
    selected: set[str] = set()
    for name in [only] if isinstance(only, str) else only:
        fields = set(columns.fields(name)) & set(embedded)
        if not fields:
            raise UnknownNameError(
                f"attribute {name!r} is not declared with embed=True, so no search finds it; "
                f"those that are: {', '.join(embedded) or 'none'}"
            )
        selected |= fields
    return tuple(name for name in embedded if name in selected)


def text_of(attribute: Attribute, value: Any) -> str:
    """Return the text of an attribute: its template with {name} and {value} filled in."""
    name = attribute.name.replace(".", " ").replace("_", " ")
    # Not str.format: a template or a value may contain other braces.
    before, *after = attribute.template.replace("{name}", name).split("{value}")
    return _words(attribute, value).join([before, *after])


def _words(attribute: Attribute, value: Any) -> str:
    match value:
        case bool():
            words = "yes" if value else "no"
        case int() if 0 <= value < len(attribute.labels):
            words = attribute.labels[value]
        case float():
            words = f"{value:.6g}"
        case None:
            words = "unknown"
        case list() | set():
            items = sorted(value, key=str) if isinstance(value, set) else value
            words = ", ".join(_words(attribute, item) for item in items)
        case dict():
            words = ", ".join(f"{key}: {_words(attribute, item)}" for key, item in value.items())
        case _:
            words = str(value)
    return words


def _memory_text(memory: Memory, row: int, number: int) -> str:
    """Return the text of a memory of an agent, "unknown" if it has none."""
    matches = format_memories(memory, row, [number])
    return matches[0].text if matches else "unknown"


def _texts_of(
    columns: "Columns", rows: NDArray[np.integer[Any]], name: str, memory: Memory | None
) -> tuple[list[str], NDArray[np.intp]]:
    """Return the distinct texts of an attribute, and the index of each agent's text."""
    attribute = columns.schema.attributes[name]
    values = columns.codes(name, np.asarray(rows))
    if attribute.role == "memory" and memory is not None:
        memory.settle()
        pairs = zip(np.asarray(rows).tolist(), values.tolist(), strict=True)
        each = [text_of(attribute, _memory_text(memory, *pair)) for pair in pairs]
        distinct, back = np.unique(np.array(each, object), return_inverse=True)
        return distinct.tolist(), back.reshape(-1)
    codes, back = np.unique(values, return_inverse=True)
    texts = [text_of(attribute, columns.decode(attribute, code)) for code in codes.tolist()]
    return texts, back.reshape(-1)


def _cache_of(columns: "Columns", memory: Memory | None) -> VectorCache:
    """Return the vectors of the columns' texts by the embedder of a memory, or the shipped one."""
    embedder = embedder_of("static") if memory is None else memory.vectors.embedder
    if columns.vectors is None or columns.vectors[0] is not embedder:
        columns.vectors = embedder, VectorCache(partial(embed_rounded, embedder))
    return columns.vectors[1]
