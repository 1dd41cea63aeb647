"""Late interaction of queries and texts by the vectors of their tokens."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from memopolis.sim.errors import ParameterError
from memopolis.sim.memory.memory import Memory
from memopolis.sim.memory.retrieval.profiles import Profile
from memopolis.sim.memory.vectors.embedding import UNIT, best_cosines

LATE = Profile(late_interaction=1.0)


class Letters:
    """An embedder whose tokens are words: a word's vector is the direction of its first letter."""

    dimensions = 26

    def vectors(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the sums of the vectors of tokens."""
        return np.stack([each.sum(axis=0) for each in self.token_vectors(texts)])

    def token_vectors(self, texts: Sequence[str]) -> list[NDArray[np.float32]]:
        """Return a row per word."""
        directions = np.eye(26, dtype=np.float32)
        return [directions[[ord(word[0]) - 97 for word in text.split()]] for text in texts]


def test_each_token_of_the_query_takes_its_best_match() -> None:
    memory = Memory(2, embedder=Letters())
    for text in ("apple bread", "apple cake corn", "{actor}"):
        memory.stream.add("other", text)
    results = memory[0].observed.stream.search("ale beer", 3, profile=LATE, explain=True)
    terms = {result.template: result.terms["late_interaction"] for result in results}
    assert terms["apple bread"] == 1.0
    assert terms["apple cake corn"] == 0.5
    assert np.isnan(terms["{actor}"])
    together = memory.observed.stream.search("ale beer", 3, profile=LATE)
    assert together.ids[0].tolist() == [result.id for result in results]


def test_texts_are_embedded_once_and_again_after_they_changed() -> None:
    memory = Memory(1, embedder=Letters(), limit=32)
    memory.stream.add("other", "apple")
    assert memory[0].stream.search("ale", profile=LATE)[0].score == 1.0
    assert list(memory.late_interaction_terms._tokens) == [0]
    memory.stream.add("other", "bread cake")
    assert memory[0].stream.search("beer", 1, profile=LATE)[0].template == "bread cake"
    assert list(memory.late_interaction_terms._tokens) == [0, 1]


class Whole:
    """An embedder without vectors of tokens."""

    def vectors(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the same vector for every text."""
        return np.ones((len(texts), 4), np.float32)


def test_an_embedder_without_token_vectors_is_refused() -> None:
    memory = Memory(1, embedder=Whole())
    memory.stream.add("other", "apple")
    with pytest.raises(ParameterError, match="an embedder with token vectors, such as 'minilm'"):
        memory[0].stream.search("ale", profile=LATE)


@given(st.integers(1, 4), st.lists(st.integers(1, 5), min_size=1, max_size=4), st.integers(0, 9))
def test_best_cosines_match_a_loop(query: int, lengths: list[int], seed: int) -> None:
    rng = np.random.Generator(np.random.Philox(seed))
    tokens = [rng.integers(-UNIT, UNIT + 1, (n, 8)) for n in (query, *lengths)]
    expected = [
        sum(max(int(q @ t) for t in text) for q in tokens[0]) / (query * UNIT * UNIT)
        for text in tokens[1:]
    ]
    assert best_cosines(tokens[0], tokens[1:]) == pytest.approx(expected, rel=1e-6)
