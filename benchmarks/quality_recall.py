"""Store the streams of a material in a memory, and search them."""

from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any

import numpy as np
from numpy.typing import NDArray
from quality_shapes import Material, Stream

from memopolis.sim.memory.context_tags import ContextExtractor
from memopolis.sim.memory.memory import Memory
from memopolis.sim.memory.retrieval.profiles import Profile

Found = list[NDArray[np.int64]]
"""Best memories of each question of each stream: (questions, k), best first, -1 for none."""


def remember(
    material: Material,
    embedder: Any = "static",
    *,
    written_out: bool = False,
    extractor: ContextExtractor | None = None,
) -> Memory:
    """Store a material in a memory, in order of time.

    Args:
        material: The material; each stream is the memory of one agent.
        embedder: Embedder of the memory.
        written_out: Whether names are ordinary words instead of actors of templates.
        extractor: Extracts tags and feelings of memories; None for none.
    """
    longest = max(len(stream.memories) for stream in material.streams)
    memory = Memory(len(material.streams), embedder=embedder, limit=max(longest, 1_000))
    memory.extractor = extractor
    numbers = material.names
    memory.names = {} if written_out else numbers
    memory.name_of = list(numbers).__getitem__
    memory.date_of = lambda tick: material.start + timedelta(hours=tick)
    lived = [
        (m.tick, row, m) for row, stream in enumerate(material.streams) for m in stream.memories
    ]
    for tick, row, one in sorted(lived, key=lambda item: item[:2]):
        memory.now = tick
        memory[row].stream.add(
            "social" if one.actor else "daily life",
            one.text if written_out else one.template,
            actor=numbers[one.actor] if one.actor and not written_out else None,
            continues=one.continues,
        )
    memory.now = material.now
    return memory


def search_all(memory: Memory, material: Material, profile: str | Profile, k: int) -> Found:
    """Search each stream for its questions; return one table of ids per stream."""
    per_question = []
    for row, stream in enumerate(material.streams):
        each = memory.observed.of(np.full(len(stream.asked), row)).stream
        per_question.append(each.search(stream.asked, k=k, profile=profile).ids.astype(np.int64))
    return per_question


def rank_all(material: Material, scores: Callable[[Stream], NDArray[np.float64]], k: int) -> Found:
    """Return the k best of each stream by a custom method; ties go to the newer memory."""
    per_question = []
    for stream in material.streams:
        values = scores(stream)
        order = np.argsort(-values[:, ::-1], axis=1, kind="stable")
        per_question.append(values.shape[1] - 1 - order[:, :k])
    return per_question


def shares(material: Material, per_question: Sequence[NDArray[np.int64]]) -> NDArray[np.float64]:
    """Compute the share of the evidence that was found for each question, stream by stream."""
    return np.array(
        [
            np.isin(question.evidence, ids).mean()
            for stream, table in zip(material.streams, per_question, strict=True)
            for question, ids in zip(stream.questions, table, strict=True)
        ]
    )
