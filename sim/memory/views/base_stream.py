"""The verbs of a stream, written once for a cohort; an agent is a cohort of one."""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Literal, cast

import numpy as np
from numpy.typing import ArrayLike

from memopolis.sim.arguments import check_choice, check_names, check_type
from memopolis.sim.arrays import Array, Float32, Int32, Int64, Ints
from memopolis.sim.errors import ParameterError, UnknownNameError
from memopolis.sim.memory.interface import CohortView, Memory, refuse_observer
from memopolis.sim.memory.locking import locked
from memopolis.sim.memory.night import forgetting
from memopolis.sim.memory.night.related import related
from memopolis.sim.memory.retention.activation import fade_valence
from memopolis.sim.memory.retrieval import recalling
from memopolis.sim.memory.retrieval.filter import NO_FILTER, SIGNS, Filter
from memopolis.sim.memory.retrieval.measuring import consolidation_of
from memopolis.sim.memory.retrieval.profiles import Profile
from memopolis.sim.memory.retrieval.recollection import Recalled, Recollections, format_memories
from memopolis.sim.memory.retrieval.request import NO_QUERY, NoQuery, Queries, SearchOptions
from memopolis.sim.memory.streams import encoding
from memopolis.sim.memory.streams.encoding import Tags
from memopolis.sim.memory.streams.layout import COLUMNS
from memopolis.sim.memory.streams.stream import Places
from memopolis.sim.memory.views import adding
from memopolis.sim.memory.views.adding import Text, Topic

By = Literal["importance", "time"]
type Compute = Callable[..., Sequence[Array]]

_BY: dict[str, Profile] = {
    "importance": Profile(importance=1.0),
    "time": Profile(recency=1.0, since="created"),
}


_locked = locked("_memory.lock")


def decode(memory: Memory, name: str, slots: Int64, *, missing: float = np.nan) -> Array:
    """Return a column at slots, -1 for none: shares as float32, others as int32, or -1."""
    values = memory.streams.decode(name, slots, missing=missing)
    if name == "valence":
        times = memory.streams.gather("time", slots)
        values = fade_valence(values, times, memory.fading)
    return values


class Located:
    """Memories of several agents, (n, k), to be read before the next flush."""

    def __init__(self, memory: Memory, rows: Int64, ids: Ints, places: Places | None) -> None:
        self._memory = memory
        self._rows = rows
        self._ids = ids
        self._places = places

    @cached_property
    def _slots(self) -> Int64:
        return self._memory.streams.slots_of(self._rows, self._ids, self._places)

    @_locked
    def column(self, name: str) -> Array:
        """Return a column as `CohortStream.column` does, except that a missing share is 0."""
        return decode(self._memory, name, self._slots, missing=0)

    @_locked
    def times(self) -> Int32:
        """Return the number of occasions that each memory stands for, 0 without one, (n, k)."""
        return self._memory.streams.count_occasions(self._slots)

    @_locked
    def compute(self, function: Compute, *values: Array) -> Sequence[Array]:
        """Call a function with pages, occasions, fading, slots and values.

        Returns its arrays, which have one row per agent.
        """
        memory, streams = self._memory, self._memory.streams
        return function(streams.view, streams.times, memory.fading, self._slots, *values)


