"""Tools of an assistant's own memory: store, search, relate, assess and review."""

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Annotated

import numpy as np
import pandas as pd
from pydantic import BeforeValidator, Field

from memopolis.mcp_server.answers import (
    Assessed,
    Forgotten,
    Mapped,
    MemoryDescribed,
    MemoryRows,
    Stored,
)
from memopolis.mcp_server.arguments import (
    AnyTopic,
    Depth,
    Emotion,
    Kind,
    Least,
    LeastPriority,
    Limit,
    Most,
    Offset,
    Words,
)
from memopolis.mcp_server.own_memory import OwnMemory, date_of, tick_of
from memopolis.mcp_server.paging import Page, page_of, plain
from memopolis.sim.errors import ParameterError, UnknownNameError, did_you_mean
from memopolis.sim.memory.night.related import relate
from memopolis.sim.memory.night.replay import Review
from memopolis.sim.memory.retrieval.filter import ALWAYS, Filter
from memopolis.sim.memory.retrieval.recalling import record_access
from memopolis.sim.memory.retrieval.recollection import Recollection, format_memories
from memopolis.sim.memory.streams.encoding import BUILT_IN, MOST_TAGS
from memopolis.sim.memory.views.memories import AgentMemory

Text = Annotated[str, Field(min_length=1, max_length=10_000, description="The memory, in words")]
Topic = Annotated[
    str,
    Field(
        max_length=100,
        description='Topic, such as "project" or "family"; at most 255 different ones',
    ),
]
Importance = Annotated[float, Field(ge=0, le=1, description="How important it is, 0 to 1")]
Confidence = Annotated[float, Field(ge=0, le=1, description="How certain it is, 0 to 1")]
Valence = Annotated[
    float | None,
    Field(ge=-1, le=1, description="-1 (bad) to 1 (good); read from the words if null"),
]
TagList = Annotated[
    list[str] | None,
    Field(
        max_length=MOST_TAGS,
        description="Situations and feelings: " + ", ".join(BUILT_IN) + ", and up to "
        f"{MOST_TAGS - len(BUILT_IN)} others; read from time, topic and words if null",
    ),
]
Id = Annotated[int, Field(ge=0, le=2**31 - 1, description="Number of the memory")]
Ids = Annotated[
    list[Annotated[int, Field(ge=0, le=2**31 - 1)]],
    Field(min_length=1, max_length=100, description="Numbers of the memories"),
]
From = Annotated[
    datetime | None,
    Field(description="Only memories since this date and time; local without a time zone"),
]
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


def _end_of_day(until: object) -> object:
    """Return the last minute of a day without a time, which pydantic would read as its first."""
    return f"{until}T23:59" if isinstance(until, str) and _DAY.fullmatch(until) else until


To = Annotated[
    datetime | None,
    BeforeValidator(_end_of_day),
    Field(description="Only memories up to this date and time; all of a day without a time"),
]


