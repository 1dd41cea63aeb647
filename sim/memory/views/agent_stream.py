"""The stream of one agent."""

import math
from typing import override

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memopolis.sim.arrays import Int64
from memopolis.sim.memory.interface import AgentView, refuse_observer
from memopolis.sim.memory.locking import NO_LOCK, locked
from memopolis.sim.memory.night import merging
from memopolis.sim.memory.retrieval import recalling
from memopolis.sim.memory.retrieval.filter import (
    NO_FILTER,
    Filter,
    encode_filter,
    encode_nothing,
    find_passing,
)
from memopolis.sim.memory.retrieval.recollection import Recalled, Recollections, format_memories
from memopolis.sim.memory.retrieval.request import NoQuery, Queries, SearchOptions, find_profile
from memopolis.sim.memory.streams import encoding
from memopolis.sim.memory.streams.encoding import Tags, emotion_number
from memopolis.sim.memory.streams.layout import CONTINUES
from memopolis.sim.memory.views.base_stream import BaseStream, CohortStream
from memopolis.sim.threads import RUNNING, THREAD

_PLACES = range(-1, 2**15)
# Looked up for each memory of a loop.
_KINDS, _IMPORTANCE = encoding.KINDS, encoding.IMPORTANCE
_FLAGS = (False, True)


class AgentStream(AgentView, BaseStream[Recollections, int], without=("add",)):
    """The episodic memories of one agent."""

    __slots__ = ()

    @override
    @locked("_memory.lock")
    def _search(self, query: Queries | NoQuery, options: SearchOptions) -> Recollections:
        memory, observed, recalled = self._memory, self._observed, None
        if memory.turns is not None and type(query) is str and options.each is None:
            options = options._replace(profile=find_profile(memory, options.profile))
            recalled = memory.turns.search(memory, self._row, query, options, observed=observed)
        if recalled is None:
            recalled = recalling.search(memory, self._rows, query, options, observed=observed)
        return self._format(recalled)

    def _format(self, recalled: Recalled) -> Recollections:
        terms = {name: values[0].tolist() for name, values in recalled.terms.items()}
        ids, scores = recalled.ids[0], recalled.scores[0].tolist()
        return format_memories(self._memory, self._row, ids, scores, terms)

    def _number(self, values: NDArray[np.int32]) -> int:
        return int(values[0])

    def _table(self, ids: ArrayLike) -> Int64:
        return encoding.id_numbers(ids).reshape(1, -1)

    def __len__(self) -> int:
        """Return the number of memories of the agent."""
        self._memory.settle()
        return int(self._memory.streams.count[self._row])

    def add(
        self,
        topic: str,
        text: str,
        *,
        actor: object = None,
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
        """Add a memory and return its id; arguments as in `CohortStream.add`."""
        memory, row = self._memory, self._row
        mood = 0.0 if valence is None else valence
        # All in one expression, since every memory of a loop passes here. A cohort of one raises
        # the error of an invalid argument.
        try:
            is_plain = (
                topic.__class__ is str
                and not self._observed
                and merge is False
                and continues in _FLAGS
                and kind in _KINDS
                and 0 <= importance <= 1
                and -1 <= mood <= 1
                and 0 <= confidence <= 1
                and (place is None or place in _PLACES)
            )
        except (TypeError, ValueError):
            is_plain = False
        if not is_plain:
            refuse_observer(observed=self._observed)
            ids = CohortStream(memory, self._rows).add(
                topic, text, actor=actor, place=place, importance=importance, valence=valence,
                confidence=confidence, kind=kind, emotion=emotion, continues=continues,
                tags=tags, merge=merge,
            )  # fmt: skip
            return int(ids[0])
        kind_number = _KINDS[kind]
        # Plain Python: arrays of one element would take ten times as long.
        in_part = RUNNING and THREAD.part is not None
        lock = NO_LOCK if in_part else memory.lock
        lock.acquire()
        try:
            number = memory.texts.intern(text)
            topic_number = memory.topic_numbers.get(topic)
            if topic_number is None:
                topic_number = memory.topic_number(topic)
            if tags is None and memory.extractor is None:
                tag_bits, valence_code = 0, math.floor(mood * 127 + 0.5)
            else:
                tag_bits, valence_code = self._tags_and_valence(topic_number, number, tags, valence)
            one = (
                row,
                memory.issued.item(row),
                memory.now,
                number,
                -1 if actor is None else encoding.actor(actor),
                -1 if place is None else place,
                tag_bits,
                int(importance * _IMPORTANCE + 0.5),
                valence_code,
                int(confidence * 255 + 0.5),
                topic_number,
                kind_number | CONTINUES if continues else kind_number,
                0 if emotion is None else emotion_number(emotion),
            )
            memory.issued[row] = one[1] + 1
            pending = memory.pending if in_part else memory.queued
            pending.singles.append(one)
        finally:
            lock.release()
        return one[1]

    def _tags_and_valence(
        self, topic: int, text: int, tags: Tags, valence: float | None
    ) -> tuple[int, int]:
        """Encode tags and valence as given, else as read from time and text."""
        memory, read = self._memory, (0, 0)
        if memory.extractor is not None and (tags is None or valence is None):
            read = memory.extractor.read_one(memory, topic, memory.now, text)
        return (
            read[0] if tags is None else memory.tags.bits(tags),
            read[1] if valence is None else math.floor(valence * 127 + 0.5),
        )

    def update(self, number: int, **values: object) -> None:
        """Change a memory by id; its id, time and accesses stay.

        `values` are text, topic, importance, valence, confidence or tags, as in `add`. Raises
        UnknownNameError if there is no such memory, and ParameterError for an invalid value.
        """
        refuse_observer(observed=self._observed)
        merging.update(self._memory, self._row, number, values)

    def related(self, ids: ArrayLike) -> Recollections:
        """Recall the memories related to given ones, computing the relations if needed.

        Returns the most similar earlier memories, at most five each, in the order of `ids`, once.
        """
        related = self._related(self._table(ids))
        each = dict.fromkeys(related[related >= 0].tolist())
        return format_memories(self._memory, self._row, list(each))

    def list_ids(self, where: Filter = NO_FILTER) -> Int64:
        """Return the ids of memories that pass a filter, newest first, recording no access."""
        memory, rows = self._memory, self._rows
        memory.settle()
        slots, _ = memory.streams.live(rows)
        encoded = encode_filter(memory, where, 1) or encode_nothing(1)
        passing = find_passing(memory.streams, encoded, slots, np.zeros(len(slots), np.int64))
        return memory.streams.at("id", slots[passing][::-1]).astype(np.int64)

    def read(self, ids: ArrayLike) -> Recollections:
        """Return memories by id with their texts, recording no access; missing ones are skipped."""
        self._memory.settle()
        return format_memories(self._memory, self._row, self._table(ids)[0].tolist())
