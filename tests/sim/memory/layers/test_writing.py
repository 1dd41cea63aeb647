"""The rule that summarises by picking sentences."""

from collections.abc import Sequence

import numpy as np
import pytest

from memopolis.sim.memory.layers.summaries import Kind, Passage, compute_centrality, extractive
from memopolis.sim.memory.memory import Memory


def passage(
    texts: Sequence[str],
    importance: Sequence[float],
    central: Sequence[float] | None = None,
    limit: int = 200,
    kind: Kind = "summary",
) -> Passage:
    memory = Memory(agents=1)
    for text, weight in zip(texts, importance, strict=True):
        memory[0].stream.add("life", text, importance=weight)
    memories = memory[0].stream.read(range(len(texts)))
    near = np.zeros(len(texts)) if central is None else np.array(central)
    return Passage(kind, memories, near, limit)


def test_the_most_important_sentences_are_in_order_of_time() -> None:
    result = passage(["One.", "Two.", "Three."], [0.2, 0.0, 0.9], limit=12)
    assert extractive(result) == "One. Three."
    assert extractive(passage(["One.", "Two.", "Three."], [0.2, 0.0, 0.9])) == "One. Two. Three."


def test_central_sentences_are_preferred_at_equal_importance() -> None:
    result = passage(["One.", "Two.", "Six."], [0.5] * 3, [0.1, 0.8, 0.4], limit=10)
    assert extractive(result) == "Two. Six."


def test_first_sentences_are_preferred() -> None:
    result = passage(["A one. A two.", "B one. B two."], [0.9, 0.1], limit=22)
    assert extractive(result) == "A one. A two. B one."


def test_repeated_sentences_are_written_once() -> None:
    assert extractive(passage(["Rain.", "Rain.", "Sun."], [0.5] * 3)) == "Rain. Sun."


def test_sentences_without_a_full_stop_are_separated() -> None:
    assert extractive(passage(["Rain", "Sun."], [0.5] * 2)) == "Rain; Sun."


def test_a_sentence_longer_than_the_limit_is_cut_at_a_word() -> None:
    result = passage(["The storm tore the roof off", "Short."], [0.9, 0.1], limit=15)
    assert extractive(result) == "The storm tore…"
    assert extractive(passage(["飓风警报响起需要立即撤离"], [0.5], limit=6)) == "飓风警报响…"


@pytest.mark.parametrize("limit", [1, 5, 17, 40, 200])
def test_a_summary_never_exceeds_its_limit(limit: int) -> None:
    texts = ["The storm tore the roof off. We left!", "飓风警报。", "Bread", "", "A\nB"]
    assert len(extractive(passage(texts, [0.1, 0.9, 0.5, 1, 0.3], limit=limit))) <= limit


def test_a_gist_is_the_member_nearest_the_centroid() -> None:
    result = passage(["One.", "Two.", "Six."], [1, 0, 0], [0.5, 0.8, 0.8], kind="gist")
    assert extractive(result) == "Two."


def test_centrality_is_the_cosine_with_the_sum() -> None:
    class Corners:
        def vectors(self, texts: Sequence[str]) -> np.ndarray:
            corner = {"x": (1, 0), "y": (0, 1)}
            return np.array([corner.get(text, (0, 0)) for text in texts], np.float32)

    memory = Memory(agents=1, embedder=Corners())
    numbers = memory.texts.intern_many(["x", "y", "?"])[[0, 0, 1, 2]]
    # The sum is (2, 1), of length root 5.
    expected = [2 / 5**0.5, 2 / 5**0.5, 1 / 5**0.5, 0]
    assert compute_centrality(memory.vectors.vectors(numbers)).tolist() == pytest.approx(expected)
    assert compute_centrality(memory.vectors.vectors(numbers[[3]])).tolist() == [0]
