"""Search status and stream together, by the cosine of their vectors with the query."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.memory.retrieval import recalling
from memopolis.sim.memory.retrieval.filter import Filter
from memopolis.sim.memory.retrieval.profiles import Profile
from memopolis.sim.memory.status import status_search
from memopolis.sim.memory.status.status_search import StatusFinding
from memopolis.sim.memory.streams.recollection import Recollection, format_memories

if TYPE_CHECKING:
    from memopolis.sim.memory.interface import Memory

BY_VECTORS = Profile(dense=1.0)
"""Memories are scored by the cosine alone, as attributes are."""

_NO_SCORE = np.float32(-np.inf)


@dataclass(frozen=True, slots=True)
class Finding:
    """One result of a search: an attribute or a memory.

    Attributes:
        item: The attribute or the memory.
    """

    item: StatusFinding | Recollection

    @property
    def source(self) -> Literal["status", "stream"]:
        """Whether it is an attribute or a memory."""
        return "status" if isinstance(self.item, StatusFinding) else "stream"

    @property
    def text(self) -> str:
        """Its text."""
        return self.item.text

    @property
    def score(self) -> float:
        """Cosine with the query."""
        return self.item.score

    @property
    def id(self) -> int:
        """Id of a memory; -1 for an attribute."""
        return self.item.id if isinstance(self.item, Recollection) else -1

    @property
    def name(self) -> str:
        """Name of an attribute; "" for a memory."""
        return self.item.name if isinstance(self.item, StatusFinding) else ""

    def __str__(self) -> str:
        return str(self.item)


class Findings(list[Finding]):
    """A list of attributes and memories that prints as a mind reads it."""

    def __str__(self) -> str:
        return "\n".join(map(str, self)) or "Nothing"


@dataclass(frozen=True, slots=True, eq=False)
class FindingTable:
    """Attributes and memories found for several agents, best first.

    Attributes:
        rows: Rows of the agents, int64, shape (n,).
        names: Names of the attributes that were searched.
        attributes: Indices into `names`, -1 for a memory or no result, int32, shape (n, k).
        ids: Ids of memories, -1 for an attribute or no result, int32, shape (n, k).
        scores: Cosines with the query, 0 for no result, float32, shape (n, k).
    """

    rows: NDArray[np.int64]
    names: tuple[str, ...]
    attributes: NDArray[np.int32]
    ids: NDArray[np.int32]
    scores: NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def counts(self) -> NDArray[np.intp]:
        """Number of results of each agent, shape (n,)."""
        return np.asarray(((self.attributes >= 0) | (self.ids >= 0)).sum(axis=1))


def search(
    memory: "Memory",
    rows: NDArray[np.int64],
    query: str | Sequence[str],
    k: int,
    *,
    where: Filter,
    only: str | Sequence[str] | None = None,
    observed: bool = False,
) -> FindingTable:
    """Search status and streams; as `CohortMemory.search`.

    Only the memories returned are recorded as accessed, unless `observed`. Ties go to attributes in
    the order of declaration, then to memories in the order of their own search.
    """
    status = status_search.search(memory.columns, rows, query, k, only=only, memory=memory)
    stream = recalling.search(
        memory, rows, query, k, profile=BY_VECTORS, where=where, observed=observed, recorded=False
    )
    attributes = np.hstack([status.attributes, np.full_like(stream.ids, -1)])
    ids = np.hstack([np.full_like(status.attributes, -1), stream.ids])
    exists = (attributes >= 0) | (ids >= 0)
    scores = np.where(exists, np.hstack([status.scores, stream.scores]), _NO_SCORE)
    order = np.argsort(-scores, axis=1, kind="stable")[:, :k]
    attributes, ids, scores, exists = (
        np.take_along_axis(values, order, axis=1) for values in (attributes, ids, scores, exists)
    )
    if not observed:
        recalling.record_access(memory, rows, ids)
    return FindingTable(
        rows, status.names, attributes, ids, np.where(exists, scores, np.float32(0))
    )


def list_findings(memory: "Memory", results: FindingTable, agent: int = 0) -> Findings:
    """Return the results of one agent, by its index in `results.rows`, with their texts."""
    row = int(results.rows[agent])
    findings = Findings()
    for attribute, number, score in zip(
        results.attributes[agent].tolist(),
        results.ids[agent].tolist(),
        results.scores[agent].tolist(),
        strict=True,
    ):
        if attribute >= 0:
            name = results.names[attribute]
            one = status_search.format_attribute(memory.columns, row, name, score, memory)
            findings.append(Finding(one))
        elif number >= 0:
            findings += map(Finding, format_memories(memory, row, [number], [score]))
    return findings
