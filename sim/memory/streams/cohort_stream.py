"""The streams of several agents."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memopolis.sim.memory.interface import refuse_observer
from memopolis.sim.memory.streams import adding, encoding
from memopolis.sim.memory.streams.adding import Text, Topic
from memopolis.sim.memory.streams.base_stream import BaseStream
from memopolis.sim.memory.streams.recollection import Recalled, Recollections, format_memories


class CohortStream(BaseStream[Recalled, NDArray[np.int32]]):
    """The episodic memories of several agents."""

    __slots__ = ()

    @property
    def counts(self) -> NDArray[np.int32]:
        """Number of memories of each agent, shape (n,)."""
        self._memory.settle()
        return self._memory.streams.counts(self._rows)

    def add(
        self,
        topic: Topic,
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

    def related(self, ids: ArrayLike) -> NDArray[np.int32]:
        """Recall the five most similar earlier memories of each, shape of `ids` plus (5,)."""
        return self._related(encoding.ids(ids, len(self._rows)))

    def read(self, ids: ArrayLike) -> list[Recollections]:
        """Return memories by id, (n, k), with texts, a list per agent, recording no access."""
        self._memory.settle()
        pairs = zip(self._rows.tolist(), self._table(ids).tolist(), strict=True)
        return [format_memories(self._memory, row, numbers) for row, numbers in pairs]
