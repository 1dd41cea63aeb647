"""Tools of an assistant's own memory: store, search, relate, assess and review."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from memopolis.mcp_server import arguments as arg
from memopolis.mcp_server.answers import Answer, KnowledgeMap, Memories, Table, assessment_of, plain
from memopolis.mcp_server.own_memory import OwnMemory, date_of, tick_of
from memopolis.sim.errors import ParameterError, UnknownNameError
from memopolis.sim.memory.night.related import relate
from memopolis.sim.memory.night.sleep import Review
from memopolis.sim.memory.retrieval.filter import ALWAYS, Filter
from memopolis.sim.memory.retrieval.recalling import record_access
from memopolis.sim.memory.retrieval.recollection import Recollection, format_memories
from memopolis.sim.memory.views.memories import AgentMemory


class OwnMemoryTools:
    """Tools of one memory."""

    def __init__(self, own: OwnMemory) -> None:
        self._own = own

    def store_memory(
        self, *, text: arg.Text, topic: arg.Topic = "note", importance: arg.Importance = 0.5,
        confidence: arg.Confidence = 1.0, valence: arg.Valence = None, tags: arg.Tags = None,
        merge: arg.Merge = False,
    ) -> Answer:  # fmt: skip
        """Store a memory; it is kept until you forget it. The answer lists related memories."""
        _check_text(text)
        with self._own.changing() as memory:
            number = memory.stream.add(
                topic, text, importance=importance, confidence=confidence, valence=valence,
                tags=tags, merge=merge,
            )  # fmt: skip
            return _stored(memory, number)

    def store_thought(
        self, *, text: arg.Text, evidence: arg.Ids, importance: arg.Importance = 0.5,
        confidence: arg.Confidence = 1.0,
    ) -> Answer:  # fmt: skip
        """Store a conclusion with the memories that it is drawn from."""
        _check_text(text)
        with self._own.changing() as memory:
            _check_exist(memory, evidence)
            number = memory.stream.link(
                evidence, text, importance=importance, confidence=confidence
            )
            return _stored(memory, number)

    def update_memory(
        self, *, id: arg.Id,  # noqa: A002 - the name of the column
        text: arg.NewText = "", topic: arg.NewTopic = "", importance: arg.NewShare = None,
        confidence: arg.NewShare = None, valence: arg.NewValence = None,
        tags: arg.NewTags = None,
    ) -> Answer:  # fmt: skip
        """Correct or extend a memory; its number, its date and its recalls stay."""
        if text:
            _check_text(text)
        numbers = {"importance": importance, "confidence": confidence, "valence": valence}
        changes = {"text": text or None, "topic": topic or None, **numbers, "tags": tags}
        with self._own.changing() as memory:
            new = {name: value for name, value in changes.items() if value is not None}
            memory.stream.update(id, **new)
            return _stored(memory, id)

    def forget_memories(self, *, ids: arg.Ids) -> Answer:
        """Delete memories for good."""
        with self._own.changing(keeps_previous=False) as memory:
            return Answer.of(forgotten=memory.stream.forget(ids))

    def read_memories(self, *, ids: arg.Ids) -> Memories:
        """Read memories by number. This counts as a recall, so it also answers a review."""
        with self._own.changing() as memory:
            _check_exist(memory, ids)
            matches = memory.stream.read(ids)
            record_access(memory.memory, np.array([memory.row]), np.array([ids], np.int32))
            return Memories.of(memories=_frame(memory, matches))

    def list_memories(
        self, *, topic: arg.AnyTopic = "", kind: arg.Kind = "", since: arg.Since = None,
        until: arg.Until = None, limit: arg.Limit = 50,
    ) -> Table:  # fmt: skip
        """List memories, the newest first; this does not count as a recall."""
        dates = zip(ALWAYS, (since, until), strict=True)
        first, last = (end if date is None else tick_of(date) for end, date in dates)
        where = Filter(topic=topic or None, kind=kind or None, ticks=(first, last))
        with self._own.reading() as memory:
            ids: list[int] = memory.stream.list_ids(where).tolist()
            shown = _frame(memory, format_memories(memory.memory, memory.row, ids[:limit]))
            return Table.first(shown, limit, "topic, kind, since or until", total=len(ids))

    def search_memory(
        self, *, query: arg.Words, topic: arg.AnyTopic = "", kind: arg.Kind = "", k: arg.Most = 10
    ) -> Memories:
        """Search by words, ranked by recency (since the last recall), importance and relevance.

        Memories of a date in the query, such as "3 May" or "in 2025", come first; for yesterday or
        last week use list_memories with dates. For memories of a situation or a feeling, such as
        weekends or bad news, use context_search.
        """
        with self._own.changing() as memory:
            where = Filter(topic=topic or None, kind=kind or None)
            return _found(memory, memory.stream.search(query, k, where=where, explain=True))

    def context_search(
        self, *, query: arg.Words, tags: arg.Situations = None, emotion: arg.Emotion = "",
        k: arg.Most = 10,
    ) -> Memories:  # fmt: skip
        """Search memories of a situation or a feeling, such as bad news at work.

        Returns matches of the words that have one of the tags and the emotion; for words alone use
        search_memory.
        """
        with self._own.changing() as memory:
            for tag in tags or ():
                arg.check_known("no memory has the tag", tag, memory.memory.tags.all)
            matches = memory.stream.contextual(query, tags=tags, emotion=emotion or None, k=k)
            return _found(memory, matches)

    def recommend_memories(self, *, k: arg.Most = 10) -> Memories:
        """Return the memories that matter most now, without a query."""
        with self._own.changing() as memory:
            return _found(memory, memory.stream.recommend(k))

    def related_memories(self, *, ids: arg.Ids) -> Memories:
        """Return similar earlier memories of some memories, at most five for each."""
        with self._own.changing() as memory:
            _check_exist(memory, ids)
            return Memories.of(memories=_frame(memory, memory.stream.related(ids)))

    def assess_knowledge(self, *, topic: arg.Words) -> Answer:
        """Assess how well a topic is known, from the number and strength of its memories."""
        with self._own.reading() as memory:
            known = memory.knowledge.assess(topic)
            return assessment_of(known, evidence=_frame(memory, known.evidence))

    def knowledge_map(
        self, *, topic: arg.Words, depth: arg.Depth = 2, least: arg.Least = 0.3
    ) -> KnowledgeMap:
        """Return what is known about a topic, as a graph of related memories."""
        with self._own.reading() as memory:
            relate(memory.memory, [memory.row])
            return KnowledgeMap.of_graph(memory.knowledge.map(topic, depth=depth, least=least))

    def review_list(
        self, *, topic: arg.AnyTopic = "", k: arg.Most = 10, least: arg.LeastPriority = None
    ) -> Memories:
        """List the memories that are due for review, the most urgent first.

        `priority` is the value of a review, `overdue` the days since it was due. Read them with
        read_memories to review them.
        """
        with self._own.reading() as memory:
            due = memory.knowledge.review(k, Review(least, topic=topic or None))
            frame = _frame(memory, [one.memory for one in due])
            frame["priority"] = [one.priority for one in due]
            frame["overdue"] = [one.overdue for one in due]
            return Memories.of(memories=frame)

    def describe_memory(self) -> Answer:
        """Return the number of memories, their topics and dates, and how many are due."""
        with self._own.reading() as memory:
            ids = memory.stream.list_ids(Filter()).tolist()
            topics = memory.stream.column("topic", np.array(ids, np.int64))
            times = memory.stream.column("time", np.array(ids, np.int64))
            counts = np.bincount(topics, minlength=len(memory.memory.topics)).tolist()
            named = zip(memory.memory.topics, counts, strict=True)
            return Answer.of(
                memories=len(ids),
                first=_date(int(times.min())) if ids else None,
                last=_date(int(times.max())) if ids else None,
                due=len(memory.knowledge.review(100)),
                topics={plain(topic): count for topic, count in named if count},
            )


def _stored(memory: AgentMemory, number: int) -> Answer:
    """Describe a memory that was stored or changed, after relating it to earlier ones."""
    relate(memory.memory, [memory.row])
    tags = int(memory.stream.column("tags", [number])[0])
    related = AgentMemory(memory.memory, memory.row, observed=True).stream.related([number])
    return Answer.of(
        id=number, tags=list(memory.memory.tags.names(tags)), related=_frame(memory, related)
    )


def _found(memory: AgentMemory, matches: Sequence[Recollection]) -> Memories:
    """Return search results with their scores, and with the terms unless they are internal."""
    frame = _frame(memory, matches)
    terms = pd.DataFrame([{**one.terms, "score": one.score} for one in matches])
    shown = {name: terms[name] for name in map(str, terms) if "_" not in name}
    return Memories.of(memories=frame.assign(**shown))


def _frame(memory: AgentMemory, matches: Sequence[Recollection]) -> pd.DataFrame:
    if not matches:
        return pd.DataFrame()
    tags = memory.stream.column("tags", [one.id for one in matches]).tolist()
    return pd.DataFrame(
        {
            "id": one.id,
            "time": _date(one.time),
            "topic": one.topic,
            "kind": one.kind,
            "text": one.template,
            "importance": round(one.importance, 2),
            "confidence": round(one.confidence, 2),
            "valence": round(one.valence, 2),
            "tags": list(memory.memory.tags.names(bits)),
            "recalls": one.accesses,
            "thought": one.thought if one.thought >= 0 else None,
        }
        for one, bits in zip(matches, tags, strict=True)
    )


def _date(tick: int) -> str:
    # Only here with the time zone, so that the two equal hours of a change of time differ.
    return date_of(tick).astimezone().isoformat(timespec="minutes")


def _check_text(text: str) -> None:
    if not text.strip():
        raise ParameterError("the text is empty; give at least one word")


def _check_exist(memory: AgentMemory, ids: Sequence[int]) -> None:
    exist = memory.memory.streams.holds(memory.row, ids)
    if not exist.all():
        missing = ", ".join(str(one) for one, here in zip(ids, exist, strict=True) if not here)
        raise UnknownNameError(f"there is no memory {missing}; list_memories lists them")
