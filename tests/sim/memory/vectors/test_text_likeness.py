"""Cosines between texts in whole numbers, as a table or pair by pair."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from memopolis.sim.memory.memory import Memory
from memopolis.sim.memory.vectors import text_likeness, text_likeness_kernels
from memopolis.sim.memory.vectors.embedders.protocol import CODES, encode_cosine
from memopolis.sim.memory.vectors.embedders.static import static_table
from memopolis.sim.memory.vectors.embedding import TextVectors
from memopolis.sim.memory.vectors.text_likeness import (
    Ragged,
    code_table,
    groups,
    inverse_lengths,
)

SAID = [
    "A hurricane is coming.", "The storm will hit us", "My landlord raised the rent",
    "The rent is due", "We bought bread", "", "Bread and milk", "The wind is strong",
]  # fmt: skip


class Wide:
    """The shipped embedder, its vectors kept in sixteen bits."""

    bits = 16

    def vectors(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return static_table().vectors(texts)


@pytest.fixture(params=["static", Wide()], ids=["8 bits", "16 bits"])
def vectors(request: pytest.FixtureRequest) -> TextVectors:
    memory = Memory(1, embedder=request.param)
    memory.texts.intern_many(SAID)
    return memory.vectors


def runs(rng: np.random.Generator, agents: int, longest: int) -> Ragged:
    lengths = rng.integers(0, longest + 1, agents)
    starts = np.concatenate([[0], np.cumsum(lengths)])
    return Ragged(rng.integers(0, len(SAID), starts[-1]).astype(np.int32), starts)


def whole(rng: np.random.Generator, shape: tuple[int, int], kind: Any, most: int) -> NDArray[Any]:
    return rng.integers(-most, most + 1, shape).astype(kind)


def lines(vectors: TextVectors, asked: Ragged, held: Ragged) -> dict[tuple[int, int], list[int]]:
    """Cosines of each text asked about with all the agent's texts, by agent and place."""
    by_name = {}
    line = np.zeros(100, np.int16)
    for group in groups(vectors, asked, held):
        for p in range(group.end - group.begin):
            h0, h1 = group.stored.starts[p : p + 2].tolist()
            for a in range(group.queries.starts[p], group.queries.starts[p + 1]):
                local = group.stored.values
                n = h1 - h0
                text_likeness_kernels.line_of(
                    group.similarity, group.queries.values[a], local, h0, n, line
                )
                place = int(a - group.queries.starts[p])
                by_name[group.begin + p, place] = line[:n].tolist()
    return by_name


def encode_dots(dots: Any, first: Any, second: Any) -> NDArray[np.int16]:
    """Codes of dot products, by the definition; `first` and `second` are inverse lengths."""
    cosines = dots.astype(np.float64) * (first[:, None] * second)
    codes: NDArray[np.int16] = np.floor(cosines * CODES + 0.5).astype(np.int16)
    return codes


def test_codes_by_hand() -> None:
    first = np.array([[3, 4], [0, 0], [-3, -4]], np.int8)
    second = np.array([[4, 3], [0, 7]], np.int8)
    a, b = inverse_lengths(first), inverse_lengths(second)
    assert a.tolist() == [0.2, 0.0, 0.2]
    dots = first.astype(np.int64) @ second.astype(np.int64).T
    # cos = 24/25 and 4/5; 0.96 * 32767 = 31456.32, 0.8 * 32767 = 26213.6
    assert encode_dots(dots, a, b).tolist() == [[31456, 26214], [0, 0], [-31456, -26214]]
    assert code_table(first, second).tolist() == encode_dots(dots, a, b).tolist()
    assert code_table(first, first)[0, 0] == CODES


@pytest.mark.parametrize("dimensions", [1, 3, 256, 2000])
@pytest.mark.parametrize(("kind", "most"), [(np.int8, 127), (np.int16, 4000)])
def test_kernel_and_numpy_give_the_same_codes(dimensions: int, kind: Any, most: int) -> None:
    rng = np.random.default_rng(dimensions)
    first = whole(rng, (300, dimensions), kind, most)
    second = whole(rng, (70, dimensions), kind, most)
    first[7] = most
    second[3] = most
    second[5] = 0
    dots = first.astype(np.int64) @ second.astype(np.int64).T
    exact = encode_dots(dots, inverse_lengths(first), inverse_lengths(second))
    assert np.array_equal(code_table(first, second), exact)
    assert np.array_equal(code_table(second, first), exact.T)
    assert exact[7, 3] == CODES
    assert not exact[:, 5].any()


def test_a_threshold_equals_its_cosine() -> None:
    assert [encode_cosine(c) for c in (-1, 0, 0.5, 0.7, 1)] == [-32767, 0, 16384, 22937, 32767]


def test_rows_are_similarities_of_texts(vectors: TextVectors) -> None:
    rng = np.random.default_rng(1)
    asked, held = runs(rng, 5, 4), runs(rng, 5, 9)
    for (p, place), line in lines(vectors, asked, held).items():
        text = asked.values[asked.starts[p] + place]
        for code, other in zip(line, held.part(p, p + 1).values, strict=True):
            cosine = float(vectors.likeness(text, other))
            assert code == pytest.approx(cosine * CODES, abs=0.51)


@pytest.mark.parametrize(("cells", "size"), [(1 << 25, 1 << 26), (1, 1 << 26), (40, 1), (12, 1)])
def test_groups_change_no_cosine(
    vectors: TextVectors, monkeypatch: pytest.MonkeyPatch, cells: int, size: int
) -> None:
    rng = np.random.default_rng(2)
    asked, held = runs(rng, 12, 6), runs(rng, 12, 9)
    whole = lines(vectors, asked, held)
    monkeypatch.setattr(text_likeness, "MOST_CELLS", cells)
    monkeypatch.setattr(text_likeness, "MOST_BYTES", size)
    assert lines(vectors, asked, held) == whole


def forms(vectors: TextVectors, asked: Ragged, held: Ragged) -> list[tuple[int, int, bool]]:
    """Groups of agents, and whether they have a table."""
    return [(g.begin, g.end, bool(len(g.similarity[0]))) for g in groups(vectors, asked, held)]


def test_shared_texts_use_a_table_and_distinct_ones_pairs(vectors: TextVectors) -> None:
    texts = np.arange(8, dtype=np.int32)
    one = Ragged(np.tile(texts, 4), np.arange(0, 33, 8))
    assert forms(vectors, one, one) == [(0, 4, True)]
    apart = Ragged(texts, np.arange(0, 9, 2))
    assert forms(vectors, apart, apart) == [(0, 4, False)]


def test_a_large_table_is_built_for_fewer_agents_at_a_time(
    vectors: TextVectors, monkeypatch: pytest.MonkeyPatch
) -> None:
    near, far = np.tile([0, 1], 4), np.tile([2, 3], 4)
    both = Ragged(np.concatenate([near, near, far, far]).astype(np.int32), np.arange(0, 33, 8))
    assert forms(vectors, both, both) == [(0, 4, True)]
    monkeypatch.setattr(text_likeness, "MOST_CELLS", 10)  # four texts take 16, two take 4
    assert forms(vectors, both, both) == [(0, 2, True), (2, 4, True)]
    monkeypatch.setattr(text_likeness, "MOST_CELLS", 3)
    assert forms(vectors, both, both) == [(p, p + 1, False) for p in range(4)]


def test_an_agent_without_memories_needs_no_group(vectors: TextVectors) -> None:
    none = Ragged(np.zeros(0, np.int32), np.zeros(3, np.int64))
    assert forms(vectors, none, none) == []
