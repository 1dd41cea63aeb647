"""The status in Qdrant: one point for each embedded attribute of each agent.

The id of a point is row * 2**32 + the number of the attribute, its payload the row, the name of the
attribute and its text, its sparse vector that of the text.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from qdrant_client import models

from memopolis.sim.memory.interface import Memory
from memopolis.sim.memory.qdrant.similarity import SPARSE
from memopolis.sim.memory.qdrant.sparse import SparseWords
from memopolis.sim.memory.views.status_search import embedded_names, texts_of


class SentStatus:
    """The texts of the status as they were sent last, so that only changes are sent."""

    def __init__(self) -> None:
        self.tick = -1
        self._texts: dict[str, Any] = {}

    def changed_points(self, memory: Memory, words: SparseWords) -> Iterator[models.PointStruct]:
        """Iterate over the points of attributes whose texts have changed; they count as sent."""
        self.tick = memory.now
        rows = np.arange(len(memory))
        for number, name in enumerate(embedded_names(memory._columns, None)):
            distinct, which = texts_of(memory, rows, name)
            texts = np.array(distinct, object)[which]
            present = memory._columns.presence(name)
            if present is not None:
                texts[~present] = ""
            before = self._texts.get(name, np.full(0, "", object))
            changed = np.ones(len(rows), np.bool_)
            changed[: len(before)] = texts[: len(before)] != before
            self._texts[name] = texts
            vectors = words.of(texts[changed].tolist())
            for row, text, vector in zip(
                rows[changed].tolist(), texts[changed].tolist(), vectors, strict=True
            ):
                payload = {"row": row, "attribute": name, "text": text}
                yield models.PointStruct(
                    id=row << 32 | number, vector={SPARSE: vector}, payload=payload
                )
