"""The streams of many agents in Qdrant: the verbs of those in arrays."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memopolis.sim.errors import ParameterError, UnknownNameError
from memopolis.sim.memory.qdrant import finding, keeping
from memopolis.sim.memory.qdrant.reading import write_out
from memopolis.sim.memory.retrieval.asking import Queries
from memopolis.sim.memory.retrieval.profiles import Profile
from memopolis.sim.memory.retrieval.recalling import By
from memopolis.sim.memory.retrieval.wanted import Wanted
from memopolis.sim.memory.streams import encoding
from memopolis.sim.memory.streams.adding import Text
from memopolis.sim.memory.streams.recollection import Recalled, Recollections
from memopolis.sim.memory.streams.stream import COLUMNS
from memopolis.sim.memory.streams.tags import Tags

if TYPE_CHECKING:
    from memopolis.sim.memory.qdrant.desk import Desk
    from memopolis.sim.memory.qdrant.memory import QdrantMemory

IntArray = NDArray[np.int64]


class QdrantCohortStream:
    """What some agents lived through; arguments and results are those of `CohortStream`.

    Args:
        memory: The memory it is part of.
        rows: Rows of the agents, shape (n,).
        observed: Whether an observer looks: nothing is booked.
    """

    __slots__ = ("_memory", "_observed", "_rows")

    def __init__(self, memory: "QdrantMemory", rows: IntArray, *, observed: bool = False) -> None:
        self._memory = memory
        self._rows = rows
        self._observed = observed

    @property
    def counts(self) -> NDArray[np.int32]:
        """How many memories each agent holds, shape (n,)."""
        return keeping.counts(self._memory, self._rows)

    def add(
        self,
        topic: str,
        text: Text,
        *,
        actor: Any = None,
        place: ArrayLike | None = None,
        importance: ArrayLike = 0.5,
        valence: ArrayLike | None = None,
        confidence: ArrayLike = 1.0,
        kind: str = "event",
        emotion: Any = None,
        continues: ArrayLike = False,
        tags: Any = None,
    ) -> NDArray[np.int32]:
        """Let each agent remember something; as `CohortStream.add` without `merge`."""
        columns = {
            "actor": actor, "place": place, "importance": importance, "valence": valence,
            "confidence": confidence, "kind": kind, "emotion": emotion, "continues": continues,
            "tags": tags,
        }  # fmt: skip
        return keeping.add(self._memory, self._rows, topic, text, columns)

    def search(
        self,
        query: Queries,
        k: int | None = None,
        *,
        profile: str | Profile = "recall",
        topic: str | None = None,
        days: tuple[int, int] | None = None,
        place: ArrayLike | None = None,
        emotion: str | None = None,
        kind: str | None = None,
        only_actor: Any = None,
        tags: Tags = None,
        sign: str | None = None,
        actor: Any = None,
        when: Any = None,
        feeling: ArrayLike | None = None,
        each: ArrayLike | None = None,
        explain: bool = False,
    ) -> Recalled:
        """Let each agent recall what a query asks for, as `CohortStream.search`.

        Which profiles give exactly what arrays give is said in `qdrant.memory`.
        """
        wanted = Wanted(topic, days, place, emotion, kind, only_actor, tags=tags, sign=sign)
        return self._booked(
            *finding.search(
                self._memory, self._rows, query, k, profile=profile, wanted=wanted, actor=actor,
                when=when, each=each, feeling=feeling, with_terms=explain,
            )
        )  # fmt: skip

    def today(
        self, query: Queries | None = None, k: int = 20, *, by: By = "importance"
    ) -> Recalled:
        """Let each agent recall memories of today, as `CohortStream.today`."""
        return self._booked(*finding.today(self._memory, self._rows, query, k, by))

    def _booked(self, found: Recalled, desk: "Desk") -> Recalled:
        ids = desk.real(found.ids)
        if not self._observed:
            keeping.book(self._memory, self._rows, ids)
        return Recalled(self._rows, ids, found.scores, found.terms)

    def read(self, ids: ArrayLike) -> list[Recollections]:
        """Write out memories, a list an agent, as `CohortStream.read`."""
        given = self._ids(ids)
        table = given if given.ndim == 2 else given[:, None]
        pairs = zip(self._rows.tolist(), table.tolist(), strict=True)
        return [write_out(self._memory, row, numbers) for row, numbers in pairs]

    def column(self, name: str, ids: ArrayLike) -> NDArray[Any]:
        """Values of a column at memories by id, as `CohortStream.column`.

        Texts and topics are given by number, as `rules` counts them.

        Raises:
            UnknownNameError: If there is no such column.
        """
        if name not in COLUMNS:
            raise UnknownNameError(
                f"a memory has no column {name!r}; there are: {', '.join(COLUMNS)}"
            )
        given = self._ids(ids)
        table = given if given.ndim == 2 else given[:, None]
        values, there = keeping.found(self._memory, name, self._rows, table)
        return encoding.decode(name, values, there).reshape(given.shape)

    def link(
        self,
        ids: ArrayLike,
        thought: Text | None = None,
        *,
        to: ArrayLike | None = None,
        **columns: Any,
    ) -> NDArray[np.int32]:
        """Point each agent's memories at the thought they led to, as `CohortStream.link`.

        Raises:
            ParameterError: If not exactly one of `thought` and `to` is given.
        """
        if (thought is None) == (to is None):
            raise ParameterError("a link needs either the text of a thought or, with to=, its id")
        given = None if to is None else np.asarray(to, np.int64)
        numbers = encoding.id_numbers(ids)
        return keeping.link(
            self._memory, self._rows, numbers, text=thought, to=given, columns=columns
        )

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
    ) -> NDArray[np.int32]:
        """Forget memories for ever, as `CohortStream.forget`."""
        given = None if ids is None else self._ids(ids)
        return keeping.forget(
            self._memory, self._rows, given, older_than=older_than, below=below, topic=topic
        )

    def _ids(self, ids: ArrayLike) -> IntArray:
        return encoding.ids(ids, len(self._rows))
