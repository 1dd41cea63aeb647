"""The streams of many agents, verb by verb."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memopolis.sim.errors import ParameterError, UnknownNameError
from memopolis.sim.memory import encoding, linking, recalling
from memopolis.sim.memory.asking import Queries, Wanted
from memopolis.sim.memory.linking import Text
from memopolis.sim.memory.profiles import Profile
from memopolis.sim.memory.recalling import By
from memopolis.sim.memory.recollection import Recalled, Recollections
from memopolis.sim.memory.stream import COLUMNS
from memopolis.sim.memory.telling import tell

if TYPE_CHECKING:
    from memopolis.sim.memory.memory import Memory

IntArray = NDArray[np.int64]


class CohortStream:
    """What some agents lived through.

    Args:
        memory: The memory it is part of.
        rows: Rows of the agents, shape (n,).
        observed: Whether an observer looks: nothing is booked, all is found by score.
    """

    __slots__ = ("_memory", "_observed", "_rows")

    def __init__(self, memory: "Memory", rows: IntArray, *, observed: bool = False) -> None:
        self._memory = memory
        self._rows = rows
        self._observed = observed

    @property
    def counts(self) -> NDArray[np.int32]:
        """How many memories each agent holds, shape (n,)."""
        self._memory.settle()
        return self._memory.streams.counts(self._rows)

    def add(
        self,
        topic: str,
        text: Text,
        *,
        actor: Any = None,
        place: ArrayLike | None = None,
        importance: ArrayLike = 0.5,
        valence: ArrayLike = 0.0,
        confidence: ArrayLike = 1.0,
        kind: str = "event",
        emotion: Any = None,
        continues: ArrayLike = False,
        tags: ArrayLike = 0,
    ) -> NDArray[np.int32]:
        """Let each agent remember something.

        Args:
            topic: What it belongs to; a new topic is declared by its first use.
            text: One text, one an agent, or an array of numbers of interned ones.
            actor: unique_id of who did or told it, or anything that has one.
            place: Index of the place.
            importance: 0..1.
            valence: -1 (bad) .. 1 (good).
            confidence: 0..1.
            kind: "event" or "thought".
            emotion: One of the 21 words, or their numbers.
            continues: Whether it goes on from the memory before, in the same interaction.
            tags: Bits of tags.

            All but topic and kind may be one value or one an agent, shape (n,).

        Returns:
            The memories' ids, int32, shape (n,).

        Raises:
            ParameterError: If a value is out of range or an array has another shape.
            UnknownNameError: If there is no such emotion word.
        """
        columns = {
            "actor": actor, "place": place, "importance": importance, "valence": valence,
            "confidence": confidence, "kind": kind, "emotion": emotion, "continues": continues,
            "tags": tags,
        }  # fmt: skip
        return linking.add(self._memory, self._rows, topic, text, columns)

    def search(
        self,
        query: Queries,
        k: int = 10,
        *,
        profile: str | Profile = "act",
        topic: str | None = None,
        days: tuple[int, int] | None = None,
        place: ArrayLike | None = None,
        emotion: str | None = None,
        kind: str | None = None,
        only_actor: Any = None,
        actor: Any = None,
        when: Any = None,
        each: ArrayLike | None = None,
        explain: bool = False,
    ) -> Recalled:
        """Let each agent recall what a query asks for.

        Args:
            query: One query, or several.
            k: Most memories an agent recalls, >= 1.
            profile: How they are scored, or the name of a profile.
            topic: Only memories of this topic; one nobody used finds nothing.
            days: Only memories of these days, first and last, both inclusive.
            place: Only memories of this place, one or one an agent.
            emotion: Only memories with this emotion word.
            kind: Only "event" or "thought".
            only_actor: Only memories by this actor, one or one an agent.
            actor: Actor whose memories score higher; None for the one the query names.
            when: First and last tick between which memories score higher; None for the date
                that the query names.
            each: Which query each agent asks, shape (n,); agent i asks query i if left out.
            explain: Whether the terms of the scores are given too.

        Returns:
            Ids and scores, each of shape (n, k), best first. Ties go to the later last
            access, then to the newer memory.

        Raises:
            ParameterError: If an argument is out of range.
            UnknownNameError: If there is no such profile or emotion word.
        """
        return recalling.search(
            self._memory,
            self._rows,
            query,
            k,
            profile=profile,
            wanted=Wanted(topic, days, place, emotion, kind, only_actor),
            actor=actor,
            when=when,
            each=each,
            with_terms=explain,
            observed=self._observed,
        )

    def today(
        self, query: Queries | None = None, k: int = 20, *, by: By = "importance"
    ) -> Recalled:
        """Let each agent recall memories of today.

        Args:
            query: What to rank them by; None to rank them by `by`.
            k: Most memories an agent recalls, >= 1.
            by: "importance", or "time" for the latest.
        """
        return recalling.today(self._memory, self._rows, query, k, by=by, observed=self._observed)

    def read(self, ids: ArrayLike) -> list[Recollections]:
        """Write out memories, a list an agent.

        Args:
            ids: Ids of memories, shape (n, k); those gone, and -1, are left out.
        """
        self._memory.settle()
        given = self._ids(ids).reshape(len(self._rows), -1).tolist()
        pairs = zip(self._rows.tolist(), given, strict=True)
        return [tell(self._memory, row, numbers) for row, numbers in pairs]

    def column(self, name: str, ids: ArrayLike) -> NDArray[Any]:
        """Values of a column at memories by id.

        Args:
            name: text, time, accessed, accesses, actor, place, thought, topic, kind,
                emotion, tags (int32), importance, valence or confidence (float32).
            ids: Ids of the memories, shape (n,) or (n, k).

        Returns:
            Shape of `ids`; -1 or nan where there is no such memory.

        Raises:
            UnknownNameError: If there is no such column.
        """
        if name not in COLUMNS:
            raise UnknownNameError(
                f"a memory has no column {name!r}; there are: {', '.join(COLUMNS)}"
            )
        self._memory.settle()
        given = self._ids(ids)
        table = given if given.ndim == 2 else given[:, None]
        values, there = self._memory.streams.found(name, self._rows, table)
        return encoding.decode(name, values, there).reshape(given.shape)

    def link(
        self,
        ids: ArrayLike,
        thought: Text | None = None,
        *,
        to: ArrayLike | None = None,
        **columns: Any,
    ) -> NDArray[np.int32]:
        """Point each agent's memories at the thought they led to.

        Args:
            ids: Ids of memories, -1 for none, shape (n, k).
            thought: Text of the thought, one or one an agent, or numbers of interned texts;
                it becomes a memory of topic cognition unless the agent holds it already.
            to: Ids of thoughts the agents hold, shape (n,), instead of their texts.
            columns: What else a new memory holds: importance, valence, confidence, emotion,
                actor, place, tags, as in `add`.

        Returns:
            Ids of the thoughts, shape (n,).

        Raises:
            ParameterError: If not exactly one of `thought` and `to` is given.
        """
        if (thought is None) == (to is None):
            raise ParameterError("a link needs either the text of a thought or, with to=, its id")
        given = None if to is None else np.asarray(to, np.int64)
        numbers = np.asarray(ids, np.int64)
        return linking.link(
            self._memory, self._rows, numbers, text=thought, to=given, columns=columns
        )

    def thoughts_of(self, ids: ArrayLike) -> NDArray[np.int32]:
        """Ids of the thoughts that memories led to, shape of `ids`, -1 for none."""
        return self.column("thought", ids)

    def _ids(self, ids: ArrayLike) -> IntArray:
        given = np.asarray(ids, np.int64)
        if given.ndim not in (1, 2) or len(given) != len(self._rows):
            raise ParameterError(
                f"ids have shape {given.shape}; ({len(self._rows)},) or "
                f"({len(self._rows)}, k) is needed"
            )
        return given
