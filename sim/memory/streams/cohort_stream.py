"""The streams of many agents, verb by verb."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memopolis.sim.errors import ParameterError, UnknownNameError
from memopolis.sim.memory.night.consolidation import consolidation_of
from memopolis.sim.memory.night.related import related
from memopolis.sim.memory.observing import refuse_observer
from memopolis.sim.memory.retrieval import contextual, recalling
from memopolis.sim.memory.retrieval.asking import Queries
from memopolis.sim.memory.retrieval.profiles import Profile
from memopolis.sim.memory.retrieval.recalling import By
from memopolis.sim.memory.retrieval.wanted import Wanted
from memopolis.sim.memory.streams import adding, encoding, forgetting, linking
from memopolis.sim.memory.streams.adding import Text
from memopolis.sim.memory.streams.recollection import Recalled, Recollections
from memopolis.sim.memory.streams.stream import COLUMNS
from memopolis.sim.memory.streams.tags import Tags
from memopolis.sim.memory.streams.telling import tell

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
        valence: ArrayLike | None = None,
        confidence: ArrayLike = 1.0,
        kind: str = "event",
        emotion: Any = None,
        continues: ArrayLike = False,
        tags: Any = None,
        merge: bool = False,
    ) -> NDArray[np.int32]:
        """Let each agent remember something.

        Args:
            topic: What it belongs to; a new topic is declared by its first use.
            text: One text, one an agent, or an array of numbers of interned ones.
            actor: unique_id of who did or told it, or anything that has one.
            place: Index of the place.
            importance: 0..1.
            valence: -1 (bad) .. 1 (good); read from the text if left out, where the memory
                has an extractor, else 0.
            confidence: 0..1.
            kind: "event" or "thought".
            emotion: One of the 21 words, or their numbers.
            continues: Whether it goes on from the memory before, in the same interaction.
            tags: Names of tags that hold for all, or bits; read from time and text if left
                out, where the memory has an extractor.
            merge: Whether an agent that holds a near duplicate of the topic and actor
                updates it, and gives its id, instead of storing another memory.

            All but topic, kind and merge may be one value or one an agent, shape (n,).

        Returns:
            The memories' ids, int32, shape (n,).

        Raises:
            ParameterError: If a value is out of range or an array has another shape.
            UnknownNameError: If there is no such emotion word.
        """
        refuse_observer(observed=self._observed)
        columns = {
            "actor": actor, "place": place, "importance": importance, "valence": valence,
            "confidence": confidence, "kind": kind, "emotion": emotion, "continues": continues,
            "tags": tags,
        }  # fmt: skip
        return adding.add(self._memory, self._rows, topic, text, columns, merge=merge)

    def forget(
        self,
        ids: ArrayLike | None = None,
        *,
        older_than: float | None = None,
        below: float | None = None,
        topic: str | None = None,
    ) -> NDArray[np.int32]:
        """Forget memories for ever.

        Args:
            ids: Ids of memories, shape (n,) or (n, k), -1 for none; None for all of those
                that the other arguments leave.
            older_than: Only memories made more than so many hours ago.
            below: Only memories of which less than this share is left, by their adaptive
                half-life since they were made, recalled or updated last.
            topic: Only memories of this topic.

        Returns:
            How many each agent forgot, shape (n,).

        Raises:
            ParameterError: If nothing says which memories.
        """
        refuse_observer(observed=self._observed)
        given = None if ids is None else self._ids(ids)
        return forgetting.forget(
            self._memory, self._rows, given, older_than=older_than, below=below, topic=topic
        )

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
        """Let each agent recall what a query asks for.

        Args:
            query: One query, or several.
            k: Most memories an agent recalls, >= 1; left out, as many as the profile says.
            profile: How they are scored, or the name of a profile. Its own filters hold where
                those that follow are left out.
            topic: Only memories of this topic; one nobody used finds nothing.
            days: Only memories of these days, first and last, both inclusive.
            place: Only memories of this place, one or one an agent.
            emotion: Only memories with this emotion word.
            kind: Only "event" or "thought".
            only_actor: Only memories by this actor, one or one an agent.
            tags: Only memories with at least one of these tags; their share is the context
                match too. Names nobody used find nothing.
            sign: Only "positive" or "negative" memories (by valence), or "urgent" ones (by
                the tag).
            actor: Actor whose memories score higher; None for the one the query names.
            when: First and last tick between which memories score higher; None for the date
                that the query names.
            feeling: Feeling, -1..1, one or one an agent, whose like scores higher where the
                profile weighs it.
            each: Which query each agent asks, shape (n,); agent i asks query i if left out.
            explain: Whether the terms of the scores are given too.

        Returns:
            Ids and scores, each of shape (n, k), best first, or newest first where the profile
            says so. Ties go to the later last access, then to the newer memory.

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
            wanted=Wanted(topic, days, place, emotion, kind, only_actor, tags=tags, sign=sign),
            actor=actor,
            when=when,
            each=each,
            feeling=feeling,
            with_terms=explain,
            observed=self._observed,
        )

    def focus(
        self,
        queries: Sequence[str],
        k: int = 30,
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
        feeling: ArrayLike | None = None,
        explain: bool = False,
    ) -> list[Recalled]:
        """Let each agent recall around several focal points.

        Args:
            queries: What everyone asks. None sees the accesses of another, and a memory that
                several find is booked once.
            k: Most memories an agent recalls for each query, >= 1.
            profile: As in `search`; so are all that follow.
            topic: Only memories of this topic.
            days: Only memories of these days.
            place: Only memories of this place.
            emotion: Only memories with this emotion word.
            kind: Only "event" or "thought".
            only_actor: Only memories by this actor.
            tags: Only memories with at least one of these tags.
            sign: Only "positive", "negative" or "urgent" memories.
            feeling: Feeling whose like scores higher.
            explain: Whether the terms of the scores are given too.

        Returns:
            What was found, one a query.

        Raises:
            ParameterError: If the queries are a single str, or an argument is out of range.
            UnknownNameError: If there is no such profile or emotion word.
        """
        return recalling.focus(
            self._memory,
            self._rows,
            queries,
            k,
            profile=profile,
            wanted=Wanted(topic, days, place, emotion, kind, only_actor, tags=tags, sign=sign),
            feeling=feeling,
            with_terms=explain,
            observed=self._observed,
        )

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
        feeling: ArrayLike | None = None,
        explain: bool = False,
    ) -> Recalled:
        """Let each agent recall what comes to mind without a query.

        Args:
            k: Most memories an agent recalls, >= 1; left out, as many as the profile says.
            profile: As in `search`, without its text terms; so are all that follow.
            topic: Only memories of this topic.
            days: Only memories of these days.
            kind: Only "event" or "thought".
            tags: Only memories with at least one of these tags; left out, those of the
                moment count for the context, where the memory has an extractor.
            sign: Only "positive", "negative" or "urgent" memories.
            feeling: Feeling whose like scores higher.
            explain: Whether the terms of the scores are given too.

        Raises:
            ParameterError: If an argument is out of range.
            UnknownNameError: If there is no such profile.
        """
        return recalling.recommend(
            self._memory,
            self._rows,
            k,
            profile=profile,
            wanted=Wanted(topic, days, kind=kind, tags=tags, sign=sign),
            feeling=feeling,
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

    def contextual(
        self,
        query: Queries,
        *,
        tags: Tags = None,
        emotion: str | None = None,
        k: int = 10,
        profile: str | Profile = "recall",
    ) -> Recalled:
        """Let each agent recall what a query asks for and the context lets through.

        Args:
            query: One query, or one an agent.
            tags: Tags of the situation; a memory needs at least one of them. None for any.
            emotion: "positive", "negative" or "urgent"; None for any.
            k: Most memories an agent recalls, >= 1; three times as many are looked at.
            profile: How they are scored, or the name of a profile.

        Returns:
            Ids and scores, each of shape (n, k), and the term `match`: the share of the tags
            asked that a memory has.

        Raises:
            ParameterError: If k is below 1 or there is no such feeling.
        """
        return contextual.contextual(
            self._memory, self._rows, query, tags=tags, emotion=emotion, k=k, profile=profile,
            observed=self._observed,
        )  # fmt: skip

    def related(self, ids: ArrayLike) -> NDArray[np.int32]:
        """Let each agent recall what is related to memories, finding it first if nobody has.

        Args:
            ids: Ids of the memories, shape (n,) or (n, k).

        Returns:
            Ids of the five earlier memories that are most like each, the most alike first,
            -1 for none, shape of `ids` and 5.
        """
        found = related(self._memory, self._rows, self._ids(ids), observed=self._observed)
        if not self._observed:
            each = recalling.once(found.reshape(len(self._rows), found[:1].size))
            recalling.book(self._memory, self._rows, each)
        return found

    def consolidation(self, ids: ArrayLike) -> NDArray[np.float32]:
        """How firmly memories sit, 0..1, without booking an access.

        Args:
            ids: Ids of the memories, shape (n,) or (n, k).

        Returns:
            Shape of `ids`; nan where there is no such memory.
        """
        given = self._ids(ids)
        table = given if given.ndim == 2 else given[:, None]
        return consolidation_of(self._memory, self._rows, table).reshape(given.shape)

    def read(self, ids: ArrayLike) -> list[Recollections]:
        """Write out memories, a list an agent.

        Args:
            ids: Ids of memories, shape (n, k); those gone, and -1, are left out.
        """
        self._memory.settle()
        given = self._ids(ids)
        table = given if given.ndim == 2 else given[:, None]
        pairs = zip(self._rows.tolist(), table.tolist(), strict=True)
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
        refuse_observer(observed=self._observed)
        if (thought is None) == (to is None):
            raise ParameterError("a link needs either the text of a thought or, with to=, its id")
        given = None if to is None else encoding.id_numbers(to)
        numbers = encoding.id_numbers(ids)
        return linking.link(
            self._memory, self._rows, numbers, text=thought, to=given, columns=columns
        )

    def thoughts_of(self, ids: ArrayLike) -> NDArray[np.int32]:
        """Ids of the thoughts that memories led to, shape of `ids`, -1 for none."""
        return self.column("thought", ids)

    def _ids(self, ids: ArrayLike) -> IntArray:
        return encoding.ids(ids, len(self._rows))
