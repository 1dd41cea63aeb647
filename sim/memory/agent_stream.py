"""The stream of one agent, verb by verb."""

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memopolis.sim.errors import ParameterError
from memopolis.sim.memory import encoding, recalling
from memopolis.sim.memory.asking import Wanted
from memopolis.sim.memory.emotion import emotion_number
from memopolis.sim.memory.linking import link
from memopolis.sim.memory.profiles import Profile
from memopolis.sim.memory.recalling import By
from memopolis.sim.memory.recollection import Recollections
from memopolis.sim.memory.stream import CONTINUES
from memopolis.sim.memory.telling import tell

if TYPE_CHECKING:
    from memopolis.sim.memory.cohort_stream import CohortStream
    from memopolis.sim.memory.memory import Memory

_PLACES = range(-1, 2**15)
_TAGS = range(2**16)


class AgentStream:
    """What one agent lived through; the verbs are those of `CohortStream`."""

    __slots__ = ("_memory", "_observed", "_row")

    def __init__(self, memory: "Memory", row: int, *, observed: bool = False) -> None:
        self._memory = memory
        self._row = row
        self._observed = observed

    def __len__(self) -> int:
        """How many memories the agent holds."""
        self._memory.settle()
        return int(self._memory.streams.counts(self._row))

    def add(
        self,
        topic: str,
        text: str | int,
        *,
        actor: Any = None,
        place: int | None = None,
        importance: float = 0.5,
        valence: float = 0.0,
        confidence: float = 1.0,
        kind: str = "event",
        emotion: str | None = None,
        continues: bool = False,
        tags: int = 0,
    ) -> int:
        """Remember something.

        Args:
            topic: What it belongs to; a new topic is declared by its first use.
            text: Text, or the number of an interned one. A template names others as {actor}
                and {place}; names written into texts make every text a new one.
            actor: unique_id of who did or told it, or anything that has one.
            place: Index of the place.
            importance: 0..1.
            valence: -1 (bad) .. 1 (good).
            confidence: 0..1.
            kind: "event" or "thought".
            emotion: One of the 21 words.
            continues: Whether it goes on from the memory before, in the same interaction.
            tags: Bits of tags.

        Returns:
            The memory's id.

        Raises:
            ParameterError: If a value is out of range.
            UnknownNameError: If there is no such emotion word.
        """
        memory, row = self._memory, self._row
        # In plain Python: building arrays for one memory would take ten times as long.
        kind_number = encoding.KINDS.get(kind)
        if (
            kind_number is None
            or not 0 <= importance <= 1
            or not -1 <= valence <= 1
            or not 0 <= confidence <= 1
            or (place is not None and place not in _PLACES)
            or tags not in _TAGS
        ):
            raise _complaint(
                {"importance": importance, "confidence": confidence}, valence, kind, place, tags
            )
        number = (
            memory.texts.intern(text)
            if isinstance(text, str)
            else int(encoding.text_numbers(np.asarray(text), memory.texts.capacity))
        )
        topic_number = memory.topic_numbers.get(topic)
        one = (
            row,
            memory.issued.item(row),
            memory.now,
            number,
            -1 if actor is None else encoding.actor(actor),
            -1 if place is None else place,
            tags,
            int(importance * 255 + 0.5),
            math.floor(valence * 127 + 0.5),
            int(confidence * 255 + 0.5),
            memory.topic_number(topic) if topic_number is None else topic_number,
            kind_number | CONTINUES if continues else kind_number,
            0 if emotion is None else emotion_number(emotion),
        )
        memory.issued[row] = one[1] + 1
        memory.pending.singles.append(one)
        return one[1]

    def search(
        self,
        query: str,
        k: int = 10,
        *,
        profile: str | Profile = "act",
        topic: str | None = None,
        days: tuple[int, int] | None = None,
        place: int | None = None,
        emotion: str | None = None,
        kind: str | None = None,
        only_actor: Any = None,
        actor: Any = None,
        when: tuple[int, int] | None = None,
        explain: bool = False,
    ) -> Recollections:
        """Recall what a query asks for; arguments as in `CohortStream.search`.

        Returns:
            At most k memories, best first.
        """
        found = recalling.search(
            self._memory,
            np.array([self._row]),
            query,
            k,
            profile=profile,
            wanted=Wanted(topic, days, place, emotion, kind, only_actor),
            actor=actor,
            when=when,
            with_terms=explain,
            observed=self._observed,
        )
        terms = {name: values[0].tolist() for name, values in found.terms.items()}
        return tell(self._memory, self._row, found.ids[0], found.scores[0].tolist(), terms)

    def today(
        self, query: str | None = None, k: int = 20, *, by: By = "importance"
    ) -> Recollections:
        """Recall memories of today; arguments as in `CohortStream.today`."""
        rows = np.array([self._row])
        found = recalling.today(self._memory, rows, query, k, by=by, observed=self._observed)
        return tell(self._memory, self._row, found.ids[0], found.scores[0].tolist())

    def read(self, ids: ArrayLike) -> Recollections:
        """Write out memories by id, without booking an access; those gone are left out."""
        self._memory.settle()
        return tell(self._memory, self._row, np.atleast_1d(np.asarray(ids, np.int64)).tolist())

    def column(self, name: str, ids: ArrayLike) -> NDArray[Any]:
        """Values of a column at memories by id, as in `CohortStream.column`."""
        given = np.asarray(ids, np.int64)
        return self._cohort().column(name, given.reshape(1, -1)).reshape(given.shape)

    def link(self, ids: ArrayLike, thought: str | int, **columns: Any) -> int:
        """Point memories at the thought they led to.

        Args:
            ids: Ids of the memories.
            thought: Text of the thought, which becomes a memory of topic cognition unless
                the agent holds that thought already; or the id of a thought.
            columns: What else the new memory holds: importance, valence, confidence,
                emotion, actor, place, tags, as in `add`.

        Returns:
            Id of the thought.
        """
        given = np.asarray(ids, np.int64).reshape(1, -1)
        rows = np.array([self._row])
        text = thought if isinstance(thought, str) else None
        to = None if isinstance(thought, str) else np.array([thought], np.int64)
        return int(link(self._memory, rows, given, text=text, to=to, columns=columns)[0])

    def thoughts_of(self, ids: ArrayLike) -> NDArray[np.int32]:
        """Ids of the thoughts that memories led to, shape of `ids`, -1 for none."""
        return self.column("thought", ids)

    def _cohort(self) -> "CohortStream":
        from memopolis.sim.memory.cohort_stream import CohortStream

        return CohortStream(self._memory, np.array([self._row]), observed=self._observed)


def _complaint(
    fractions: Mapping[str, float], valence: float, kind: str, place: Any, tags: Any
) -> ParameterError:
    """The error of the first value that is out of range."""
    try:
        for name, value in fractions.items():
            encoding.fraction(name, value)
        encoding.valence(valence)
        encoding.kind(kind)
        encoding.places(place)
        encoding.tags(tags)
    except ParameterError as error:
        return error
    return ParameterError("a memory takes numbers, given something else")
