"""Search of attributes and memories by the cosine of their vectors with the query.

The template of an attribute turns each value into a text.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.arguments import check_names
from memopolis.sim.arrays import Float32, Int32, Int64, Ints
from memopolis.sim.errors import UnknownNameError
from memopolis.sim.memory.interface import Memory
from memopolis.sim.memory.retrieval import recalling, request
from memopolis.sim.memory.retrieval.filter import Filter
from memopolis.sim.memory.retrieval.profiles import Profile
from memopolis.sim.memory.retrieval.recollection import format_memories
from memopolis.sim.memory.status.columns import Columns
from memopolis.sim.memory.status.schema import Attribute
from memopolis.sim.memory.vectors.embedding import VectorCache, embed_rounded, pair_cosines

BY_VECTORS = Profile(dense=1.0)  # memories are scored by the cosine alone, as attributes are
_NO_SCORE = np.float32(-np.inf)


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


class Findings(list[Any]):
    """A list of attributes and memories that prints as a mind reads it."""

    def __str__(self) -> str:
        return "\n".join(map(str, self)) or "Nothing"


@dataclass(frozen=True, slots=True, eq=False)
class FindingTable:
    """Attributes and memories found for several agents, best first."""

    rows: Int64  # rows of the agents, shape (n,)
    names: tuple[str, ...]  # names of the attributes that were searched
    # Indices into `names`, -1 for a memory or no result, int32, shape (n, k).
    attributes: Int32
    ids: Int32  # ids of memories, -1 for an attribute or no result, shape (n, k)
    scores: Float32  # cosines with the query, 0 for no result, shape (n, k)

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def counts(self) -> NDArray[np.intp]:
        """Number of results of each agent, shape (n,)."""
        return np.asarray(((self.attributes >= 0) | (self.ids >= 0)).sum(axis=1))


def search(
    memory: Memory,
    rows: Ints,
    query: str | Sequence[str],
    k: int,
    *,
    only: str | Sequence[str] | None = None,
) -> FindingTable:
    """Search the embedded attributes of some agents; as `CohortStatus.search`."""
    queries, asks = request.queries_of(query, None, len(rows))
    names = embedded_names(memory._columns, only)
    most = request.limit_count(k, lambda: len(names))
    shape = len(rows), max(most, len(names))
    scores, attributes = np.zeros(shape, np.float32), np.full(shape, -1, np.int32)
    attributes[:, : len(names)] = np.arange(len(names))
    each = [texts_of(memory, rows, name) for name in names] if len(rows) else []
    if each:
        vectors = _cache_of(memory).get([*queries, *(text for texts, _ in each for text in texts)])
    first = len(queries)
    for place, (texts, text) in enumerate(each):
        pairs, which = np.unique(asks * len(texts) + text, return_inverse=True)
        number, value = np.divmod(pairs, len(texts))
        scores[:, place] = pair_cosines(vectors[number], vectors[first + value])[which]
        first += len(texts)
        present = memory._columns.presence(names[place])
        if present is not None:
            attributes[~present[rows], place] = -1
    table = FindingTable(
        np.asarray(rows, np.int64), names, attributes, np.full_like(attributes, -1), scores
    )
    return _select_best(table, most)


def _select_best(table: FindingTable, k: int) -> FindingTable:
    """Return the k best results of each agent; ties are in the order of the table."""
    exists = (table.attributes >= 0) | (table.ids >= 0)
    scores = np.where(exists, table.scores, _NO_SCORE)
    order = np.argsort(-scores, axis=1, kind="stable")[:, :k]
    attributes, ids, scores = (
        np.take_along_axis(values, order, axis=1)
        for values in (table.attributes, table.ids, scores)
    )
    scores[scores == _NO_SCORE] = 0
    return FindingTable(table.rows, table.names, attributes, ids, scores)


def search_all(
    memory: Memory,
    rows: Int64,
    query: str | Sequence[str],
    k: int,
    *,
    where: Filter,
    only: str | Sequence[str] | None = None,
    observed: bool = False,
) -> FindingTable:
    """Search status and streams, as `CohortMemory.search`; attributes precede equal memories."""
    status = search(memory, rows, query, k, only=only)
    options = request.SearchOptions(k, BY_VECTORS, where)
    stream = recalling.search(memory, rows, query, options, observed=observed, recorded=False)
    attributes = np.hstack([status.attributes, np.full_like(stream.ids, -1)])
    ids = np.hstack([status.ids, stream.ids])
    scores = np.hstack([status.scores, stream.scores])
    results = _select_best(FindingTable(rows, status.names, attributes, ids, scores), k)
    if not observed:
        recalling.record_access(memory, rows, results.ids)
    return results


def list_findings(memory: Memory, results: FindingTable) -> Findings:
    """Return the results of the first agent with their texts."""
    row, findings = int(results.rows[0]), Findings()
    columns = (results.attributes[0], results.ids[0], results.scores[0])
    for attribute, number, score in zip(*(each.tolist() for each in columns), strict=True):
        if attribute >= 0:
            findings.append(_format_attribute(memory, row, results.names[attribute], score))
        elif number >= 0:
            findings += format_memories(memory, row, [number], [score])
    return findings


def _format_attribute(memory: Memory, row: int, name: str, score: float) -> StatusFinding:
    attribute = memory._columns.schema.attributes[name]
    value = memory._columns.read(name, row)
    shown = value
    if attribute.role == "memory" and isinstance(value, int):
        shown = _memory_text(memory, row, value)
    return StatusFinding(name, text_of(attribute, shown), value, score)


def embedded_names(columns: Columns, only: str | Sequence[str] | None) -> tuple[str, ...]:
    """Return the names of the embedded attributes to search, in order of declaration."""
    embedded = [name for name, a in columns.schema.attributes.items() if a.embed]
    if only is None:
        return tuple(embedded)
    selected: set[str] = set()
    for name in [only] if isinstance(only, str) else check_names("only", only):
        fields = set(columns.fields(name)) & set(embedded)
        if not fields:
            raise UnknownNameError(
                f"attribute {name!r} is not declared with embed=True, so no search finds it; "
                f"those that are: {', '.join(embedded) or 'none'}"
            )
        selected |= fields
    return tuple(name for name in embedded if name in selected)


def text_of(attribute: Attribute, value: object) -> str:
    """Return the text of an attribute: its template with {name} and {value} filled in."""
    name = attribute.name.replace(".", " ").replace("_", " ")
    # Not str.format: a template or a value may contain other braces.
    before, *after = attribute.template.replace("{name}", name).split("{value}")
    return _words(attribute, value).join([before, *after])


def _words(attribute: Attribute, value: object) -> str:
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


def texts_of(memory: Memory, rows: Ints, name: str) -> tuple[list[str], NDArray[np.intp]]:
    """Return the distinct texts of an attribute, and the index of each agent's text."""
    columns, attribute = memory._columns, memory._columns.schema.attributes[name]
    values = columns.codes(name, np.asarray(rows))
    if attribute.role == "memory":
        memory.settle()
        pairs = zip(np.asarray(rows).tolist(), values.tolist(), strict=True)
        each = [text_of(attribute, _memory_text(memory, *pair)) for pair in pairs]
        distinct, back = np.unique(np.array(each, object), return_inverse=True)
        return distinct.tolist(), back.reshape(-1)
    codes, back = np.unique(values, return_inverse=True)
    texts = [text_of(attribute, columns.decode(attribute, code)) for code in codes.tolist()]
    return texts, back.reshape(-1)


def _cache_of(memory: Memory) -> VectorCache:
    """Return the vectors of the texts of the status by the embedder of a memory."""
    columns, embedder = memory._columns, memory.vectors.embedder
    if columns.vectors is None or columns.vectors[0] is not embedder:
        columns.vectors = embedder, VectorCache(partial(embed_rounded, embedder))
    return columns.vectors[1]
