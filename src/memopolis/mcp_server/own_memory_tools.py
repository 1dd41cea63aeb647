"""Tools of an assistant's own memory: store, search, relate, assess and review.

All processes that serve the memory share its folder:

    memory.lock      held while the memory is read or changed
    version-7/       the memory after its seventh change, as `Memory.load` reads it

A change writes a new version under the lock, and removes the older one once it is on disk. So a
process that is killed and a power failure lose only the change that was being made, and concurrent
writers lose nothing.
"""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from threading import Lock

import numpy as np
import pandas as pd
from filelock import FileLock, Timeout

from memopolis.mcp_server import arguments as arg
from memopolis.mcp_server.answers import Answer, KnowledgeMap, Memories, Table, assessment_of, plain
from memopolis.sim.errors import (
    ParameterError,
    RunFolderError,
    StateError,
    UnknownNameError,
    reason_of,
)
from memopolis.sim.files import (
    WRITING,
    links_below,
    refuse_links,
    remove_files,
    synced_folder,
    writing_to,
)
from memopolis.sim.memory.context_tags import ContextExtractor
from memopolis.sim.memory.memory import Memory
from memopolis.sim.memory.night.related import relate
from memopolis.sim.memory.night.sleep import Review
from memopolis.sim.memory.retrieval.filter import ALWAYS, Filter
from memopolis.sim.memory.retrieval.recalling import record_access
from memopolis.sim.memory.retrieval.recollection import Recollection, format_memories
from memopolis.sim.memory.saving.folder import FILES
from memopolis.sim.memory.views.memories import AgentMemory

MOST_MEMORIES = 1_000_000  # maximum number of memories; the oldest is evicted first
EMBEDDER = "static"  # the embedder, which needs no server and no model file
_LOCK_TIMEOUT = 60  # seconds to wait for another process
_VERSION = "version-"


class OwnMemory:
    """The memory of one assistant; a tick is a minute since 1970 (UTC).

    Raises RunFolderError if the folder cannot be used, or contains other files or a broken memory.
    """

    _version: int  # number of the version that was read

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._lock = Lock()
        self._forget_read()
        refuse_links(folder, *links_below(folder))  # the lock file, too, is opened for writing
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._file_lock = FileLock(folder / "memory.lock", timeout=_LOCK_TIMEOUT)
            names = sorted(path.name for path in folder.iterdir())
        except OSError as error:
            raise RunFolderError(f"{folder} cannot be used: {reason_of(error)}") from None
        for name in names:
            if name != "memory.lock" and not name.startswith(_VERSION):
                raise RunFolderError(
                    f"{folder} contains other files, such as {name}; name a folder for the memory "
                    "alone"
                )
        with self.reading():  # a broken memory is rejected at the start
            pass

    @contextmanager
    def reading(self) -> Iterator[AgentMemory]:
        """Yield the memory for reading, without recording an access."""
        with self._current() as memory:
            yield memory.observed[0]

    @contextmanager
    def changing(self) -> Iterator[AgentMemory]:
        """Yield the memory, and save it at the end; an error leaves it unchanged."""
        with self._current() as memory:
            try:
                yield memory[0]
                self._save(memory)
            except BaseException:
                self._forget_read()
                raise

    @contextmanager
    def _current(self) -> Iterator[Memory]:
        """Yield the newest version, whose clock is the current minute.

        That may be before the last change, so a clock that was wrong dates only the memories that
        were stored meanwhile.
        """
        try:
            with self._lock, self._file_lock:
                newest = max(self._versions(), default=0)
                if not newest:
                    self._forget_read()
                elif newest != self._version:
                    self._version, self._memory = newest, self._read(newest)
                memory = self._memory
                memory.now = max(0, int(time.time() // 60))  # noqa: TID251 - lives in the present
                offset = date_of(memory.now).astimezone().utcoffset() or timedelta()
                memory.day_offset = offset // timedelta(minutes=1)
                yield memory
        except Timeout:
            raise StateError("another process keeps the memory locked; try again") from None

    def _forget_read(self) -> None:
        """Read the newest version again at the next use."""
        self._version = 0
        self._memory = _with_calendar(Memory(1, limit=MOST_MEMORIES, embedder=EMBEDDER))

    def _read(self, version: int) -> Memory:
        """Read a version.

        Raises RunFolderError if it is damaged or of another kind, and TrustError if it names an
        embedder.
        """
        path = self._path(version)
        refuse_links(path, *(path / name for name in FILES))
        memory = Memory.load(path)
        if len(memory) != 1:
            raise RunFolderError(
                f"the memory in {path} belongs to {len(memory)} agents, not to one"
            )
        return _with_calendar(memory)

    def _save(self, memory: Memory) -> None:
        unfinished = self.folder / f"{_VERSION}next{WRITING}"
        remove_files(unfinished, FILES)
        version = self._version + 1
        # Of the row, since the texts of a whole memory include those that no memory has any more.
        memory.save(unfinished, rows=[0])
        Memory.load(unfinished)  # before the other version is removed
        with writing_to(self.folder):
            unfinished.rename(self._path(version))
            synced_folder(self.folder)
        for number in set(self._versions()) - {version}:
            remove_files(self._path(number), FILES)
        self._version = version

    def _versions(self) -> list[int]:
        names = (path.name.removeprefix(_VERSION) for path in self.folder.glob(f"{_VERSION}*"))
        return [int(name) for name in names if name.isdecimal() and name.isascii()]

    def _path(self, version: int) -> Path:
        return self.folder / f"{_VERSION}{version}"


def date_of(tick: int) -> datetime:
    """Return the local date and time of a tick, without a time zone as all dates of a memory.

    `fold` is 1 in the second of two equal hours, when daylight saving time ends.
    """
    return datetime.fromtimestamp(60 * tick)


def tick_of(date: datetime) -> int:
    """Return the tick of a date and time, local without a time zone; at most that of a memory."""
    first, last = ALWAYS
    try:
        return min(max(int(date.timestamp() // 60), first), last)
    except (OverflowError, ValueError, OSError):  # a date that the system cannot convert
        return first if date.year < date_of(0).year else last


def _with_calendar(memory: Memory) -> Memory:
    """Set what is not saved."""
    memory.ticks_per_day = 24 * 60
    memory.date_of = date_of
    memory.extractor = ContextExtractor()
    return memory


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
        with self._own.changing() as memory:
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
            frame = _frame(memory, [review.memory for review in due])
            frame["priority"] = [review.priority for review in due]
            frame["overdue"] = [review.overdue for review in due]
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
    terms = pd.DataFrame([{**match.terms, "score": match.score} for match in matches])
    shown = {name: terms[name] for name in map(str, terms) if "_" not in name}
    return Memories.of(memories=frame.assign(**shown))


def _frame(memory: AgentMemory, matches: Sequence[Recollection]) -> pd.DataFrame:
    if not matches:
        return pd.DataFrame()
    tags = memory.stream.column("tags", [match.id for match in matches]).tolist()
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