class OwnMemoryTools:
    """Tools of one memory."""

    def __init__(self, own: OwnMemory) -> None:
        self._own = own

    def store_memory(
        self,
        *,
        text: Text,
        topic: Topic = "note",
        importance: Importance = 0.5,
        confidence: Confidence = 1.0,
        valence: Valence = None,
        tags: TagList = None,
        merge: Annotated[
            bool,
            Field(description="Whether to update a nearly identical memory instead of adding one"),
        ] = False,
    ) -> Stored:
        """Store a memory; it is kept until you forget it. The answer lists related memories."""
        _check_text(text)
        with self._own.changing() as memory:
            number = memory.stream.add(
                topic, text, importance=importance, confidence=confidence, valence=valence,
                tags=tags, merge=merge,
            )  # fmt: skip
            return _stored(memory, number)

    def store_thought(
        self,
        *,
        text: Text,
        evidence: Ids,
        importance: Importance = 0.5,
        confidence: Confidence = 1.0,
    ) -> Stored:
        """Store a conclusion with the memories that it is drawn from."""
        _check_text(text)
        with self._own.changing() as memory:
            _check_exist(memory, evidence)
            number = memory.stream.link(
                evidence, text, importance=importance, confidence=confidence
            )
            return _stored(memory, number)

    def update_memory(
        self,
        *,
        id: Id,  # noqa: A002 - the name of the column
        text: Annotated[str, Field(max_length=10_000, description='New text; "" to keep it')] = "",
        topic: Annotated[str, Field(max_length=100, description='New topic; "" to keep it')] = "",
        importance: Annotated[
            float | None, Field(ge=0, le=1, description="New importance; null to keep it")
        ] = None,
        confidence: Annotated[
            float | None, Field(ge=0, le=1, description="New confidence; null to keep it")
        ] = None,
        valence: Annotated[
            float | None, Field(ge=-1, le=1, description="New valence; null to keep it")
        ] = None,
        tags: Annotated[
            list[str] | None, Field(max_length=16, description="New tags; null to keep them")
        ] = None,
    ) -> Stored:
        """Correct or extend a memory; its number, its date and its recalls stay."""
        changes = {
            "text": text or None,
            "topic": topic or None,
            "importance": importance,
            "confidence": confidence,
            "valence": valence,
            "tags": tags,
        }
        if text:
            _check_text(text)
        with self._own.changing() as memory:
            new = {name: value for name, value in changes.items() if value is not None}
            memory.stream.update(id, **new)
            return _stored(memory, id)

    def forget_memories(self, *, ids: Ids) -> Forgotten:
        """Delete memories for good."""
        with self._own.changing(keeps_previous=False) as memory:
            return Forgotten(forgotten=memory.stream.forget(ids))

    def read_memories(self, *, ids: Ids) -> MemoryRows:
        """Read memories by number. This counts as a recall, so it also answers a review."""
        with self._own.changing() as memory:
            _check_exist(memory, ids)
            matches = memory.stream.read(ids)
            record_access(memory.memory, np.array([memory.row]), np.array([ids], np.int32))
            return MemoryRows.of(memories=_frame(memory, matches))

    def list_memories(
        self,
        *,
        topic: AnyTopic = "",
        kind: Kind = "",
        since: From = None,
        until: To = None,
        limit: Limit = 50,
        offset: Offset = 0,
    ) -> Page:
        """List memories, the newest first; this does not count as a recall."""
        with self._own.reading() as memory:
            ids = _listed(memory, topic, kind, since, until)
            shown = format_memories(memory.memory, memory.row, ids[offset : offset + limit])
            return page_of(_frame(memory, shown), offset=offset, limit=limit, total=len(ids))

    def search_memory(
        self, *, query: Words, topic: AnyTopic = "", kind: Kind = "", k: Most = 10
    ) -> MemoryRows:
        """Search by words, ranked by recency (since the last recall), importance and relevance.

        Memories of a date in the query, such as "3 May" or "in 2025", come first; for yesterday or
        last week use list_memories with dates. For memories of a situation or a feeling, such as
        weekends or bad news, use context_search.
        """
        with self._own.changing() as memory:
            where = Filter(topic=topic or None, kind=kind or None)
            return _found(memory, memory.stream.search(query, k, where=where, explain=True))

    def context_search(
        self,
        *,
        query: Words,
        tags: Annotated[
            list[str] | None,
            Field(max_length=MOST_TAGS, description="Situations, of which a memory has one"),
        ] = None,
        emotion: Emotion = "",
        k: Most = 10,
    ) -> MemoryRows:
        """Search memories of a situation or a feeling, such as bad news at work.

        Returns matches of the words that have one of the tags and the emotion; for words alone use
        search_memory.
        """
        with self._own.changing() as memory:
            known = memory.memory.tags.all
            for tag in tags or ():
                if tag not in known:
                    near = did_you_mean(tag[:80], known)
                    raise ParameterError(
                        f"no memory has the tag {tag[:80]!r}; {near}known are {', '.join(known)}"
                    )
            matches = memory.stream.contextual(query, tags=tags, emotion=emotion or None, k=k)
            return _found(memory, matches)

    def recommend_memories(self, *, k: Most = 10) -> MemoryRows:
        """Return the memories that matter most now, without a query."""
        with self._own.changing() as memory:
            return _found(memory, memory.stream.recommend(k))

    def related_memories(self, *, ids: Ids) -> MemoryRows:
        """Return similar earlier memories of some memories, at most five for each."""
        with self._own.changing() as memory:
            _check_exist(memory, ids)
            return MemoryRows.of(memories=_frame(memory, memory.stream.related(ids)))

    def assess_knowledge(self, *, topic: Words) -> Assessed:
        """Assess how well a topic is known, from the number and strength of its memories."""
        with self._own.reading() as memory:
            known = memory.knowledge.assess(topic)
            return Assessed.of_assessment(known, evidence=_frame(memory, known.evidence))

    def knowledge_map(self, *, topic: Words, depth: Depth = 2, least: Least = 0.3) -> Mapped:
        """Return what is known about a topic, as a graph of related memories."""
        with self._own.reading() as memory:
            relate(memory.memory, [memory.row])
            return Mapped.of_graph(memory.knowledge.map(topic, depth=depth, least=least))

    def review_list(
        self, *, topic: AnyTopic = "", k: Most = 10, least: LeastPriority = None
    ) -> MemoryRows:
        """List the memories that are due for review, the most urgent first.

        `priority` is the value of a review, `overdue` the days since it was due. Read them with
        read_memories to review them.
        """
        with self._own.reading() as memory:
            due = memory.knowledge.review(k, Review(least, topic=topic or None))
            frame = _frame(memory, [one.memory for one in due])
            frame["priority"] = [one.priority for one in due]
            frame["overdue"] = [one.overdue for one in due]
            return MemoryRows.of(memories=frame)

    def describe_memory(self) -> MemoryDescribed:
        """Return the number of memories, their topics and dates, and how many are due."""
        with self._own.reading() as memory:
            ids = _listed(memory)
            topics = memory.stream.column("topic", np.array(ids, np.int64))
            times = memory.stream.column("time", np.array(ids, np.int64))
            counts = np.bincount(topics, minlength=len(memory.memory.topics)).tolist()
            named = zip(memory.memory.topics, counts, strict=True)
            return MemoryDescribed(
                memories=len(ids),
                first=_date(int(times.min())) if ids else None,
                last=_date(int(times.max())) if ids else None,
                due=len(memory.knowledge.review(100)),
                topics={plain(topic): count for topic, count in named if count},
            )


