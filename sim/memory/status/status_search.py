"""Finding attributes of a status by what they say.

Each value of an embedded attribute is written out by its template, each distinct text is
embedded once, and found by its cosine with the query.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.errors import ParameterError, UnknownNameError
from memopolis.sim.memory.retrieval.profiles import check_count
from memopolis.sim.memory.status.json_values import from_json
from memopolis.sim.memory.status.schema import Attribute
from memopolis.sim.memory.text.texts import Texts

if TYPE_CHECKING:
    from memopolis.sim.memory.memory import Memory
    from memopolis.sim.memory.status.columns import Columns

KEPT = 4096
"""Texts whose vectors are kept from one search to the next whatever it needs itself."""


@dataclass(frozen=True, slots=True)
class StatusFinding:
    """One attribute that was found.

    Attributes:
        name: Its key.
        text: What it says.
        value: Its value, an own copy.
        score: Cosine with the query, -1..1.
    """

    name: str
    text: str
    value: Any
    score: float

    def __str__(self) -> str:
        return f"- {self.text}"


class StatusFindings(list[StatusFinding]):
    """A list of attributes that prints as a mind reads it."""

    def __str__(self) -> str:
        return "\n".join(map(str, self)) or "Nothing"


@dataclass(frozen=True, slots=True, eq=False)
class StatusFound:
    """Attributes found for many agents, best first.

    Attributes:
        rows: Rows of the agents, shape (n,).
        names: Names of the attributes that were looked at.
        attributes: Places in `names`, -1 where there are fewer, int32, shape (n, k).
        scores: Cosines with the query, 0 where there are fewer, float32, shape (n, k).
    """

    rows: NDArray[np.int64]
    names: tuple[str, ...]
    attributes: NDArray[np.int32]
    scores: NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def counts(self) -> NDArray[np.intp]:
        """How many attributes each agent found, shape (n,)."""
        return np.asarray((self.attributes >= 0).sum(axis=1))


class StatusTexts:
    """The texts that values of a status were written out as, with their vectors.

    Args:
        embedder: What gives texts their vectors; None for the shipped one.
    """

    def __init__(self, embedder: Any = None) -> None:
        from memopolis.sim.memory.vectors.embedding import TextVectors

        self.embedder = embedder
        self._texts = Texts()
        self._vectors = TextVectors(self._texts, embedder)
        self._used: list[NDArray[np.int32]] = []

    def __len__(self) -> int:
        return len(self._texts)

    def likeness(
        self,
        queries: Sequence[str],
        texts: Sequence[str],
        asked: NDArray[np.intp],
        said: NDArray[np.intp],
    ) -> NDArray[np.float32]:
        """Compare queries with texts, pair by pair.

        Args:
            queries: Distinct queries.
            texts: Distinct texts.
            asked: Place of the query of each pair, shape (pairs,).
            said: Place of its text, shape (pairs,).

        Returns:
            Cosines, 0 where one has no vector, shape (pairs,).
        """
        numbers = self._texts.intern_many([*queries, *texts])
        self._used.append(numbers)
        cosines = self._vectors.likeness(numbers[asked], numbers[len(queries) + said])
        return cosines.astype(np.float32)

    def sweep(self) -> None:
        """Forget texts that were not in use since the last call, where they became many."""
        used = np.zeros(self._texts.capacity, np.bool_)
        used[np.concatenate([*self._used, np.zeros(0, np.int32)])] = True
        self._used.clear()
        if len(self._texts) > max(KEPT, 2 * int(np.count_nonzero(used))):
            self._texts.sweep(used)


def search(
    columns: "Columns",
    rows: NDArray[np.integer[Any]],
    query: str | Sequence[str],
    k: int,
    *,
    only: str | Sequence[str] | None = None,
    memory: "Memory | None" = None,
) -> StatusFound:
    """Search the embedded attributes of some agents; arguments as in `CohortStatus.search`."""
    check_count(k)
    queries, asks = _queries(query, len(rows))
    names = wanted(columns, only)
    scores = np.zeros((len(rows), len(names)), np.float32)
    texts = _texts_of(columns, None if memory is None else memory.vectors.embedder)
    for place, name in enumerate(names):
        codes, back = np.unique(columns.codes(name, np.asarray(rows)), return_inverse=True)
        attribute = columns.schema.attributes[name]
        said = [text_of(attribute, value_of(columns, attribute, code)) for code in codes.tolist()]
        wide = max(len(codes), 1)
        pairs, which = np.unique(asks * wide + back.reshape(-1), return_inverse=True)
        scores[:, place] = texts.likeness(queries, said, pairs // wide, pairs % wide)[which]
    texts.sweep()
    # Stable: ties in the order of declaration.
    order = np.argsort(-scores, axis=1, kind="stable")[:, :k]
    found = np.full((len(rows), k), -1, np.int32)
    best = np.zeros((len(rows), k), np.float32)
    found[:, : order.shape[1]] = order
    best[:, : order.shape[1]] = np.take_along_axis(scores, order, axis=1)
    return StatusFound(np.asarray(rows, np.int64), names, found, best)


def _queries(query: Any, agents: int) -> tuple[list[str], NDArray[np.intp]]:
    """Distinct queries, and which of them each agent asks."""
    given: list[Any] = [query] * agents
    if isinstance(query, Sequence) and not isinstance(query, str):
        given = list(query)
    if len(given) != agents or not all(isinstance(text, str) for text in given):
        raise ParameterError(
            f"a query of the status is a text, or one an agent ({agents}), given {query!r}"
        )
    distinct: dict[str, None] = dict.fromkeys(given)
    number = {text: place for place, text in enumerate(distinct)}
    return list(distinct), np.array([number[text] for text in given], np.intp)


def told(columns: "Columns", found: StatusFound, agent: int = 0) -> StatusFindings:
    """Write out what one of the agents found."""
    pairs = zip(found.attributes[agent].tolist(), found.scores[agent].tolist(), strict=True)
    row = int(found.rows[agent])
    return StatusFindings(
        finding(columns, row, found.names[place], score) for place, score in pairs if place >= 0
    )


def finding(columns: "Columns", row: int, name: str, score: float) -> StatusFinding:
    """Write out an attribute of an agent."""
    attribute = columns.schema.attributes[name]
    value = columns.read(name, row)
    return StatusFinding(name, text_of(attribute, value), value, score)


def wanted(columns: "Columns", only: str | Sequence[str] | None) -> tuple[str, ...]:
    """Names of the embedded attributes to look at, in order of declaration.

    Raises:
        UnknownNameError: If `only` names what does not exist or is not embedded.
    """
    embedded = [name for name, a in columns.schema.attributes.items() if a.embed]
    if only is None:
        return tuple(embedded)
    asked: set[str] = set()
    for name in [only] if isinstance(only, str) else only:
        fields = set(columns.fields(name)) & set(embedded)
        if not fields:
            raise UnknownNameError(
                f"attribute {name!r} is not declared with embed=True, so no search finds it; "
                f"those that are: {', '.join(embedded) or 'none'}"
            )
        asked |= fields
    return tuple(name for name in embedded if name in asked)


def text_of(attribute: Attribute, value: Any) -> str:
    """What an attribute says: its template with {name} and {value} filled in."""
    name = attribute.name.replace(".", " ").replace("_", " ")
    # Not str.format: a template or a value may hold any other braces.
    before, *after = attribute.template.replace("{name}", name).split("{value}")
    return _words(attribute, value).join([before, *after])


def value_of(columns: "Columns", attribute: Attribute, code: Any) -> Any:
    """The value that a column keeps as this number or JSON text."""
    if attribute.kind == "text":
        return columns.label_of(code)
    return from_json(code) if attribute.is_json else code


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


def _texts_of(columns: "Columns", embedder: Any) -> StatusTexts:
    texts = columns.written
    if texts is None or texts.embedder is not embedder:
        texts = columns.written = StatusTexts(embedder)
    return texts
