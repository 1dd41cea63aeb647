"""Search status and stream together, by the cosine of their vectors with the query."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.memory.interface import Memory
from memopolis.sim.memory.retrieval import recalling
from memopolis.sim.memory.retrieval.filter import Filter
from memopolis.sim.memory.retrieval.profiles import Profile
from memopolis.sim.memory.status import status_search
from memopolis.sim.memory.status.status_search import Findings, FindingTable, StatusFinding
from memopolis.sim.memory.streams.recollection import Recollection, format_memories

BY_VECTORS = Profile(dense=1.0)  # memories are scored by the cosine alone, as attributes are
_NO_SCORE = np.float32(-np.inf)


def search(
    memory: Memory,
    rows: NDArray[np.int64],
    query: str | Sequence[str],
    k: int,
    *,
    where: Filter,
    only: str | Sequence[str] | None = None,
    observed: bool = False,
) -> FindingTable:
    """Search status and streams, as `CohortMemory.search`; attributes precede equal memories."""
    status = status_search.search(memory.columns, rows, query, k, only=only, memory=memory)
    options = recalling.SearchOptions(k, BY_VECTORS, where)
    stream = recalling.search(memory, rows, query, options, observed=observed, recorded=False)
    attributes = np.hstack([status.attributes, np.full_like(stream.ids, -1)])
    ids = np.hstack([status.ids, stream.ids])
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


def list_findings(
    memory: Memory, results: FindingTable, agent: int = 0
) -> Findings[StatusFinding | Recollection]:
    """Return the results of one agent, by its index in `results.rows`, with their texts."""
    row = int(results.rows[agent])
    findings: Findings[StatusFinding | Recollection] = Findings()
    for attribute, number, score in zip(
        results.attributes[agent].tolist(),
        results.ids[agent].tolist(),
        results.scores[agent].tolist(),
        strict=True,
    ):
        if attribute >= 0:
            name = results.names[attribute]
            findings.append(
                status_search.format_attribute(memory.columns, row, name, score, memory)
            )
        elif number >= 0:
            findings += format_memories(memory, row, [number], [score])
    return findings
