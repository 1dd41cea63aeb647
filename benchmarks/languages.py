"""Search in ten languages: `python benchmarks/languages.py`.

For each language and kind of question, the table prints the percentage of questions whose memory
is the first result, and is among the first five, of the profile `recall` and of BM25 over words
between spaces, which returns only memories with a word of the question. The material, 24 memories
and 36 questions per language, is in `quality/languages`.
"""

import csv
import math
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from memopolis.sim.memory.memory import Memory

FOLDER = Path(__file__).parent / "quality/languages"
KINDS = ("words", "parts", "paraphrase")
FIRST = 5
"""Results of a search."""

K1, B = 1.2, 0.75
_EDGES = re.compile(r"^\W+|\W+$")


class Question(NamedTuple):
    """A question about one memory."""

    kind: str
    text: str
    evidence: int


class Language(NamedTuple):
    """The memories of a language and the questions about them."""

    name: str
    memories: list[str]
    questions: list[Question]


def load(path: Path) -> Language:
    """Read the material of a language."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    questions = [
        Question(kind, row[kind], number)
        for number, row in enumerate(rows)
        for kind in KINDS
        if row[kind]
    ]
    return Language(path.stem, [row["text"] for row in rows], questions)


def search(language: Language, k: int = FIRST) -> list[list[int]]:
    """Return the memories that `recall` finds for each question, best first."""
    memory = Memory(1)
    for text in language.memories:
        memory[0].stream.add("other", text)
    return [
        [result.id for result in memory[0].stream.search(question.text, k=k)]
        for question in language.questions
    ]


def search_bm25(language: Language, k: int = FIRST) -> list[list[int]]:
    """Return the memories with a word of each question, best first, by BM25."""
    documents = [_words(text) for text in language.memories]
    df = Counter(word for document in documents for word in set(document))
    mean = sum(map(len, documents)) / len(documents)

    def score(words: Sequence[str], document: Sequence[str]) -> float:
        tf = Counter(document)
        norm = K1 * (1 - B + B * len(document) / mean)
        return sum(
            math.log(1 + (len(documents) - df[word] + 0.5) / (df[word] + 0.5))
            * (tf[word] * (K1 + 1) / (tf[word] + norm))
            for word in dict.fromkeys(words)
        )

    ranked = []
    for question in language.questions:
        words = _words(question.text)
        scores = [score(words, document) for document in documents]
        best = sorted(range(len(documents)), key=lambda n: (-scores[n], n))
        ranked.append([n for n in best[:k] if scores[n] > 0])
    return ranked


def _words(text: str) -> list[str]:
    return [word for part in text.lower().split() if (word := _EDGES.sub("", part))]


def shares(language: Language, ranked: Sequence[Sequence[int]], k: int) -> dict[str, float]:
    """Return the share of questions of each kind whose memory is among the first k results."""
    hits: dict[str, list[bool]] = {kind: [] for kind in KINDS}
    for question, results in zip(language.questions, ranked, strict=True):
        hits[question.kind].append(question.evidence in results[:k])
    return {kind: sum(some) / len(some) for kind, some in hits.items()}


def table() -> str:
    """Return the table as Markdown."""
    lines = [
        "| language | words | parts of words | paraphrases | BM25: words | parts | paraphrases |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for path in sorted(FOLDER.glob("*.tsv")):
        language = load(path)
        figures = []
        for ranked in (search(language), search_bm25(language)):
            first, five = shares(language, ranked, 1), shares(language, ranked, FIRST)
            figures += [f"{100 * first[kind]:.0f} / {100 * five[kind]:.0f}" for kind in KINDS]
        name = language.name.replace("-", ", ").capitalize()
        lines.append(f"| {name} | {' | '.join(figures)} |")
    return "\n".join(lines)


if __name__ == "__main__":
    print(table())