def _listed(
    memory: AgentMemory,
    topic: str = "",
    kind: str = "",
    since: datetime | None = None,
    until: datetime | None = None,
) -> list[int]:
    """Return the ids of memories that meet some conditions, the newest first."""
    ticks = tuple(
        limit if date is None else tick_of(date)
        for limit, date in zip(ALWAYS, (since, until), strict=True)
    )
    where = Filter(topic=topic or None, kind=kind or None, ticks=(ticks[0], ticks[1]))
    ids: list[int] = memory.stream.list_ids(where).tolist()
    return ids


def _stored(memory: AgentMemory, number: int) -> Stored:
    """Describe a memory that was stored or changed, after relating it to earlier ones."""
    relate(memory.memory, [memory.row])
    tags = int(memory.stream.column("tags", [number])[0])
    related = AgentMemory(memory.memory, memory.row, observed=True).stream.related([number])
    return Stored.of(
        id=number, tags=list(memory.memory.tags.names(tags)), related=_frame(memory, related)
    )


def _found(memory: AgentMemory, matches: Sequence[Recollection]) -> MemoryRows:
    """Return search results with their scores, and with the terms unless they are internal."""
    frame = _frame(memory, matches)
    terms = pd.DataFrame([{**one.terms, "score": one.score} for one in matches])
    shown = {name: terms[name] for name in map(str, terms) if "_" not in name}
    return MemoryRows.of(memories=frame.assign(**shown))


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
