"""Properties of related memories, clusters and merging for any history."""

from collections.abc import Sequence

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from memopolis.sim.memory.layer_settings import LayerSettings
from memopolis.sim.memory.memory import Memory
from memopolis.sim.memory.night.clusters import cluster, clusters_of, nearest
from memopolis.sim.memory.night.merging import GAP, merge_repeats
from memopolis.sim.memory.night.related import links, related
from memopolis.sim.memory.vectors.embedders.protocol import PUBLISHED

WORDS = ["", "1 0", "4 1", "1 1", "1 4", "0 1", "-1 2", "-1 0", "-1 -1", "2 -1"]


class Plane:
    """Embeds texts that are two numbers, 0 for a gap of a gist, and the empty one nowhere."""

    bits = 8
    dimensions = 2
    thresholds = PUBLISHED

    def vectors(self, texts: Sequence[str]) -> NDArray[np.float32]:
        numbers = [text.replace(GAP, "0").split() or ["0", "0"] for text in texts]
        vectors = np.array(numbers, np.float64).reshape(-1, 2)
        norm = np.linalg.norm(vectors, axis=1, keepdims=True)
        return (vectors / np.where(norm > 0, norm, 1)).astype(np.float32)


# A day: what is said, and which of the memories held are forgotten at its end.
days = st.lists(
    st.tuples(st.lists(st.sampled_from(WORDS), max_size=12), st.sets(st.integers(0, 60))),
    max_size=5,
)


def live(memory: Memory, row: int, message: Sequence[str], gone: set[int]) -> None:
    for text in message:
        memory[row].stream.add("social", text)
    memory.settle()
    memory[row].stream.forget([*gone, -1])


@settings(deadline=None, max_examples=60)
@given(days, st.integers(1, 60), st.integers(0, 5), st.integers(1, 4))
def test_related_memories_and_clusters_are_consistent_after_a_night(
    life: list[tuple[list[str], set[int]]], limit: int, short: int, most: int
) -> None:
    memory = Memory(2, limit=limit, embedder=Plane())
    memory.layer_settings = LayerSettings(short, None, most)
    for item, gone in life:
        live(memory, 1, item, gone)
        cluster(memory, [0, 1])
        stop = int(memory.streams.next[1])
        held = [i for i in range(stop) if memory.streams.holds([1], [i])[0]]
        result = clusters_of(memory, 1)
        members = [i for one in result for i in one.ids.tolist()]
        # A memory in a cluster is still stored, is in one cluster only, and not in the short term.
        assert len(members) == len(set(members))
        assert set(members) <= set(held)
        assert len(result) <= most
        assert all(one.founder <= one.ids[0] for one in result)
        cosines = [cosine for _, cosine in nearest(memory, 1, "1 0", 3, observed=True)]
        # Stored vectors are rounded, so their length is only about 1.
        assert all(abs(cosine) <= 1.001 for cosine in cosines)
        assert cosines == sorted(cosines, reverse=True)
        near = related(memory, [1], np.arange(stop)[None])[0]
        newer, place = np.nonzero(near >= 0)
        assert (near[newer, place] < newer).all()
        assert set(near[newer, place].tolist()) | set(newer.tolist()) <= set(held)
        begin, end = links(memory, 1)
        pairs = set(zip(begin.tolist(), end.tolist(), strict=True))
        assert len(pairs) == len(begin)
        assert {(b, a) for a, b in pairs} == pairs


@settings(deadline=None, max_examples=40)
@given(days, st.integers(20, 80), st.integers(2, 5))
def test_merging_terminates_without_duplicates(
    life: list[tuple[list[str], set[int]]], limit: int, at_least: int
) -> None:
    memory = Memory(1, limit=limit, embedder=Plane())
    for item, gone in life:
        live(memory, 0, item, gone)
    held = int(memory.streams.count[[0]][0])
    while merged := int(merge_repeats(memory, [0], at_least)[0]):
        left = int(memory.streams.count[[0]][0])
        assert left <= held - merged * (at_least - 1)
        held = left
    ids = np.arange(int(memory.streams.next[0]))
    texts = memory.streams.get("text", 0, ids[memory.streams.holds(0, ids)])
    for text in texts:
        alike = memory.vectors.likeness(np.full(len(texts), text), texts) >= PUBLISHED.duplicate
        assert alike.sum() < at_least
