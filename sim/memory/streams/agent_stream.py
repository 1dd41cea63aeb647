"""The stream of one agent, verb by verb."""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memopolis.sim.errors import ParameterError
from memopolis.sim.memory.observing import refuse_observer
from memopolis.sim.memory.retrieval import recalling
from memopolis.sim.memory.retrieval.profiles import Profile
from memopolis.sim.memory.retrieval.recalling import By
from memopolis.sim.memory.retrieval.wanted import Wanted
from memopolis.sim.memory.streams import encoding
from memopolis.sim.memory.streams.emotion import emotion_number
from memopolis.sim.memory.streams.linking import link
from memopolis.sim.memory.streams.recollection import Recalled, Recollections
from memopolis.sim.memory.streams.stream import CONTINUES
from memopolis.sim.memory.streams.tags import Tags
from memopolis.sim.memory.streams.telling import tell

if TYPE_CHECKING:
    from memopolis.sim.memory.memory import Memory
    from memopolis.sim.memory.streams.cohort_stream import CohortStream

_PLACES = range(-1, 2**15)


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
        valence: float | None = None,
        confidence: float = 1.0,
        kind: str = "event",
        emotion: str | None = None,
        continues: bool = False,
        tags: Tags = None,
        merge: bool = False,
    ) -> int:
        """Remember something.

        Args:
            topic: What it belongs to; a new topic is declared by its first use.
            text: Text, or the number of an interned one. A template names others as {actor}
                and {place}; names written into texts make every text a new one.
            actor: unique_id of who did or told it, or anything that has one.
            place: Index of the place.
            importance: 0..1.
            valence: -1 (bad) .. 1 (good); read from the text if left out, where the memory
                has an extractor, else 0.
            confidence: 0..1.
            kind: "event" or "thought".
            emotion: One of the 21 words.
            continues: Whether it goes on from the memory before, in the same interaction.
            tags: Names of tags, or bits; read from time and text if left out, where the
                memory has an extractor.
            merge: Whether a near duplicate of the topic and actor is updated, and its id
                given, instead of storing another memory.

        Returns:
            The memory's id.

        Raises:
            ParameterError: If a value is out of range.
            UnknownNameError: If there is no such emotion word.
        """
        refuse_observer(observed=self._observed)
        memory, row = self._memory, self._row
        if merge:
            told = text if isinstance(text, str) else np.asarray(text)
            ids = self._cohort().add(
                topic, told, actor=actor, place=place, importance=importance, valence=valence,
                confidence=confidence, kind=kind, emotion=emotion, continues=continues,
                tags=tags, merge=merge,
            )  # fmt: skip
            return int(ids[0])
        worth = 0.0 if valence is None else valence
        # In plain Python: building arrays for one memory would take ten times as long.
        kind_number = encoding.KINDS.get(kind)
        if kind_number is None or not _fits(importance, worth, confidence, place):
            raise _complaint(
                {"importance": importance, "confidence": confidence}, worth, kind, place
            )
        number = (
            memory.texts.intern(text)
            if isinstance(text, str)
            else int(encoding.text_numbers(np.asarray(text), memory.texts.capacity))
        )
        topic_number = memory.topic_numbers.get(topic)
        if topic_number is None:
            topic_number = memory.topic_number(topic)
        marks, felt = self._context(topic_number, number, tags, valence)
        one = (
            row,
            memory.issued.item(row),
            memory.now,
            number,
            -1 if actor is None else encoding.actor(actor),
            -1 if place is None else place,
            marks,
            int(importance * 255 + 0.5),
            felt,
            int(confidence * 255 + 0.5),
            topic_number,
            kind_number | CONTINUES if continues else kind_number,
            0 if emotion is None else emotion_number(emotion),
        )
        memory.issued[row] = one[1] + 1
        memory.pending.singles.append(one)
        return one[1]

    def _context(self, topic: int, text: int, tags: Tags, valence: float | None) -> tuple[int, int]:
        """Tags and valence as they are kept: as given, else as read from time and text."""
        memory, read = self._memory, (0, 0)
        if memory.extractor is not None and (tags is None or valence is None):
            read = memory.extractor.read_one(memory, topic, memory.now, text)
        return (
            read[0] if tags is None else memory.tags.bits(tags),
            read[1] if valence is None else math.floor(valence * 127 + 0.5),
        )

    def forget(
        self,
        ids: ArrayLike | None = None,
        *,
        older_than: float | None = None,
        below: float | None = None,
        topic: str | None = None,
    ) -> int:
        """Forget memories for ever; arguments as in `CohortStream.forget`, ids of any shape.

        Returns:
            How many were forgotten.
        """
        refuse_observer(observed=self._observed)
        given = None if ids is None else encoding.id_numbers(ids).reshape(1, -1)
        cohort = self._cohort()
        return int(cohort.forget(given, older_than=older_than, below=below, topic=topic)[0])

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
        """Recall what a query asks for; arguments as in `CohortStream.search`.

        Returns:
            At most k memories, best first, or newest first where the profile says so.
        """
        found = recalling.search(
            self._memory,
            np.array([self._row]),
            query,
            k,
            profile=profile,
            wanted=Wanted(topic, days, place, emotion, kind, only_actor, tags=tags, sign=sign),
            actor=actor,
            when=when,
            feeling=feeling,
            with_terms=explain,
            observed=self._observed,
        )
        return self._told(found)

    def focus(
        self,
        queries: Sequence[str],
        k: int = 30,
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
        feeling: float | None = None,
        explain: bool = False,
    ) -> list[Recollections]:
        """Recall around several focal points; arguments as in `CohortStream.focus`.

        Returns:
            One list a query.
        """
        found = recalling.focus(
            self._memory,
            np.array([self._row]),
            queries,
            k,
            profile=profile,
            wanted=Wanted(topic, days, place, emotion, kind, only_actor, tags=tags, sign=sign),
            feeling=feeling,
            with_terms=explain,
            observed=self._observed,
        )
        return [self._told(one) for one in found]

    def recommend(
        self,
        k: int | None = None,
        *,
        profile: str | Profile = "recommend",
        topic: str | None = None,
        days: tuple[int, int] | None = None,
        kind: str | None = None,
        tags: Tags = None,
        sign: str | None = None,
        feeling: float | None = None,
        explain: bool = False,
    ) -> Recollections:
        """Recall what comes to mind without a query, as `CohortStream.recommend`."""
        found = recalling.recommend(
            self._memory,
            np.array([self._row]),
            k,
            profile=profile,
            wanted=Wanted(topic, days, kind=kind, tags=tags, sign=sign),
            feeling=feeling,
            with_terms=explain,
            observed=self._observed,
        )
        return self._told(found)

    def today(
        self, query: str | None = None, k: int = 20, *, by: By = "importance"
    ) -> Recollections:
        """Recall memories of today; arguments as in `CohortStream.today`."""
        rows = np.array([self._row])
        found = recalling.today(self._memory, rows, query, k, by=by, observed=self._observed)
        return self._told(found)

    def contextual(
        self,
        query: str,
        *,
        tags: Tags = None,
        emotion: str | None = None,
        k: int = 10,
        profile: str | Profile = "recall",
    ) -> Recollections:
        """Recall what fits query and context; arguments as in `CohortStream.contextual`.

        Returns:
            At most k memories in the order of the search, each with the term `match`.
        """
        cohort = self._cohort()
        found = cohort.contextual(query, tags=tags, emotion=emotion, k=k, profile=profile)
        return self._told(found)

    def related(self, ids: ArrayLike) -> Recollections:
        """Recall what is related to memories, finding it first if nobody has.

        Args:
            ids: Ids of the memories.

        Returns:
            The earlier memories that are most like them, at most five for each, those of the
            first memory first and each but once.
        """
        found = self._cohort().related(encoding.id_numbers(ids).reshape(1, -1))
        each = dict.fromkeys(found[found >= 0].tolist())
        return tell(self._memory, self._row, list(each))

    def consolidation(self, ids: ArrayLike) -> NDArray[np.float32]:
        """How firmly memories sit, as in `CohortStream.consolidation`; ids of any shape."""
        given = encoding.id_numbers(ids)
        return self._cohort().consolidation(given.reshape(1, -1)).reshape(given.shape)

    def read(self, ids: ArrayLike) -> Recollections:
        """Write out memories by id, without booking an access; those gone are left out."""
        self._memory.settle()
        return tell(self._memory, self._row, np.atleast_1d(encoding.id_numbers(ids)).tolist())

    def column(self, name: str, ids: ArrayLike) -> NDArray[Any]:
        """Values of a column at memories by id, as in `CohortStream.column`."""
        given = encoding.id_numbers(ids)
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
        refuse_observer(observed=self._observed)
        given = encoding.id_numbers(ids).reshape(1, -1)
        rows = np.array([self._row])
        text = thought if isinstance(thought, str) else None
        to = None if isinstance(thought, str) else encoding.id_numbers([thought])
        return int(link(self._memory, rows, given, text=text, to=to, columns=columns)[0])

    def thoughts_of(self, ids: ArrayLike) -> NDArray[np.int32]:
        """Ids of the thoughts that memories led to, shape of `ids`, -1 for none."""
        return self.column("thought", ids)

    def _told(self, found: Recalled) -> Recollections:
        terms = {name: values[0].tolist() for name, values in found.terms.items()}
        return tell(self._memory, self._row, found.ids[0], found.scores[0].tolist(), terms)

    def _cohort(self) -> "CohortStream":
        from memopolis.sim.memory.streams.cohort_stream import CohortStream

        return CohortStream(self._memory, np.array([self._row]), observed=self._observed)


def _fits(importance: float, valence: float, confidence: float, place: int | None) -> bool:
    try:
        return (
            0 <= importance <= 1
            and -1 <= valence <= 1
            and 0 <= confidence <= 1
            and (place is None or place in _PLACES)
        )
    except TypeError:
        return False


def _complaint(
    fractions: Mapping[str, float], valence: float, kind: str, place: Any
) -> ParameterError:
    """The error of the first value that is out of range."""
    try:
        for name, value in fractions.items():
            encoding.fraction(name, value)
        encoding.valence(valence)
        encoding.kind(kind)
        encoding.places(place)
    except ParameterError as error:
        return error
    return ParameterError("a memory takes numbers, given something else")
