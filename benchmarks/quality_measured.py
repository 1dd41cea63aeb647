"""Measure the share of the evidence that each method finds."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import quality_methods as standard
from numpy.typing import NDArray
from quality_methods import Form
from quality_recall import Found, rank_all, remember, search_all, shares
from quality_sessions import by_session, ndcg, session_of
from quality_shapes import Material, Stream

from memopolis.sim.chance import Chance
from memopolis.sim.memory.memory import Memory
from memopolis.sim.memory.retrieval.profiles import PROFILES, Profile

KS = (5, 10, 20)
RESAMPLES = 2_000
DENSE_MINILM = "dense, MiniLM"
LATE_MINILM = "late_interaction, MiniLM"
LEARNED = ("actor", "date", "window", "session", "answer", "statement", "information", "static")
"""Terms of `recall` that are left out one at a time."""
ALONE = ", text alone"
YARDSTICKS = ("TF-IDF", "BM25", "static table", "MiniLM", "BM25 + MiniLM")
DENSE = ("static table", "MiniLM", "BM25 + MiniLM")
FORMS: tuple[Form, ...] = ("named", "alone", "led", "dated")

Shares = NDArray[np.float64]
Scores = Callable[[Stream], NDArray[np.float64]]


@dataclass(frozen=True)
class Measured:
    """Results of a method for each question.

    Attributes:
        name: Name of the method.
        values: Share of the evidence in the best 5, 10 and 20, shape (3, questions).
        sessions: Whether the first session has evidence, and NDCG at 5 of sessions, ranked by
            their best memory, shape (2, questions).
    """

    name: str
    values: Shares
    sessions: Shares

    @property
    def at_ten(self) -> Shares:
        """Shares in the best ten."""
        at_ten: Shares = self.values[1]
        return at_ten

    @property
    def mean(self) -> float:
        """Mean share in the best ten."""
        return float(self.at_ten.mean())


@dataclass(frozen=True)
class Results:
    """Results for one material.

    Attributes:
        material: The material.
        standard: Standard methods by form of the texts; the same methods for each form.
        own: Profiles of the package, without and with the sentence model.
        memory: Bytes of the vectors of a text, and of its tokens; None without the model.
    """

    material: Material
    standard: dict[Form, list[Measured]]
    own: list[Measured]
    memory: tuple[float, float] | None = None

    def __getitem__(self, name: str) -> Measured:
        """Return a profile, or a standard method with or without names, whichever finds more."""
        matching = [row for row in self.own if row.name == name]
        return matching[0] if matching else self.best(name, ("named", "alone"))

    def best(self, name: str, forms: Sequence[Form]) -> Measured:
        """Return a standard method in the form that finds most; the first of them on a tie."""
        rows = [row for form in forms for row in self.standard[form] if row.name == name]
        return max(rows, key=lambda row: row.mean)

    def __contains__(self, name: str) -> bool:
        """Return whether a method was measured."""
        return any(row.name == name for row in (*self.own, *self.standard["named"]))

    def rows(self) -> list[Measured]:
        """List the rows of the table: standard methods, dense ones in two forms, then profiles."""
        alone = [
            replace(row, name=row.name + ALONE)
            for row in self.standard["alone"]
            if row.name in DENSE
        ]
        return [*self.standard["named"], *alone, *self.own]


def measure(material: Material, *, model: bool = True) -> Results:
    """Measure a material, with the sentence model or without."""
    forms = {form: yardsticks(material, form, model=model) for form in FORMS}
    own = profiles(material)
    if not model:
        return Results(material, forms, own)
    with_model, memory = mixed(material)
    return Results(material, forms, [*own, *with_model], memory)


def yardsticks(material: Material, form: Form, *, model: bool) -> list[Measured]:
    """Measure the standard methods on texts in one form."""
    methods = lexical(material, form)
    if model:
        bm25 = methods["BM25"]

        def minilm(stream: Stream) -> Shares:
            return standard.minilm_cosines(standard.texts_of(stream, form), stream.asked)

        methods |= {
            "MiniLM": minilm,
            "BM25 + MiniLM": lambda s: standard.scaled(bm25(s)) + standard.scaled(minilm(s)),
            "BM25 + MiniLM, by rank": lambda s: standard.fuse_ranks(bm25(s), minilm(s)),
        }
    return [
        measured(name, material, rank_all(material, method, max(KS)))
        for name, method in methods.items()
    ]


def lexical(material: Material, form: Form) -> dict[str, Scores]:
    """Return the standard methods that need no model."""
    everybody = [text for stream in material.streams for text in standard.texts_of(stream, form)]

    def bm25(stream: Stream, *, society: bool = False, stems: bool = False) -> Shares:
        texts = standard.texts_of(stream, form)
        rarity = everybody if society else texts
        return standard.bm25(texts, stream.asked, rarity=rarity, stems=stems)

    return {
        "TF-IDF": lambda s: standard.tfidf(standard.texts_of(s, form), s.asked),
        "BM25": bm25,
        "BM25, society statistics": lambda s: bm25(s, society=True),
        "BM25, stems": lambda s: bm25(s, stems=True),
        "static table": lambda s: standard.static(standard.texts_of(s, form), s.asked),
    }


def measured(name: str, material: Material, best: Found) -> Measured:
    """Measure the best 20 memories of each question."""
    values = np.array([shares(material, [table[:, :k] for table in best]) for k in KS])
    sessions: list[tuple[float, float]] = []
    for stream, table in zip(material.streams, best, strict=True):
        numbers = session_of(stream)
        for question, ids in zip(stream.questions, table, strict=True):
            ranking = by_session(ids[ids >= 0], numbers)
            evidence = sorted({int(numbers[e]) for e in question.evidence})
            hit = len(ranking) > 0 and int(ranking[0]) in evidence
            sessions.append((float(hit), ndcg(ranking, evidence, 5)))
    return Measured(name, values, np.array(sessions).T)


def by_profiles(
    material: Material, memory: Memory, matching: dict[str, str | Profile]
) -> list[Measured]:
    """Measure searches with profiles."""
    return [
        measured(name, material, search_all(memory, material, best_first(profile), max(KS)))
        for name, profile in matching.items()
    ]


def best_first(profile: str | Profile) -> Profile:
    """Return a profile whose results are ordered by score, so that the first k are the k best."""
    return replace(PROFILES[profile] if isinstance(profile, str) else profile, order="best")


def profiles(material: Material) -> list[Measured]:
    """Measure the profiles of the package, and `recall` without some of its terms."""
    recall = PROFILES["recall"]
    matching = {name: PROFILES[name] for name in ("recall", "act", "town", "working", "society")}
    matching["working, no time limit"] = replace(PROFILES["working"], time_to_live=None)
    for name in LEARNED:
        without: dict[str, Any] = {name: 0.0}
        matching[f"recall, no {name}"] = replace(recall, **without)
    matching["recall, relevance alone"] = replace(PROFILES["act"], recency=0.0, importance=0.0)
    plain = remember(material, written_out=True)
    return [
        *by_profiles(material, remember(material), dict(matching)),
        *by_profiles(material, plain, {"recall, names as words": "recall"}),
    ]


def mixed(material: Material) -> tuple[list[Measured], tuple[float, float]]:
    """Measure the profiles that need a sentence model.

    Returns:
        The profiles, and the bytes of the vectors of a text and of its tokens.
    """
    matching: dict[str, str | Profile] = {
        DENSE_MINILM: PROFILES["dense"],
        LATE_MINILM: PROFILES["late_interaction"],
        "town, MiniLM": PROFILES["town"],
        "society, MiniLM": PROFILES["society"],
    }
    memory = remember(material, "minilm")
    rows = by_profiles(material, memory, matching)
    sizes = memory.vectors.nbytes, memory.late_interaction_terms.nbytes
    return rows, (sizes[0] / len(memory.texts), sizes[1] / len(memory.texts))


def resampled(values: Shares) -> tuple[float, float]:
    """Compute the 95% bootstrap interval of the mean over questions."""
    n = len(values)
    draws = Chance(1).uniform("questions", np.arange(RESAMPLES * n)).reshape(RESAMPLES, n)
    means = values[(draws * n).astype(np.intp)].mean(axis=1)
    low, high = np.quantile(means, (0.025, 0.975))
    return float(low), float(high)
