"""One search over status and stream: what one is and what one lived through in one space.

Both are compared with the query by the cosine of their vectors, so their scores can be
compared with one another.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.memory.retrieval import recalling
from memopolis.sim.memory.retrieval.profiles import Profile
from memopolis.sim.memory.retrieval.wanted import Wanted
from memopolis.sim.memory.status import status_search
from memopolis.sim.memory.status.status_search import StatusFinding
from memopolis.sim.memory.streams.recollection import Recollection
from memopolis.sim.memory.streams.telling import tell

if TYPE_CHECKING:
    from memopolis.sim.memory.memory import Memory

BY_VECTORS = Profile(dense=1.0)
"""How memories are scored: by nothing but the cosine, as attributes are."""

_NOTHING = np.float32(-np.inf)


@dataclass(frozen=True, slots=True)
class Finding:
    """What was found: an attribute or a memory.

    Attributes:
        told: All of it.
    """

    told: StatusFinding | Recollection

    @property
    def source(self) -> Literal["status", "stream"]:
        """Where it comes from."""
        return "status" if isinstance(self.told, StatusFinding) else "stream"

    @property
    def text(self) -> str:
        """What it says."""
        return self.told.text

    @property
    def score(self) -> float:
        """Cosine with the query."""
        return self.told.score

    @property
    def id(self) -> int:
        """Id of a memory; -1 for an attribute."""
        return self.told.id if isinstance(self.told, Recollection) else -1

    @property
    def name(self) -> str:
        """Name of an attribute; "" for a memory."""
        return self.told.name if isinstance(self.told, StatusFinding) else ""

    def __str__(self) -> str:
        return str(self.told)


class Findings(list[Finding]):
    """A list of attributes and memories that prints as a mind reads it."""

    def __str__(self) -> str:
        return "\n".join(map(str, self)) or "Nothing"


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """Attributes and memories found for many agents, best first.

    Attributes:
        rows: Rows of the agents, int64, shape (n,).
        names: Names of the attributes that were looked at.
        attributes: Places in `names`, -1 where a memory or nothing stands, int32, shape (n, k).
        ids: Ids of memories, -1 where an attribute or nothing stands, int32, shape (n, k).
        scores: Cosines with the query, 0 where nothing stands, float32, shape (n, k).
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
        """How much each agent found, shape (n,)."""
        return np.asarray(((self.attributes >= 0) | (self.ids >= 0)).sum(axis=1))


def search(
    memory: "Memory",
    rows: NDArray[np.int64],
    query: str | Sequence[str],
    k: int,
    *,
    wanted: Wanted,
    only: str | Sequence[str] | None = None,
    observed: bool = False,
) -> Found:
    """Search status and streams of some agents.

    Args:
        memory: Where to search.
        rows: Rows of the agents, shape (n,).
        query: One query, or one an agent.
        k: Most attributes and memories together, >= 1.
        wanted: Filters of the memories.
        only: Names of the attributes to look at; None for all that are embedded, () for none.
        observed: Whether an observer looks; else what is returned of the streams is booked.

    Returns:
        At most k an agent, best first; ties go to attributes in the order of declaration,
        then to memories in the order of their own search.

    Raises:
        ParameterError: If an argument is out of range.
        UnknownNameError: If `only` names what does not exist or is not embedded.
    """
    status = status_search.search(memory.columns, rows, query, k, only=only, memory=memory)
    stream = recalling.search(
        memory,
        rows,
        query,
        k,
        profile=BY_VECTORS,
        wanted=wanted,
        observed=observed,
        booked=False,
    )
    none = np.full_like(stream.ids, -1)
    attributes = np.hstack([status.attributes, none])
    ids = np.hstack([np.full_like(status.attributes, -1), stream.ids])
    there = (attributes >= 0) | (ids >= 0)
    scores = np.where(there, np.hstack([status.scores, stream.scores]), _NOTHING)
    order = np.argsort(-scores, axis=1, kind="stable")[:, :k]
    attributes, ids, scores, there = (
        np.take_along_axis(values, order, axis=1) for values in (attributes, ids, scores, there)
    )
    if not observed:
        recalling.book(memory, rows, ids)
    best = np.where(there, scores, np.float32(0))
    return Found(rows, status.names, attributes, ids, best)


def told(memory: "Memory", found: Found, agent: int = 0) -> Findings:
    """Write out what one of the agents found."""
    row = int(found.rows[agent])
    findings = Findings()
    for attribute, number, score in zip(
        found.attributes[agent].tolist(),
        found.ids[agent].tolist(),
        found.scores[agent].tolist(),
        strict=True,
    ):
        if attribute >= 0:
            name = found.names[attribute]
            findings.append(Finding(status_search.finding(memory.columns, row, name, score)))
        elif number >= 0:
            findings += map(Finding, tell(memory, row, [number], [score]))
    return findings