class BaseStream[Result, Value](CohortView, without=("search",)):
    """The verbs of `AgentStream` and `CohortStream`.

    Shapes are those of a cohort of n agents. For one agent, ids may have any shape, a search
    returns `Recollections`, and an int replaces an array of shape (n,).
    """

    __slots__ = ()

    def _format(self, recalled: Recalled) -> Result:
        """Return a result as its caller reads it."""
        return cast("Result", recalled)

    def _number(self, values: Int32) -> Value:
        """Return one value per agent as its caller reads it."""
        return cast("Value", values)

    def _table(self, ids: ArrayLike) -> Int64:
        """Return ids with one row per agent, shape (n, k)."""
        array = encoding.ids(ids, len(self._rows))
        return array if array.ndim == 2 else array[:, None]

    def search(
        self,
        query: Queries,
        k: int | None = None,
        *,
        where: Filter = NO_FILTER,
        profile: str | Profile = "recall",
        actor: object = None,
        when: object = None,
        feeling: ArrayLike | None = None,
        each: ArrayLike | None = None,
        half_life: ArrayLike | None = None,
        explain: bool = False,
    ) -> Result:
        """Recall the memories of each agent that match a query best.

        Args:
            query: One query, or several.
            k: Maximum number of memories per agent, >= 1; that of the profile if omitted.
            where: Conditions that memories must meet; the profile supplies those that are None.
            profile: How memories are scored, or the name of a profile.
            actor: Actor whose memories score higher, one or one per agent; the one named in the
                query if omitted.
            when: First and last tick between which memories score higher; the date named in the
                query if omitted.
            feeling: Valence, -1..1, one or one per agent, that the term `feeling` compares.
            each: Index of the query of each agent, shape (n,); agent i uses query i if omitted.
            half_life: Half-life of recency in hours, one or one per agent; that of the profile if
                omitted.
            explain: Whether to return the terms of the scores.

        Returns ids and scores, shape (n, k), best first (or newest first if the profile says so).
        Ties go to the later last access, then to the newer memory. Raises ParameterError for an
        invalid argument, and UnknownNameError for an unknown profile or emotion.
        """
        options = SearchOptions(
            k, profile, where, actor, when, feeling, each, half_life, explain=explain
        )
        return self._search(query, options)

    @_locked  # not `search`, whose many arguments would be passed on twice
    def _search(self, query: Queries | NoQuery, options: SearchOptions) -> Result:
        recalled = recalling.search(
            self._memory, self._rows, query, options, observed=self._observed
        )
        return self._format(recalled)

    def located(self, memories: Ints | Recalled) -> Located:
        """Return memories to read several columns, found once, before the next flush.

        They are given by id, shape (n, k), or as what a search of these agents found.
        """
        places = None
        if isinstance(memories, Recalled):
            places, memories = memories.places_of(self._rows), memories.ids
        table = encoding.id_table(memories, len(self._rows))
        return Located(self._memory, self._rows, table, places)

    def focus(
        self,
        queries: Sequence[str],
        k: int = 30,
        *,
        where: Filter = NO_FILTER,
        profile: str | Profile = "recall",
        feeling: ArrayLike | None = None,
        explain: bool = False,
    ) -> list[Result]:
        """Recall memories for several focal points, and return one result per query.

        All agents use all queries; other arguments are those of `search`. No query sees the
        accesses of another, and a memory found by several is recorded as accessed once.
        """
        queries = check_names("queries", queries)
        memory, rows, observed = self._memory, self._rows, self._observed
        options = SearchOptions(k, profile, where, feeling=feeling, explain=explain)
        results = [
            recalling.search(memory, rows, query, options, observed=observed, recorded=False)
            for query in queries
        ]
        if results and not observed:
            ids = np.concatenate([result.ids for result in results], axis=1)
            recalling.record_access(memory, rows, recalling.deduplicate_ids(ids))
        return [self._format(result) for result in results]

    def recommend(
        self,
        k: int | None = None,
        *,
        where: Filter = NO_FILTER,
        profile: str | Profile = "recommend",
        feeling: ArrayLike | None = None,
        explain: bool = False,
    ) -> Result:
        """Recall the memories with the best scores, without a query; arguments as in `search`.

        Without tags in `where`, those of the current moment are the context if there is an
        extractor.
        """
        options = SearchOptions(k, profile, where, feeling=feeling, explain=explain)
        return self._search(NO_QUERY, options)

    def today(self, query: Queries | None = None, k: int = 20, *, by: By = "importance") -> Result:
        """Recall memories of the current day, at most k per agent.

        They are ranked by a query, else by "importance" or "time" (the newest first).
        """
        check_choice("by", by, _BY)
        searched, profile = (NO_QUERY, _BY[by]) if query is None else (query, "act")
        where = Filter(ticks=self._memory.today)
        return self._search(searched, SearchOptions(k, profile, where))

    def contextual(
        self,
        query: Queries,
        *,
        tags: Tags = None,
        emotion: str | None = None,
        k: int = 10,
        profile: str | Profile = "recall",
    ) -> Result:
        """Recall the best matches of a query that also fit the situation or the mood.

        The best 3 k memories are considered. A memory has at least one of `tags`, and the `emotion`
        "positive", "negative" or "urgent"; None for any. Results have the term `match`: the share
        of the given tags that a memory has.
        """
        if emotion is not None:
            check_choice("emotion", emotion, SIGNS)
        has_tags = tags.size if isinstance(tags, np.ndarray) else tags
        context = Filter(tags=tags if has_tags else None, sign=emotion)
        return self._search(query, SearchOptions(k, profile, context=context))

    def consolidation(self, ids: ArrayLike) -> Float32:
        """Return how consolidated memories are, 0..1, nan for a missing one, shape of `ids`."""
        table = self._table(ids)
        values = consolidation_of(self._memory, self._rows, table)
        return values.reshape(np.shape(ids))

    def column(self, name: str, ids: ArrayLike) -> Array:
        """Return the values of a column for memories given by id, shape (n,) or (n, k).

        The columns are text, time, accessed, accesses, actor, place, thought, topic, kind, emotion,
        tags (int32, -1 if missing), importance, valence and confidence (float32, nan if missing).
        Valence is what is left of it at the age of the memory, see `Retention`.
        """
        check_type("name", name, str, "the name of a column")
        if name not in COLUMNS:
            raise UnknownNameError(
                f"a memory has no column {name!r}; the columns are: {', '.join(COLUMNS)}"
            )
        self._memory.settle()
        streams = self._memory.streams
        slots = streams.locate(self._rows, self._table(ids))
        return decode(self._memory, name, slots).reshape(np.shape(ids))

    def thoughts_of(self, ids: ArrayLike) -> Int32:
        """Return the ids of the thoughts that memories led to, -1 for none, shape of `ids`."""
        return self.column("thought", ids)

    def link(
        self,
        ids: ArrayLike,
        thought: Text | None = None,
        *,
        to: ArrayLike | None = None,
        **columns: object,
    ) -> Value:
        """Link memories to the thought they led to, and return the ids of the thoughts, shape (n,).

        `ids` are of shape (n, k), -1 for none. Give either `thought`, one text or one per agent,
        which is stored as a memory of topic "cognition" unless the agent has it, or `to`, ids of
        stored thoughts. `columns` are further values of a new thought, as in `add`.
        """
        refuse_observer(observed=self._observed)
        if (thought is None) == (to is None):
            raise ParameterError("link needs either the text of a thought or, as to=, its id")
        thoughts = adding.link(
            self._memory,
            self._rows,
            self._table(ids),
            text=thought,
            to=None if to is None else encoding.id_numbers(to),
            columns=columns,
        )
        return self._number(thoughts)

    def forget(
        self,
        ids: ArrayLike | None = None,
        *,
        older_than: float | None = None,
        below: float | None = None,
        topic: str | None = None,
    ) -> Value:
        """Delete memories for good, and return how many each agent forgot, shape (n,).

        `ids` are of shape (n,) or (n, k), -1 for none; None for all memories. Further conditions:
        created more than `older_than` hours ago, retention below a share (see `activation.py`),
        and the topic. At least one condition is needed.
        """
        refuse_observer(observed=self._observed)
        counts = forgetting.forget(
            self._memory, self._rows, None if ids is None else self._table(ids),
            older_than=older_than, below=below, topic=topic,
        )  # fmt: skip
        return self._number(counts)

    def _related(self, ids: Int64) -> Int32:
        """Return the related memories of memories, and record their accesses."""
        others = related(self._memory, self._rows, ids, observed=self._observed)
        if not self._observed:
            each = recalling.deduplicate_ids(others.reshape(len(self._rows), others[:1].size))
            recalling.record_access(self._memory, self._rows, each)
        return others


