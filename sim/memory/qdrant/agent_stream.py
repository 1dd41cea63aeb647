"""The stream of one agent in Qdrant: the verbs of that in arrays."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memopolis.sim.memory.qdrant import finding, keeping
from memopolis.sim.memory.qdrant.cohort_stream import QdrantCohortStream
from memopolis.sim.memory.qdrant.reading import write_out
from memopolis.sim.memory.retrieval.profiles import Profile
from memopolis.sim.memory.retrieval.recalling import By
from memopolis.sim.memory.retrieval.wanted import Wanted
from memopolis.sim.memory.streams import encoding
from memopolis.sim.memory.streams.recollection import Recalled, Recollections
from memopolis.sim.memory.streams.tags import Tags

if TYPE_CHECKING:
    from memopolis.sim.memory.qdrant.desk import Desk
    from memopolis.sim.memory.qdrant.memory import QdrantMemory

IntArray = NDArray[np.int64]


class QdrantAgentStream:
    """What one agent lived through; arguments and results are those of `AgentStream`."""

    __slots__ = ("_memory", "_observed", "_row")

    def __init__(self, memory: "QdrantMemory", row: int, *, observed: bool = False) -> None:
        self._memory = memory
        self._row = row
        self._observed = observed

    @property
    def _cohort(self) -> QdrantCohortStream:
        return QdrantCohortStream(self._memory, np.array([self._row]), observed=self._observed)

    def __len__(self) -> int:
        """How many memories the agent holds."""
        return int(self._cohort.counts[0])

    def add(
        self,
        topic: str,
        text: str,
        *,
        actor: Any = None,
        place: int | None = None,
        importance: float = 0.5,
        valence: float | None = None,
        confidence: float = 1.0,
        kind: str = "event",
        emotion: str | None = None,
        continues: bool = False,
        tags: Tags = None,
    ) -> int:
        """Remember something; the memory's id."""
        ids = self._cohort.add(
            topic, text, actor=actor, place=place, importance=importance, valence=valence,
            confidence=confidence, kind=kind, emotion=emotion, continues=continues, tags=tags,
        )  # fmt: skip
        return int(ids[0])

    def search(
        self,
        query: str,
        k: int | None = None,
        *,
        profile: str | Profile = "recall",
        topic: str | None = None,
        days: tuple[int, int] | None = None,
        place: int | None = None,
        emotion: str | None = None,
        kind: str | None = None,
        only_actor: Any = None,
        tags: Tags = None,
        sign: str | None = None,
        actor: Any = None,
        when: tuple[int, int] | None = None,
        feeling: float | None = None,
        explain: bool = False,
    ) -> Recollections:
        """Recall what a query asks for, as `AgentStream.search`."""
        wanted = Wanted(topic, days, place, emotion, kind, only_actor, tags=tags, sign=sign)
        return self._told(
            *finding.search(
                self._memory, np.array([self._row]), query, k, profile=profile, wanted=wanted,
                actor=actor, when=when, feeling=feeling, with_terms=explain,
            )
        )  # fmt: skip

    def today(
        self, query: str | None = None, k: int = 20, *, by: By = "importance"
    ) -> Recollections:
        """Recall memories of today, as `AgentStream.today`."""
        return self._told(*finding.today(self._memory, np.array([self._row]), query, k, by))

    def _told(self, found: Recalled, desk: "Desk") -> Recollections:
        ids = desk.real(found.ids)
        there = ids[0] >= 0
        if not self._observed:
            keeping.book(self._memory, np.array([self._row]), ids)
        told = write_out(self._memory, self._row, ids[0, there].tolist())
        scores = found.scores[0, there].tolist()
        terms = {name: values[0, there].tolist() for name, values in found.terms.items()}
        return Recollections(
            replace(one, score=score, terms={name: float(v[at]) for name, v in terms.items()})
            for at, (one, score) in enumerate(zip(told, scores, strict=True))
        )

    def read(self, ids: ArrayLike) -> Recollections:
        """Write out memories by id, without booking an access; those gone are left out."""
        return write_out(self._memory, self._row, np.atleast_1d(encoding.id_numbers(ids)).tolist())

    def column(self, name: str, ids: ArrayLike) -> NDArray[Any]:
        """Values of a column at memories by id, as `AgentStream.column`."""
        given = encoding.id_numbers(ids)
        return self._cohort.column(name, given.reshape(1, -1)).reshape(given.shape)

    def link(self, ids: ArrayLike, thought: str | int, **columns: Any) -> int:
        """Point memories at the thought they led to; its id."""
        given = encoding.id_numbers(ids).reshape(1, -1)
        if isinstance(thought, str):
            return int(self._cohort.link(given, thought, **columns)[0])
        return int(self._cohort.link(given, to=[thought])[0])

    def thoughts_of(self, ids: ArrayLike) -> NDArray[np.int32]:
        """Ids of the thoughts that memories led to, shape of `ids`, -1 for none."""
        return self.column("thought", ids)

    def forget(
        self,
        ids: ArrayLike | None = None,
        *,
        older_than: float | None = None,
        below: float | None = None,
        topic: str | None = None,
    ) -> int:
        """Forget memories for ever; how many."""
        given = None if ids is None else encoding.id_numbers(ids).reshape(1, -1)
        return int(self._cohort.forget(given, older_than=older_than, below=below, topic=topic)[0])
