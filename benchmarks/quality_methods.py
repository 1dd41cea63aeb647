"""Standard retrieval methods, as scores of all memories of a stream for its questions.

Each method reads plain texts, with or without the name of the speaker, and the questions as
written. Parameters are the common ones and were chosen before anything was measured.
"""

import math
import re
from collections import Counter
from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from quality_shapes import Remembered, Stream

from memopolis.sim.memory.text.pieces import STOP_WORDS
from memopolis.sim.memory.vectors.embedders.static import static_table

K1, B = 1.2, 0.75
FUSED = 60
"""Constant of reciprocal rank fusion. Source: Cormack et al. 2009, doi:10.1145/1571941.1572114."""

Form = Literal["named", "alone", "led", "dated"]
Scores = NDArray[np.float64]

_VECTORS: dict[str, NDArray[np.float32]] = {}
_WORD = re.compile(r"[a-z0-9]+")
_STOP = set(STOP_WORDS)
_ENDINGS = ("ingly", "edly", "ing", "ied", "ies", "ed", "es", "ly", "s")


def texts_of(stream: Stream, form: Form = "named") -> list[str]:
    """Return the texts of a stream, with names filled into templates.

    Args:
        stream: The stream.
        form: "named" puts the actor in front if the text does not name it, "alone" does not, "led"
            also puts the memory in front that the text continues, "dated" month and year.
    """
    texts = [memory.text if form == "alone" else _named(memory) for memory in stream.memories]
    whole = zip(stream.memories, texts, ["", *texts], strict=False)
    if form == "led":
        return [f"{before} {text}" if m.continues else text for m, text, before in whole]
    if form == "dated":
        return [f"{m.time:%B %Y}: {text}" for m, text, _ in whole]
    return texts


def _named(memory: Remembered) -> str:
    """Return the text of a memory with its actor, in front if the text does not name it."""
    match = re.search(rf"\b{re.escape(memory.actor)}\b", memory.text)
    return memory.text if match or not memory.actor else f"{memory.actor}: {memory.text}"


def words(text: str, *, stems: bool = False) -> list[str]:
    """Split a text into words without stop words, optionally stemmed."""
    kept = [word for word in _WORD.findall(text.lower()) if word not in _STOP]
    return [stem(word) for word in kept] if stems else kept


def stem(word: str) -> str:
    """Remove a common ending, leaving at least three letters."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word.removesuffix(ending)
    return word


def idf(documents: Sequence[Sequence[str]]) -> dict[str, float]:
    """Compute the inverse document frequency of words.

    Source: Robertson and Zaragoza 2009, doi:10.1561/1500000019, with the usual +1 in the log.
    """
    df = Counter(word for document in documents for word in set(document))
    n = len(documents)
    return {word: math.log(1 + (n - d + 0.5) / (d + 0.5)) for word, d in df.items()}


def bm25(
    texts: Sequence[str], queries: Sequence[str], *, rarity: Sequence[str], stems: bool = False
) -> Scores:
    """Compute BM25, shape (queries, texts); document frequencies are those of `rarity`."""
    documents = [words(text, stems=stems) for text in texts]
    over = documents if rarity is texts else [words(t, stems=stems) for t in rarity]
    weight = idf(over)
    mean = sum(map(len, over)) / len(over)
    counts = [Counter(document) for document in documents]
    scores = np.zeros((len(queries), len(texts)))
    for q, query in enumerate(queries):
        for word in set(words(query, stems=stems)):
            for t, count in enumerate(counts):
                if tf := count[word]:
                    norm = tf + K1 * (1 - B + B * len(documents[t]) / mean)
                    scores[q, t] += weight[word] * tf * (K1 + 1) / norm
    return scores


def tfidf(texts: Sequence[str], queries: Sequence[str]) -> Scores:
    """Compute cosines of tf-idf vectors with smooth idf, shape (queries, texts)."""
    documents = [Counter(words(text)) for text in texts]
    df = Counter(word for document in documents for word in document)
    number = {word: i for i, word in enumerate(df)}
    weight = np.array([math.log((1 + len(texts)) / (1 + d)) + 1 for d in df.values()])
    table = np.zeros((len(texts), len(df)))
    for row, document in zip(table, documents, strict=True):
        for word, count in document.items():
            row[number[word]] = count
    asked = np.zeros((len(queries), len(df)))
    for row, query in zip(asked, queries, strict=True):
        for word in words(query):
            if word in number:
                row[number[word]] += 1
    return unit(asked * weight) @ unit(table * weight).T


def static(texts: Sequence[str], queries: Sequence[str]) -> Scores:
    """Compute cosines of the shipped static vectors, shape (queries, texts)."""
    table = static_table()
    return table.vectors(queries).astype(np.float64) @ table.vectors(texts).T


def unit(rows: Scores) -> Scores:
    """Scale rows to length one; rows of zeros stay."""
    norm = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / np.where(norm > 0, norm, 1.0)


def scaled(scores: Scores) -> Scores:
    """Scale the scores of each query to 0..1."""
    low, high = scores.min(axis=1, keepdims=True), scores.max(axis=1, keepdims=True)
    return (scores - low) / np.where(high > low, high - low, 1.0)


def fuse_ranks(*lists: Scores) -> Scores:
    """Combine scores by reciprocal rank fusion."""
    return sum(1 / (FUSED + 1 + ranks(scores)) for scores in lists)  # type: ignore[return-value]


def ranks(scores: Scores) -> NDArray[np.int64]:
    """Rank texts for each query, 0 for the best; ties go to the newer memory."""
    order = np.argsort(-scores[:, ::-1], axis=1, kind="stable")
    placed = np.empty_like(order)
    np.put_along_axis(placed, scores.shape[1] - 1 - order, np.arange(scores.shape[1]), axis=1)
    return placed


def minilm_cosines(texts: Sequence[str], queries: Sequence[str]) -> Scores:
    """Compute cosines of MiniLM vectors, shape (queries, texts)."""
    return _embedded(queries) @ _embedded(texts).T


def _embedded(texts: Sequence[str]) -> Scores:
    from memopolis.sim.memory.vectors.embedders.minilm import minilm

    fresh = [text for text in dict.fromkeys(texts) if text not in _VECTORS]
    _VECTORS.update(zip(fresh, minilm().vectors(fresh), strict=True))
    return np.array([_VECTORS[text] for text in texts], np.float64)