class CohortStream(BaseStream[Recalled, Int32]):
    """The episodic memories of several agents."""

    __slots__ = ()

    @property
    def counts(self) -> Int32:
        """Number of memories of each agent, shape (n,)."""
        self._memory.settle()
        return self._memory.streams.count[self._rows]

    def add(
        self,
        topic: Topic,
        text: Text,
        *,
        actor: object = None,
        place: ArrayLike | None = None,
        importance: ArrayLike = 0.5,
        valence: ArrayLike | None = None,
        confidence: ArrayLike = 1.0,
        kind: str = "event",
        emotion: object = None,
        continues: ArrayLike = False,
        tags: object = None,
        merge: bool = False,
    ) -> Int32:
        """Add one memory to each agent, and return the ids, int32, shape (n,).

        All arguments except `kind` and `merge` are one value or one per agent, shape (n,).

        Args:
            topic: Topic, declared by its first use, or numbers of topics from
                `Memory.number_topics`.
            text: A text, or numbers of interned texts. A template names others as {actor} and
                {place}; names written into texts make every text distinct.
            actor: unique_id of the agent that did or said it, or an object with one.
            place: Index of the place.
            importance: 0..1.
            valence: -1 (bad) .. 1 (good); if omitted, read by the extractor of the memory, else 0.
            confidence: 0..1.
            kind: "event" or "thought".
            emotion: One of the 21 emotion words, or their numbers.
            continues: Whether it continues the interaction of the previous memory.
            tags: Names of tags, the same for all agents, or bits; if omitted, read by the
                extractor.
            merge: Whether to update a near duplicate with the same topic and actor, and return its
                id, instead of storing another memory.

        Raises ParameterError for a value out of range or of another shape, and UnknownNameError for
        an unknown emotion.
        """
        refuse_observer(observed=self._observed)
        columns = {
            "actor": actor, "place": place, "importance": importance, "valence": valence,
            "confidence": confidence, "kind": kind, "emotion": emotion, "continues": continues,
            "tags": tags,
        }  # fmt: skip
        return adding.add(self._memory, self._rows, topic, text, columns, merge=merge)

    def related(self, ids: ArrayLike) -> Int32:
        """Recall the five most similar earlier memories of each, shape of `ids` plus (5,)."""
        return self._related(encoding.ids(ids, len(self._rows)))

    def read(self, ids: ArrayLike) -> list[Recollections]:
        """Return memories by id, (n, k), with texts, a list per agent, recording no access."""
        self._memory.settle()
        pairs = zip(self._rows.tolist(), self._table(ids).tolist(), strict=True)
        return [format_memories(self._memory, row, numbers) for row, numbers in pairs]
