"""Rank all memories of each stream of a public benchmark, by profile and by standard method."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import quality_methods as standard
from numpy.typing import NDArray
from quality_measured import DENSE_MINILM, LATE_MINILM
from quality_recall import Found, rank_all, remember, search_all
from quality_shapes import Material, Stream

from memopolis.sim.memory.text.query import parse
from memopolis.sim.memory.vectors.embedders.minilm import MiniLM
from memopolis.sim.memory.vectors.embedders.registry import embedder_of

RECALL = "recall"
STANDARD = ("BM25", "MiniLM", "BM25 + MiniLM")
"""Standard methods, each measured in both forms."""
NAMED, ALONE = ", speaker in front", ", text alone, no names"
MOST_CACHED = 200_000
"""Most vectors that are kept for texts that several histories share, 1.5 kB each."""

Scores = NDArray[np.float64]


class CachedMiniLM:
    """MiniLM with cached vectors, since all methods use the same texts.

    Raises:
        ExtraError: If the packages of the model are not installed.
    """

    name = MiniLM.name
    bits = MiniLM.bits
    thresholds = MiniLM.thresholds
    dimensions = MiniLM.dimensions

    def __init__(self) -> None:
        self._model: Any = embedder_of("minilm")
        self._cache: dict[str, NDArray[np.float32]] = {}

    def vectors(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the unit vectors of texts, float32, shape (texts, 384)."""
        if len(self._cache) > MOST_CACHED:
            self._cache.clear()
        fresh = [text for text in dict.fromkeys(texts) if text not in self._cache]
        self._cache.update(zip(fresh, self._model.vectors(fresh), strict=True))
        return np.array([self._cache[t] for t in texts], np.float32).reshape(-1, self.dimensions)

    def token_vectors(self, texts: Sequence[str]) -> list[NDArray[np.float32]]:
        """Return the vectors of tokens, which the memory caches."""
        return list(self._model.token_vectors(texts))


def ranked(material: Material, model: CachedMiniLM | None) -> dict[str, Found]:
    """Rank the memories of each stream for its questions, by method.

    Args:
        material: The streams.
        model: The sentence model; None to leave out the methods that need it.

    Returns:
        Tables of positions in the stream, best first, one row per question, -1 for none.
    """
    most = max(len(stream.memories) for stream in material.streams)
    results = {RECALL: search_all(remember(material), material, RECALL, most)}
    if model is not None:
        memory = remember(material, model)
        results[DENSE_MINILM] = search_all(memory, material, "dense", most)
        results[LATE_MINILM] = search_all(memory, material, "late_interaction", most)
    for form in (NAMED, ALONE):
        methods = _standard(material, form, model)
        results |= {name + form: rank_all(material, one, most) for name, one in methods.items()}
    return results


def _standard(
    material: Material, form: str, model: CachedMiniLM | None
) -> dict[str, Callable[[Stream], Scores]]:
    def read(stream: Stream) -> tuple[list[str], list[str]]:
        """Return texts and questions in one form."""
        if form == NAMED:
            return standard.texts_of(stream, "named"), stream.asked
        asked = [parse(text, material.names).text for text in stream.asked]
        return standard.texts_of(stream, "alone"), asked

    def bm25(stream: Stream) -> Scores:
        texts, asked = read(stream)
        return standard.bm25(texts, asked, rarity=texts)

    if model is None:
        return {"BM25": bm25}

    def minilm(stream: Stream) -> Scores:
        texts, asked = read(stream)
        return model.vectors(asked).astype(np.float64) @ model.vectors(texts).T

    def both(stream: Stream) -> Scores:
        return standard.scaled(bm25(stream)) + standard.scaled(minilm(stream))

    return dict(zip(STANDARD, (bm25, minilm, both), strict=True))
